// Containment: how a move ends at obstacle edges. All of it is computed in double, from floats and to floats.
#pragma once

#include <map>
#include <vector>

#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

using Outlines = std::map<ObstacleId, std::vector<Edge>>;

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
Way CutMove(Vec2 p, Vec2 q, float radius, const Outlines& outlines);

// Velocity of who made the way from p to q in a step; no longer than max_speed.
Vec2 VelocityOfWay(Vec2 p, Vec2 q, float inverse_time_step, float max_speed);

}  // namespace throng::twin
