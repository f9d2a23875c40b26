// What of World is about obstacles, but for adding, replacing and removing them.

#include <algorithm>
#include <utility>

#include "base/fp_environment.h"
#include "world/world_impl.h"

namespace throng {
namespace {

Drift Sum(const Drift& drift, Vec2 way) { return {drift.x + double{way.x}, drift.y + double{way.y}}; }

}  // namespace

absl::Status World::Impl::ShiftObstacle(ObstacleId id, Vec2 translation) {
  const FpEnvironment same_bits;
  ObstacleSpec home;
  if (const Capsule* const capsule = capsules.Find(id)) {
    home.kind = ObstacleKind::kCapsule;
    home.radius = capsule->radius;
    home.vertices = {capsule->home_start, capsule->home_end};
    const Drift drift = Sum(capsule->drift, translation);
    if (absl::Status status = ValidateTranslation(translation, home, drift.x, drift.y); !status.ok()) return status;
    capsules.Shift(id, translation);
    return absl::OkStatus();
  }
  const ObstacleStore::Obstacle& old = *obstacles.Find(id);
  home.kind = old.kind;
  home.layer = old.sight.layer;
  home.band = BandOf(old.sight);
  home.vertices = old.home.empty() ? old.vertices : old.home;
  const Drift drift = Sum(old.drift, translation);
  if (absl::Status status = ValidateTranslation(translation, home, drift.x, drift.y); !status.ok()) return status;
  ObstacleSpec moved = home;
  for (Vec2& vertex : moved.vertices) vertex = drift.From(vertex);
  RemoveObstacle(id);
  AddObstacle(id, moved);
  obstacles.NoteDrift(id, std::move(home.vertices), drift);
  return absl::OkStatus();
}

absl::Status World::MoveObstacle(ObstacleId id, const ObstacleMove& move) {
  if (impl_->stepping()) return SteppingError();
  if (!impl_->HasObstacle(id)) return NoObstacle(id);
  if (absl::Status status = Validate(move); !status.ok()) return status;
  if (move.velocity && !impl_->capsules.Contains(id)) {
    return absl::FailedPreconditionError("velocity: the obstacle is not a capsule");
  }
  if (move.translation) {
    if (absl::Status status = impl_->ShiftObstacle(id, *move.translation); !status.ok()) return status;
  }
  if (move.velocity) impl_->capsules.SetVelocity(id, *move.velocity);
  if (move.translation || move.velocity) ++impl_->obstacle_version;
  return absl::OkStatus();
}

std::size_t World::obstacle_count() const { return impl_->obstacles.all().size() + impl_->capsules.size(); }

std::size_t World::capsule_count() const { return impl_->capsules.size(); }

std::size_t World::obstacle_vertex_count() const { return impl_->obstacle_vertices(); }

std::uint64_t World::obstacle_version() const { return impl_->obstacle_version; }

std::vector<ObstacleId> World::obstacle_ids() const {
  std::vector<ObstacleId> ids;
  ids.reserve(obstacle_count());
  for (const auto& [id, obstacle] : impl_->obstacles.all()) ids.push_back(id);
  const auto middle = static_cast<std::ptrdiff_t>(ids.size());
  for (const Capsule& capsule : impl_->capsules.all()) ids.push_back(capsule.id);
  std::inplace_merge(ids.begin(), ids.begin() + middle, ids.end());
  return ids;
}

absl::StatusOr<ObstacleState> World::GetObstacle(ObstacleId id) const {
  if (const Capsule* const capsule = impl_->capsules.Find(id)) return impl_->capsules.Describe(*capsule);
  const ObstacleStore::Obstacle* const obstacle = impl_->obstacles.Find(id);
  if (obstacle == nullptr) return NoObstacle(id);
  return impl_->obstacles.Describe(id, *obstacle);
}

}  // namespace throng
