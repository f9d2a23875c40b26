// What of World is about where new agents stand.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/fp_environment.h"
#include "throng/limits.h"
#include "world/spawn.h"
#include "world/world_impl.h"

namespace throng {
namespace {

constexpr float kUsualNudge = 8.0f;  // radii

std::string NameOf(const InTheWay& what) {
  switch (what.kind) {
    case InTheWay::Kind::kBounds:
      return "the bounds";
    case InTheWay::Kind::kObstacle:
      return absl::StrCat("obstacle ", what.id);
    case InTheWay::Kind::kAgent:
      return absl::StrCat("agent ", what.id);
  }
  return "";
}

absl::Status Occupied(Vec2 place, const std::string& expected) {
  return ViolationError({"position", absl::StrFormat("(%.9g, %.9g)", place.x, place.y), expected},
                        absl::StatusCode::kFailedPrecondition);
}

}  // namespace

absl::StatusOr<Vec2> World::Impl::PlaceFor(const AgentSpec& spec, const AgentParams& params,
                                           std::span<const ForeseenAgent> foreseen) {
  const Vec2 place = *spec.position;
  if (spec.placement == Placement::kAllow) return place;
  const FpEnvironment same_bits;
  const SpawnView world{agents,
                        stepper,
                        occupancy,
                        obstacles,
                        obstacle_index,
                        recovery ? &recovery->ground() : nullptr,
                        settings.bounds ? &*settings.bounds : nullptr,
                        foreseen};
  const Newcomer newcomer{
      place, EffectiveRadius(params), {params.layer, params.avoids, params.z, params.height}, spec.kinematic};
  const std::optional<InTheWay> what = FindInTheWay(world, newcomer);
  if (!what) return place;
  const std::string clear = absl::StrCat("a place clear of ", NameOf(*what));
  if (spec.placement == Placement::kReject) return Occupied(place, clear);
  const float distance = spec.nudge_distance.value_or(std::min(kUsualNudge * params.radius, kNudgeDistanceRange.max));
  if (const std::optional<Vec2> free = FindFreePlace(world, newcomer, distance)) return *free;
  return Occupied(place, absl::StrFormat("%s, or one within %g m of it", clear, distance));
}

absl::StatusOr<Vec2> World::FindPlace(const AgentSpec& spec, std::span<const ForeseenAgent> before) const {
  if (impl_->stepping()) return SteppingError();
  return impl_->PlaceFor(spec, Apply(impl_->settings.agent_defaults, spec.params), before);
}

AgentId World::NextAgentId() const {
  return impl_->agent_ids.exhausted() ? kInvalidId : static_cast<AgentId>(impl_->agent_ids.next);
}

}  // namespace throng
