// Where the centre of a disc may be so that the disc stays inside a rectangle.
#pragma once

#include "base/bounds.h"
#include "throng/types.h"

namespace throng {

// Both ends are in it, and every centre in it leaves the disc inside, beyond the rounding of doubles: ends are rounded
// inwards. A disc that is wider than the rectangle has the middle alone, axis by axis.
Bounds RoomFor(const Rectangle& rectangle, float radius);

inline bool Holds(const Bounds& room, Vec2 place) {
  return place.x >= room.min_x && place.x <= room.max_x && place.y >= room.min_y && place.y <= room.max_y;
}

// The nearest place in it.
inline Vec2 Clamped(const Bounds& room, Vec2 place) {
  const auto clamp = [](float value, float low, float high) { return value < low ? low : value > high ? high : value; };
  return {clamp(place.x, room.min_x, room.max_x), clamp(place.y, room.min_y, room.max_y)};
}

}  // namespace throng
