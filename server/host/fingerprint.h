// A number that tells apart what comes under one request_id.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/host/command.h"
#include "server/host/settings.h"

namespace throng::server {

// Of all of a batch but its request_id.
std::uint64_t Fingerprint(const CommandBatch& batch);
// Of a world to be created.
std::uint64_t Fingerprint(std::string_view name, const HostSettings& settings);

}  // namespace throng::server
