// The state hash of a world: the sum modulo 2^64, over agents, of a mix of id and the bits of position and velocity.
// A sum does not depend on the order of storage. Engine and twin give the same number; this is its definition:
//
//   h = id * K0                          id widened to 64 bits; all arithmetic modulo 2^64
//   h = (h ^ position) * K1              position = bits(x) | bits(y) << 32, of the floats as stored
//   h ^= h >> 32
//   h = (h ^ velocity) * K2              velocity likewise
//   h ^= h >> 29
//   h *= K3
//   h ^= h >> 32
//
// Bits, so -0 and +0 differ. A world without agents has hash 0.
#pragma once

#include <bit>
#include <cstdint>

#include "throng/types.h"

namespace throng::twin {

inline std::uint64_t Bits(Vec2 v) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(v.x)} | std::uint64_t{std::bit_cast<std::uint32_t>(v.y)} << 32;
}

inline std::uint64_t AgentHash(AgentId id, Vec2 position, Vec2 velocity) {
  std::uint64_t h = std::uint64_t{id} * 0x9E3779B97F4A7C15u;
  h = (h ^ Bits(position)) * 0xBF58476D1CE4E5B9u;
  h ^= h >> 32;
  h = (h ^ Bits(velocity)) * 0x94D049BB133111EBu;
  h ^= h >> 29;
  h *= 0xD6E8FEB86659FD93u;
  h ^= h >> 32;
  return h;
}

}  // namespace throng::twin
