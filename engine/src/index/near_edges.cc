#include "index/near_edges.h"

#include <algorithm>
#include <utility>

#include "base/bounds.h"

namespace throng {

float ObstacleRange(const AgentStore& agents, std::size_t place) {
  return agents.time_horizon_obstacles[place] * agents.max_speed[place] + agents.radius[place];
}

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
  index_->Search(box.Widened(range + margin_), [&](EdgeHandle edge) {
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
