// All obstacles of a world, and the pool of their edges. The pool has no gaps: where an edge goes, the last one takes
// its place.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/drift.h"
#include "base/sight.h"
#include "store/obstacle_edge.h"
#include "throng/types.h"

namespace throng {

class ObstacleStore {
 public:
  struct Obstacle {
    ObstacleKind kind = ObstacleKind::kSolid;
    std::vector<Vec2> vertices;        // as in force; a wall's as given, without the way back
    std::vector<std::uint32_t> edges;  // in the pool, by index
    Sight sight = kPlainObstacle;
    std::vector<Vec2> home;  // where vertices were put, of one that was moved since; else empty
    Drift drift;
  };

  bool Contains(ObstacleId id) const { return obstacles_.contains(id); }
  const Obstacle* Find(ObstacleId id) const;
  const std::map<ObstacleId, Obstacle>& all() const { return obstacles_; }

  // Preconditions: the shape passed Validate; no obstacle has this id. The reference lives until the next edit.
  const Obstacle& Add(ObstacleId id, ObstacleKind kind, const std::vector<Vec2>& vertices,
                      const Sight& sight = kPlainObstacle);
  // The edges of an enclosure that is not among the obstacles: theirs is the id kInvalidId, and they keep the first
  // places of the pool. Precondition: nothing was added yet.
  void AddBounds(const Rectangle& bounds);
  // Precondition: it exists. Calls moved(from, to) after each edge of another obstacle that takes a free place.
  using Moved = absl::FunctionRef<void(std::uint32_t from, std::uint32_t to)>;
  void Remove(ObstacleId id, Moved moved);

  // Notes that the obstacle was moved there from `home`. Precondition: it exists.
  void NoteDrift(ObstacleId id, std::vector<Vec2> home, const Drift& drift);

  const ObstacleEdge& edge(std::uint32_t place) const { return pool_[place]; }
  const ObstacleEdge* edges() const { return pool_.data(); }
  std::size_t edge_count() const { return pool_.size(); }
  // Whether some obstacle differs from kPlainObstacle in who sees it.
  bool keeps_sights() const { return !sights_.empty(); }
  // Of an edge. All see the bounds who see anything.
  const Sight& sight(std::uint32_t place) const {
    if (place < bounds_edges_) return kEveryLayer;
    return keeps_sights() ? sights_[place] : kPlainObstacle;
  }
  std::size_t vertices() const { return vertices_; }
  ObstacleState Describe(ObstacleId id, const Obstacle& obstacle) const;
  std::size_t memory_bytes() const;

 private:
  std::map<ObstacleId, Obstacle> obstacles_;
  std::vector<ObstacleEdge> pool_;
  std::vector<Sight> sights_;  // of edges, by place; empty where all obstacles are plain
  std::size_t sighted_ = 0;    // obstacles that are not
  std::size_t bounds_edges_ = 0;
  std::size_t vertices_ = 0;  // as given, in all
};

}  // namespace throng
