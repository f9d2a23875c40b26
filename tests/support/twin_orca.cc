#include "tests/support/twin_orca.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

// Radius squared for tests of overlap. The floor keeps squares that underflow from reaching a division.
float OverlapSquared(float radius) { return Max(radius * radius, kTinySquared); }

// Twice the area, positive if counter-clockwise. In double, so that the sign is right for every polygon that encloses
// more than rounding.
double SignedArea(const std::vector<Vec2>& vertices) {
  double sum = 0.0;
  for (std::size_t i = 1; i + 1 < vertices.size(); ++i) {
    const double ax = double{vertices[i].x} - double{vertices[0].x};
    const double ay = double{vertices[i].y} - double{vertices[0].y};
    const double bx = double{vertices[i + 1].x} - double{vertices[0].x};
    const double by = double{vertices[i + 1].y} - double{vertices[0].y};
    sum += ax * by - ay * bx;
  }
  return sum;
}

void Normalize(ObstacleKind kind, std::vector<Vec2>& vertices) {
  if (kind == ObstacleKind::kWall) {
    for (std::size_t i = vertices.size() - 1; i-- > 1;) vertices.push_back(vertices[i]);
    return;
  }
  const bool clockwise = SignedArea(vertices) < 0.0;
  if (clockwise != (kind == ObstacleKind::kEnclosure)) std::reverse(vertices.begin(), vertices.end());
}

// Tangents from the agent to the disc of its radius around a vertex: `to_vertex` turned left or right.
// One division, then two products each. The floor under the root: rounding may take the difference below zero.
Vec2 LeftTangent(Vec2 to_vertex, float radius) {
  const float squared = LengthSquared(to_vertex);
  const float leg = std::sqrt(Max(squared - radius * radius, 0.0f));
  const Vec2 scaled{to_vertex.x * leg - to_vertex.y * radius, to_vertex.x * radius + to_vertex.y * leg};
  return (1.0f / squared) * scaled;
}

Vec2 RightTangent(Vec2 to_vertex, float radius) {
  const float squared = LengthSquared(to_vertex);
  const float leg = std::sqrt(Max(squared - radius * radius, 0.0f));
  const Vec2 scaled{to_vertex.x * leg + to_vertex.y * radius, to_vertex.y * leg - to_vertex.x * radius};
  return (1.0f / squared) * scaled;
}

// Both ends, scaled to velocities and pulled in by the radius, lie beyond one and the same line that is there already.
bool IsCovered(Vec2 to_start, Vec2 to_end, float radius, float inverse_horizon, const std::vector<HalfPlane>& lines) {
  const Vec2 start = inverse_horizon * to_start;
  const Vec2 end = inverse_horizon * to_end;
  const float margin = inverse_horizon * radius;
  return std::any_of(lines.begin(), lines.end(), [&](const HalfPlane& line) {
    return Det(start - line.point, line.direction) - margin >= -kParallel &&
           Det(end - line.point, line.direction) - margin >= -kParallel;
  });
}

// The velocity obstacle of an edge, seen from the agent: two legs that leave two discs, joined by the cut-off line.
struct EdgeView {
  Vec2 to_left;  // from the agent to the vertex that its left leg leaves; the edge's start, seen from its right side
  Vec2 to_right;
  Vec2 left_leg;
  Vec2 right_leg;
  bool left_foreign = false;  // the leg is the neighbouring edge's business
  bool right_foreign = false;
  bool one_vertex = false;  // seen so obliquely that one vertex hides the rest
};

// A leg of a convex vertex that points into the neighbouring edge is turned along that edge and is foreign.
void TurnForeignLegs(bool left_convex, Vec2 arriving, bool right_convex, Vec2 leaving, EdgeView& view) {
  if (left_convex && Det(view.left_leg, -arriving) >= 0.0f) {
    view.left_leg = -arriving;
    view.left_foreign = true;
  }
  if (right_convex && Det(view.right_leg, leaving) <= 0.0f) {
    view.right_leg = leaving;
    view.right_foreign = true;
  }
}

// `vertex` alone is seen; `arriving` and `leaving` are the directions of the edges that meet there. It is convex.
EdgeView ViewOfVertex(Vec2 to_vertex, float radius, Vec2 arriving, Vec2 leaving) {
  EdgeView view{to_vertex, to_vertex, LeftTangent(to_vertex, radius), RightTangent(to_vertex, radius)};
  view.one_vertex = true;
  TurnForeignLegs(true, arriving, true, leaving, view);
  return view;
}

// The whole edge is seen. A reflex vertex has no leg of its own: the cut-off line goes on there.
EdgeView ViewOfEdge(const Edge& edge, Vec2 to_start, Vec2 to_end, float radius) {
  EdgeView view{to_start, to_end, -edge.direction, edge.direction};
  if (edge.start_convex) view.left_leg = LeftTangent(to_start, radius);
  if (edge.end_convex) view.right_leg = RightTangent(to_end, radius);
  TurnForeignLegs(edge.start_convex, edge.previous_direction, edge.end_convex, edge.next_direction, view);
  return view;
}

