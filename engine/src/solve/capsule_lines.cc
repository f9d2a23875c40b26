#include "solve/capsule_lines.h"

#include <cmath>
#include <limits>

namespace throng {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// From the origin to the nearest point of a segment; `vector` leads from its start to its end.
Vec2 ToSegment(Vec2 start, Vec2 end, Vec2 vector) {
  const float length_squared = AbsSq(vector);
  if (!(length_squared > kTinySquared)) return start;
  const float s = -Dot(start, vector) / length_squared;
  if (!(s > 0.0f)) return start;
  if (!(s < 1.0f)) return end;
  return start + s * vector;
}

// Tangents from the origin to the disc around `to`; the floor is under what rounding may take below zero.
struct Tangents {
  Vec2 left, right;  // unit directions
  Tangents(Vec2 to, float radius) {
    const float squared = AbsSq(to);
    const float rest = squared - radius * radius;
    const float leg = std::sqrt(rest > 0.0f ? rest : 0.0f);
    const float inverse = 1.0f / squared;
    left = inverse * Vec2{to.x * leg - to.y * radius, to.x * radius + to.y * leg};
    right = inverse * Vec2{to.x * leg + to.y * radius, to.y * leg - to.x * radius};
  }
};

HalfPlane AgainstDisc(const Disc& self, const Capsule& capsule, Vec2 place, float inverse_horizon,
                      float inverse_time_step) {
  bool overlapping = false;
  return AgentHalfPlane(self, {capsule.id, place, capsule.velocity, capsule.radius, 0.0f}, inverse_horizon,
                        inverse_time_step, overlapping);
}

// The velocity obstacle of a capsule neither of whose ends hides the other.
struct VelocityObstacle {
  Vec2 left, right;          // [m/s] middles of the discs that the legs leave
  Vec2 vector;               // [m/s] from left to right
  Vec2 direction;            // the same, of unit length; the agent is to its right
  Vec2 left_leg, right_leg;  // unit directions
  float radius;              // [m/s] of the discs
};

struct Projection {
  Vec2 u;          // the way to the boundary
  Vec2 direction;  // of the half-plane there
};

Projection OnDisc(Vec2 from_middle, const VelocityObstacle& obstacle) {
  const Vec2 normal = DirectionOr(from_middle, TurnedRight(obstacle.direction));
  return {(obstacle.radius - std::sqrt(AbsSq(from_middle))) * normal, TurnedRight(normal)};
}

Projection Project(Vec2 v, const VelocityObstacle& obstacle) {
  const Vec2 from_left = v - obstacle.left, from_right = v - obstacle.right;
  const float squared = AbsSq(obstacle.vector);
  const float t = Dot(from_left, obstacle.vector) / (squared > kTinySquared ? squared : kTinySquared);
  const float t_left = Dot(from_left, obstacle.left_leg), t_right = Dot(from_right, obstacle.right_leg);
  if (t < 0.0f && t_left < 0.0f) return OnDisc(from_left, obstacle);
  if (t > 1.0f && t_right < 0.0f) return OnDisc(from_right, obstacle);

  const bool beside = t < 0.0f || t > 1.0f;
  const float to_cutoff = beside ? kInfinity : AbsSq(from_left - t * obstacle.vector);
  const float to_left = t_left < 0.0f ? kInfinity : AbsSq(from_left - t_left * obstacle.left_leg);
  const float to_right = t_right < 0.0f ? kInfinity : AbsSq(from_right - t_right * obstacle.right_leg);
  if (to_cutoff <= to_left && to_cutoff <= to_right) {
    const Vec2 normal = TurnedRight(obstacle.direction);
    return {(obstacle.radius - Dot(from_left, normal)) * normal, -obstacle.direction};
  }
  // Legs are on lines through the origin.
  if (to_left <= to_right) return {Dot(v, obstacle.left_leg) * obstacle.left_leg - v, obstacle.left_leg};
  return {Dot(v, obstacle.right_leg) * obstacle.right_leg - v, -obstacle.right_leg};
}

// Both overlap: the way out of the capsule shrunk by a time step, all around. `to_nearest` leads to the nearest point
// of its middle line, `v` is the relative velocity.
Projection OutOf(Vec2 start, Vec2 end, Vec2 vector, float radius, Vec2 to_nearest, Vec2 v) {
  const Vec2 w = -ToSegment(start - v, end - v, vector);
  const Vec2 normal = DirectionOr(w, DirectionOr(-to_nearest, DirectionOr(TurnedLeft(vector), {1.0f, 0.0f})));
  return {(radius - std::sqrt(AbsSq(w))) * normal, TurnedRight(normal)};
}

}  // namespace

float SurfaceDistance(const Capsule& capsule, Vec2 place) {
  const Vec2 nearest = ToSegment(capsule.start - place, capsule.end - place, capsule.end - capsule.start);
  return std::sqrt(AbsSq(nearest)) - capsule.radius;
}

HalfPlane CapsuleHalfPlane(const Disc& self, const Capsule& capsule, float inverse_horizon, float inverse_time_step) {
  const Vec2 vector = capsule.end - capsule.start;
  if (!(AbsSq(vector) > kTinySquared)) {
    return AgainstDisc(self, capsule, capsule.start, inverse_horizon, inverse_time_step);
  }
  const Vec2 start = capsule.start - self.position, end = capsule.end - self.position;
  const Vec2 v = self.velocity - capsule.velocity;
  const float radius = self.radius + capsule.radius;
  const Vec2 nearest = ToSegment(start, end, vector);
  if (AbsSq(nearest) <= ContactSquared(radius)) {
    const Projection out = OutOf(inverse_time_step * start, inverse_time_step * end, inverse_time_step * vector,
                                 radius * inverse_time_step, nearest, v);
    return {self.velocity + out.u, out.direction};
  }
  const Tangents of_start(start, radius), of_end(end, radius);
  const bool start_is_left = !(Det(of_start.left, of_end.left) > 0.0f);
  const bool start_is_right = !(Det(of_start.right, of_end.right) < 0.0f);
  const Vec2 left = start_is_left ? start : end, right = start_is_right ? start : end;
  if (start_is_left == start_is_right || !(Det(left, right) < 0.0f)) {
    const Vec2 seen = AbsSq(end) < AbsSq(start) ? capsule.end : capsule.start;
    return AgainstDisc(self, capsule, seen, inverse_horizon, inverse_time_step);
  }
  const Vec2 across = start_is_left ? vector : -vector;
  const VelocityObstacle obstacle{inverse_horizon * left,
                                  inverse_horizon * right,
                                  inverse_horizon * across,
                                  DirectionOr(across, {1.0f, 0.0f}),
                                  start_is_left ? of_start.left : of_end.left,
                                  start_is_right ? of_start.right : of_end.right,
                                  radius * inverse_horizon};
  const Projection nearest_point = Project(v, obstacle);
  return {self.velocity + nearest_point.u, nearest_point.direction};
}

}  // namespace throng
