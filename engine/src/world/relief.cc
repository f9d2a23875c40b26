#include "world/relief.h"

#include "base/hash.h"
#include "base/vec2.h"
#include "store/jam.h"
#include "store/progress.h"

namespace throng {

// Pairs of turns take directions in the order of multiples of the golden ratio, so that soon each has been near enough
// to any line on which agents may meet. Half circle by t in [-1, 1): ((1 - t^2) / (1 + t^2), 2 t / (1 + t^2)).
Vec2 RightOfWay(std::uint64_t seed, std::uint64_t tick, float time_step) {
  const std::uint64_t turn = tick / (Jam::kSecondsOfWay * TicksOfSecond(time_step));
  const auto base = static_cast<std::uint32_t>(DrawBits(seed, kInvalidId, Draw::kRightOfWay));
  const std::uint32_t part = base + static_cast<std::uint32_t>(turn / 2) * 0x9e3779b9u;
  const float t = static_cast<float>(part >> 8) * 0x1p-23f - 1.0f;
  const float squared = t * t;
  const float inverse = 1.0f / (1.0f + squared);
  const Vec2 direction{(1.0f - squared) * inverse, (2.0f * t) * inverse};
  return turn % 2 == 0 ? direction : -direction;
}

}  // namespace throng
