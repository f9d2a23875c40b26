// The extensions of the motion model, as the textbook twin does them: formulas as they stand, one agent at a time.
#pragma once

#include <cstdint>
#include <span>

#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

// What a world draws: a hash of its seed, an agent and a purpose, by the finalizer of splitmix64.
std::uint64_t DrawBits(std::uint64_t seed, AgentId id, std::uint64_t purpose);

// Symmetry breaking. `velocity` is what the program chose. An agent that other agents hold, and that keeps less than
// 0.8 of the speed wanted along what it wants, is pushed aside by a part (the bias) of that speed, to the side of the
// world. Not where that would pass an obstacle's line.
struct Aside {
  std::uint64_t seed = 0;
  float bias = 0.0f;
};
Vec2 StepAside(const Aside& aside, bool held_by_agents, std::span<const HalfPlane> obstacle_lines, Vec2 preferred,
               float max_speed, Vec2 velocity);

// Rest: an agent that wants exactly nothing and gets less than rest_speed * max_speed stands still.
Vec2 Rested(float rest_speed, Vec2 preferred, float max_speed, Vec2 velocity);

}  // namespace throng::twin
