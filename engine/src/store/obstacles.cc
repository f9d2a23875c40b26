#include "store/obstacles.h"

#include <algorithm>
#include <cmath>

#include "base/memory.h"
#include "base/polygon.h"

namespace throng {

const ObstacleStore::Obstacle* ObstacleStore::Find(ObstacleId id) const {
  const auto found = obstacles_.find(id);
  return found == obstacles_.end() ? nullptr : &found->second;
}

const ObstacleStore::Obstacle& ObstacleStore::Add(ObstacleId id, ObstacleKind kind, const std::vector<Vec2>& vertices) {
  Obstacle& obstacle = obstacles_[id];
  obstacle.kind = kind;
  const std::vector<Vec2> outline = MakeOutline(kind, vertices);
  obstacle.vertices = kind == ObstacleKind::kWall ? vertices : outline;
  for (const ObstacleEdge& edge : MakeEdges(id, outline)) {
    if (free_.empty()) {
      obstacle.edges.push_back(static_cast<std::uint32_t>(pool_.size()));
      pool_.push_back(edge);
    } else {
      obstacle.edges.push_back(free_.back());
      pool_[free_.back()] = edge;
      free_.pop_back();
    }
  }
  vertices_ += vertices.size();
  return obstacle;
}

void ObstacleStore::Remove(ObstacleId id) {
  const auto found = obstacles_.find(id);
  vertices_ -= found->second.vertices.size();
  // Backwards, so that adding the same shape again takes the same places in order.
  free_.insert(free_.end(), found->second.edges.rbegin(), found->second.edges.rend());
  obstacles_.erase(found);
  if (obstacles_.empty()) {
    Release(pool_);
    Release(free_);
  }
}

ObstacleState ObstacleStore::Describe(ObstacleId id, const Obstacle& obstacle) const {
  ObstacleState state;
  state.id = id;
  state.kind = obstacle.kind;
  state.vertices = obstacle.vertices;
  if (obstacle.kind != ObstacleKind::kWall) {
    state.area = static_cast<float>(std::abs(SignedArea(obstacle.vertices)));
  }
  state.bounds_min = state.bounds_max = obstacle.vertices.front();
  for (const Vec2& vertex : obstacle.vertices) {
    state.bounds_min = {std::min(state.bounds_min.x, vertex.x), std::min(state.bounds_min.y, vertex.y)};
    state.bounds_max = {std::max(state.bounds_max.x, vertex.x), std::max(state.bounds_max.y, vertex.y)};
  }
  return state;
}

std::size_t ObstacleStore::memory_bytes() const {
  std::size_t bytes = pool_.capacity() * sizeof(ObstacleEdge) + free_.capacity() * sizeof(std::uint32_t);
  for (const auto& [id, obstacle] : obstacles_) {
    bytes += sizeof(Obstacle) + obstacle.vertices.capacity() * sizeof(Vec2) +
             obstacle.edges.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace throng
