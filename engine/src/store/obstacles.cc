#include "store/obstacles.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/memory.h"
#include "base/polygon.h"

namespace throng {

const ObstacleStore::Obstacle* ObstacleStore::Find(ObstacleId id) const {
  const auto found = obstacles_.find(id);
  return found == obstacles_.end() ? nullptr : &found->second;
}

const ObstacleStore::Obstacle& ObstacleStore::Add(ObstacleId id, ObstacleKind kind, const std::vector<Vec2>& vertices,
                                                  const Sight& sight) {
  Obstacle& obstacle = obstacles_.try_emplace(obstacles_.end(), id)->second;  // mostly the highest yet
  obstacle.kind = kind;
  std::vector<Vec2> outline = MakeOutline(kind, vertices);
  obstacle.edges.resize(outline.size());
  std::iota(obstacle.edges.begin(), obstacle.edges.end(), static_cast<std::uint32_t>(pool_.size()));
  AppendEdges(id, outline, pool_);
  obstacle.sight = sight;
  if (sight != kPlainObstacle && sighted_++ == 0) sights_.assign(pool_.size(), kPlainObstacle);
  if (sighted_ > 0) {
    sights_.resize(pool_.size());
    for (const std::uint32_t place : obstacle.edges) sights_[place] = sight;
  }
  obstacle.vertices = kind == ObstacleKind::kWall ? vertices : std::move(outline);
  vertices_ += vertices.size();
  return obstacle;
}

void ObstacleStore::AddBounds(const Rectangle& bounds) {
  AppendEdges(kInvalidId, MakeBoundsOutline(bounds), pool_);
  bounds_edges_ = pool_.size();
}

void ObstacleStore::Remove(ObstacleId id, Moved moved) {
  const auto found = obstacles_.find(id);
  vertices_ -= found->second.vertices.size();
  if (found->second.sight != kPlainObstacle && --sighted_ == 0) Release(sights_);
  std::vector<std::uint32_t> places = std::move(found->second.edges);
  obstacles_.erase(found);
  // The highest first, so that the last of the pool is never one that is still to go.
  std::sort(places.begin(), places.end(), std::greater<>());
  for (const std::uint32_t to : places) {
    const auto from = static_cast<std::uint32_t>(pool_.size() - 1);
    if (to != from) {
      pool_[to] = pool_[from];
      if (keeps_sights()) sights_[to] = sights_[from];
      obstacles_.find(pool_[to].obstacle)->second.edges[pool_[to].index] = to;
      moved(from, to);
    }
    pool_.pop_back();
    if (keeps_sights()) sights_.pop_back();
  }
  ShrinkIfSparse(pool_);
  ShrinkIfSparse(sights_);
}

void ObstacleStore::NoteDrift(ObstacleId id, std::vector<Vec2> home, const Drift& drift) {
  Obstacle& obstacle = obstacles_.find(id)->second;
  obstacle.home = std::move(home);
  obstacle.drift = drift;
}

ObstacleState ObstacleStore::Describe(ObstacleId id, const Obstacle& obstacle) const {
  ObstacleState state;
  state.id = id;
  state.kind = obstacle.kind;
  state.vertices = obstacle.vertices;
  state.home = obstacle.home.empty() ? obstacle.vertices : obstacle.home;
  state.drift_x = obstacle.drift.x;
  state.drift_y = obstacle.drift.y;
  if (obstacle.kind != ObstacleKind::kWall) {
    state.area = static_cast<float>(std::abs(SignedArea(obstacle.vertices)));
  }
  state.layer = obstacle.sight.layer;
  state.band = BandOf(obstacle.sight);
  state.bounds_min = state.bounds_max = obstacle.vertices.front();
  for (const Vec2& vertex : obstacle.vertices) {
    state.bounds_min = {std::min(state.bounds_min.x, vertex.x), std::min(state.bounds_min.y, vertex.y)};
    state.bounds_max = {std::max(state.bounds_max.x, vertex.x), std::max(state.bounds_max.y, vertex.y)};
  }
  return state;
}

std::size_t ObstacleStore::memory_bytes() const {
  std::size_t bytes = pool_.capacity() * sizeof(ObstacleEdge) + sights_.capacity() * sizeof(Sight);
  for (const auto& [id, obstacle] : obstacles_) {
    bytes += sizeof(Obstacle) + (obstacle.vertices.capacity() + obstacle.home.capacity()) * sizeof(Vec2) +
             obstacle.edges.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace throng
