// What agents with a goal or a path want: their preferred velocity for the step to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/agents.h"

namespace throng {

// Whether an agent that has arrived remains so with `goal`.
bool StaysArrived(const AgentStore& agents, Index place, Vec2 goal);

// Of goals at [begin, end): passes waypoints, notes arrivals, writes preferred velocities. Returns how many arrived.
// Reads and writes nothing of other agents. `zero`: in a step of no time nobody passes or arrives, though agents want
// what they would want if they had.
std::uint64_t Steer(AgentStore& agents, float inverse_time_step, bool zero, std::size_t begin, std::size_t end);

// Whether others leave no way nearer to its goal to an agent that is held: of `nearest`, agents that have arrived at a
// goal within its arrival_radius of its own and that touch it, one is straight ahead, or one to either side of that.
bool IsGoalCrowded(const AgentStore& agents, Index place, std::span<const Index> nearest);

}  // namespace throng
