// World's questions: checks of arguments.
#include "throng/limits.h"
#include "throng/query.h"
#include "world/input_columns.h"
#include "world/query.h"
#include "world/world_impl.h"

namespace throng {
namespace {

constexpr Range kQueryRadiusRange{0.0f, kMaxQueryRadius};
constexpr Range kVisibilityRadiusRange{0.0f, kMaxVisibilityRadius};

absl::Status MidStepError() {
  return absl::FailedPreconditionError("a step of this world is under way; questions are answered between steps");
}

// The first that is not OK.
template <class... More>
absl::Status First(absl::Status status, More... more) {
  if constexpr (sizeof...(more) > 0) {
    if (status.ok()) return First(std::move(more)...);
  }
  return status;
}

absl::Status ValidateLimit(std::size_t limit) { return ValidateCount("limit", limit, 1, kMaxFoundAgents); }

absl::Status ValidateFilter(const SightFilter& filter) {
  if (!filter.band) return absl::OkStatus();
  return First(ValidateNumber("filter.z", filter.band->z, kZRange),
               ValidateNumber("filter.height", filter.band->height, kHeightRange));
}

}  // namespace

absl::StatusOr<std::vector<FoundAgent>> World::FindNearest(Vec2 point, const NearestQuery& query) const {
  if (impl_->stepping()) return MidStepError();
  if (absl::Status status =
          First(ValidatePoint("point", point), ValidateCount("count", query.count, 1, kMaxFoundAgents),
                ValidateNumber("max_distance", query.max_distance.value_or(0.0f), kQueryRadiusRange),
                ValidateFilter(query.filter));
      !status.ok()) {
    return status;
  }
  return impl_->searcher().Nearest(point, query);
}

absl::StatusOr<FoundAgents> World::FindInDisc(Vec2 center, float radius, std::size_t limit,
                                              const SightFilter& filter) const {
  if (impl_->stepping()) return MidStepError();
  if (absl::Status status = First(ValidatePoint("center", center), ValidateNumber("radius", radius, kQueryRadiusRange),
                                  ValidateLimit(limit), ValidateFilter(filter));
      !status.ok()) {
    return status;
  }
  return impl_->searcher().InDisc(center, radius, limit, filter);
}

absl::StatusOr<FoundAgents> World::FindInBox(Vec2 min, Vec2 max, std::size_t limit, const SightFilter& filter) const {
  if (impl_->stepping()) return MidStepError();
  if (absl::Status status = First(
          ValidatePoint("min", min), ValidatePoint("max", max), ValidateNumber("max.x", max.x, {min.x, kMaxCoordinate}),
          ValidateNumber("max.y", max.y, {min.y, kMaxCoordinate}), ValidateLimit(limit), ValidateFilter(filter));
      !status.ok()) {
    return status;
  }
  return impl_->searcher().InBox(min, max, limit, filter);
}

absl::StatusOr<Visibility> World::TestVisibility(Vec2 from, Vec2 to, float radius, const SightFilter& filter) const {
  if (impl_->stepping()) return MidStepError();
  if (absl::Status status = First(ValidatePoint("from", from), ValidatePoint("to", to),
                                  ValidateNumber("radius", radius, kVisibilityRadiusRange), ValidateFilter(filter));
      !status.ok()) {
    return status;
  }
  return impl_->searcher().Visible(from, to, radius, filter);
}

absl::StatusOr<RayHit> World::CastRay(Vec2 from, Vec2 to, const RayQuery& query) const {
  if (impl_->stepping()) return MidStepError();
  if (absl::Status status = First(ValidatePoint("from", from), ValidatePoint("to", to), ValidateFilter(query.filter));
      !status.ok()) {
    return status;
  }
  return impl_->searcher().Cast(from, to, query);
}

absl::StatusOr<Explanation> World::Explain(AgentId id) const {
  if (impl_->stepping()) return MidStepError();
  const Index place = impl_->agents.Find(id);
  if (place == kNoIndex) return NoAgent(id);
  return impl_->Explain(place);
}

}  // namespace throng
