// The half-planes of optimal reciprocal collision avoidance: one of an agent pair, one of an obstacle edge.
// Conventions and ties are those of tests/data/FORMAT.md. Every function is pure.
#pragma once

#include <vector>

#include "throng/types.h"

namespace throng::twin {

// Velocities permitted: those on the line through `point` along the unit vector `direction`, or to its left.
struct HalfPlane {
  Vec2 point;
  Vec2 direction;
};

// What others see of an agent, frozen before the step.
struct Body {
  Vec2 position;
  Vec2 velocity;
  float radius = 0.0f;
  AgentId id = kInvalidId;
  std::uint32_t index = 0;  // of the agent in its owner's storage
  float responsibility = 1.0f;
  std::uint32_t layer = 1;
  std::uint32_t avoids = 0xffffffff;
  float low = 0.0f;  // [m] of its height band
  float high = 0.0f;
};

// What is not seen is as if it were not there.
bool Sees(const Body& self, const Body& other);

// A directed obstacle edge from `start` to `end`, in force for agents strictly to its right. It knows what it needs of
// the edges before and after it, so that no edge has to look up another.
struct Edge {
  Vec2 start;
  Vec2 end;
  Vec2 vector;                  // end - start
  float length_squared = 0.0f;  // of vector; at least kTinySquared, so that it may divide
  Vec2 direction;  // unit vectors: of this edge, of the one that ends at start, of the one that begins at end
  Vec2 previous_direction;
  Vec2 next_direction;
  bool start_convex = true;
  bool end_convex = true;
  ObstacleId obstacle = kInvalidId;
  std::uint32_t index = 0;  // within its obstacle: edge k begins at vertex k of the normalised polygon
};

// The edges of an obstacle in normal form. A solid runs counter-clockwise and an enclosure clockwise; one given the
// other way is turned by reversing its whole list of vertices. A wall of n points becomes the closed polygon of
// 2n - 2 vertices there and back: p0 p1 .. p(n-1) p(n-2) .. p1.
std::vector<Edge> MakeEdges(ObstacleId id, ObstacleKind kind, std::vector<Vec2> vertices);

// Parameter of the point of the edge's line nearest to an agent (0 at start, 1 at end). `to_start` = start - position.
float EdgeParameter(const Edge& edge, Vec2 to_start);
// Squared distance of an agent to the edge; beyond an end, to that end.
float EdgeDistanceSquared(const Edge& edge, Vec2 position);
// True where the agent lies strictly to the right, from where the edge is in force.
bool SeesEdge(const Edge& edge, Vec2 position);

// The direction in which agent `id` parts from agent `other` where geometry gives none. Unit length to rounding;
// PartingDirection(a, b) == -PartingDirection(b, a) to the bit.
Vec2 PartingDirection(AgentId id, AgentId other);

// The part of the change u of a pair's relative velocity that `own` takes; all of it where `other` has no weight, as
// one that does not see it. A burden (u has to be gained) is shared by responsibility; of slack, whoever has less to
// bear has more, and nobody less than one half.
float ShareOf(float own, float other, bool burden);

// Half-plane of `self`, whose responsibility is not 0, against one neighbour.
// inverse_horizon = 1 / time horizon of self; inverse_time_step = 1 / time step takes its place where both overlap.
HalfPlane PairHalfPlane(const Body& self, const Body& other, float inverse_horizon, float inverse_time_step);
// True where both overlap (or touch).
bool Overlaps(const Body& self, const Body& other);

// Appends the half-plane of `self` against one edge to `lines`, which hold those of nearer edges, or nothing where
// those cover it or the edge has none to give. inverse_horizon = 1 / time horizon towards obstacles.
void AddEdgeHalfPlane(const Body& self, const Edge& edge, float inverse_horizon, std::vector<HalfPlane>& lines);

}  // namespace throng::twin
