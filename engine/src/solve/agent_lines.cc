#include "solve/agent_lines.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace throng {
namespace {

// The smallest change u that brings the relative velocity to the boundary of the velocity obstacle, and the direction
// of that boundary there.
struct Projection {
  Vec2 u;
  Vec2 direction;
};

// On the disc that truncates the cone; w is the relative velocity seen from that disc's centre.
Projection OnCutoff(Vec2 w, float w_squared, float disc_radius, AgentId self, AgentId other) {
  const float w_length = std::sqrt(w_squared);
  const Vec2 normal = w_squared > kTinySquared ? (1.0f / w_length) * w : PartingDirection(self, other);
  return {(disc_radius - w_length) * normal, TurnedRight(normal)};
}

// On the tangent from the origin to the disc of the combined radius around `p`, on the side where w lies.
Projection OnLeg(Vec2 p, Vec2 v, Vec2 w, float distance_squared, float radius, float radius_squared) {
  const float leg = std::sqrt(distance_squared - radius_squared);
  const float side = Det(p, w) > 0.0f ? 1.0f : -1.0f;
  const Vec2 unscaled{(side * p.x) * leg - p.y * radius, p.x * radius + (side * p.y) * leg};
  const Vec2 direction = (1.0f / distance_squared) * unscaled;
  return {Dot(v, direction) * direction - v, direction};
}

float Share(float own, float other, const Projection& nearest) {
  if (other == 0.0f) return 1.0f;
  const float sum = own + other;
  if (Det(nearest.direction, nearest.u) > 0.0f) return own / sum;
  const float rest = other / sum;
  return rest > 0.5f ? rest : 0.5f;
}

}  // namespace

// The ids in ascending order are mixed to 32 bits; all but the lowest few give t in [-1, 1), which maps to the half
// circle ((1 - t^2) / (1 + t^2), 2t / (1 + t^2)), and the lowest bit says which half. No library trigonometry.
Vec2 PartingDirection(AgentId self, AgentId other) {
  const auto [low, high] = self < other ? std::pair(self, other) : std::pair(other, self);
  std::uint32_t mix = (low * 0x9e3779b1u) ^ (high * 0x85ebca77u);
  mix ^= mix >> 15;
  mix *= 0x2c1b3c6du;
  mix ^= mix >> 12;
  mix *= 0x297a2d39u;
  mix ^= mix >> 15;
  const float t = static_cast<float>(mix >> 9) * 0x1p-22f - 1.0f;
  const float t_squared = t * t;
  const float inverse = 1.0f / (1.0f + t_squared);
  const Vec2 direction{(1.0f - t_squared) * inverse, (2.0f * t) * inverse};
  const bool lower_half = (mix & 1) != 0;
  return lower_half != (self > other) ? -direction : direction;
}

HalfPlane AgentHalfPlane(const Disc& self, const Disc& other, float inverse_horizon, float inverse_time_step,
                         bool& overlapping) {
  const Vec2 p = other.position - self.position;
  const Vec2 v = self.velocity - other.velocity;
  const float radius = self.radius + other.radius;
  const float distance_squared = AbsSq(p);
  const float radius_squared = radius * radius;
  const bool overlap = distance_squared <= ContactSquared(radius);
  overlapping |= overlap;

  const float inverse_tau = overlap ? inverse_time_step : inverse_horizon;
  const Vec2 w = v - inverse_tau * p;
  const float w_squared = AbsSq(w);
  const float w_along_p = Dot(w, p);
  const bool before_disc = w_along_p < 0.0f && w_along_p * w_along_p > radius_squared * w_squared;

  const Projection nearest = overlap || before_disc ? OnCutoff(w, w_squared, radius * inverse_tau, self.id, other.id)
                                                    : OnLeg(p, v, w, distance_squared, radius, radius_squared);
  const float share = Share(self.responsibility, other.responsibility, nearest);
  return {self.velocity + share * nearest.u, nearest.direction};
}

}  // namespace throng
