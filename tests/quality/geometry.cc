#include "tests/quality/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace throng::quality {
namespace {

// Sign of the exact sum, by Shewchuk's expansions: components that do not overlap, the largest last, which has the
// sign.
int SignOfSum(const std::array<double, 6>& terms) {
  std::array<double, 6> parts{};
  std::size_t count = 0;
  for (const double term : terms) {
    double sum = term;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double next = sum + parts[i];
      const double seen = next - sum;
      const double error = (sum - (next - seen)) + (parts[i] - seen);
      if (error != 0.0) parts[kept++] = error;
      sum = next;
    }
    if (sum != 0.0) parts[kept++] = sum;
    count = kept;
  }
  if (count == 0) return 0;
  return parts[count - 1] > 0.0 ? 1 : -1;
}

bool Between(float low, float high, float value) {
  return std::min(low, high) <= value && value <= std::max(low, high);
}

bool Apart(float a, float b, float c, float d) {
  return std::max(a, b) < std::min(c, d) || std::max(c, d) < std::min(a, b);
}

}  // namespace

double Distance(Vec2 p, Vec2 q) {
  const double x = double{q.x} - double{p.x};
  const double y = double{q.y} - double{p.y};
  return std::sqrt(x * x + y * y);
}

int Orientation(Vec2 a, Vec2 b, Vec2 c) {
  // (b - a) x (c - a), multiplied out: a product of two floats is exact in double.
  const std::array<double, 6> terms = {double{b.x} * double{c.y},    -(double{b.x} * double{a.y}),
                                       -(double{a.x} * double{c.y}), -(double{b.y} * double{c.x}),
                                       double{b.y} * double{a.x},    double{a.y} * double{c.x}};
  double sum = 0.0;
  double size = 0.0;
  for (const double term : terms) {
    sum += term;
    size += std::abs(term);
  }
  if (std::abs(sum) > size * 1e-14)
    return sum > 0.0 ? 1 : -1;  // five additions err by less than 6e-16 of the size each
  return SignOfSum(terms);
}

bool Crosses(Vec2 from, Vec2 to, const Edge& edge) {
  if (Apart(from.x, to.x, edge.a.x, edge.b.x) || Apart(from.y, to.y, edge.a.y, edge.b.y)) return false;
  if (Orientation(edge.a, edge.b, from) * Orientation(edge.a, edge.b, to) >= 0) return false;
  return (Orientation(from, to, edge.a) >= 0) != (Orientation(from, to, edge.b) >= 0);
}

bool IsOn(Vec2 point, const Edge& edge) {
  return Between(edge.a.x, edge.b.x, point.x) && Between(edge.a.y, edge.b.y, point.y) &&
         Orientation(edge.a, edge.b, point) == 0;
}

double Distance(Vec2 point, const Edge& edge) {
  const double x = double{edge.b.x} - double{edge.a.x};
  const double y = double{edge.b.y} - double{edge.a.y};
  const double to_x = double{point.x} - double{edge.a.x};
  const double to_y = double{point.y} - double{edge.a.y};
  const double length = x * x + y * y;
  const double part = length > 0.0 ? std::clamp((to_x * x + to_y * y) / length, 0.0, 1.0) : 0.0;
  const double off_x = to_x - part * x;
  const double off_y = to_y - part * y;
  return std::sqrt(off_x * off_x + off_y * off_y);
}

std::vector<Edge> EdgesOf(const ObstacleSpec& obstacle) {
  std::vector<Edge> edges;
  const std::vector<Vec2>& vertices = obstacle.vertices;
  for (std::size_t i = 0; i + 1 < vertices.size(); ++i) edges.push_back({vertices[i], vertices[i + 1]});
  if (obstacle.kind != ObstacleKind::kWall && vertices.size() > 2) edges.push_back({vertices.back(), vertices.front()});
  return edges;
}

}  // namespace throng::quality
