#include "index/ground.h"

#include <algorithm>

#include "base/bounds.h"
#include "base/polygon.h"

namespace throng {
namespace {

Bounds BoxOf(const ObstacleStore::Obstacle& obstacle) {
  Bounds box = Bounds::Of(obstacle.vertices[0].x, obstacle.vertices[0].y);
  for (const Vec2 vertex : obstacle.vertices) box.Include(vertex.x, vertex.y);
  return box;
}

}  // namespace

void Ground::Add(ObstacleId id, const Obstacle& obstacle) {
  if (obstacle.kind == ObstacleKind::kEnclosure) enclosures_.insert(id);
  if (obstacle.kind != ObstacleKind::kSolid) return;
  auto handle = static_cast<EdgeHandle>(solids_.size());
  if (free_.empty()) {
    solids_.push_back(id);
  } else {
    handle = free_.back();
    free_.pop_back();
    solids_[handle] = id;
  }
  handles_.emplace(id, handle);
  const Bounds box = BoxOf(obstacle);
  boxes_.Insert(handle, {box.min_x, box.min_y}, {box.max_x, box.max_y});
}

void Ground::Remove(ObstacleId id, const Obstacle& obstacle) {
  enclosures_.erase(id);
  const auto found = handles_.find(id);
  if (found == handles_.end()) return;
  const Bounds box = BoxOf(obstacle);
  boxes_.Remove(found->second, {box.min_x, box.min_y}, {box.max_x, box.max_y});
  solids_[found->second] = kInvalidId;
  free_.push_back(found->second);
  handles_.erase(found);
}

bool Ground::Allows(const Obstacle& obstacle, Vec2 place, const Sight* sight) {
  if (sight != nullptr && !Sees(*sight, obstacle.sight)) return true;
  switch (obstacle.kind) {
    case ObstacleKind::kSolid:
      return SideOf(obstacle.vertices, place) == PolygonSide::kOutside;
    case ObstacleKind::kEnclosure:
      return SideOf(obstacle.vertices, place) == PolygonSide::kInside;
    case ObstacleKind::kWall:
    case ObstacleKind::kCapsule:
      return true;
  }
  return true;
}

bool Ground::Contains(const ObstacleStore& obstacles, Vec2 place, const Sight* sight) const {
  const auto allowed = [&](ObstacleId id) { return Allows(*obstacles.Find(id), place, sight); };
  if (!std::all_of(enclosures_.begin(), enclosures_.end(), allowed)) return false;
  bool free = true;
  boxes_.Search(Bounds::Of(place.x, place.y), [&](EdgeHandle handle) { free = free && allowed(solids_[handle]); });
  return free;
}

ObstacleId Ground::BlockingAt(const ObstacleStore& obstacles, Vec2 place, const Sight* sight) const {
  ObstacleId lowest = kInvalidId;
  const auto consider = [&](ObstacleId id) {
    if ((lowest == kInvalidId || id < lowest) && !Allows(*obstacles.Find(id), place, sight)) lowest = id;
  };
  for (const ObstacleId id : enclosures_) consider(id);
  boxes_.Search(Bounds::Of(place.x, place.y), [&](EdgeHandle handle) { consider(solids_[handle]); });
  return lowest;
}

std::size_t Ground::memory_bytes() const {
  constexpr std::size_t kNode = 48;  // of a set
  return boxes_.memory_bytes() + handles_.capacity() * (sizeof(std::pair<ObstacleId, EdgeHandle>) + 1) +
         solids_.capacity() * sizeof(ObstacleId) + free_.capacity() * sizeof(EdgeHandle) + enclosures_.size() * kNode;
}

}  // namespace throng
