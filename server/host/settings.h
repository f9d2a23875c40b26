// Settings of a hosted world: the engine's, and what the server adds to them.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/host/clock.h"
#include "throng/types.h"

namespace throng::server {

enum class WorldClock : std::uint8_t {
  kRealtime = 1,  // the server ticks at time_scale / time_step per second
  kLockstep = 2,  // ticks happen only when the world's stepper asks for them
  kFree = 3,      // as fast as it goes
};

struct HostSettings {
  // max_agents and max_obstacle_vertices are filled in by the registry.
  WorldSettings world;
  std::optional<std::uint32_t> max_agents;  // unset: the server's limit
  WorldClock clock = WorldClock::kRealtime;
  double time_scale = 1.0;         // [0.01, 100]; acts on kRealtime only
  double idle_time_to_live = 0.0;  // [s] 0 (never) or [1, 1e9]
  bool start_paused = false;

  // [s of real time] from one tick to the next; of a world without real time, as if its time scale were 1.
  Duration Period() const {
    return FromSeconds(static_cast<double>(world.time_step) / (clock == WorldClock::kRealtime ? time_scale : 1.0));
  }
};

struct StaleInputPatch {
  std::optional<StaleInputPolicy> policy;
  std::optional<std::uint32_t> timeout_ticks;
  std::optional<float> decay_time;
};

// What can change in a world's life. Unset fields stay.
struct HostSettingsPatch {
  AgentParamsPatch agent_defaults;
  StaleInputPatch stale_input;
  std::optional<double> time_scale;
  std::optional<double> idle_time_to_live;
};

// INVALID_ARGUMENT with a Violation whose field is that of throng.v1.WorldSettings ("agent_defaults.radius").
absl::Status Validate(const HostSettings& settings);
absl::Status Validate(const HostSettingsPatch& patch);
void Apply(const HostSettingsPatch& patch, HostSettings& settings);
// The same status, with its field as that of a message that holds the settings ("settings.time_step").
absl::Status InSettings(const absl::Status& status);

// [a-z0-9][a-z0-9._-]{0,127}, else INVALID_ARGUMENT with a Violation of `field`.
absl::Status ValidateWorldName(std::string_view name, std::string_view field = "name");

}  // namespace throng::server
