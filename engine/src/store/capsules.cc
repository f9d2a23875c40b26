#include "store/capsules.h"

#include <algorithm>
#include <cmath>

#include "throng/limits.h"

namespace throng {
namespace {

bool IsBefore(const Capsule& capsule, ObstacleId id) { return capsule.id < id; }

// How far something with ends at `a` and `b` may go along an axis, at most `way`.
double WithinRange(double way, double a, double b) {
  constexpr double kMost = kMaxCoordinate;
  return std::max(std::min(way, kMost - std::max(a, b)), -kMost - std::min(a, b));
}

void Place(Capsule& capsule) {
  capsule.start = capsule.drift.From(capsule.home_start);
  capsule.end = capsule.drift.From(capsule.home_end);
}

}  // namespace

const Capsule* CapsuleStore::Find(ObstacleId id) const {
  const auto found = std::lower_bound(capsules_.begin(), capsules_.end(), id, IsBefore);
  return found != capsules_.end() && found->id == id ? &*found : nullptr;
}

Capsule& CapsuleStore::At(ObstacleId id) { return *std::lower_bound(capsules_.begin(), capsules_.end(), id, IsBefore); }

void CapsuleStore::Add(ObstacleId id, const ObstacleSpec& spec) {
  Capsule capsule;
  capsule.id = id;
  capsule.start = capsule.home_start = spec.vertices[0];
  capsule.end = capsule.home_end = spec.vertices[1];
  capsule.radius = *spec.radius;
  capsule.velocity = spec.velocity.value_or(Vec2{});
  capsule.sight = ObstacleSight(spec.layer, spec.band);
  if (capsule.sight != kPlainObstacle) ++sighted_;
  capsules_.insert(std::lower_bound(capsules_.begin(), capsules_.end(), id, IsBefore), capsule);
}

void CapsuleStore::Remove(ObstacleId id) {
  Capsule& capsule = At(id);
  if (capsule.sight != kPlainObstacle) --sighted_;
  capsules_.erase(capsules_.begin() + (&capsule - capsules_.data()));
  if (capsules_.empty()) std::vector<Capsule>().swap(capsules_);
}

void CapsuleStore::SetVelocity(ObstacleId id, Vec2 velocity) { At(id).velocity = velocity; }

void CapsuleStore::Shift(ObstacleId id, Vec2 translation) {
  Capsule& capsule = At(id);
  capsule.drift.x += double{translation.x};
  capsule.drift.y += double{translation.y};
  Place(capsule);
}

void CapsuleStore::Move(float time_step) {
  for (Capsule& capsule : capsules_) {
    if (capsule.velocity == Vec2{}) continue;
    const Drift wanted{capsule.drift.x + double{time_step} * double{capsule.velocity.x},
                       capsule.drift.y + double{time_step} * double{capsule.velocity.y}};
    capsule.drift = {WithinRange(wanted.x, double{capsule.home_start.x}, double{capsule.home_end.x}),
                     WithinRange(wanted.y, double{capsule.home_start.y}, double{capsule.home_end.y})};
    if (capsule.drift.x != wanted.x || capsule.drift.y != wanted.y) capsule.velocity = {};
    Place(capsule);
  }
}

ObstacleState CapsuleStore::Describe(const Capsule& capsule) const {
  constexpr double kPi = 3.14159265358979323846;
  ObstacleState state;
  state.id = capsule.id;
  state.kind = ObstacleKind::kCapsule;
  state.vertices = {capsule.start, capsule.end};
  const double x = double{capsule.end.x} - double{capsule.start.x};
  const double y = double{capsule.end.y} - double{capsule.start.y};
  const double radius = capsule.radius;
  state.area = static_cast<float>(radius * (kPi * radius + 2.0 * std::sqrt(x * x + y * y)));
  state.bounds_min = {std::min(capsule.start.x, capsule.end.x) - capsule.radius,
                      std::min(capsule.start.y, capsule.end.y) - capsule.radius};
  state.bounds_max = {std::max(capsule.start.x, capsule.end.x) + capsule.radius,
                      std::max(capsule.start.y, capsule.end.y) + capsule.radius};
  state.layer = capsule.sight.layer;
  state.band = BandOf(capsule.sight);
  state.radius = capsule.radius;
  state.velocity = capsule.velocity;
  state.home = {capsule.home_start, capsule.home_end};
  state.drift_x = capsule.drift.x;
  state.drift_y = capsule.drift.y;
  return state;
}

}  // namespace throng
