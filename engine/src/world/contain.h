// Which moves of a group of agents are to be cut at obstacle edges (solve/cut.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sight.h"
#include "index/obstacle_index.h"
#include "store/lists.h"
#include "store/obstacle_edge.h"
#include "store/obstacles.h"
#include "throng/types.h"

namespace throng {

// Moves of at most kGroup agents; lanes past `agents` are not looked at.
struct GroupMoves {
  std::size_t agents = 0;
  float from_x[kGroup], from_y[kGroup];
  float to_x[kGroup], to_y[kGroup];
  float radius[kGroup];

  Vec2 from(std::size_t lane) const { return {from_x[lane], from_y[lane]}; }
  Vec2 to(std::size_t lane) const { return {to_x[lane], to_y[lane]}; }
};

// Bit i: a box around the path of lane i meets that of an edge, so that its move may have to be cut. `seen`: for each
// edge the lanes that see it, a bit for each; null: all do.
std::uint32_t LanesNearEdges(const GroupMoves& moves, std::span<const ObstacleEdge* const> edges,
                             const std::uint16_t* seen);

// All edges that a way of the length of this move may meet and that are seen, in ascending order of (obstacle, index).
// `sight`: of who moves; null: it sees all.
void FindEdgesAround(const GroupMoves& moves, std::size_t lane, const Sight* sight, const ObstacleStore& obstacles,
                     const ObstacleIndex& index, std::vector<const ObstacleEdge*>& edges);

}  // namespace throng
