// What of World is about goals, paths and what came of them.
#include <algorithm>
#include <cassert>
#include <tuple>

#include "throng/limits.h"
#include "world/input_columns.h"
#include "world/steer.h"
#include "world/world_impl.h"

namespace throng {
namespace {

bool IsPlace(float x, float y) {
  const auto inside = [](float value) { return value >= -kMaxCoordinate && value <= kMaxCoordinate; };
  return inside(x) && inside(y);
}

}  // namespace

void World::Impl::NoteInput(Index place) {
  agents.has_input[place] = 1;
  if (agents.keeps_input_ticks()) agents.last_input_tick[place] = tick;
}

void World::Impl::SetGoal(Index place, Vec2 goal) {
  agents.goals.SetGoal(agents.slot[place], goal, StaysArrived(agents, place, goal));
  NoteInput(place);
}

void World::Impl::SetPath(Index place, const Path& path) {
  Path whole = path;
  if (!whole.pass_radius) {
    const float arrival_radius = agents.goals.params(agents.slot[place]).arrival_radius;
    whole.pass_radius = std::max(agents.radius[place], arrival_radius);
  }
  const bool last = whole.next + 1 == whole.points.size();
  agents.goals.SetPath(agents.slot[place], whole, last && StaysArrived(agents, place, whole.points.back()));
  NoteInput(place);
}

Steering World::Impl::SteeringAt(Index place) const {
  if (const GoalInForce* const goal = agents.goals.Find(agents.slot[place])) {
    if (goal->path != nullptr) return *goal->path;
    return Goal{goal->target};
  }
  if (IsKinematic(place)) {
    const Kinematic& kinematic = *agents.kinematics.Find(agents.slot[place]);
    if (kinematic.moves_to) return kinematic.way;
  }
  if (agents.has_input[place] == 0) return std::monostate();
  return Vec2{agents.preferred_x[place], agents.preferred_y[place]};
}

AgentStatus World::Impl::StatusAt(Index place) const {
  if (recovery && recovery->ReasonFor(agents.id[place]) != StatusReason::kNone) return AgentStatus::kRecovered;
  if (agents.keeps_progress() && agents.ProgressAt(place).stalled()) return AgentStatus::kStalled;
  if (const GoalInForce* const goal = agents.goals.Find(agents.slot[place])) {
    return goal->arrived ? AgentStatus::kArrived : AgentStatus::kMoving;
  }
  if (agents.has_input[place] == 0) return AgentStatus::kNoInput;
  if (IsKinematic(place) && agents.kinematics.Find(agents.slot[place])->moves_to) return AgentStatus::kMoving;
  // As it was in the last step.
  const bool stale =
      agents.keeps_input_ticks() && tick - agents.last_input_tick[place] > settings.stale_input.timeout_ticks;
  return stale ? AgentStatus::kStaleInput : AgentStatus::kMoving;
}

StatusReason World::Impl::ReasonAt(Index place, AgentStatus status) const {
  switch (status) {
    case AgentStatus::kArrived:
      return agents.goals.Find(agents.slot[place])->settled > 0.0f ? StatusReason::kGoalCrowded : StatusReason::kAtGoal;
    case AgentStatus::kStalled:
      return StallReasonAt(place);
    case AgentStatus::kRecovered:
      return recovery->ReasonFor(agents.id[place]);
    default:
      return StatusReason::kNone;
  }
}

StatusReason World::Impl::StallReasonAt(Index place) const {
  if (recovery && recovery->IsStranded(agents.id[place])) return StatusReason::kNoFreeGround;
  switch (static_cast<Held>(agents.held[place])) {
    case Held::kByAgents:
      return StatusReason::kAgents;
    case Held::kByObstacles:
      return StatusReason::kObstacles;
    case Held::kFree:
      return StatusReason::kNone;
  }
  return StatusReason::kNone;
}

bool World::Impl::MayGoTo(Index place, float x, float y) const { return IsPlace(x, y) && !IsKinematic(place); }

absl::Status World::Impl::RefuseGoal(Index place, Vec2 goal) const {
  return IsKinematic(place) ? KinematicGoalError() : ValidateGoal(goal);
}

absl::StatusOr<std::size_t> World::SetGoals(std::span<const AgentId> ids, std::span<const float> x,
                                            std::span<const float> y, std::vector<InputRejection>& rejected) {
  if (impl_->stepping()) return SteppingError();
  const auto may = [&](Index place, float at_x, float at_y) { return impl_->MayGoTo(place, at_x, at_y); };
  const auto refuse = [&](Index place, Vec2 goal) { return impl_->RefuseGoal(place, goal); };
  return SetByIds(impl_->agents, ids, x, y, rejected, may, refuse,
                  [&](Index place, Vec2 goal) { impl_->SetGoal(place, goal); });
}

absl::StatusOr<std::size_t> World::SetGoalsByRank(std::size_t first, std::span<const float> x, std::span<const float> y,
                                                  std::vector<InputRejection>& rejected) {
  if (impl_->stepping()) return SteppingError();
  const auto may = [&](Index place, float at_x, float at_y) { return impl_->MayGoTo(place, at_x, at_y); };
  const auto refuse = [&](Index place, Vec2 goal) { return impl_->RefuseGoal(place, goal); };
  return SetByRanks(impl_->agents, first, x, y, rejected, may, refuse,
                    [&](Index place, Vec2 goal) { impl_->SetGoal(place, goal); });
}

void World::ReadStatus(std::size_t first, std::span<std::uint8_t> out) const {
  assert(first + out.size() <= agent_count());
  const AgentStore::Ranks ranks = impl_->agents.ranks();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(impl_->StatusAt(ranks.place(first + i)));
  }
}

void World::ReadEvents(std::vector<AgentEvent>& events) const {
  events.clear();
  const AgentStore& agents = impl_->agents;
  if (stats().arrived > 0) {
    for (const GoalInForce& goal : agents.goals.all()) {
      if (!goal.just_arrived) continue;
      const Index place = agents.PlaceOfSlot(goal.slot);
      events.push_back({agents.id[place], AgentEventKind::kArrived, impl_->ReasonAt(place, AgentStatus::kArrived)});
    }
  }
  if (stats().stall_changes > 0) {
    for (Index place = 0; place < agents.size(); ++place) {
      const Progress progress = agents.ProgressAt(place);
      if (!progress.changed()) continue;
      const bool stalled = progress.stalled();
      events.push_back({agents.id[place], stalled ? AgentEventKind::kStalled : AgentEventKind::kFreed,
                        stalled ? impl_->StallReasonAt(place) : StatusReason::kNone});
    }
  }
  if (stats().recovered > 0) {
    for (const Recovery::Recovered& agent : impl_->recovery->recovered()) {
      if (agents.Contains(agent.id)) events.push_back({agent.id, AgentEventKind::kRecovered, agent.reason});
    }
  }
  std::sort(events.begin(), events.end(),
            [](const AgentEvent& a, const AgentEvent& b) { return std::tie(a.id, a.kind) < std::tie(b.id, b.kind); });
}

}  // namespace throng
