// Plane geometry of obstacle outlines as they come in: orientation, area, and what makes an outline unusable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "throng/types.h"

namespace throng {

struct PolygonFault {
  std::size_t vertex = 0;  // the one to look at
  bool whole = false;      // true: no single vertex is at fault, `area` is
  double area = 0.0;       // [m^2]
  std::string expected;    // what would have been valid, in words
};

// Positive if counter-clockwise. [m^2]
double SignedArea(std::span<const Vec2> vertices);

// Where a place lies to a closed polygon; by the sign of double arithmetic, so that a place within its rounding of an
// edge may be taken for one on it or beside it.
enum class PolygonSide { kOutside, kOn, kInside };
PolygonSide SideOf(std::span<const Vec2> vertices, Vec2 place);

// The first fault of a closed polygon: a vertex that repeats the one before it (the last counts as before the first),
// an edge that folds back on the one before it, edges that cross or touch, an enclosed area of next to nothing.
// Cost: O(n log n) for outlines whose edges are short against the whole, O(n^2) at worst. Vertices are finite.
std::optional<PolygonFault> FindPolygonFault(std::span<const Vec2> vertices);

// The same for an open polyline, which may cross itself: only repeated vertices are faults.
std::optional<PolygonFault> FindPolylineFault(std::span<const Vec2> vertices);

}  // namespace throng
