#include "base/room.h"

#include <cmath>
#include <limits>

namespace throng {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Span {
  float low;
  float high;
};

Span CentresBetween(float min, float max, float radius) {
  Span span{static_cast<float>(double{min} + double{radius}), static_cast<float>(double{max} - double{radius})};
  while (double{span.low} - double{min} < double{radius}) span.low = std::nextafter(span.low, kInfinity);
  while (double{max} - double{span.high} < double{radius}) span.high = std::nextafter(span.high, -kInfinity);
  if (span.low <= span.high) return span;
  const auto middle = static_cast<float>(0.5 * (double{min} + double{max}));
  return {middle, middle};
}

}  // namespace

Bounds RoomFor(const Rectangle& rectangle, float radius) {
  const Span x = CentresBetween(rectangle.min.x, rectangle.max.x, radius);
  const Span y = CentresBetween(rectangle.min.y, rectangle.max.y, radius);
  return {x.low, y.low, x.high, y.high};
}

}  // namespace throng
