#include "tests/support/twin_motion.h"

#include <cmath>

#include "tests/support/twin_math.h"
#include "tests/support/twin_program.h"

namespace throng::twin {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Taylor's: cosine with first = 1 and n = 1, sine with first = x and n = 2.
double Series(double first, double x, int n) {
  double term = first, sum = first;
  for (; n < 30; n += 2) {
    term = -term * x * x / (n * (n + 1.0));
    sum += term;
  }
  return sum;
}

// The angle from `a` to `b` is not above one of this sine and cosine, in [0, pi].
bool IsWithin(float sine, float cosine, Vec2 a, Vec2 b) {
  const float along = Dot(b, a), across = std::abs(Det(a, b));
  if (along < 0.0f && cosine > 0.0f) return false;
  return along * sine - across * cosine >= 0.0f;
}

Vec2 Rotated(Vec2 a, float sine, float cosine) { return {cosine * a.x - sine * a.y, cosine * a.y + sine * a.x}; }

}  // namespace

// Full turns, then quarter turns are taken off, so that the series sees an eighth of a turn at most.
Vec2 DirectionOf(double angle) {
  const double quarters = std::nearbyint(angle / (kPi / 2.0));
  // pi / 2 is this double and 6e-17.
  const double rest = std::fma(-quarters, kPi / 2.0, angle) - quarters * 6.123233995736766e-17;
  const auto sine = static_cast<float>(Series(rest, rest, 2)), cosine = static_cast<float>(Series(1.0, rest, 1));
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

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

bool TouchesMoving(const Body& self, const Body& other) {
  const float radii = self.radius + other.radius;
  const bool touches = LengthSquared(other.position - self.position) < 1.15f * 1.15f * (radii * radii);
  return touches && LengthSquared(other.velocity) > 0.0f;
}

Vec2 Rested(float rest_speed, Vec2 preferred, float max_speed, Vec2 velocity) {
  const bool idle = preferred.x == 0.0f && preferred.y == 0.0f;
  const float band = rest_speed * max_speed;
  return idle && LengthSquared(velocity) < band * band ? Vec2{} : velocity;
}

Vec2 Smoothed(const AgentParams& params, float time_step, Vec2 wanted, Vec2 before) {
  const float share = time_step / (params.smoothing_time + time_step);
  const Vec2 smoothed = before + share * (wanted - before);
  const float slow = 1e-3f * params.max_speed;
  const bool idle = wanted.x == 0.0f && wanted.y == 0.0f;
  return idle && LengthSquared(smoothed) <= slow * slow ? Vec2{} : smoothed;
}

void AddDriveLines(const AgentParams& params, Vec2 heading, std::vector<HalfPlane>& lines) {
  if (params.drive != Drive::kDifferential || (heading.x == 0.0f && heading.y == 0.0f)) return;
  const float slip = params.tracking_error * params.max_turn_rate;
  const Vec2 left = LeftNormal(heading);
  lines.push_back({-(0.05f * slip) * heading, RightNormal(heading)});
  lines.push_back({(0.6f * slip) * left, -heading});
  lines.push_back({-(0.6f * slip) * left, heading});
}

bool KeepsHeading(const AgentParams& params, bool told) {
  return told || params.drive != AgentParams{}.drive || params.tracking_error != AgentParams{}.tracking_error ||
         params.smoothing_time != 0.0f || params.max_acceleration != 0.0f || params.max_turn_rate != 0.0f;
}

Vec2 Limited(const AgentParams& params, float time_step, Vec2 before, Vec2 velocity, Vec2& heading) {
  Vec2 facing = NormalizeOr(before, heading);
  const bool faces = facing.x != 0.0f || facing.y != 0.0f;
  const double turn = double{params.max_turn_rate} * double{time_step};
  if (params.max_turn_rate > 0.0f && turn < kPi && faces) {
    const Vec2 largest = DirectionOf(turn);
    if (!IsWithin(largest.y, largest.x, facing, velocity)) {
      // As far round as it may, and of what was chosen the part in that direction.
      const bool to_left = Det(facing, velocity) >= 0.0f;
      facing = Rotated(facing, to_left ? largest.y : -largest.y, largest.x);
      velocity = Max(Dot(velocity, facing), 0.0f) * facing;
    }
  }
  const Vec2 change = velocity - before;
  const float most = params.max_acceleration * time_step;
  if (params.max_acceleration > 0.0f && LengthSquared(change) > most * most) {
    const float share = most / std::sqrt(LengthSquared(change));
    velocity = (1.0f - share) * before + share * velocity;
  }
  const bool limited = params.max_turn_rate > 0.0f || params.max_acceleration > 0.0f;
  if (limited) velocity = ClampSpeed(velocity, params.max_speed);
  heading = NormalizeOr(velocity, NormalizeOr(facing, {}));
  return velocity;
}

float PartingRate(const Body& self, const Body& other, float speed, float inverse_time_step) {
  const float depth = self.radius + other.radius - std::sqrt(LengthSquared(other.position - self.position));
  return speed < inverse_time_step * depth ? speed / depth : inverse_time_step;
}

}  // namespace throng::twin
