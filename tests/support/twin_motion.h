// The extensions of the motion model, as the textbook twin does them: formulas as they stand, one agent at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

// What a world draws: a hash of its seed, an agent and a purpose, by the finalizer of splitmix64.
std::uint64_t DrawBits(std::uint64_t seed, AgentId id, std::uint64_t purpose);

// Symmetry breaking. `velocity` is what the program chose. An agent that other agents hold, and that keeps less than
// 0.8 of the speed wanted along what it wants, is pushed aside by a part (the bias) of that speed, to the side of the
// world. Not where that would pass an obstacle's line, nor who touches another agent that moves.
struct Aside {
  std::uint64_t seed = 0;
  float bias = 0.0f;
};
Vec2 StepAside(const Aside& aside, bool held_by_agents, std::span<const HalfPlane> obstacle_lines, Vec2 preferred,
               float max_speed, Vec2 velocity);

// Touching is nearer than 1.15 times the sum of the radii.
bool TouchesMoving(const Body& self, const Body& other);

// Rest: an agent that wants exactly nothing and gets less than rest_speed * max_speed stands still.
Vec2 Rested(float rest_speed, Vec2 preferred, float max_speed, Vec2 velocity);

// What the agent wants, smoothed: the value of the tick before moves towards `wanted` by dt / (T + dt) of what lacks, T
// being smoothing_time. Who wants exactly nothing and has a thousandth of max_speed left stops.
Vec2 Smoothed(const AgentParams& params, float time_step, Vec2 wanted, Vec2 before);

// Whether the agent's heading is remembered while it stands: it has a limit, or was told a heading.
bool KeepsHeading(const AgentParams& params, bool told);

// `velocity` within max_turn_rate, then max_acceleration, then max_speed. `before`: the agent's velocity in this tick.
// `heading` is where it faces, used where `before` is zero, and becomes where it faces then; zero: nowhere yet.
Vec2 Limited(const AgentParams& params, float time_step, Vec2 before, Vec2 velocity, Vec2& heading);

// Of a differential drive that faces somewhere: velocities that it can follow with its tracking error, a box around its
// heading.
void AddDriveLines(const AgentParams& params, Vec2 heading, std::vector<HalfPlane>& lines);

// Unit vector at an angle [rad] counter-clockwise from +x. |angle| <= 1e4.
Vec2 DirectionOf(double angle);

// [1/s] What takes the time step's place where `self`, which wants nothing, overlaps `other`: it parts at `speed` at
// most.
float PartingRate(const Body& self, const Body& other, float speed, float inverse_time_step);

}  // namespace throng::twin
