#include "tests/support/twin_capsule.h"

#include <algorithm>
#include <cmath>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

// Of the segment from a to b what is nearest to the origin. `ab` = b - a.
Vec2 NearestOf(Vec2 a, Vec2 b, Vec2 ab) {
  const float ab2 = LengthSquared(ab);
  if (!(ab2 > kTinySquared)) return a;
  const float s = -Dot(a, ab) / ab2;
  if (!(s > 0.0f)) return a;
  return s < 1.0f ? a + s * ab : b;
}

// Unit vectors along the tangents from the origin to a disc around p.
Vec2 TangentTo(Vec2 p, float radius, bool left) {
  const float p2 = LengthSquared(p);
  const float length = std::sqrt(Max(p2 - radius * radius, 0.0f));
  const Vec2 scaled = left ? Vec2{p.x * length - p.y * radius, p.x * radius + p.y * length}
                           : Vec2{p.x * length + p.y * radius, p.y * length - p.x * radius};
  return (1.0f / p2) * scaled;
}

// The line that touches a disc of radius r where w, from the disc's centre, points; `change` brings w there.
HalfPlane OnDisc(Vec2 velocity, Vec2 w, float r, Vec2 normal) {
  return {velocity + (r - std::sqrt(LengthSquared(w))) * normal, RightNormal(normal)};
}

}  // namespace

void Capsule::Go(float time_step) {
  constexpr double kEnd = 1048576.0;
  const double x = way_x + double{time_step} * double{velocity.x};
  const double y = way_y + double{time_step} * double{velocity.y};
  const auto within = [](double way, float a, float b) {
    return std::max(std::min(way, kEnd - double{std::max(a, b)}), -kEnd - double{std::min(a, b)});
  };
  if (velocity == Vec2{}) return;
  way_x = within(x, home_a.x, home_b.x);
  way_y = within(y, home_a.y, home_b.y);
  if (way_x != x || way_y != y) velocity = {};
}

float DistanceOf(const Capsule& capsule, Vec2 place) {
  const Vec2 a = capsule.a(), b = capsule.b();
  return std::sqrt(LengthSquared(NearestOf(a - place, b - place, b - a))) - capsule.radius;
}

HalfPlane CapsuleHalfPlane(const Body& self, const Capsule& capsule, float inverse_horizon, float inverse_time_step) {
  const auto against_disc_at = [&](Vec2 place) {
    Body disc{place, capsule.velocity, capsule.radius, capsule.id};
    disc.responsibility = 0.0f;
    return PairHalfPlane(self, disc, inverse_horizon, inverse_time_step);
  };
  const Vec2 ab = capsule.b() - capsule.a();
  if (!(LengthSquared(ab) > kTinySquared)) return against_disc_at(capsule.a());

  const Vec2 a = capsule.a() - self.position, b = capsule.b() - self.position;
  const Vec2 v = self.velocity - capsule.velocity;
  const float r = self.radius + capsule.radius;
  const Vec2 nearest = NearestOf(a, b, ab);
  if (LengthSquared(nearest) <= Max(r * r, kTinySquared)) {
    const float rate = inverse_time_step;
    const Vec2 w = -NearestOf(rate * a - v, rate * b - v, rate * ab);
    const Vec2 away = NormalizeOr(-nearest, NormalizeOr(LeftNormal(ab), {1.0f, 0.0f}));
    return OnDisc(self.velocity, w, r * rate, NormalizeOr(w, away));
  }

  // Which end the left leg touches, and which the right one.
  const Vec2 left_of_a = TangentTo(a, r, true), left_of_b = TangentTo(b, r, true);
  const Vec2 right_of_a = TangentTo(a, r, false), right_of_b = TangentTo(b, r, false);
  const bool b_is_left = Det(left_of_a, left_of_b) > 0.0f;
  const bool b_is_right = Det(right_of_a, right_of_b) < 0.0f;
  const Vec2 left = b_is_left ? b : a, right = b_is_right ? b : a;
  const bool hidden = b_is_left == b_is_right || !(Det(left, right) < 0.0f);
  if (hidden) return against_disc_at(LengthSquared(b) < LengthSquared(a) ? capsule.b() : capsule.a());

  const Vec2 left_leg = b_is_left ? left_of_b : left_of_a, right_leg = b_is_right ? right_of_b : right_of_a;
  const Vec2 across = b_is_left ? -ab : ab;
  const Vec2 direction = NormalizeOr(across, {1.0f, 0.0f});
  const Vec2 towards_agent = RightNormal(direction);
  const float disc = r * inverse_horizon;
  const Vec2 from_left = v - inverse_horizon * left, from_right = v - inverse_horizon * right;
  const Vec2 cutoff = inverse_horizon * across;
  const float t = Dot(from_left, cutoff) / Max(LengthSquared(cutoff), kTinySquared);
  const float along_left = Dot(from_left, left_leg), along_right = Dot(from_right, right_leg);
  if (t < 0.0f && along_left < 0.0f) {
    return OnDisc(self.velocity, from_left, disc, NormalizeOr(from_left, towards_agent));
  }
  if (t > 1.0f && along_right < 0.0f) {
    return OnDisc(self.velocity, from_right, disc, NormalizeOr(from_right, towards_agent));
  }
  // How far the velocity is from the middle of each side that it is beside.
  constexpr float kNever = INFINITY;
  const float to_cutoff = t < 0.0f || t > 1.0f ? kNever : LengthSquared(from_left - t * cutoff);
  const float to_left = along_left < 0.0f ? kNever : LengthSquared(from_left - along_left * left_leg);
  const float to_right = along_right < 0.0f ? kNever : LengthSquared(from_right - along_right * right_leg);
  if (to_cutoff <= to_left && to_cutoff <= to_right) {
    return {self.velocity + (disc - Dot(from_left, towards_agent)) * towards_agent, -direction};
  }
  const bool at_left = to_left <= to_right;
  const Vec2 leg = at_left ? left_leg : right_leg;
  return {self.velocity + (Dot(v, leg) * leg - v), at_left ? leg : -leg};
}

}  // namespace throng::twin
