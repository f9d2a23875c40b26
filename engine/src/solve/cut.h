// The cut: what is left of a move at obstacle edges, so that no centre of an agent crosses one from its front.
//
// Around each edge that an agent faces lies a skin, a box that its centre does not enter. It is several times as wide
// as the rounding of floats at the agent's place, and the same at all edges there, so that nobody gets caught where
// edges meet. What decides here is computed in double.
#pragma once

#include <cmath>
#include <span>

#include "base/bounds.h"
#include "store/obstacle_edge.h"

namespace throng {

// A direction in the plane, and lengths, that floats are too coarse for.
struct Vec2d {
  double x = 0.0;
  double y = 0.0;
};

// An edge with its unit directions.
struct EdgeFrame {
  explicit EdgeFrame(const ObstacleEdge& edge);
  // [m] Of a place, before the line (to its right: where the edge is in force) and along it from start.
  double Before(Vec2d place) const { return (place.x - start.x) * along.y - (place.y - start.y) * along.x; }
  double Along(Vec2d place) const { return (place.x - start.x) * along.x + (place.y - start.y) * along.y; }

  Vec2d start;
  Vec2d along;          // from start to end
  Vec2d front;          // normal to it, to its right
  double length = 0.0;  // [m]
  double noise = 0.0;   // [m] above the rounding of doubles
};

struct CutResult {
  Vec2 position;
  bool cut = false;  // false: position is where the move goes
};

// [m] How far from an edge's bounding box a path may keep for the edge to have no part in its cut, in floats. `size` is
// the sum of the place's larger coordinate, the path's components and the radius.
inline float CutReach(float size) { return 1e-6f * size; }
// [m] And so much farther from this edge, where what is near to it is tiny beside its own coordinates.
inline float CutReachOf(const ObstacleEdge& edge) {
  const float coordinates = std::abs(edge.start.x) + std::abs(edge.start.y);
  return 1e-12f * (coordinates + (std::abs(edge.vector.x) + std::abs(edge.vector.y)));
}

// `edges`, in ascending order of (obstacle, index), hold all that a way of the move's length from `from` may meet.
// The move ends at the skin; what is left of it goes on once along the side it met, and ends at the next. Of what is
// met first, the first edge counts where several are met at once; where the way beside it is blocked at once, the side
// of what blocks it is tried. A move that would still cross, since its end is rounded to floats, is made up to the
// first edge or not at all. With a `room`, which both `from` and `to` are in, it does not end outside of that either.
CutResult CutMove(Vec2 from, Vec2 to, float radius, std::span<const ObstacleEdge* const> edges,
                  const Bounds* room = nullptr);

}  // namespace throng
