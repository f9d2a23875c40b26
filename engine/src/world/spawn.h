// Where a new agent may stand: see Placement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/sight.h"
#include "index/ground.h"
#include "index/obstacle_index.h"
#include "store/agents.h"
#include "store/obstacles.h"
#include "throng/types.h"
#include "world/occupancy.h"
#include "world/step.h"

namespace throng {

// The new agent.
struct Newcomer {
  Vec2 position;
  float radius = 0.0f;  // [m] as others see it
  Sight sight;
  bool kinematic = false;  // neither ground nor bounds hold it
};

struct InTheWay {
  enum class Kind : std::uint8_t { kBounds, kObstacle, kAgent };
  Kind kind = Kind::kBounds;
  std::uint32_t id = kInvalidId;  // of the obstacle or agent
};

// The parts of a world that are asked.
struct SpawnView {
  AgentStore& agents;
  const Stepper& stepper;
  Occupancy& occupancy;
  const ObstacleStore& obstacles;
  const ObstacleIndex& obstacle_index;
  const Ground* ground;                       // null: nobody keeps it, and all obstacles are looked at
  const Rectangle* bounds;                    // null: there are none
  std::span<const ForeseenAgent> foreseen{};  // who counts as if it were there
};

// The bounds, or the obstacle of the lowest id, or the nearest agent by (distance, id), that keeps it from standing at
// its position; nothing if that is free.
std::optional<InTheWay> FindInTheWay(const SpawnView& world, const Newcomer& newcomer);

// The nearest free place to its position, which is not free, no farther than `distance` [m]; nothing if none is found.
//
// Free places are bounded by circles, on which the newcomer touches another, by edges of solids and enclosures, and by
// the sides of its room in the bounds. What is nearest of them is the foot of the way to one of these or the crossing
// of two; these candidates are judged in ascending (distance^2, x, y). They are looked for within a reach that doubles,
// and no farther than the 256th nearest disc or edge, by (distance, discs before edges, id, index).
std::optional<Vec2> FindFreePlace(const SpawnView& world, const Newcomer& newcomer, float distance);

}  // namespace throng
