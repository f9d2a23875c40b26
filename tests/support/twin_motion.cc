#include "tests/support/twin_motion.h"

#include "tests/support/twin_math.h"
#include "tests/support/twin_program.h"

namespace throng::twin {

std::uint64_t DrawBits(std::uint64_t seed, AgentId id, std::uint64_t purpose) {
  std::uint64_t h = seed ^ std::uint64_t{id} * 0x9E3779B97F4A7C15u ^ purpose * 0xBF58476D1CE4E5B9u;
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
  h = (h ^ h >> 27) * 0x94D049BB133111EBu;
  return h ^ h >> 31;
}

Vec2 StepAside(const Aside& aside, bool held_by_agents, std::span<const HalfPlane> obstacle_lines, Vec2 preferred,
               float max_speed, Vec2 velocity) {
  const Vec2 wanted = ClampSpeed(preferred, max_speed);
  const float wanted_squared = LengthSquared(wanted);
  if (!held_by_agents || !(wanted_squared > 0.0f)) return velocity;
  if (!(Dot(velocity, wanted) < 0.8f * wanted_squared)) return velocity;

  const float side = (DrawBits(aside.seed, 0, 1) & 1) != 0 ? 1.0f : -1.0f;
  const float part = side * aside.bias;
  const Vec2 pushed = ClampSpeed({velocity.x + part * wanted.y, velocity.y - part * wanted.x}, max_speed);
  for (const HalfPlane& line : obstacle_lines) {
    if (Violation(line, pushed) > 0.0f) return velocity;
  }
  return pushed;
}

Vec2 Rested(float rest_speed, Vec2 preferred, float max_speed, Vec2 velocity) {
  const bool idle = preferred.x == 0.0f && preferred.y == 0.0f;
  const float band = rest_speed * max_speed;
  return idle && LengthSquared(velocity) < band * band ? Vec2{} : velocity;
}

}  // namespace throng::twin