// Line that touches the disc of `radius` around `center` on the side of `velocity`.
HalfPlane DiscHalfPlane(Vec2 center, float radius, Vec2 velocity, Vec2 fallback_normal) {
  const Vec2 normal = NormalizeOr(velocity - center, fallback_normal);
  return {center + radius * normal, RightNormal(normal)};
}

// Line along `direction`, to the left of `origin` by `radius`.
HalfPlane ParallelHalfPlane(Vec2 origin, float radius, Vec2 direction) {
  return {origin + radius * LeftNormal(direction), direction};
}

// Projects the velocity on the boundary of the edge's velocity obstacle: a disc, the cut-off line or a leg.
void AddProjected(const Body& self, const Edge& edge, const EdgeView& view, float inverse_horizon,
                  std::vector<HalfPlane>& lines) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const Vec2 velocity = self.velocity;
  const float radius = inverse_horizon * self.radius;
  const Vec2 left = inverse_horizon * view.to_left;
  const Vec2 right = inverse_horizon * view.to_right;
  const Vec2 from_left = velocity - left;
  const Vec2 from_right = velocity - right;

  const Vec2 cutoff = inverse_horizon * edge.vector;
  const float t = view.one_vertex ? 0.5f : Dot(from_left, cutoff) / Max(LengthSquared(cutoff), kTinySquared);
  const float t_left = Dot(from_left, view.left_leg);
  const float t_right = Dot(from_right, view.right_leg);

  const Vec2 outward = RightNormal(edge.direction);
  if ((t < 0.0f && t_left < 0.0f) || (view.one_vertex && t_left < 0.0f && t_right < 0.0f)) {
    lines.push_back(DiscHalfPlane(left, radius, velocity, outward));
    return;
  }
  if (t > 1.0f && t_right < 0.0f) {
    lines.push_back(DiscHalfPlane(right, radius, velocity, outward));
    return;
  }

  const bool beside_cutoff = t < 0.0f || t > 1.0f || view.one_vertex;
  const float to_cutoff = beside_cutoff ? kNever : LengthSquared(velocity - (left + t * cutoff));
  const float to_left = t_left < 0.0f ? kNever : LengthSquared(velocity - (left + t_left * view.left_leg));
  const float to_right = t_right < 0.0f ? kNever : LengthSquared(velocity - (right + t_right * view.right_leg));

  if (to_cutoff <= to_left && to_cutoff <= to_right) {
    lines.push_back(ParallelHalfPlane(left, radius, -edge.direction));
  } else if (to_left <= to_right) {
    if (!view.left_foreign) lines.push_back(ParallelHalfPlane(left, radius, view.left_leg));
  } else {
    if (!view.right_foreign) lines.push_back(ParallelHalfPlane(right, radius, -view.right_leg));
  }
}

// The agent overlaps what `to_contact` points at: no velocity towards it.
HalfPlane ContactHalfPlane(Vec2 to_contact, const Edge& edge) {
  return {{0.0f, 0.0f}, NormalizeOr(LeftNormal(to_contact), -edge.direction)};
}

}  // namespace

std::vector<Edge> MakeEdges(ObstacleId id, ObstacleKind kind, std::vector<Vec2> vertices) {
  Normalize(kind, vertices);
  const std::size_t count = vertices.size();
  std::vector<Edge> edges(count);
  for (std::size_t i = 0; i < count; ++i) {
    Edge& edge = edges[i];
    edge.start = vertices[i];
    edge.end = vertices[(i + 1) % count];
    edge.vector = edge.end - edge.start;
    edge.length_squared = Max(LengthSquared(edge.vector), kTinySquared);
    edge.direction = NormalizeOr(edge.vector, {1.0f, 0.0f});
    edge.obstacle = id;
    edge.index = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Edge& previous = edges[(i + count - 1) % count];
    const Edge& next = edges[(i + 1) % count];
    edges[i].previous_direction = previous.direction;
    edges[i].next_direction = next.direction;
    // Convex: the next vertex is not to the right of the arriving edge. The ends of a wall give exactly zero.
    edges[i].start_convex = Det(previous.vector, edges[i].vector) >= 0.0f;
    edges[i].end_convex = Det(edges[i].vector, next.vector) >= 0.0f;
  }
  return edges;
}

float EdgeParameter(const Edge& edge, Vec2 to_start) { return -Dot(to_start, edge.vector) / edge.length_squared; }

float EdgeDistanceSquared(const Edge& edge, Vec2 position) {
  const Vec2 to_start = edge.start - position;
  const float s = EdgeParameter(edge, to_start);
  if (s < 0.0f) return LengthSquared(to_start);
  if (s > 1.0f) return LengthSquared(edge.end - position);
  return LengthSquared(to_start + s * edge.vector);
}

bool SeesEdge(const Edge& edge, Vec2 position) { return Det(edge.start - position, edge.vector) < 0.0f; }

