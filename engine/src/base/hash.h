// The state hash of a world is the sum modulo 2^64 of AgentHash over its agents, so that it does not depend on the
// order in which they are stored.
#pragma once

#include <bit>
#include <cstdint>

#include "throng/types.h"

namespace throng {

inline std::uint64_t PackBits(Vec2 v) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(v.y)) << 32 | std::bit_cast<std::uint32_t>(v.x);
}

// Mixes id and the exact bits of position and velocity: an odd multiplier for each word taken in, the high half folded
// into the low one in between. A change of it changes every golden hash.
inline std::uint64_t AgentHash(AgentId id, Vec2 position, Vec2 velocity) {
  std::uint64_t mix = id * std::uint64_t{0x9e3779b97f4a7c15};
  mix = (mix ^ PackBits(position)) * 0xbf58476d1ce4e5b9;
  mix ^= mix >> 32;
  mix = (mix ^ PackBits(velocity)) * 0x94d049bb133111eb;
  mix ^= mix >> 29;
  mix *= 0xd6e8feb86659fd93;
  return mix ^ (mix >> 32);
}

}  // namespace throng
