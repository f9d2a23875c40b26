#include "solve/sweep.h"

#include <algorithm>
#include <cmath>

namespace throng {
namespace {

Vec2d Minus(Vec2d a, Vec2d b) { return {a.x - b.x, a.y - b.y}; }
double Dot(Vec2d a, Vec2d b) { return a.x * b.x + a.y * b.y; }
double Det(Vec2d a, Vec2d b) { return a.x * b.y - a.y * b.x; }
// Positive if `place` is to the left of the line from a to b. What two edges have in common gives both the same sign.
double Side(Vec2d a, Vec2d b, Vec2d place) { return Det(Minus(b, a), Minus(place, a)); }

double DistanceSquared(Vec2d place, Vec2d start, Vec2d end) {
  const Vec2d edge = Minus(end, start), way = Minus(place, start);
  const double length_squared = Dot(edge, edge);
  const double along = length_squared > 0.0 ? std::clamp(Dot(way, edge) / length_squared, 0.0, 1.0) : 0.0;
  const Vec2d rest{way.x - along * edge.x, way.y - along * edge.y};
  return Dot(rest, rest);
}

// Of edges on the way's line.
std::optional<double> FirstAlong(const Sweep& sweep, Vec2d start, Vec2d end) {
  const double length_squared = Dot(sweep.way, sweep.way);
  if (!(length_squared > 0.0)) return std::nullopt;
  const double a = Dot(Minus(start, sweep.from), sweep.way) / length_squared;
  const double b = Dot(Minus(end, sweep.from), sweep.way) / length_squared;
  const double first = std::min(a, b), last = std::max(a, b);
  if (first > 1.0 || last < 0.0) return std::nullopt;
  return std::max(first, 0.0);
}

std::optional<double> FirstCrossing(const Sweep& sweep, Vec2d start, Vec2d end) {
  const Vec2d to = sweep.At(1.0);
  const double start_side = Side(sweep.from, to, start), end_side = Side(sweep.from, to, end);
  if ((start_side > 0.0 && end_side > 0.0) || (start_side < 0.0 && end_side < 0.0)) return std::nullopt;
  const double from_side = Side(start, end, sweep.from), to_side = Side(start, end, to);
  if ((start_side == 0.0 && end_side == 0.0) || from_side == to_side) return FirstAlong(sweep, start, end);
  if ((from_side > 0.0 && to_side > 0.0) || (from_side < 0.0 && to_side < 0.0)) return std::nullopt;
  return std::clamp(from_side / (from_side - to_side), 0.0, 1.0);
}

}  // namespace

std::optional<double> FirstTouch(const Sweep& sweep, Vec2d center, double radius) {
  const double reach = sweep.radius + radius;
  const Vec2d off = Minus(sweep.from, center);
  const double outside = Dot(off, off) - reach * reach;
  if (outside <= 0.0) return 0.0;
  const double length_squared = Dot(sweep.way, sweep.way), nearing = -Dot(off, sweep.way);
  const double discriminant = nearing * nearing - length_squared * outside;
  if (!(nearing > 0.0) || discriminant < 0.0) return std::nullopt;
  const double part = outside / (nearing + std::sqrt(discriminant));
  return part <= 1.0 ? std::optional(part) : std::nullopt;
}

std::optional<double> FirstTouch(const Sweep& sweep, Vec2d start, Vec2d end) {
  if (DistanceSquared(sweep.from, start, end) <= sweep.radius * sweep.radius) return 0.0;
  if (sweep.radius == 0.0) return FirstCrossing(sweep, start, end);
  // What is within reach of an edge is bounded by two discs and by two edges beside it.
  std::optional<double> first;
  const auto consider = [&](std::optional<double> part) {
    if (part && (!first || *part < *first)) first = part;
  };
  consider(FirstTouch(sweep, start, 0.0));
  consider(FirstTouch(sweep, end, 0.0));
  const Vec2d edge = Minus(end, start);
  const double length = std::sqrt(Dot(edge, edge));
  if (!(length > 0.0)) return first;
  const Vec2d aside{-edge.y * (sweep.radius / length), edge.x * (sweep.radius / length)};
  for (const double side : {-1.0, 1.0}) {
    const Vec2d by{side * aside.x, side * aside.y};
    consider(FirstCrossing(sweep, {start.x + by.x, start.y + by.y}, {end.x + by.x, end.y + by.y}));
  }
  return first;
}

}  // namespace throng
