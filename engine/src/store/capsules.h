// All capsules of a world, in ascending order of ids. They are few (kMaxCapsules), and they move in every tick, so they
// are in no index.
#pragma once

#include <cstddef>
#include <vector>

#include "base/drift.h"
#include "base/sight.h"
#include "throng/types.h"

namespace throng {

struct Capsule {
  ObstacleId id = kInvalidId;
  Vec2 start;  // [m] where its ends are now
  Vec2 end;
  float radius = 0.0f;  // [m]
  Vec2 velocity;        // [m/s]
  Sight sight = kPlainObstacle;
  Vec2 home_start;  // where they were put
  Vec2 home_end;
  Drift drift;
};

class CapsuleStore {
 public:
  const Capsule* Find(ObstacleId id) const;
  bool Contains(ObstacleId id) const { return Find(id) != nullptr; }
  const std::vector<Capsule>& all() const { return capsules_; }
  bool empty() const { return capsules_.empty(); }
  std::size_t size() const { return capsules_.size(); }
  // Whether some capsule differs from kPlainObstacle in who sees it.
  bool keeps_sights() const { return sighted_ > 0; }

  // Preconditions: `spec` is valid and of a capsule; no other has this id.
  void Add(ObstacleId id, const ObstacleSpec& spec);
  // Preconditions: it exists; its ends stay in the range of coordinates.
  void Remove(ObstacleId id);
  void SetVelocity(ObstacleId id, Vec2 velocity);
  void Shift(ObstacleId id, Vec2 translation);

  // All move with their velocities. One that comes to the end of the range of coordinates stops there.
  void Move(float time_step);

  ObstacleState Describe(const Capsule& capsule) const;
  std::size_t memory_bytes() const { return capsules_.capacity() * sizeof(Capsule); }

 private:
  Capsule& At(ObstacleId id);

  std::vector<Capsule> capsules_;
  std::size_t sighted_ = 0;
};

}  // namespace throng