// A 32-bit mix of both ids in ascending order gives a parameter t in [-1, 1), a multiple of 2^-22, and a sign; the
// half circle is ((1 - t^2) / (1 + t^2), 2 t / (1 + t^2)). The lower id goes along it, the higher against it.
Vec2 PartingDirection(AgentId id, AgentId other) {
  const std::uint32_t low = id < other ? id : other;
  const std::uint32_t high = id < other ? other : id;
  std::uint32_t h = (low * 0x9E3779B1u) ^ (high * 0x85EBCA77u);
  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  h ^= h >> 12;
  h *= 0x297A2D39u;
  h ^= h >> 15;
  const float t = static_cast<float>(h >> 9) * 0x1p-22f - 1.0f;  // exact: 23 bits
  const float t2 = t * t;
  const float inverse = 1.0f / (1.0f + t2);
  const Vec2 direction{(1.0f - t2) * inverse, (2.0f * t) * inverse};
  const bool negative = ((h & 1u) != 0u) != (id > other);
  return negative ? -direction : direction;
}

// Cut-off: the relative velocity is nearest to the disc that truncates the cone, centre p/tau, radius r/tau; else it is
// nearest to a leg. Both ways take one root and one division, so lanes may select the arguments:
//   root of (cut-off ? |w|^2 : |p|^2 - r^2), inverse of (cut-off ? root : |p|^2).
bool Sees(const Body& self, const Body& other) {
  return (self.avoids & other.layer) != 0 && self.low <= other.high && other.low <= self.high;
}

float ShareOf(float own, float other, bool burden) {
  if (other == 0.0f) return 1.0f;
  const float sum = own + other;
  return burden ? own / sum : Max(other / sum, 0.5f);
}

HalfPlane PairHalfPlane(const Body& self, const Body& other, float inverse_horizon, float inverse_time_step) {
  const Vec2 p = other.position - self.position;
  const Vec2 v = self.velocity - other.velocity;
  const float r = self.radius + other.radius;
  const float p2 = LengthSquared(p);
  const float r2 = r * r;
  const bool overlap = p2 <= OverlapSquared(r);
  const float inverse_tau = overlap ? inverse_time_step : inverse_horizon;

  const Vec2 w = v - inverse_tau * p;  // from the centre of the truncating disc
  const float w2 = LengthSquared(w);
  const float along = Dot(w, p);

  Vec2 direction;
  Vec2 u;
  if (overlap || (along < 0.0f && along * along > r2 * w2)) {
    const float w_length = std::sqrt(w2);
    // Coincident agents that move alike: w is zero, and the ids give the direction.
    const Vec2 normal = w2 > kTinySquared ? (1.0f / w_length) * w : PartingDirection(self.id, other.id);
    direction = RightNormal(normal);
    u = (r * inverse_tau - w_length) * normal;
  } else {
    const float leg = std::sqrt(p2 - r2);
    const float side = Det(p, w) > 0.0f ? 1.0f : -1.0f;  // left leg or right leg; the product with it is exact
    const Vec2 scaled{(side * p.x) * leg - p.y * r, p.x * r + (side * p.y) * leg};
    direction = (1.0f / p2) * scaled;
    u = Dot(v, direction) * direction - v;
  }
  const bool burden = Det(direction, u) > 0.0f;
  const float weight = Sees(other, self) ? other.responsibility : 0.0f;
  return {self.velocity + ShareOf(self.responsibility, weight, burden) * u, direction};
}

bool Overlaps(const Body& self, const Body& other) {
  return LengthSquared(other.position - self.position) <= OverlapSquared(self.radius + other.radius);
}

void AddEdgeHalfPlane(const Body& self, const Edge& edge, float inverse_horizon, std::vector<HalfPlane>& lines) {
  const float radius = self.radius;
  const Vec2 to_start = edge.start - self.position;
  const Vec2 to_end = edge.end - self.position;
  if (IsCovered(to_start, to_end, radius, inverse_horizon, lines)) return;

  const float overlap_squared = OverlapSquared(radius);
  const float s = EdgeParameter(edge, to_start);
  const bool line_near = LengthSquared(to_start + s * edge.vector) <= overlap_squared;
  if (s < 0.0f && LengthSquared(to_start) <= overlap_squared) {
    if (edge.start_convex) lines.push_back(ContactHalfPlane(to_start, edge));
  } else if (s > 1.0f && LengthSquared(to_end) <= overlap_squared) {
    // Where the next edge can be seen, it is that edge's contact.
    if (edge.end_convex && Det(to_end, edge.next_direction) >= 0.0f) lines.push_back(ContactHalfPlane(to_end, edge));
  } else if (s >= 0.0f && s <= 1.0f && line_near) {
    lines.push_back({{0.0f, 0.0f}, -edge.direction});
  } else if (s < 0.0f && line_near) {
    if (!edge.start_convex) return;
    const EdgeView view = ViewOfVertex(to_start, radius, edge.previous_direction, edge.direction);
    AddProjected(self, edge, view, inverse_horizon, lines);
  } else if (s > 1.0f && line_near) {
    if (!edge.end_convex) return;
    const EdgeView view = ViewOfVertex(to_end, radius, edge.direction, edge.next_direction);
    AddProjected(self, edge, view, inverse_horizon, lines);
  } else {
    AddProjected(self, edge, ViewOfEdge(edge, to_start, to_end, radius), inverse_horizon, lines);
  }
}

}  // namespace throng::twin
