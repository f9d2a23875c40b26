// WorldInfo as throng.v1 shows it.
#pragma once

#include "server/host/world_info.h"
#include "throng/v1/world.pb.h"

namespace throng::server {

v1::World ToProto(const WorldInfo& info);
v1::WorldSettings ToProto(const HostSettings& settings);  // all fields set

}  // namespace throng::server
