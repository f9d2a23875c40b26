// Limits of how agents move, of those that have some (AgentParams::smoothing_time and those after it): from solve until
// they have moved they have a smoothed wish, and the velocity that solve chose for them is bounded.
//
//   program -> symmetry breaking -> rest -> turn -> acceleration -> speed
//
// Each of the last three leaves what those before it hold: a velocity within the turn is still so after it was drawn
// towards the old one, which lies within it too, and scaling turns nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "solve/half_plane.h"
#include "store/agents.h"
#include "throng/types.h"

namespace throng {

// An agent of a block that has limits, while the block is solved.
struct LimitedPlace {
  Index place;
  LimitedAgent* agent;
};

// [rad] Of a step.
LargestTurn LargestTurnOf(float max_turn_rate, float time_step);

// Collects those at places [begin, end), and puts what they want, smoothed, in place of what they were told.
// `zero`: in a step of no time nobody's smoothing goes on.
void SmoothWishes(AgentStore& agents, float time_step, bool zero, std::size_t begin, std::size_t end,
                  std::vector<LimitedPlace>& limited);
// Bounds their next velocities. The same arguments as before.
void LimitVelocities(AgentStore& agents, float time_step, bool zero, const std::vector<LimitedPlace>& limited);
// Writes the half-planes of velocities that an agent with a differential drive can follow; false if it has none, or
// faces nowhere yet.
bool AddDriveLines(const AgentStore& agents, std::size_t place, HalfPlane* lines);
// Puts back what those at places [begin, end) were told.
void RestoreWishes(AgentStore& agents, std::size_t begin, std::size_t end);

}  // namespace throng
