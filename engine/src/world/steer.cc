#include "world/steer.h"

#include <cmath>

#include "base/vec2.h"

namespace throng {
namespace {

float Smaller(float a, float b) { return a < b ? a : b; }

// Beyond which an agent that had arrived has not any more: crowds push, and a goal may wander a little.
float LeaveRadius(const GoalInForce& goal, const GoalParams& params, float radius) {
  return goal.settled + (2.0f * params.arrival_radius + radius);
}

bool IsWithin(Vec2 way, float radius) { return AbsSq(way) <= radius * radius; }

// Who was pushed past a waypoint does not turn back for it. Past it is on the next one's side, and, where the way comes
// from another one, not before it either: else who comes to a turn on its inner side would cut the corner.
bool HasPassed(const Path& path, std::uint32_t next, Vec2 position) {
  constexpr float kBeyond = 4.0f;
  const Vec2 waypoint = path.points[next];
  const Vec2 way = waypoint - position;
  const float pass = *path.pass_radius;
  if (IsWithin(way, pass)) return true;
  if (!IsWithin(way, kBeyond * pass)) return false;
  const Vec2 past = position - waypoint;
  if (next > 0 && Dot(past, waypoint - path.points[next - 1]) < 0.0f) return false;
  return Dot(past, path.points[next + 1] - waypoint) > 0.0f;
}

// What is next on the way.
struct NextStop {
  Vec2 target;
  std::uint32_t index = 0;  // on a path
  bool last = true;
};

NextStop Follow(const GoalInForce& goal, Vec2 position) {
  if (goal.path == nullptr) return {goal.target};
  const std::vector<Vec2>& points = goal.path->points;
  std::uint32_t next = goal.path->next;
  while (next + 1 < points.size() && HasPassed(*goal.path, next, position)) ++next;
  return {points[next], next, next + 1 == points.size()};
}

// Never past the target within a step.
Vec2 Wanted(const GoalParams& params, float max_speed, Vec2 way, bool last, float inverse_time_step) {
  const float squared = AbsSq(way);
  if (!(squared > kTinySquared)) return {};
  const float length = std::sqrt(squared);
  float speed = Smaller(params.preferred_speed, max_speed);
  if (last && params.slow_down_distance > 0.0f) speed = speed * Smaller(length / params.slow_down_distance, 1.0f);
  speed = Smaller(speed, length * inverse_time_step);
  return (speed / length) * way;
}

}  // namespace

bool StaysArrived(const AgentStore& agents, Index place, Vec2 goal) {
  const Body& body = agents.body[place];
  const Index slot = agents.slot[place];
  const GoalInForce* const old = agents.goals.Find(slot);
  if (old == nullptr) return false;
  return IsWithin(goal - Vec2{body.x, body.y}, LeaveRadius(*old, agents.goals.params(slot), agents.radius[place]));
}

std::uint64_t Steer(AgentStore& agents, float inverse_time_step, bool zero, std::size_t begin, std::size_t end) {
  std::uint64_t arrived = 0;
  for (std::size_t i = begin; i < end; ++i) {
    GoalInForce& goal = agents.goals.at(i);
    const Index place = agents.PlaceOfSlot(goal.slot);
    const GoalParams params = agents.goals.params(goal.slot);
    const Vec2 position{agents.body[place].x, agents.body[place].y};
    const NextStop stop = Follow(goal, position);
    const Vec2 way = stop.target - position;
    const float radius = goal.arrived ? LeaveRadius(goal, params, agents.radius[place]) : params.arrival_radius;
    goal.stands = stop.last && (goal.crowded || IsWithin(way, radius));
    const Vec2 wanted =
        goal.stands ? Vec2{} : Wanted(params, agents.max_speed[place], way, stop.last, inverse_time_step);
    agents.preferred_x[place] = wanted.x;
    agents.preferred_y[place] = wanted.y;
    if (zero) continue;
    goal.target = stop.target;
    if (goal.path != nullptr) goal.path->next = stop.index;
    if (goal.crowded && !IsWithin(way, radius)) goal.settled = std::sqrt(AbsSq(way));
    if (!goal.stands) goal.settled = 0.0f;
    goal.crowded = false;
    goal.just_arrived = goal.stands && !goal.arrived;
    goal.arrived = goal.stands;
    arrived += goal.just_arrived ? 1 : 0;
  }
  return arrived;
}

bool IsGoalCrowded(const AgentStore& agents, Index place, std::span<const Index> nearest) {
  constexpr float kTouching = 1.15f;  // times the sum of their radii
  constexpr float kStraight = 0.35f;  // sine of the angle to the goal
  const Index slot = agents.slot[place];
  const GoalInForce* const own = agents.goals.Find(slot);
  if (own == nullptr || own->arrived) return false;
  if (own->path != nullptr && own->path->next + 1 != own->path->points.size()) return false;
  const float near = agents.goals.params(slot).arrival_radius;
  const Vec2 position{agents.body[place].x, agents.body[place].y};
  const Vec2 ahead = own->target - position;
  bool left = false, right = false;
  for (const Index other : nearest) {
    const GoalInForce* const its = agents.goals.Find(agents.slot[other]);
    if (its == nullptr || !its->arrived || !IsWithin(its->target - own->target, near)) continue;
    const Vec2 way = Vec2{agents.body[other].x, agents.body[other].y} - position;
    if (!IsWithin(way, kTouching * (agents.radius[place] + agents.radius[other]))) continue;
    if (!(Dot(way, ahead) > 0.0f)) continue;
    const float side = Det(ahead, way);
    const bool straight = side * side <= kStraight * kStraight * (AbsSq(ahead) * AbsSq(way));
    left = left || straight || side > 0.0f;
    right = right || straight || side < 0.0f;
  }
  return left && right;
}

}  // namespace throng
