// Kinematic agents, which move as they are told.
#pragma once

#include <cstddef>

#include "store/agents.h"

namespace throng {

// Of kinematic agents at [begin, end): those on their way to a place get the velocity that brings them there in the
// ticks that are left, and one tick fewer, but in a step of no time (`zero`); those that are there stand. Reads and
// writes nothing of other agents.
void TellKinematics(AgentStore& agents, float inverse_time_step, bool zero, std::size_t begin, std::size_t end);

}  // namespace throng
