#include "throng/advice.h"

#include <absl/strings/str_format.h>

#include <utility>

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
  if (params.neighbor_distance < covered) {
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
    advice.Warn(WarningCode::kTimeStepLong, "max_speed",
                "in a tick of %g s at max_speed %g m/s an agent covers %.3g m, more than its radius of %g m, so that "
                "agents may pass through each other; take a time_step of at most %.3g s or a max_speed of at most "
                "%.3g m/s",
                world.time_step, params.max_speed, stride, params.radius, params.radius / params.max_speed,
                params.radius / world.time_step);
  }
  // A default that nobody chose is no contradiction: what is above max_speed counts as that.
  if (params.preferred_speed > params.max_speed && params.preferred_speed != AgentParams{}.preferred_speed) {
    advice.Warn(WarningCode::kSpeedUnreachable, "preferred_speed",
                "preferred_speed %g m/s is above max_speed %g m/s, which it never passes; raise max_speed, or lower "
                "preferred_speed",
                params.preferred_speed, params.max_speed);
  }
  return advice.Take();
}

}  // namespace throng
