#include "solve/obstacle_lines.h"

#include <cmath>
#include <limits>
#include <optional>

namespace throng {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The edge as the agent sees it.
struct Sight {
  const ObstacleEdge& edge;
  Vec2 to_start;  // [m] from the agent
  Vec2 to_end;
  float radius;           // [m]
  Vec2 velocity;          // [m/s]
  float inverse_horizon;  // [1/s]
};

// A velocity obstacle: the discs around two vertices joined by the cut-off line, left by two legs.
struct VelocityObstacle {
  Vec2 to_left;  // [m] vertex that the left leg leaves; the edge's start, since the agent is to its right
  Vec2 to_right;
  Vec2 left_leg;  // unit directions
  Vec2 right_leg;
  bool left_foreign = false;  // the leg is the neighbouring edge's: nearest to it means no half-plane
  bool right_foreign = false;
  bool vertex_only = false;  // one vertex hides the rest of the edge
};

// Directions of the tangents from the agent to its own disc around a vertex. The root's argument may fall under zero
// by rounding alone.
float TangentLength(float distance_squared, float radius) {
  const float squared = distance_squared - radius * radius;
  return std::sqrt(squared > 0.0f ? squared : 0.0f);
}

Vec2 LeftTangent(Vec2 to_vertex, float radius) {
  const float distance_squared = AbsSq(to_vertex);
  const float leg = TangentLength(distance_squared, radius);
  const Vec2 unscaled{to_vertex.x * leg - to_vertex.y * radius, to_vertex.x * radius + to_vertex.y * leg};
  return (1.0f / distance_squared) * unscaled;
}

Vec2 RightTangent(Vec2 to_vertex, float radius) {
  const float distance_squared = AbsSq(to_vertex);
  const float leg = TangentLength(distance_squared, radius);
  const Vec2 unscaled{to_vertex.x * leg + to_vertex.y * radius, to_vertex.y * leg - to_vertex.x * radius};
  return (1.0f / distance_squared) * unscaled;
}

// A leg that points into the neighbouring edge runs along that edge instead. Only convex vertices have legs.
void TurnLeftLeg(Vec2 arriving, VelocityObstacle& obstacle) {
  if (!(Det(obstacle.left_leg, -arriving) >= 0.0f)) return;
  obstacle.left_leg = -arriving;
  obstacle.left_foreign = true;
}

void TurnRightLeg(Vec2 leaving, VelocityObstacle& obstacle) {
  if (!(Det(obstacle.right_leg, leaving) <= 0.0f)) return;
  obstacle.right_leg = leaving;
  obstacle.right_foreign = true;
}

VelocityObstacle OfVertex(Vec2 to_vertex, float radius, Vec2 arriving, Vec2 leaving) {
  VelocityObstacle obstacle{to_vertex, to_vertex, LeftTangent(to_vertex, radius), RightTangent(to_vertex, radius)};
  obstacle.vertex_only = true;
  TurnLeftLeg(arriving, obstacle);
  TurnRightLeg(leaving, obstacle);
  return obstacle;
}

// At a reflex vertex the cut-off line goes on in place of a leg.
VelocityObstacle OfWholeEdge(const Sight& sight) {
  const ObstacleEdge& edge = sight.edge;
  VelocityObstacle obstacle{sight.to_start, sight.to_end, -edge.direction, edge.direction};
  if (edge.start_convex) {
    obstacle.left_leg = LeftTangent(sight.to_start, sight.radius);
    TurnLeftLeg(edge.previous_direction, obstacle);
  }
  if (edge.end_convex) {
    obstacle.right_leg = RightTangent(sight.to_end, sight.radius);
    TurnRightLeg(edge.next_direction, obstacle);
  }
  return obstacle;
}

HalfPlane TangentToDisc(const Sight& sight, Vec2 center, float disc_radius) {
  const Vec2 normal = DirectionOr(sight.velocity - center, TurnedRight(sight.edge.direction));
  return {center + disc_radius * normal, TurnedRight(normal)};
}

HalfPlane BesideLine(Vec2 origin, float disc_radius, Vec2 direction) {
  return {origin + disc_radius * TurnedLeft(direction), direction};
}

// The tangent to the velocity obstacle's boundary where the velocity is nearest to it.
std::optional<HalfPlane> Project(const Sight& sight, const VelocityObstacle& obstacle) {
  const float disc_radius = sight.inverse_horizon * sight.radius;
  const Vec2 left = sight.inverse_horizon * obstacle.to_left;
  const Vec2 right = sight.inverse_horizon * obstacle.to_right;
  const Vec2 cutoff = sight.inverse_horizon * sight.edge.vector;
  const Vec2 from_left = sight.velocity - left;
  const Vec2 from_right = sight.velocity - right;
  const bool vertex_only = obstacle.vertex_only;

  const float t = vertex_only ? 0.5f : Dot(from_left, cutoff) / AbsSq(cutoff);
  const float t_left = Dot(from_left, obstacle.left_leg);
  const float t_right = Dot(from_right, obstacle.right_leg);
  if ((t < 0.0f && t_left < 0.0f) || (vertex_only && t_left < 0.0f && t_right < 0.0f)) {
    return TangentToDisc(sight, left, disc_radius);
  }
  if (t > 1.0f && t_right < 0.0f) return TangentToDisc(sight, right, disc_radius);

  const bool off_cutoff = t < 0.0f || t > 1.0f || vertex_only;
  const float to_cutoff = off_cutoff ? kInfinity : AbsSq(sight.velocity - (left + t * cutoff));
  const float to_left = t_left < 0.0f ? kInfinity : AbsSq(sight.velocity - (left + t_left * obstacle.left_leg));
  const float to_right = t_right < 0.0f ? kInfinity : AbsSq(sight.velocity - (right + t_right * obstacle.right_leg));
  if (to_cutoff <= to_left && to_cutoff <= to_right) return BesideLine(left, disc_radius, -sight.edge.direction);
  if (to_left <= to_right) {
    if (obstacle.left_foreign) return std::nullopt;
    return BesideLine(left, disc_radius, obstacle.left_leg);
  }
  if (obstacle.right_foreign) return std::nullopt;
  return BesideLine(right, disc_radius, -obstacle.right_leg);
}

// Contact forbids every velocity towards the point of contact.
HalfPlane ContactWithVertex(const Sight& sight, Vec2 to_vertex) {
  return {Vec2{}, DirectionOr(TurnedLeft(to_vertex), -sight.edge.direction)};
}

HalfPlane ContactWithEdge(const Sight& sight) { return {Vec2{}, -sight.edge.direction}; }

std::optional<HalfPlane> BeforeStart(const Sight& sight, bool vertex_touches) {
  const ObstacleEdge& edge = sight.edge;
  if (!edge.start_convex) return std::nullopt;
  if (vertex_touches) return ContactWithVertex(sight, sight.to_start);
  return Project(sight, OfVertex(sight.to_start, sight.radius, edge.previous_direction, edge.direction));
}

// Contact with the end is the next edge's affair where the agent can see that one.
std::optional<HalfPlane> PastEnd(const Sight& sight, bool vertex_touches) {
  const ObstacleEdge& edge = sight.edge;
  if (!edge.end_convex) return std::nullopt;
  if (vertex_touches) {
    if (!(Det(sight.to_end, edge.next_direction) >= 0.0f)) return std::nullopt;
    return ContactWithVertex(sight, sight.to_end);
  }
  return Project(sight, OfVertex(sight.to_end, sight.radius, edge.direction, edge.next_direction));
}

std::optional<HalfPlane> ObstacleHalfPlane(const Sight& sight) {
  const float contact_squared = ContactSquared(sight.radius);
  const float s = NearestParameter(sight.edge, sight.to_start);
  const bool line_touches = AbsSq(sight.to_start + s * sight.edge.vector) <= contact_squared;
  const bool start_touches = AbsSq(sight.to_start) <= contact_squared;
  const bool end_touches = AbsSq(sight.to_end) <= contact_squared;
  if (s < 0.0f && (start_touches || line_touches)) return BeforeStart(sight, start_touches);
  if (s > 1.0f && (end_touches || line_touches)) return PastEnd(sight, end_touches);
  if (line_touches && s >= 0.0f && s <= 1.0f) return ContactWithEdge(sight);
  return Project(sight, OfWholeEdge(sight));
}

// Both ends of the edge, as velocities and with the disc around them, lie beyond one line that is there already.
bool Covered(const Sight& sight, const std::vector<HalfPlane>& lines) {
  const Vec2 start = sight.inverse_horizon * sight.to_start;
  const Vec2 end = sight.inverse_horizon * sight.to_end;
  const float disc_radius = sight.inverse_horizon * sight.radius;
  for (const HalfPlane& line : lines) {
    if (Det(start - line.point, line.direction) - disc_radius >= -kParallel &&
        Det(end - line.point, line.direction) - disc_radius >= -kParallel) {
      return true;
    }
  }
  return false;
}

}  // namespace

void AddObstacleHalfPlane(const Disc& self, const ObstacleEdge& edge, float inverse_horizon,
                          std::vector<HalfPlane>& lines) {
  const Sight sight{edge,           edge.start - self.position, edge.end - self.position, self.radius, self.velocity,
                    inverse_horizon};
  if (Covered(sight, lines)) return;
  if (const auto line = ObstacleHalfPlane(sight)) lines.push_back(*line);
}

}  // namespace throng
