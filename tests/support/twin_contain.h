// Containment: how a move ends at obstacle edges. All of it is computed in double, from floats and to floats.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/support/twin_bounds.h"
#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

using Outlines = std::map<ObstacleId, std::vector<Edge>>;
using Kinds = std::map<ObstacleId, ObstacleKind>;

// The first obstacle, by id, that leaves this place not walkable: a solid around it or an enclosure not around it.
std::optional<ObstacleId> BlockingObstacle(Vec2 place, const Outlines& outlines, const Kinds& kinds);
// Inside of all enclosures and outside of all solids, and on no edge of them.
bool IsWalkable(Vec2 place, const Outlines& outlines, const Kinds& kinds);

// The nearest walkable place for an agent that stands elsewhere, by ascending (distance^2, x, y), of these candidates:
//   before each edge (of solids and enclosures) the foot of the perpendicular, if it falls between the ends
//   before each two edges their crossing
// each moved off by 2^-20 * (its larger |coordinate| + radius) from the edge, or from both. Edges are those within a
// reach, which begins at the larger of 4 radii and 1 m and doubles until the best candidate is within it, or it has
// come to 2^22 m; crossings are of the nearest 64 of them, by (distance^2, obstacle, edge). Two edges that enclose less
// than 3.6 degrees, or run alike, have no crossing.
// With a room, only what is in it counts; its place nearest to the agent is a candidate too, and so is each crossing of
// an edge with a side of it, moved off along the side until it is as far before the edge, unless they enclose less than
// 2.5 degrees. The edges of the bounds themselves, of obstacle 0, are not looked at.
std::optional<Vec2> NearestGround(Vec2 place, float radius, const Outlines& outlines, const Kinds& kinds,
                                  const std::optional<Room>& room = std::nullopt);

struct Way {
  Vec2 end;
  bool cut = false;
};

// What is left of the move from p to q of an agent. Every edge has a box around it, reaching out on all sides by
//   width = skin + 2^-40 * (larger |coordinate| of start + length)
//   skin = 2^-21 * (larger |coordinate| of p + |q.x - p.x| + |q.y - p.y| + radius)
// which agents that are not behind the edge's line do not enter. The move ends at the first box; what is left of it
// goes on along that side of the box and ends at the next box; if that is so at once, it goes on along the side of that
// one instead. Of boxes met at once the first by (obstacle, edge) counts. Rounded to floats, the whole move must keep
// out of boxes a quarter as wide; else it ends at the first box, and if that does not keep out either, where it began.
// With a room, which p and q are in, what is rounded is put to the nearest place in it.
Way CutMove(Vec2 p, Vec2 q, float radius, const Outlines& outlines, const std::optional<Room>& room = std::nullopt);

// Velocity of who made the way from p to q in a step; no longer than max_speed.
Vec2 VelocityOfWay(Vec2 p, Vec2 q, float inverse_time_step, float max_speed);

}  // namespace throng::twin
