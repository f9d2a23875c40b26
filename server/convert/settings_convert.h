// A world's settings, from the wire to the host. The other way is world_info_convert.h.
#pragma once

#include <absl/status/statusor.h>

#include "server/host/settings.h"
#include "throng/v1/world.pb.h"

namespace throng::server {

// Settings of a new world: what is unset takes its default. INVALID_ARGUMENT with violations whose fields begin with
// "settings."; ranges are checked here too.
absl::StatusOr<HostSettings> SettingsFromProto(const v1::WorldSettings& settings);

// Settings that change a world that exists: what is unset stays. A field that is fixed once the world exists is a
// violation unless it equals what is `in_force`; start_paused is ignored.
absl::StatusOr<HostSettingsPatch> SettingsPatchFromProto(const v1::WorldSettings& settings,
                                                         const HostSettings& in_force);

}  // namespace throng::server
