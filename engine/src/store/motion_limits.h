// What limits the motion of the agents that have such limits (AgentParams::smoothing_time and those after it), and what
// they need to know of themselves for it. A world in which nobody has limits holds nothing.
//
// Not thread safe, but that different agents may be changed at once.
#pragma once

#include "store/by_slot.h"
#include "throng/types.h"

namespace throng {

// See AgentParams.
struct MotionLimits {
  float smoothing_time = AgentParams{}.smoothing_time;
  float max_acceleration = AgentParams{}.max_acceleration;
  float max_turn_rate = AgentParams{}.max_turn_rate;
  Drive drive = AgentParams{}.drive;
  float tracking_error = AgentParams{}.tracking_error;
  float radius = 0.0f;  // [m] as it was told, of a differential drive; what others see is in the column
  friend bool operator==(const MotionLimits&, const MotionLimits&) = default;
};

// The angle by which a heading may turn within a step, to either side. Without a limit it is pi.
struct LargestTurn {
  float sine = 0.0f;
  float cosine = -1.0f;
};

struct LimitedAgent {
  Index slot = kNoIndex;
  MotionLimits limits;
  LargestTurn turn;
  // [m/s] What it wants, smoothed, and in the midst of a step what it was told. In force where there is a smoothing
  // time.
  Vec2 smoothed, told;
  // Where it faces while it stands; that of its velocity while it moves. Unit vector, or zero: it never moved and was
  // not told, so it may set off in any direction.
  Vec2 heading;
  bool told_heading = false;
};

class LimitStore : public BySlot<LimitedAgent> {
 public:
  // `velocity` of the agent as it is, where smoothing begins.
  void SetLimits(Index slot, const MotionLimits& limits, LargestTurn turn, Vec2 velocity);
  // Kept from then on, also without limits.
  void SetHeading(Index slot, Vec2 heading, Vec2 velocity);
  MotionLimits limits(Index slot) const;
  void Drop(Index slot);
  void Clear() { *this = {}; }
  void CopyFrom(const LimitStore& from, Index from_slot, Index to_slot) {
    BySlot::CopyFrom(from, from_slot, to_slot);
    const LimitedAgent* const agent = from.Find(from_slot);
    if (agent != nullptr && agent->limits.drive == Drive::kDifferential) ++drives_;
  }
  bool has_drives() const { return drives_ > 0; }

 private:
  std::size_t drives_ = 0;  // differential ones
};

}  // namespace throng
