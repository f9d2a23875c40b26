#include "tests/support/twin_way.h"

#include <cmath>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

// Near it, or beyond it and not far off: on the next one's side, and not on that of the one before.
bool Passed(const Route& way, Vec2 position) {
  const Vec2 here = way.points[way.next];
  const float distance_squared = LengthSquared(here - position);
  if (distance_squared <= way.pass_radius * way.pass_radius) return true;
  const float far = 4.0f * way.pass_radius;
  const bool beyond = Dot(position - here, way.points[way.next + 1] - here) > 0.0f;
  const bool before = way.next > 0 && Dot(position - here, here - way.points[way.next - 1]) < 0.0f;
  return beyond && !before && distance_squared <= far * far;
}

}  // namespace

Vec2 Route::Go(const AgentParams& params, Vec2 position, float inverse_time_step) {
  const std::size_t end = points.size() - 1;
  while (next < end && Passed(*this, position)) ++next;

  const Vec2 offset = points[next] - position;
  const float distance_squared = LengthSquared(offset);
  if (next < end) {
    arrived = false;
  } else if (arrived) {
    arrived = MayRest(params, offset, settled);
  } else {
    arrived = distance_squared <= params.arrival_radius * params.arrival_radius;
    if (crowded && !arrived) {
      arrived = true;
      settled = std::sqrt(distance_squared);
    }
  }
  if (!arrived) settled = 0.0f;
  crowded = false;
  if (arrived || !(distance_squared > kTinySquared)) return {};

  const float distance = std::sqrt(distance_squared);
  float speed = Min(params.preferred_speed, params.max_speed);
  // In proportion to the way left, so that the agent does not run into its goal.
  if (next == end && params.slow_down_distance > 0.0f) {
    speed = speed * Min(distance / params.slow_down_distance, 1.0f);
  }
  // Not past the point within this tick.
  speed = Min(speed, distance * inverse_time_step);
  return (speed / distance) * offset;
}

bool MayRest(const AgentParams& params, Vec2 offset, float settled) {
  const float leave = settled + (2.0f * params.arrival_radius + EffectiveRadius(params));
  return LengthSquared(offset) <= leave * leave;
}

}  // namespace throng::twin
