#include "world/limit.h"

#include <cmath>

#include "base/angle.h"
#include "base/vec2.h"
#include "solve/drive_lines.h"

namespace throng {
namespace {

// Who wants nothing and is slower than this part of its maximum stops: decay alone never ends.
constexpr float kStopped = 1e-3f;

// Such agents move as they are told.
bool IsKinematic(const AgentStore& agents, std::size_t place) {
  return agents.keeps_modes() && agents.mode[place] != 0;
}

// A first-order lag, as an implicit step, so that no step overshoots.
Vec2 Smoothed(const LimitedAgent& agent, bool arrived, float max_speed, float time_step) {
  if (arrived) return {};
  const float share = time_step / (agent.limits.smoothing_time + time_step);
  const Vec2 smoothed = agent.smoothed + share * (agent.told - agent.smoothed);
  const float stopped = kStopped * max_speed;
  if (agent.told == Vec2{} && AbsSq(smoothed) <= stopped * stopped) return {};
  return smoothed;
}

// `heading` becomes where the agent faces then.
Vec2 WithinTurn(const LargestTurn& turn, Vec2 velocity, Vec2& heading) {
  if (heading == Vec2{}) return velocity;
  const float along = Dot(velocity, heading);
  const float across = Det(heading, velocity);
  // The sine of what is left of the turn. Precise for small angles, whose cosine is nearly 1 whatever they are.
  const float left = along * turn.sine - std::abs(across) * turn.cosine;
  if (left >= 0.0f && !(along < 0.0f && turn.cosine > 0.0f)) return velocity;
  const float sine = across >= 0.0f ? turn.sine : -turn.sine;
  heading = {turn.cosine * heading.x - sine * heading.y, turn.cosine * heading.y + sine * heading.x};
  const float forward = Dot(velocity, heading);
  return (forward > 0.0f ? forward : 0.0f) * heading;
}

Vec2 WithinAcceleration(float most, Vec2 before, Vec2 velocity) {
  const Vec2 change = velocity - before;
  const float squared = AbsSq(change);
  if (!(squared > most * most)) return velocity;
  // So that who brakes keeps its direction to the last, where the difference of both would be rounding alone.
  const float share = most / std::sqrt(squared);
  return (1.0f - share) * before + share * velocity;
}

Vec2 WithinSpeed(float max_speed, Vec2 velocity) {
  if (max_speed < kTiny) return 0.0f * velocity;  // squares would underflow
  const float squared = AbsSq(velocity);
  if (!(squared > max_speed * max_speed)) return velocity;
  return (max_speed / std::sqrt(squared)) * velocity;
}

}  // namespace

LargestTurn LargestTurnOf(float max_turn_rate, float time_step) {
  const double angle = double{max_turn_rate} * double{time_step};
  if (max_turn_rate == 0.0f || angle >= kPi) return {};
  const SineCosine at = SineCosineOf(angle);
  return {static_cast<float>(at.sine), static_cast<float>(at.cosine)};
}

void SmoothWishes(AgentStore& agents, float time_step, bool zero, std::size_t begin, std::size_t end,
                  std::vector<LimitedPlace>& limited) {
  limited.clear();
  for (std::size_t i = begin; i < end; ++i) {
    LimitedAgent* const agent = agents.limits.Find(agents.slot[i]);
    if (agent == nullptr || IsKinematic(agents, i)) continue;
    limited.push_back({static_cast<Index>(i), agent});
    if (agent->limits.smoothing_time == 0.0f) continue;
    agent->told = {agents.preferred_x[i], agents.preferred_y[i]};
    const GoalInForce* const goal = agents.goals.empty() ? nullptr : agents.goals.Find(agent->slot);
    const bool arrived = goal != nullptr && goal->stands;
    const Vec2 smoothed = Smoothed(*agent, arrived, agents.max_speed[i], time_step);
    if (!zero) agent->smoothed = smoothed;
    agents.preferred_x[i] = smoothed.x;
    agents.preferred_y[i] = smoothed.y;
  }
}

void LimitVelocities(AgentStore& agents, float time_step, bool zero, const std::vector<LimitedPlace>& limited) {
  for (const LimitedPlace& at : limited) {
    const MotionLimits& limits = at.agent->limits;
    float& next_x = agents.next_velocity_x()[at.place];
    float& next_y = agents.next_velocity_y()[at.place];
    const Vec2 before{agents.body[at.place].vx, agents.body[at.place].vy};
    Vec2 velocity{next_x, next_y};
    Vec2 heading = DirectionOr(before, at.agent->heading);
    if (limits.max_turn_rate > 0.0f) velocity = WithinTurn(at.agent->turn, velocity, heading);
    if (limits.max_acceleration > 0.0f) {
      velocity = WithinAcceleration(limits.max_acceleration * time_step, before, velocity);
    }
    if (limits.max_turn_rate > 0.0f || limits.max_acceleration > 0.0f) {
      velocity = WithinSpeed(agents.max_speed[at.place], velocity);
    }
    next_x = velocity.x;
    next_y = velocity.y;
    if (!zero) at.agent->heading = DirectionOr(velocity, DirectionOr(heading, {}));
  }
}

bool AddDriveLines(const AgentStore& agents, std::size_t place, HalfPlane* lines) {
  const LimitedAgent* const agent = agents.limits.Find(agents.slot[place]);
  if (agent == nullptr || agent->limits.drive != Drive::kDifferential || IsKinematic(agents, place)) return false;
  const Vec2 heading = DirectionOr({agents.body[place].vx, agents.body[place].vy}, agent->heading);
  if (heading == Vec2{}) return false;
  DriveHalfPlanes(heading, agent->limits.tracking_error, agent->limits.max_turn_rate, lines);
  return true;
}

void RestoreWishes(AgentStore& agents, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const LimitedAgent* const agent = agents.limits.Find(agents.slot[i]);
    if (agent == nullptr || agent->limits.smoothing_time == 0.0f || IsKinematic(agents, i)) continue;
    agents.preferred_x[i] = agent->told.x;
    agents.preferred_y[i] = agent->told.y;
  }
}

}  // namespace throng
