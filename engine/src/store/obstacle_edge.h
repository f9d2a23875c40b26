// A directed obstacle edge with all that a half-plane needs of it and of the edges beside it, in one record, so that
// no look-up follows a look-up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vec2.h"

namespace throng {

// In force for agents strictly to the right of the line from start to end.
struct ObstacleEdge {
  Vec2 start;
  Vec2 end;
  Vec2 direction;             // of unit length
  Vec2 previous_direction;    // of the edge that arrives at start
  Vec2 next_direction;        // of the edge that leaves end
  bool start_convex = false;  // the next vertex is not to the right of the edge that arrives
  bool end_convex = false;
  std::uint32_t index = 0;      // within the obstacle: the edge begins at vertex `index` of its outline
  Vec2 vector;                  // end - start
  float length_squared = 0.0f;  // of vector, [m^2]
  ObstacleId obstacle = kInvalidId;
};
static_assert(sizeof(ObstacleEdge) == 64, "an edge is one cache line");

// Where the kernels, which read an edge as words, find its flags in the eleventh.
inline constexpr int kStartConvexBit = 0, kEndConvexBit = 8;
static_assert(offsetof(ObstacleEdge, next_direction) == 32 && offsetof(ObstacleEdge, start_convex) == 40 &&
              offsetof(ObstacleEdge, end_convex) == 41 && std::endian::native == std::endian::little);

// The closed outline in force: solids counter-clockwise, enclosures clockwise (the list is reversed if given the other
// way), walls of n points as the polygon of 2n - 2 vertices there and back.
std::vector<Vec2> MakeOutline(ObstacleKind kind, std::vector<Vec2> vertices);
// Of a rectangle in whose inside an edge is in force. Its sides come in equal pieces of kLongestOfBounds [m] at most: a
// half-plane of an edge is told by where an end of it is, and the program that takes it is too coarse for floats of
// such size as the ends of a world have. No side has more than kMostOfBounds, so that the largest world takes little
// memory; floats are coarser there than what longer pieces add.
inline constexpr double kLongestOfBounds = 256.0;
inline constexpr int kMostOfBounds = 1024;
std::vector<Vec2> MakeBoundsOutline(const Rectangle& bounds);
// Appends the outline's edges. Precondition: it passed Validate.
void AppendEdges(ObstacleId obstacle, const std::vector<Vec2>& outline, std::vector<ObstacleEdge>& edges);
inline std::vector<ObstacleEdge> MakeEdges(ObstacleId obstacle, const std::vector<Vec2>& outline) {
  std::vector<ObstacleEdge> edges;
  AppendEdges(obstacle, outline, edges);
  return edges;
}

// Whether an agent at `position` is on the side on which the edge is in force.
inline bool Faces(const ObstacleEdge& edge, Vec2 position) { return Det(edge.start - position, edge.vector) < 0.0f; }

// Where along the edge its line comes nearest to an agent: 0 at start, 1 at end. `to_start` is relative to the agent.
inline float NearestParameter(const ObstacleEdge& edge, Vec2 to_start) {
  return -Dot(to_start, edge.vector) / edge.length_squared;
}

// [m^2] Of the segment, not of its line.
inline float DistanceSquared(const ObstacleEdge& edge, Vec2 position) {
  const Vec2 to_start = edge.start - position;
  const float s = NearestParameter(edge, to_start);
  if (s < 0.0f) return AbsSq(to_start);
  if (s > 1.0f) return AbsSq(edge.end - position);
  return AbsSq(to_start + s * edge.vector);
}

}  // namespace throng
