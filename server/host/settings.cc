#include "server/host/settings.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>

#include "throng/limits.h"

namespace throng::server {
namespace {

constexpr double kMinTimeScale = 0.01;
constexpr double kMaxTimeScale = 100.0;
constexpr double kMaxIdleTimeToLive = 1e9;
constexpr std::uint32_t kMaxTimeoutTicks = 0x7fffffff;
constexpr std::size_t kMaxNameBytes = 128;

absl::Status CheckTimeScale(double value) {
  if (value >= kMinTimeScale && value <= kMaxTimeScale) return absl::OkStatus();
  return ViolationError({"time_scale", absl::StrCat(value), "[0.01, 100]"});
}

absl::Status CheckIdleTimeToLive(double value) {
  if (value == 0.0 || (value >= 1.0 && value <= kMaxIdleTimeToLive)) return absl::OkStatus();
  return ViolationError({"idle_time_to_live", absl::StrCat(value), "0 (never) or [1, 1e9]"});
}

absl::Status CheckTimeoutTicks(std::uint32_t value) {
  if (value >= 1 && value <= kMaxTimeoutTicks) return absl::OkStatus();
  return ViolationError({"stale_input.timeout_ticks", absl::StrCat(value), "[1, 2147483647]"});
}

// The same error, with a field as the wire's messages nest it.
absl::Status Nested(const absl::Status& status, const std::string& prefix) {
  std::optional<Violation> violation = GetViolation(status);
  if (!violation) return status;
  if (absl::StartsWith(violation->field, "origin_")) violation->field[6] = '.';
  violation->field = prefix + violation->field;
  return ViolationError(*violation, status.code());
}

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsNamePart(char c) { return IsNameStart(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

absl::Status Validate(const HostSettings& settings) {
  if (absl::Status status = Validate(settings.world); !status.ok()) return Nested(status, "");
  if (absl::Status status = CheckTimeoutTicks(settings.world.stale_input.timeout_ticks); !status.ok()) return status;
  if (settings.max_agents == 0u) return ViolationError({"max_agents", "0", "at least 1"});
  if (absl::Status status = CheckTimeScale(settings.time_scale); !status.ok()) return status;
  return CheckIdleTimeToLive(settings.idle_time_to_live);
}

absl::Status Validate(const HostSettingsPatch& patch) {
  if (absl::Status status = Validate(patch.agent_defaults); !status.ok()) return Nested(status, "agent_defaults.");
  StaleInput stale_input;
  if (patch.stale_input.policy) stale_input.policy = *patch.stale_input.policy;
  if (patch.stale_input.timeout_ticks) stale_input.timeout_ticks = *patch.stale_input.timeout_ticks;
  if (patch.stale_input.decay_time) stale_input.decay_time = *patch.stale_input.decay_time;
  if (absl::Status status = Validate(stale_input); !status.ok()) return Nested(status, "stale_input.");
  if (absl::Status status = CheckTimeoutTicks(stale_input.timeout_ticks); !status.ok()) return status;
  if (absl::Status status = CheckTimeScale(patch.time_scale.value_or(1.0)); !status.ok()) return status;
  return CheckIdleTimeToLive(patch.idle_time_to_live.value_or(0.0));
}

void Apply(const HostSettingsPatch& patch, HostSettings& settings) {
  settings.world.agent_defaults = Apply(settings.world.agent_defaults, patch.agent_defaults);
  StaleInput& stale_input = settings.world.stale_input;
  if (patch.stale_input.policy) stale_input.policy = *patch.stale_input.policy;
  if (patch.stale_input.timeout_ticks) stale_input.timeout_ticks = *patch.stale_input.timeout_ticks;
  if (patch.stale_input.decay_time) stale_input.decay_time = *patch.stale_input.decay_time;
  if (patch.time_scale) settings.time_scale = *patch.time_scale;
  if (patch.idle_time_to_live) settings.idle_time_to_live = *patch.idle_time_to_live;
}

absl::Status InSettings(const absl::Status& status) { return Nested(status, "settings."); }

absl::Status ValidateWorldName(std::string_view name, std::string_view field) {
  const bool valid = !name.empty() && name.size() <= kMaxNameBytes && IsNameStart(name.front()) &&
                     std::all_of(name.begin(), name.end(), IsNamePart);
  if (valid) return absl::OkStatus();
  return ViolationError({std::string(field), std::string(name.substr(0, kMaxNameBytes)), "[a-z0-9][a-z0-9._-]{0,127}"});
}

}  // namespace throng::server
