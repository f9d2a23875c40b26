#include "throng/advice.h"

#include <absl/strings/str_format.h>

#include <string>
#include <utility>

#include "throng/limits.h"

namespace throng {
namespace {

// Discs that touch a disc of the same size, at most.
constexpr std::uint32_t kDiscsAround = 6;

class Adviser {
 public:
  explicit Adviser(const std::string& prefix) : prefix_(prefix) {}

  template <class... Values>
  void Warn(WarningCode code, const char* field, const absl::FormatSpec<Values...>& format, const Values&... values) {
    warnings_.push_back({.code = code, .field = prefix_ + field, .message = absl::StrFormat(format, values...)});
  }
  std::vector<Warning> Take() { return std::move(warnings_); }

 private:
  const std::string& prefix_;
  std::vector<Warning> warnings_;
};

void AdviseOnBraking(const AgentParams& params, Adviser& advice) {
  const float time = params.max_speed / params.max_acceleration;
  if (time > params.time_horizon) {
    advice.Warn(
        WarningCode::kAccelerationLow, "max_acceleration",
        "at max_acceleration %g m/s^2 braking from max_speed %g m/s takes %.3g s, more than time_horizon %g s, so "
        "that the agent cannot stop for what it sees; take at least %.3g m/s^2",
        params.max_acceleration, params.max_speed, time, params.time_horizon, params.max_speed / params.time_horizon);
    return;
  }
  const float way = params.preferred_speed * params.preferred_speed / (2.0f * params.max_acceleration);
  const float room = params.slow_down_distance + params.arrival_radius;
  if (way <= room) return;
  advice.Warn(WarningCode::kAccelerationLow, "slow_down_distance",
              "at max_acceleration %g m/s^2 braking from preferred_speed %g m/s takes %.3g m, more than "
              "slow_down_distance and arrival_radius, %g m, so that the agent passes its goal and comes back; take a "
              "slow_down_distance of at least %.3g m",
              params.max_acceleration, params.preferred_speed, way, room, way);
}

}  // namespace

std::vector<Warning> Advise(const WorldSettings& world, const AgentParams& params, const std::string& prefix) {
  Adviser advice(prefix);
  if (params.max_neighbors == 0 || params.neighbor_distance == 0.0f) {
    const char* const field = params.max_neighbors == 0 ? "max_neighbors" : "neighbor_distance";
    advice.Warn(WarningCode::kSeesNothing, field,
                "%s is 0, so that the agent considers no other and walks through all that do not make room; raise it, "
                "or set responsibility to 0 if that is meant",
                field);
    return advice.Take();
  }
  const float covered = params.time_horizon * params.max_speed;
  const float touching = 2.0f * params.radius;
  if (params.neighbor_distance < touching) {
    advice.Warn(WarningCode::kNeighborDistanceShort, "neighbor_distance",
                "neighbor_distance %g m, from centre to centre, is less than the %g m at which two agents of radius %g "
                "m touch, so that they overlap before they see each other; take %g m or more",
                params.neighbor_distance, touching, params.radius, touching + covered);
  } else if (params.neighbor_distance < covered) {
    advice.Warn(WarningCode::kNeighborDistanceShort, "neighbor_distance",
                "neighbor_distance %g m is less than the %g m that the agent covers within time_horizon %g s at "
                "max_speed %g m/s, so that avoidance begins late; take %g m or more (two of them that meet head on "
                "cover %g m), or a time_horizon of at most %.3g s",
                params.neighbor_distance, covered, params.time_horizon, params.max_speed, covered, 2.0f * covered,
                params.neighbor_distance / params.max_speed);
  }
  if (params.max_neighbors < kDiscsAround) {
    advice.Warn(WarningCode::kFewNeighbors, "max_neighbors",
                "max_neighbors %d is less than the %d discs of the same size that fit around an agent, so that one "
                "that touches it may go unseen; take %d or more",
                params.max_neighbors, kDiscsAround, kDiscsAround);
  }
  const float stride = params.max_speed * world.time_step;
  if (stride > params.radius) {
    const float time_step = params.radius / params.max_speed;
    const std::string shorter =
        time_step < kTimeStepRange.min ? "" : absl::StrFormat("a time_step of at most %.3g s or ", time_step);
    advice.Warn(WarningCode::kTimeStepLong, "max_speed",
                "in a tick of %g s at max_speed %g m/s an agent covers %.3g m, more than its radius of %g m, so that "
                "agents may pass through each other; take %sa max_speed of at most %.3g m/s",
                world.time_step, params.max_speed, stride, params.radius, shorter, params.radius / world.time_step);
  }
  // A default that nobody chose is no contradiction: what is above max_speed counts as that.
  if (params.preferred_speed > params.max_speed && params.preferred_speed != AgentParams{}.preferred_speed) {
    advice.Warn(WarningCode::kSpeedUnreachable, "preferred_speed",
                "preferred_speed %g m/s is above max_speed %g m/s, which it never passes; raise max_speed, or lower "
                "preferred_speed",
                params.preferred_speed, params.max_speed);
  }
  if (params.max_turn_rate > 0.0f && params.slow_down_distance == 0.0f &&
      params.preferred_speed > params.arrival_radius * params.max_turn_rate) {
    advice.Warn(
        WarningCode::kTurnWide, "arrival_radius",
        "at preferred_speed %g m/s and max_turn_rate %g rad/s the turning circle has a radius of %.3g m, more than "
        "arrival_radius %g m, so that the agent may circle its goal; take an arrival_radius of that size, a "
        "slow_down_distance, or a max_turn_rate of at least %.3g rad/s",
        params.preferred_speed, params.max_turn_rate, params.preferred_speed / params.max_turn_rate,
        params.arrival_radius, params.preferred_speed / params.arrival_radius);
  }
  if (params.max_acceleration > 0.0f) AdviseOnBraking(params, advice);
  return advice.Take();
}

}  // namespace throng
