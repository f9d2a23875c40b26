// Why something was refused, as a word for programs: error.proto lists them. It travels in an absl::Status as a
// payload.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

namespace throng::server {

// `status` with the reason; OK stays OK. `reason`: such as "WORLD_NOT_FOUND".
absl::Status WithReason(absl::Status status, std::string_view reason);
// Empty if nobody put one there.
std::string GetReason(const absl::Status& status);

}  // namespace throng::server
