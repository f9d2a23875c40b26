#include "tests/support/twin_relief.h"

#include <cmath>

#include "tests/support/twin_math.h"
#include "tests/support/twin_motion.h"
#include "tests/support/twin_program.h"

namespace throng::twin {

float MeanAfter(const Jam& jam, float time_step, Vec2 wanted, Vec2 velocity) {
  const float wanted_squared = LengthSquared(wanted);
  if (!(wanted_squared > kTinySquared)) return 0.0f;
  const float kept = Min(Max(Dot(velocity, wanted) / wanted_squared, 0.0f), 1.0f);
  const float missing = jam.held ? 1.0f - kept : 0.0f;
  const float time = missing > jam.mean ? 0.5f : 4.0f;
  return jam.mean + time_step / (time + time_step) * (missing - jam.mean);
}

float Jammed(float mean) { return Max((mean - 0.5f) * 2.0f, 0.0f); }

float ShortHorizon(float horizon, float jammed, float time_step) {
  const float shortest = Max(0.3f, 10.0f * time_step);
  return Max(horizon * (1.0f - jammed), Min(horizon, shortest));
}

int QueueBehind(Vec2 wanted, std::span<const Other> others) {
  int queue = 0;
  for (const Other& other : others) {
    if (!(Dot(other.way, wanted) > 0.0f)) continue;
    const float along = Dot(wanted, other.wish);
    if (!(along * along > 0.25f * (LengthSquared(wanted) * LengthSquared(other.wish)))) continue;
    const float reach = 1.5f * other.radii;
    if (along < 0.0f && LengthSquared(other.way) < reach * reach) queue = 24;
    if (along > 0.0f && other.queue - 1 > queue) queue = other.queue - 1;
  }
  return queue;
}

Vec2 RightOfWay(std::uint64_t seed, std::uint64_t tick, float time_step) {
  const auto second = static_cast<std::uint64_t>(std::ceil(1.0 / double{time_step} - 1e-3));
  const std::uint64_t turn = tick / (3 * second);
  const auto part = static_cast<std::uint32_t>(DrawBits(seed, 0, 2) + turn / 2 * 0x9E3779B9u);
  const float t = static_cast<float>(part / 256) / 8388608.0f - 1.0f;
  const float inverse = 1.0f / (1.0f + t * t);
  const Vec2 direction{(1.0f - t * t) * inverse, (2.0f * t) * inverse};
  return turn % 2 == 0 ? direction : -direction;
}

Vec2 WishOfOpposed(std::uint64_t seed, Vec2 right_of_way, Vec2 wanted, float jammed) {
  const float side = (DrawBits(seed, 0, 1) & 1) != 0 ? 1.0f : -1.0f;
  const bool goes = Dot(wanted, right_of_way) >= 0.0f;
  const float along = (1.0f - jammed) + jammed * (goes ? 0.7f : -0.4f);
  const float across = side * (jammed * (goes ? 0.4f : 0.5f));
  return along * wanted + across * RightNormal(wanted);
}

Vec2 WithSlack(std::span<const HalfPlane> lines, std::size_t obstacle_lines, float max_speed, Vec2 wish, float slack,
               Vec2 relaxed) {
  std::vector<HalfPlane> eased(lines.begin(), lines.end());
  float worst = 0.0f;
  for (std::size_t i = obstacle_lines; i < lines.size(); ++i) {
    worst = Max(Violation(lines[i], relaxed), worst);
    eased[i].point = lines[i].point - slack * LeftNormal(lines[i].direction);
  }
  if (!(slack > worst)) return relaxed;
  Vec2 velocity = ClampSpeed(wish, max_speed);
  if (SolvePlane(eased, max_speed, wish, /*along=*/false, velocity) < eased.size()) return relaxed;
  return ClampSpeed(velocity, max_speed);
}

}  // namespace throng::twin
