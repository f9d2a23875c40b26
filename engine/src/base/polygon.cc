#include "base/polygon.h"

#include <absl/container/inlined_vector.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace throng {
namespace {

// An outline whose mean thickness falls under so many steps of its coordinates' float resolution encloses nothing that
// could be told from rounding.
constexpr double kMinThicknessUlps = 4.0;
constexpr double kFloatEpsilon = 1.0 / (1 << 23);

// Coordinates are floats, so in double these differences and products lose next to nothing.
double Turn(Vec2 a, Vec2 b, Vec2 c) {
  return (double{b.x} - a.x) * (double{c.y} - a.y) - (double{b.y} - a.y) * (double{c.x} - a.x);
}

bool InBox(Vec2 a, Vec2 b, Vec2 p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

// Also true where they only touch.
bool SegmentsMeet(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const double c_side = Turn(a, b, c), d_side = Turn(a, b, d), a_side = Turn(c, d, a), b_side = Turn(c, d, b);
  if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
      ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0))) {
    return true;
  }
  return (c_side == 0 && InBox(a, b, c)) || (d_side == 0 && InBox(a, b, d)) || (a_side == 0 && InBox(c, d, a)) ||
         (b_side == 0 && InBox(c, d, b));
}

std::optional<PolygonFault> FindRepeat(std::span<const Vec2> vertices, bool closed) {
  for (std::size_t i = closed ? 0 : 1; i < vertices.size(); ++i) {
    const std::size_t before = i == 0 ? vertices.size() - 1 : i - 1;
    if (vertices[i] == vertices[before]) {
      const std::size_t at = std::max(i, before);  // a last vertex that repeats the first is the one to drop
      return PolygonFault{at, false, 0, absl::StrCat("a place other than that of vertex ", std::min(i, before))};
    }
  }
  return std::nullopt;
}

// Edge i runs from vertex i to vertex i + 1.
struct Edges {
  std::span<const Vec2> vertices;
  std::size_t size() const { return vertices.size(); }
  Vec2 from(std::size_t i) const { return vertices[i]; }
  Vec2 to(std::size_t i) const { return vertices[i + 1 == vertices.size() ? 0 : i + 1]; }
  float min_x(std::size_t i) const { return std::min(from(i).x, to(i).x); }
  float max_x(std::size_t i) const { return std::max(from(i).x, to(i).x); }
  float min_y(std::size_t i) const { return std::min(from(i).y, to(i).y); }
  float max_y(std::size_t i) const { return std::max(from(i).y, to(i).y); }
};

// A vertex where the outline turns back along the edge that led to it.
std::optional<PolygonFault> FindFold(const Edges& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Vec2 before = edges.from(i == 0 ? edges.size() - 1 : i - 1), at = edges.from(i), after = edges.to(i);
    const double forward =
        (double{at.x} - before.x) * (double{after.x} - at.x) + (double{at.y} - before.y) * (double{after.y} - at.y);
    if (Turn(before, at, after) == 0 && forward < 0) {
      return PolygonFault{i, false, 0, "an edge that does not fold back on the one before it"};
    }
  }
  return std::nullopt;
}

bool Adjacent(std::size_t i, std::size_t j, std::size_t n) { return (i + 1) % n == j || (j + 1) % n == i; }

// Of edges. Most outlines are short, and are to be checked without taking memory.
using Numbers = absl::InlinedVector<std::size_t, 16>;

// Sweeps the edges by their least x, so that only edges that share a stretch of x are compared.
std::optional<PolygonFault> FindCrossing(const Edges& edges) {
  Numbers order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(edges.min_x(a), a) < std::pair(edges.min_x(b), b); });
  Numbers active;
  for (const std::size_t i : order) {
    const auto passed = [&](std::size_t j) { return edges.max_x(j) < edges.min_x(i); };
    active.erase(std::remove_if(active.begin(), active.end(), passed), active.end());
    for (const std::size_t j : active) {
      if (Adjacent(i, j, edges.size()) || edges.max_y(j) < edges.min_y(i) || edges.max_y(i) < edges.min_y(j)) continue;
      if (SegmentsMeet(edges.from(i), edges.to(i), edges.from(j), edges.to(j))) {
        const std::size_t first = std::min(i, j), second = std::max(i, j);
        return PolygonFault{second, false, 0,
                            absl::StrCat("an edge from here that does not meet the edge from vertex ", first)};
      }
    }
    active.push_back(i);
  }
  return std::nullopt;
}

std::optional<PolygonFault> FindThin(std::span<const Vec2> vertices) {
  const Edges edges{vertices};
  double perimeter = 0, reach = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double x = double{edges.to(i).x} - edges.from(i).x, y = double{edges.to(i).y} - edges.from(i).y;
    perimeter += std::sqrt(x * x + y * y);
    reach = std::max({reach, std::abs(double{edges.from(i).x}), std::abs(double{edges.from(i).y})});
  }
  const double area = std::abs(SignedArea(vertices));
  const double least = 0.5 * perimeter * reach * kFloatEpsilon * kMinThicknessUlps;
  if (area > least) return std::nullopt;
  return PolygonFault{0, true, area, absl::StrCat("an outline that encloses more than ", least)};
}

}  // namespace

double SignedArea(std::span<const Vec2> vertices) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < vertices.size(); ++i) twice += Turn(vertices[0], vertices[i], vertices[i + 1]);
  return 0.5 * twice;
}

// By the winding number: edges that pass the place's height upwards on its right count up, downwards count down.
PolygonSide SideOf(std::span<const Vec2> vertices, Vec2 place) {
  int winding = 0;
  Vec2 from = vertices.back();
  for (const Vec2 to : vertices) {
    const double turn = Turn(from, to, place);
    if (turn == 0 && std::min(from.x, to.x) <= place.x && place.x <= std::max(from.x, to.x) &&
        std::min(from.y, to.y) <= place.y && place.y <= std::max(from.y, to.y)) {
      return PolygonSide::kOn;
    }
    if (from.y <= place.y) {
      if (to.y > place.y && turn > 0) ++winding;
    } else if (to.y <= place.y && turn < 0) {
      --winding;
    }
    from = to;
  }
  return winding == 0 ? PolygonSide::kOutside : PolygonSide::kInside;
}

std::optional<PolygonFault> FindPolygonFault(std::span<const Vec2> vertices) {
  if (auto fault = FindRepeat(vertices, true)) return fault;
  if (auto fault = FindFold({vertices})) return fault;
  if (auto fault = FindCrossing({vertices})) return fault;
  return FindThin(vertices);
}

std::optional<PolygonFault> FindPolylineFault(std::span<const Vec2> vertices) { return FindRepeat(vertices, false); }

}  // namespace throng
