// What an agent or obstacle is to others and whom it sees: one 16-byte record, read beside Body.
#pragma once

#include <cstdint>
#include <optional>

#include "throng/types.h"

namespace throng {

// Defaults are those of an agent like any other, which sees all such and is seen by them.
struct Sight {
  std::uint32_t layer = 1;
  std::uint32_t avoids = 0xffffffff;
  float z = 0.0f;       // [m] its height band is [z, z + height]
  float height = 0.0f;  // [m]
  friend bool operator==(const Sight&, const Sight&) = default;
};
static_assert(sizeof(Sight) == 16);

// Of an obstacle, which sees nobody. One without a band has one that meets every other.
inline constexpr Sight kPlainObstacle{1, 0, -0x1p22f, 0x1p23f};
inline constexpr Sight kEveryLayer{0xffffffff, 0, -0x1p22f, 0x1p23f};
inline Sight ObstacleSight(std::uint32_t layer, const std::optional<HeightBand>& band) {
  Sight sight = kPlainObstacle;
  sight.layer = layer;
  if (band) {
    sight.z = band->z;
    sight.height = band->height;
  }
  return sight;
}
inline std::optional<HeightBand> BandOf(const Sight& obstacle) {
  if (obstacle.z == kPlainObstacle.z) return std::nullopt;
  return HeightBand{obstacle.z, obstacle.height};
}

// Both ends belong to a band.
inline bool BandsMeet(const Sight& a, const Sight& b) { return a.z <= b.z + b.height && b.z <= a.z + a.height; }

inline bool Sees(const Sight& self, const Sight& other) {
  return (self.avoids & other.layer) != 0 && BandsMeet(self, other);
}

}  // namespace throng
