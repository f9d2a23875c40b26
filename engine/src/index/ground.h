// Which places are walkable ground: inside of all enclosures and outside of all solids. Polygons come and go one by
// one.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <set>
#include <vector>

#include "base/sight.h"
#include "index/obstacle_index.h"
#include "store/obstacles.h"
#include "throng/types.h"

namespace throng {

class Ground {
 public:
  using Obstacle = ObstacleStore::Obstacle;

  // Walls are of no account.
  void Add(ObstacleId id, const Obstacle& obstacle);
  void Remove(ObstacleId id, const Obstacle& obstacle);  // as added

  // What stands on an edge is not on walkable ground. Of obstacles those count that are seen by `sight`; null: all.
  bool Contains(const ObstacleStore& obstacles, Vec2 place, const Sight* sight = nullptr) const;
  // The obstacle of the lowest id that is in the way of it, kInvalidId if it does.
  ObstacleId BlockingAt(const ObstacleStore& obstacles, Vec2 place, const Sight* sight = nullptr) const;
  // Whether this obstacle alone leaves the place walkable.
  static bool Allows(const Obstacle& obstacle, Vec2 place, const Sight* sight = nullptr);

  std::size_t memory_bytes() const;

 private:
  ObstacleIndex boxes_;  // of solids, as the edge from one corner to the other
  absl::flat_hash_map<ObstacleId, EdgeHandle> handles_;
  std::vector<ObstacleId> solids_;  // by handle; kInvalidId: free
  std::vector<EdgeHandle> free_;
  std::set<ObstacleId> enclosures_;
};

}  // namespace throng
