#include "tests/quality/caller.h"

#include <algorithm>
#include <cmath>

namespace throng::quality {
namespace {

constexpr float kSlowDown = 0.5f;  // [m] from the goal, within which the wish falls in proportion

// The rule of a path: within the pass radius of the waypoint, or beyond it on the side of the next within four.
bool Passed(Vec2 position, Vec2 waypoint, Vec2 next, float pass_radius) {
  const double distance = Distance(position, waypoint);
  if (distance <= double{pass_radius}) return true;
  const double beyond = (double{position.x} - double{waypoint.x}) * (double{next.x} - double{waypoint.x}) +
                        (double{position.y} - double{waypoint.y}) * (double{next.y} - double{waypoint.y});
  return beyond > 0.0 && distance <= 4.0 * double{pass_radius};
}

}  // namespace

Caller::Caller(const Play& play) : play_(play), states_(play.walkers.size()) {
  for (const ObstacleSpec& obstacle : play.obstacles) {
    for (const Edge& edge : EdgesOf(obstacle)) edges_.push_back(edge);
  }
}

Vec2 Caller::Target(std::size_t agent) const {
  const Walker& walker = play_.walkers[agent];
  if (!walker.leader) return walker.route[states_[agent].next];
  const Vec2 leader = PoseAt(*walker.leader, time_);
  return {leader.x + walker.offset.x, leader.y + walker.offset.y};
}

Vec2 Caller::Wish(std::size_t agent, Vec2 position) {
  const Walker& walker = play_.walkers[agent];
  if (!walker.has_goal || states_[agent].at_goal) return {};
  const Vec2 target = states_[agent].turned_back ? *states_[agent].seen_from : Target(agent);
  const double distance = Distance(position, target);
  if (distance == 0.0) return {};
  const bool last = walker.leader || states_[agent].next + 1 == walker.route.size();
  double speed = double{walker.speed};
  if (last && !walker.leaves) {
    speed = std::min(speed * std::min(1.0, distance / double{kSlowDown}), distance / double{play_.settings.time_step});
  }
  return {static_cast<float>((double{target.x} - double{position.x}) / distance * speed),
          static_cast<float>((double{target.y} - double{position.y}) / distance * speed)};
}

void Caller::Note(std::size_t agent, Vec2 position, double time) {
  time_ = time;
  const Walker& walker = play_.walkers[agent];
  State& state = states_[agent];
  if (!walker.has_goal) return;
  while (state.next + 1 < walker.route.size() &&
         Passed(position, walker.route[state.next], walker.route[state.next + 1], walker.pass_radius)) {
    ++state.next;
  }
  if (!walker.leader && state.next + 1 < walker.route.size()) return;
  const double distance = Distance(position, Target(agent));
  const bool moving_goal = walker.leader && !states_[*walker.leader].arrived;
  const bool there = distance <= double{walker.counts_within} && !moving_goal;
  state.arrived = there || (state.arrived && !walker.crowd);
  if (distance <= double{walker.arrival_radius} && !moving_goal) {
    state.at_goal = true;
  } else if (distance > 2.0 * double{walker.arrival_radius} + double{walker.radius}) {
    state.at_goal = false;  // it was pushed off
  }
}

bool Caller::Sees(Vec2 from, Vec2 to) const {
  return std::none_of(edges_.begin(), edges_.end(), [&](const Edge& edge) { return Crosses(from, to, edge); });
}

bool Caller::Replan(std::size_t agent, Vec2 position) {
  const Walker& walker = play_.walkers[agent];
  State& state = states_[agent];
  if (!walker.has_goal || walker.leader || state.arrived || walker.kinematic) return false;
  const State before = state;
  FindWay(walker, position, state);
  return state.next != before.next || state.turned_back != before.turned_back;
}

void Caller::FindWay(const Walker& walker, Vec2 position, State& state) const {
  state.turned_back = false;
  if (Sees(position, walker.route[state.next])) {
    state.seen_from = position;
    return;
  }
  if (walker.route.size() == 1) state.turned_back = state.seen_from.has_value();
  for (std::size_t i = walker.route.size(); i-- > 0;) {
    if (!Sees(position, walker.route[i])) continue;
    state.next = i;
    return;
  }
}

std::vector<Vec2> Caller::Points(std::size_t agent) const {
  const Walker& walker = play_.walkers[agent];
  const State& state = states_[agent];
  if (walker.leader) return {Target(agent)};
  if (state.turned_back) return {*state.seen_from};
  return {walker.route.begin() + static_cast<std::ptrdiff_t>(state.next), walker.route.end()};
}

Vec2 Caller::PoseAt(std::size_t agent, double time) const {
  const Walker& walker = play_.walkers[agent];
  double left = time * double{walker.speed};
  Vec2 from = *walker.spec.position;
  for (const Vec2 point : walker.route) {
    const double length = Distance(from, point);
    if (left < length) {
      const double part = left / length;
      return {static_cast<float>(double{from.x} + part * (double{point.x} - double{from.x})),
              static_cast<float>(double{from.y} + part * (double{point.y} - double{from.y}))};
    }
    left -= length;
    from = point;
  }
  return from;
}

}  // namespace throng::quality
