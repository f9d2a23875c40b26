// The world's bounds.
#pragma once

#include <vector>

#include "throng/types.h"

namespace throng::twin {

// The bounds as an enclosure, with vertices along its sides that part each of them into the fewest equal pieces of 256
// m at most, but no more than 1,024.
std::vector<Vec2> OutlineOf(const Rectangle& bounds);

// Where the centre of a disc may be in the bounds, both ends included; rounded so that the disc is inside. A disc that
// is wider than the bounds has the middle of that axis alone.
struct Room {
  Room(const Rectangle& bounds, float radius);
  bool Has(Vec2 place) const;
  Vec2 Nearest(Vec2 place) const;

  Vec2 low, high;
};

}  // namespace throng::twin
