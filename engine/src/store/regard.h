// What decides who avoids whom, of one agent.
#pragma once

#include <cstdint>

#include "base/sight.h"
#include "store/by_slot.h"
#include "throng/types.h"

namespace throng {

// As told; defaults are those of an agent like any other.
struct Regard {
  float responsibility = 1.0f;
  std::uint8_t max_neighbors = 0;
  bool kinematic = false;
  Sight sight{};
};

// Bits of AgentStore::mode.
inline constexpr std::uint8_t kIsKinematic = 1;
inline constexpr std::uint8_t kLands = 2;  // its MoveTo ends in this step

// Of an agent that is kinematic.
struct Kinematic {
  Index slot = kNoIndex;
  float responsibility = 1.0f;  // as told; in force is 0, so that others do all of the avoiding
  bool moves_to = false;        // by `way`, else by its preferred velocity
  MoveTo way;                   // ticks: those to come
};

}  // namespace throng
