// When a disc, or a point, that goes straight first touches an edge or another disc. In double.
#pragma once

#include <optional>

#include "solve/cut.h"

namespace throng {

// A straight way, gone once.
struct Sweep {
  Vec2d from;
  Vec2d way;
  double radius = 0.0;  // [m] of what goes; 0: a point
  Vec2d At(double part) const { return {from.x + part * way.x, from.y + part * way.y}; }
};

// The part of the way, [0, 1], at which what goes first touches (distance <= radius) the edge from `start` to `end`.
// A point does not slip through where two edges share an end.
std::optional<double> FirstTouch(const Sweep& sweep, Vec2d start, Vec2d end);
// The same of a disc that stands.
std::optional<double> FirstTouch(const Sweep& sweep, Vec2d center, double radius);

}  // namespace throng
