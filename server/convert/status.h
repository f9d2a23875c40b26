// Errors on their way out: from absl::Status, with what the engine and the host put beside it (violations, an exceeded
// limit, a reason), to the standard error details of a call and to the Error inside a message.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "throng/limits.h"
#include "throng/v1/error.pb.h"

namespace throng::server {

inline constexpr std::size_t kMaxViolations = 16;
inline constexpr std::size_t kMaxTextBytes = 256;
// Of message and details together. gRPC turns a status of 8 KiB and more into one of its own.
inline constexpr std::size_t kMaxStatusBytes = 4096;

// A failed call, ready to be sent.
struct WireStatus {
  int code = 0;         // canonical
  std::string message;  // one sentence
  std::string details;  // serialised google.rpc.Status for `grpc-status-details-bin`; empty for OK
};

// Details are: a BadRequest with the violations, if there are any, "value X, valid range Y"; an ErrorInfo with the
// reason and, for an exceeded limit, its name, value and flag; a throng.v1.Error that says the same. All is cut to what
// a status may carry.
WireStatus ToWire(const absl::Status& status);

// `status` is not OK. `path` is put before the fields of violations, such as "agents[3].".
v1::Error ToErrorProto(const absl::Status& status, std::string_view path = {});

// Several violations at once, as one status with the first in its message. OK if there are none; only the first
// kMaxViolations are kept.
absl::Status ViolationsError(const std::vector<Violation>& violations);
// Those that ViolationsError or ViolationError put there.
std::vector<Violation> GetViolations(const absl::Status& status);

// The same status, its violations' fields behind `prefix` ("settings." + "time_step").
absl::Status PrefixFields(const absl::Status& status, std::string_view prefix);

}  // namespace throng::server
