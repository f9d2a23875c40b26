#include "world/contain.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/bounds.h"
#include "solve/cut.h"

namespace throng {

std::uint32_t LanesNearEdges(const GroupMoves& moves, std::span<const ObstacleEdge* const> edges,
                             const std::uint16_t* seen) {
  float min_x[kGroup], max_x[kGroup], min_y[kGroup], max_y[kGroup];
  float size = 0.0f;
  for (std::size_t lane = 0; lane < kGroup; ++lane) {
    min_x[lane] = std::min(moves.from_x[lane], moves.to_x[lane]);
    max_x[lane] = std::max(moves.from_x[lane], moves.to_x[lane]);
    min_y[lane] = std::min(moves.from_y[lane], moves.to_y[lane]);
    max_y[lane] = std::max(moves.from_y[lane], moves.to_y[lane]);
  }
  for (std::size_t lane = 0; lane < moves.agents; ++lane) {
    const float path = (max_x[lane] - min_x[lane]) + (max_y[lane] - min_y[lane]);
    const float largest = std::max(std::abs(moves.from_x[lane]), std::abs(moves.from_y[lane]));
    size = std::max(size, largest + path + moves.radius[lane]);
  }
  const float reach = CutReach(size);
  std::uint32_t near[kGroup] = {};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const ObstacleEdge* const edge = edges[i];
    const std::uint32_t who = seen == nullptr ? 0xffffffff : seen[i];
    const float wide = reach + CutReachOf(*edge);
    const float low_x = std::min(edge->start.x, edge->end.x) - wide;
    const float high_x = std::max(edge->start.x, edge->end.x) + wide;
    const float low_y = std::min(edge->start.y, edge->end.y) - wide;
    const float high_y = std::max(edge->start.y, edge->end.y) + wide;
    // Without a branch, for vectors.
    for (std::size_t lane = 0; lane < kGroup; ++lane) {
      near[lane] |= who >> lane & static_cast<std::uint32_t>(max_x[lane] >= low_x) &
                    static_cast<std::uint32_t>(min_x[lane] <= high_x) &
                    static_cast<std::uint32_t>(max_y[lane] >= low_y) &
                    static_cast<std::uint32_t>(min_y[lane] <= high_y);
    }
  }
  std::uint32_t lanes = 0;
  for (std::size_t lane = 0; lane < moves.agents; ++lane) lanes |= near[lane] << lane;
  return lanes;
}

void FindEdgesAround(const GroupMoves& moves, std::size_t lane, const Sight* sight, const ObstacleStore& obstacles,
                     const ObstacleIndex& index, std::vector<const ObstacleEdge*>& edges) {
  edges.clear();
  const Vec2 from = moves.from(lane), to = moves.to(lane);
  const float radius = moves.radius[lane];
  // The rest of a move that was cut leads aside, but no farther than the move and the skin.
  const float path = std::abs(to.x - from.x) + std::abs(to.y - from.y);
  const float size = std::max(std::abs(from.x), std::abs(from.y)) + path + radius;
  const Bounds box = Bounds::Of(from.x, from.y).Widened(1.0001f * path + 3.0f * CutReach(size));
  index.Search(box, [&](EdgeHandle handle) {
    const ObstacleEdge& edge = obstacles.edge(handle);
    if (sight != nullptr && !Sees(*sight, obstacles.sight(handle))) return;
    const float wide = CutReachOf(edge);
    if (std::max(edge.start.x, edge.end.x) + wide >= box.min_x &&
        std::min(edge.start.x, edge.end.x) - wide <= box.max_x &&
        std::max(edge.start.y, edge.end.y) + wide >= box.min_y &&
        std::min(edge.start.y, edge.end.y) - wide <= box.max_y) {
      edges.push_back(&edge);
    }
  });
  std::sort(edges.begin(), edges.end(), [](const ObstacleEdge* a, const ObstacleEdge* b) {
    return std::tie(a->obstacle, a->index) < std::tie(b->obstacle, b->index);
  });
}

}  // namespace throng
