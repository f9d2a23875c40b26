// Hashes: of a world's state, and of what the motion model draws.
//
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

// What the motion model draws depends on the world's seed, an agent (0: none) and what it is for, on nothing else.
enum class Draw : std::uint64_t { kSide = 1, kRightOfWay = 2 };

// The finalizer of splitmix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014) over them.
inline std::uint64_t DrawBits(std::uint64_t seed, AgentId id, Draw purpose) {
  std::uint64_t mix =
      seed ^ (id * std::uint64_t{0x9e3779b97f4a7c15}) ^ (static_cast<std::uint64_t>(purpose) * 0xbf58476d1ce4e5b9);
  mix ^= mix >> 30;
  mix *= 0xbf58476d1ce4e5b9;
  mix ^= mix >> 27;
  mix *= 0x94d049bb133111eb;
  return mix ^ (mix >> 31);
}

}  // namespace throng
