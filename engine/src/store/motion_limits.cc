#include "store/motion_limits.h"

namespace throng {

void LimitStore::SetLimits(Index slot, const MotionLimits& limits, LargestTurn turn, Vec2 velocity) {
  const LimitedAgent* const known = Find(slot);
  if (limits == MotionLimits{} && (known == nullptr || !known->told_heading)) return Drop(slot);
  LimitedAgent& agent = Put(slot);
  if (agent.limits.smoothing_time == 0.0f) agent.smoothed = velocity;
  if (agent.limits.drive == Drive::kDifferential) --drives_;
  if (limits.drive == Drive::kDifferential) ++drives_;
  agent.limits = limits;
  agent.turn = turn;
}

void LimitStore::Drop(Index slot) {
  const LimitedAgent* const agent = Find(slot);
  if (agent != nullptr && agent->limits.drive == Drive::kDifferential) --drives_;
  BySlot::Drop(slot);
}

void LimitStore::SetHeading(Index slot, Vec2 heading, Vec2 velocity) {
  LimitedAgent& agent = Put(slot);
  if (agent.limits.smoothing_time == 0.0f) agent.smoothed = velocity;
  agent.heading = heading;
  agent.told_heading = true;
}

MotionLimits LimitStore::limits(Index slot) const {
  const LimitedAgent* const agent = Find(slot);
  return agent == nullptr ? MotionLimits{} : agent->limits;
}

}  // namespace throng
