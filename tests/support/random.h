// Random numbers of our own: the standard distributions differ by library, and golden values must not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "throng/types.h"

namespace throng::testing {

// SplitMix64. Uses no libm, so that what is made from it has the same bits everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [0, bound), bound > 0; the bias is under bound / 2^64.
  std::size_t Below(std::size_t bound) { return static_cast<std::size_t>(Next() % bound); }
  bool Chance(float probability) { return Uniform(0.0f, 1.0f) < probability; }
  // In [low, high], on 2^24 steps.
  float Uniform(float low, float high) { return low + (high - low) * (static_cast<float>(Next() >> 40) * 0x1p-24f); }
  Vec2 InBox(Vec2 low, Vec2 high) {
    const float x = Uniform(low.x, high.x);
    return {x, Uniform(low.y, high.y)};
  }
  Vec2 UnitVector();

  template <class T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  std::uint64_t state_;
};

// Unit vector at `turns` of a full turn, counter-clockwise from +x. |turns| <= 2. By a series of our own.
Vec2 AtTurns(double turns);

inline Vec2 Random::UnitVector() { return AtTurns(static_cast<double>(Next() >> 40) * 0x1p-24); }

}  // namespace throng::testing
