#include "tests/support/twin_bounds.h"

#include <algorithm>
#include <cmath>

namespace throng::twin {
namespace {

// The least float that is not less, and the greatest that is not greater.
float RoundUp(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, INFINITY) : nearest;
}
float RoundDown(double value) { return -RoundUp(-value); }

void SetEnds(float min, float max, float radius, float& low, float& high) {
  low = RoundUp(double{min} + radius);
  high = RoundDown(double{max} - radius);
  // So thin a disc may have vanished in the sum.
  if (low == min) low = std::nextafter(min, INFINITY);
  if (high == max) high = std::nextafter(max, -INFINITY);
  if (low > high) low = high = static_cast<float>((double{min} + double{max}) / 2.0);
}

// From a to b, without b.
void AddSide(double ax, double ay, double bx, double by, std::vector<Vec2>& outline) {
  const double length = std::abs(bx - ax) + std::abs(by - ay);  // one of them is zero
  const double pieces = std::min(std::ceil(length / 256.0), 1024.0);
  for (double i = 0.0; i < pieces; i += 1.0) {
    const double part = i / pieces;
    outline.push_back({static_cast<float>(ax + part * (bx - ax)), static_cast<float>(ay + part * (by - ay))});
  }
}

}  // namespace

std::vector<Vec2> OutlineOf(const Rectangle& bounds) {
  const auto& [min, max] = bounds;
  std::vector<Vec2> outline;
  AddSide(min.x, max.y, max.x, max.y, outline);
  AddSide(max.x, max.y, max.x, min.y, outline);
  AddSide(max.x, min.y, min.x, min.y, outline);
  AddSide(min.x, min.y, min.x, max.y, outline);
  return outline;
}

Room::Room(const Rectangle& bounds, float radius) {
  SetEnds(bounds.min.x, bounds.max.x, radius, low.x, high.x);
  SetEnds(bounds.min.y, bounds.max.y, radius, low.y, high.y);
}

bool Room::Has(Vec2 place) const { return place == Nearest(place); }

Vec2 Room::Nearest(Vec2 place) const {
  return {std::min(std::max(place.x, low.x), high.x), std::min(std::max(place.y, low.y), high.y)};
}

}  // namespace throng::twin
