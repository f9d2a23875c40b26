// Who has the right of way where agents meet in a jam.
#pragma once

#include <cstdint>

#include "throng/types.h"

namespace throng {

// Unit vector: who wants to go along it has the right of way in this tick. It changes every few seconds, to its
// opposite and then to another one, and is the same for all agents of a world: so whole queues go, or make room.
Vec2 RightOfWay(std::uint64_t seed, std::uint64_t tick, float time_step);

}  // namespace throng
