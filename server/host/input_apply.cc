#include "server/host/input_apply.h"

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "server/base/reason.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

absl::Status LengthError(const char* field, std::size_t length, std::size_t expected) {
  return ViolationError({field, absl::StrCat(length, " values"), absl::StrCat(expected, " values")});
}

absl::Status CheckLengths(const Input& input) {
  const std::size_t expected = input.ids.empty() ? input.x.size() : input.ids.size();
  const bool goals = input.kind == InputKind::kGoals;
  if (input.kind == InputKind::kBoth) {
    return ViolationError(
        {"goal_x", "set beside preferred_velocity_x", "goals or preferred velocities; send two inputs"});
  }
  if (input.x.size() != expected) {
    return LengthError(goals ? "goal_x" : "preferred_velocity_x", input.x.size(), expected);
  }
  if (input.y.size() != expected) {
    return LengthError(goals ? "goal_y" : "preferred_velocity_y", input.y.size(), expected);
  }
  return absl::OkStatus();
}

}  // namespace

void InputApplier::Remember(std::shared_ptr<const Membership> membership) {
  if (!memberships_.empty() && memberships_.back()->version == membership->version) return;
  memberships_.push_back(std::move(membership));
  if (memberships_.size() > kInputMemberships) memberships_.pop_front();
}

InputOutcome InputApplier::Apply(World& world, const Membership& current, const Input& input) {
  rejections_.clear();
  ids_ = {};
  const absl::StatusOr<std::size_t> applied = ApplyColumns(world, current, input);
  InputOutcome outcome{.sequence = input.sequence, .tick = world.tick()};
  if (!applied.ok()) {
    outcome.status = applied.status();
    outcome.rejected = input.x.size();
    return outcome;
  }
  outcome.applied = *applied;
  outcome.rejected = rejections_.size();
  for (const InputRejection& rejection : rejections_) {
    if (outcome.items.size() == kMaxInputRejections) break;
    absl::Status status = rejection.status;
    if (absl::IsFailedPrecondition(status)) status = WithReason(std::move(status), "IS_KINEMATIC");
    if (absl::IsNotFound(status)) status = WithReason(std::move(status), "AGENT_NOT_FOUND");
    outcome.items.push_back({rejection.index, ids_[rejection.index], std::move(status)});
  }
  input.session->last_input_applied = std::max(input.session->last_input_applied, input.sequence);
  return outcome;
}

absl::StatusOr<std::size_t> InputApplier::ApplyColumns(World& world, const Membership& current, const Input& input) {
  if (absl::Status status = CheckLengths(input); !status.ok()) return status;
  if (input.ids.empty() && input.x.empty()) return 0;
  if (input.ids.empty()) return ApplyByMembership(world, current, input);
  ids_ = input.ids;
  return SetByIds(world, input);
}

absl::StatusOr<std::size_t> InputApplier::SetByIds(World& world, const Input& input) {
  if (input.kind == InputKind::kGoals) return world.SetGoals(ids_, input.x, input.y, rejections_);
  return world.SetPreferredVelocities(ids_, input.x, input.y, rejections_);
}

absl::StatusOr<std::size_t> InputApplier::ApplyByMembership(World& world, const Membership& current,
                                                            const Input& input) {
  const Membership* const named = FindMembership(current, input.membership_version);
  if (named == nullptr) {
    return WithReason(absl::FailedPreconditionError(
                          absl::StrCat("membership_version ", input.membership_version, " is not among the last ",
                                       kInputMemberships, " of the world; the current one is ", current.version)),
                      "STALE_MEMBERSHIP");
  }
  const std::vector<AgentId>& all = named->ids;
  if (input.first_index > all.size() || input.x.size() > all.size() - input.first_index) {
    return ViolationError({"first_index", absl::StrCat(input.first_index, " + ", input.x.size(), " values"),
                           absl::StrCat("at most ", all.size(), ", the agents of the membership")},
                          absl::StatusCode::kOutOfRange);
  }
  ids_ = std::span(all).subspan(input.first_index, input.x.size());
  if (input.membership_version != current.version) return SetByIds(world, input);
  if (input.kind == InputKind::kGoals) {
    return world.SetGoalsByRank(input.first_index, input.x, input.y, rejections_);
  }
  return world.SetPreferredVelocitiesByRank(input.first_index, input.x, input.y, rejections_);
}

const Membership* InputApplier::FindMembership(const Membership& current, std::uint64_t version) const {
  if (version == current.version) return &current;
  const auto found = std::find_if(memberships_.begin(), memberships_.end(),
                                  [&](const auto& membership) { return membership->version == version; });
  return found == memberships_.end() ? nullptr : found->get();
}

}  // namespace throng::server
