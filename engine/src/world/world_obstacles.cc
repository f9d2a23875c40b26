// What of World is about obstacles, but for adding, replacing and removing them.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <utility>

#include "base/fp_environment.h"
#include "world/world_impl.h"

namespace throng {
namespace {

// Whether all of `home` is in the range of coordinates after it has drifted so far.
bool StaysInRange(std::span<const Vec2> home, const Drift& drift) {
  constexpr double kMost = kMaxCoordinate;
  return std::all_of(home.begin(), home.end(), [&](Vec2 vertex) {
    const double x = double{vertex.x} + drift.x, y = double{vertex.y} + drift.y;
    return x >= -kMost && x <= kMost && y >= -kMost && y <= kMost;
  });
}

absl::Status LeavesRange(Vec2 translation) {
  return ViolationError(
      {"translation", absl::StrFormat("(%g, %g)", translation.x, translation.y),
       absl::StrCat("one that leaves all vertices in [-", kMaxCoordinate, ", ", kMaxCoordinate, "]")});
}

Drift Sum(const Drift& drift, Vec2 way) { return {drift.x + double{way.x}, drift.y + double{way.y}}; }

}  // namespace

absl::Status World::Impl::ShiftObstacle(ObstacleId id, Vec2 translation) {
  const FpEnvironment same_bits;
  if (const Capsule* const capsule = capsules.Find(id)) {
    const Vec2 home[] = {capsule->home_start, capsule->home_end};
    if (!StaysInRange(home, Sum(capsule->drift, translation))) return LeavesRange(translation);
    capsules.Shift(id, translation);
    return absl::OkStatus();
  }
  const ObstacleStore::Obstacle& old = *obstacles.Find(id);
  std::vector<Vec2> home = old.home.empty() ? old.vertices : old.home;
  const Drift drift = Sum(old.drift, translation);
  if (!StaysInRange(home, drift)) return LeavesRange(translation);
  ObstacleSpec moved;
  moved.kind = old.kind;
  moved.layer = old.sight.layer;
  moved.band = BandOf(old.sight);
  for (const Vec2 vertex : home) moved.vertices.push_back(drift.From(vertex));
  if (absl::Status status = Validate(moved); !status.ok()) return status;
  RemoveObstacle(id);
  AddObstacle(id, moved);
  obstacles.NoteDrift(id, std::move(home), drift);
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
