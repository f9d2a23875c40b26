#include "server/convert/status.h"

#include <absl/strings/cord.h>
#include <absl/strings/str_cat.h>
#include <absl/types/optional.h>

#include <algorithm>
#include <utility>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/base/reason.h"
#include "server/host/limit_error.h"

namespace throng::server {
namespace {

// Of the payload with several violations: a throng.v1.Error that holds nothing else.
constexpr char kViolationsUrl[] = "throng/violations";

// At most kMaxTextBytes, not cut within a character of UTF-8.
std::string Cut(std::string_view text) {
  if (text.size() <= kMaxTextBytes) return std::string(text);
  std::size_t end = kMaxTextBytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

Violation Cut(const Violation& violation) { return {Cut(violation.field), Cut(violation.value), Cut(violation.range)}; }

std::string Message(const Violation& violation) {
  return absl::StrCat(violation.field, ": ", violation.value, " is not valid; expected ", violation.range);
}

// What stands before a violation's own sentence in the status: whom it is about, such as "agent 7: ".
std::string About(const absl::Status& status, const Violation& violation) {
  const std::string words(status.message());
  const std::string own = Message(violation);
  return words.ends_with(own) ? words.substr(0, words.size() - own.size()) : "";
}

void AddViolation(const Violation& violation, v1::Error& error) {
  v1::Violation* const added = error.add_violations();
  added->set_field(violation.field);
  added->set_value(violation.value);
  added->set_range(violation.range);
}

// What can be told from the rest, where nobody said a reason.
std::string ReasonOf(const absl::Status& status, bool has_violations, bool has_limit) {
  if (std::string reason = GetReason(status); !reason.empty()) return reason;
  if (has_limit) return "LIMIT";
  if (has_violations || absl::IsInvalidArgument(status)) return "INVALID_VALUE";
  if (absl::IsUnavailable(status)) return "DRAINING";
  return absl::IsInternal(status) ? "INTERNAL" : "";
}

google::rpc::Status ToDetails(const v1::Error& error) {
  google::rpc::Status status;
  status.set_code(error.code());
  status.set_message(error.message());
  if (error.violations_size() > 0) {
    google::rpc::BadRequest request;
    for (const v1::Violation& violation : error.violations()) {
      auto* const added = request.add_field_violations();
      added->set_field(violation.field());
      added->set_description(absl::StrCat("value ", violation.value(), ", valid range ", violation.range()));
    }
    status.add_details()->PackFrom(request);
  }
  google::rpc::ErrorInfo info;
  info.set_reason(error.reason());
  info.set_domain("throng");
  *info.mutable_metadata() = error.metadata();
  status.add_details()->PackFrom(info);
  status.add_details()->PackFrom(error);
  return status;
}

}  // namespace

absl::Status ViolationsError(const std::vector<Violation>& violations) {
  if (violations.empty()) return absl::OkStatus();
  if (violations.size() == 1) return ViolationError(Cut(violations.front()));
  v1::Error all;
  for (std::size_t i = 0; i < std::min(violations.size(), kMaxViolations); ++i) AddViolation(Cut(violations[i]), all);
  absl::Status status = absl::InvalidArgumentError(
      absl::StrCat(Message(Cut(violations.front())), ", and ", violations.size() - 1, " more"));
  status.SetPayload(kViolationsUrl, absl::Cord(all.SerializeAsString()));
  return status;
}

std::vector<Violation> GetViolations(const absl::Status& status) {
  if (const auto violation = GetViolation(status)) return {Cut(*violation)};
  std::vector<Violation> violations;
  const absl::optional<absl::Cord> payload = status.GetPayload(kViolationsUrl);
  v1::Error all;
  if (!payload || !all.ParseFromString(std::string(*payload))) return violations;
  for (const v1::Violation& violation : all.violations()) {
    violations.push_back({violation.field(), violation.value(), violation.range()});
  }
  return violations;
}

absl::Status PrefixFields(const absl::Status& status, std::string_view prefix) {
  std::vector<Violation> violations = GetViolations(status);
  if (violations.empty()) return status;
  for (Violation& violation : violations) violation.field = std::string(prefix) + violation.field;
  return violations.size() == 1 ? ViolationError(violations.front(), status.code()) : ViolationsError(violations);
}

v1::Error ToErrorProto(const absl::Status& status, std::string_view path) {
  v1::Error error;
  std::vector<Violation> violations = GetViolations(status);
  const std::string about = violations.size() == 1 ? About(status, violations.front()) : "";
  for (Violation& violation : violations) {
    violation.field = std::string(path) + violation.field;
    AddViolation(Cut(violation), error);
  }
  const auto limit = GetExceededLimit(status);
  error.set_code(static_cast<int>(status.code()));
  // A violation's own sentence is better than the status's, which lacks the path.
  error.set_message(Cut(violations.size() == 1 ? about + Message(violations.front()) : std::string(status.message())));
  error.set_reason(ReasonOf(status, !violations.empty(), limit.has_value()));
  if (limit) {
    (*error.mutable_metadata())["limit"] = limit->limit;
    (*error.mutable_metadata())["value"] = limit->value;
    if (!limit->flag.empty()) (*error.mutable_metadata())["flag"] = limit->flag;
  }
  return error;
}

WireStatus ToWire(const absl::Status& status) {
  if (status.ok()) return {};
  v1::Error error = ToErrorProto(status);
  google::rpc::Status details = ToDetails(error);
  while (details.ByteSizeLong() + error.message().size() > kMaxStatusBytes && error.violations_size() > 1) {
    error.mutable_violations()->RemoveLast();
    details = ToDetails(error);
  }
  return {error.code(), error.message(), details.SerializeAsString()};
}

}  // namespace throng::server
