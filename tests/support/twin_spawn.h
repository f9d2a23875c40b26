// Where a new agent comes to stand. All of it is computed in double, from floats and to floats.
#pragma once

#include <optional>
#include <vector>

#include "tests/support/twin_bounds.h"
#include "tests/support/twin_contain.h"
#include "throng/types.h"

namespace throng::twin {

// What is in the way of a newcomer.
struct Surroundings {
  struct Disc {
    AgentId id;
    Vec2 center;
    float radius;
  };
  std::vector<Disc> discs;   // of those that it sees or that see it
  const Outlines& outlines;  // that it sees; of no account where it is kinematic
  const Kinds& kinds;
  std::optional<Room> room;
  bool kinematic = false;
};

// Whether a disc of this radius may stand there: in the room, on walkable ground, and overlapping no other by more than
// 2^-20 * (larger |coordinate| + radii) of the other.
bool IsFree(Vec2 place, float radius, const Surroundings& around);

// The nearest free place to one that is not, within `distance`, by ascending (distance^2, x, y), of these candidates:
//   on each circle around another disc, of both radii together, that the place is in: the foot of the way out, or, from
//   its middle, the four along the axes
//   on each line before an edge of a solid or enclosure the foot of the perpendicular
//   the crossings of each two of these circles and lines, and of them with the sides of the room
//   with a room, the nearest place in it; and all of the above are put to the nearest place in it
// A line before an edge is off it by 2^-20 * (larger |coordinate| of start + length + radius), and may be 512 times
// that longer than it at both ends. Circles and edges are those nearer than a reach, which begins at the larger of 4
// radii and 1 m and doubles until a candidate within it is free, or it has come to `distance`; of more than 256 the
// nearest by (distance, circles before edges, id, index), and then no place beyond the 257th.
std::optional<Vec2> NearestFree(Vec2 place, float radius, float distance, const Surroundings& around);

}  // namespace throng::twin
