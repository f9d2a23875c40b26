// The twin's ways: where an agent with a goal or a path wants to go.
#pragma once

#include <cstddef>
#include <vector>

#include "throng/types.h"

namespace throng::twin {

// From waypoint to waypoint, to rest at the last. A goal is a way of one point.
struct Route {
  std::vector<Vec2> points;
  std::size_t next = 0;
  float pass_radius = 0.0f;  // [m]
  bool arrived = false;
  bool is_goal = false;  // told as a goal, not as a path
  bool crowded = false;  // in the last step others left no way nearer to the end, see IsCrowded in twin.cc
  float settled = 0.0f;  // [m] from the end, where it arrived for that

  // One tick: passes waypoints, notes arrival, and returns the velocity that is wanted at `position`.
  Vec2 Go(const AgentParams& params, Vec2 position, float inverse_time_step);
};

// Whether an agent that has arrived may stay where it is, `offset` from its goal: twice the arrival radius and its own.
// That counts from where it settled.
bool MayRest(const AgentParams& params, Vec2 offset, float settled);

}  // namespace throng::twin
