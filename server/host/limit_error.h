// RESOURCE_EXHAUSTED that names the limit, its value and its flag, as a payload of the status and in its words.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throng::server {

struct ExceededLimit {
  std::string limit;  // as in ServerLimits: "max_worlds"
  std::string value;  // in force
  std::string flag;   // "--max-worlds"; empty if it cannot be set
};

// `limit`: the name of a field of Limits, whose flag has dashes for its underscores.
absl::Status LimitError(std::string_view limit, std::uint64_t value);
// The same for a limit that no flag sets.
absl::Status FixedLimitError(std::string_view limit, std::uint64_t value);
std::optional<ExceededLimit> GetExceededLimit(const absl::Status& status);

}  // namespace throng::server
