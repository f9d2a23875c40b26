// Errors: every call answers with an absl::Status, whose code and message are the server's. What was refused, and why,
// is read by the functions here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace throng::client {

// One value that was refused.
struct Violation {
  std::string field;  // path in the request, such as "agents[3].params.radius"
  std::string value;  // as the server read it
  std::string range;  // what would have been valid, such as "(0, 1000]"
};

// A limit of the server that was reached.
struct LimitReached {
  std::string limit;  // such as "max_worlds"
  std::string value;
  std::string flag;  // of throngd, that raises it
};

// What the status says was refused; at most 16, empty if it names nothing.
std::vector<Violation> Violations(const absl::Status& status);

// The limit behind a RESOURCE_EXHAUSTED, if the server names one.
std::optional<LimitReached> ReachedLimit(const absl::Status& status);

// The server's word for the cause, for programs, such as "WORLD_NOT_FOUND"; empty if it gave none. See Error.reason in
// proto/throng/v1/error.proto.
std::string Reason(const absl::Status& status);

// Code, message, and a line for each violation and limit, for people.
std::string Describe(const absl::Status& status);

}  // namespace throng::client
