// Errors that more than one file returns, with their reasons (error.proto).
#pragma once

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <string>

#include "server/base/reason.h"

namespace throng::server {

inline absl::Status WorldNotFound(const std::string& name) {
  return WithReason(absl::NotFoundError(absl::StrCat("there is no world ", name)), "WORLD_NOT_FOUND");
}
inline absl::Status WorldDeleted(const std::string& name) {
  return WithReason(absl::NotFoundError(absl::StrCat("world ", name, " was deleted")), "WORLD_NOT_FOUND");
}
inline absl::Status SessionNotFound(const std::string& words = "there is no such session") {
  return WithReason(absl::NotFoundError(words), "SESSION_NOT_FOUND");
}
inline absl::Status ServerIsDraining() {
  return WithReason(absl::UnavailableError("the server is draining"), "DRAINING");
}
inline absl::Status RequestIdReused() {
  return WithReason(absl::InvalidArgumentError("request_id came before with another content"), "REQUEST_ID_REUSED");
}

}  // namespace throng::server
