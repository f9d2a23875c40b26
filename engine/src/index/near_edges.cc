#include "index/near_edges.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bounds.h"

namespace throng {

float ObstacleRange(const AgentStore& agents, std::size_t place) {
  return agents.time_horizon_obstacles[place] * agents.max_speed[place] + agents.radius[place];
}

namespace {

// Whether the edge's own box reaches into the other.
bool Meet(const Bounds& box, const ObstacleEdge& edge) {
  return std::max(edge.start.x, edge.end.x) >= box.min_x && std::min(edge.start.x, edge.end.x) <= box.max_x &&
         std::max(edge.start.y, edge.end.y) >= box.min_y && std::min(edge.start.y, edge.end.y) <= box.max_y;
}

}  // namespace

void NearEdges::Begin(const AgentStore& agents, const ObstacleStore& obstacles, const ObstacleIndex& index, float moved,
                      float margin) {
  agents_ = &agents;
  obstacles_ = &obstacles;
  index_ = &index;
  valid_ = false;
  moved_before_ = moved;
  margin_ = margin;
  groups_to_find_ = index.empty() ? 0 : (agents.size() + kGroup - 1) / kGroup;
  near_.Resize(groups_to_find_ * (1 + kNearEdges));
  near_.ShrinkIfSparse();
}

void NearEdges::RunBlock(std::size_t block) {
  for (std::size_t group = block * kBlock; group < std::min(groups_to_find_, (block + 1) * kBlock); ++group)
    Find(group);
}

void NearEdges::Find(std::size_t group) {
  const std::size_t begin = group * kGroup, end = std::min(agents_->size(), begin + kGroup);
  float range = 0.0f;
  Bounds box = Bounds::Of(agents_->body[begin].x, agents_->body[begin].y);
  for (std::size_t i = begin; i < end; ++i) {
    range = std::max(range, ObstacleRange(*agents_, i));
    box.Include(agents_->body[i].x, agents_->body[i].y);
  }
  std::uint32_t* const near = near_.data() + group * (1 + kNearEdges);
  std::uint32_t* const edges = near + 1;
  std::uint32_t count = 0;
  // Wide enough for the rounding of distances, which grows with the coordinates.
  const float largest = std::max({std::abs(box.min_x), std::abs(box.max_x), std::abs(box.min_y), std::abs(box.max_y)});
  const Bounds wide = box.Widened((range + margin_) * 1.0001f + 1e-6f * largest);
  index_->Search(wide, [&](EdgeHandle edge) {
    if (!Meet(wide, obstacles_->edge(edge))) return;
    if (count < kNearEdges) edges[count] = edge;
    ++count;
  });
  near[0] = count <= kNearEdges ? count : kManyEdges;
  if (near[0] == kManyEdges) return;
  std::sort(edges, edges + count, [&](EdgeHandle a, EdgeHandle b) {
    const ObstacleEdge &left = obstacles_->edge(a), &right = obstacles_->edge(b);
    return std::pair(left.obstacle, left.index) < std::pair(right.obstacle, right.index);
  });
}

}  // namespace throng
