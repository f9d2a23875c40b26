#include "server/base/reason.h"

#include <absl/strings/cord.h>
#include <absl/types/optional.h>

namespace throng::server {
namespace {

constexpr char kPayload[] = "throng/reason";

}  // namespace

absl::Status WithReason(absl::Status status, std::string_view reason) {
  if (!status.ok()) status.SetPayload(kPayload, absl::Cord(std::string(reason)));
  return status;
}

std::string GetReason(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace throng::server
