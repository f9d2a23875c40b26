#include "clients/cpp/src/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "throng/client/error.h"

namespace throng::client {
namespace {

// The form of a violation's description where it stands in a google.rpc.BadRequest: "VALUE is not in RANGE".
constexpr std::string_view kNotIn = " is not in ";

std::string TypeUrl(const google::protobuf::Message& message) {
  return absl::StrCat("type.googleapis.com/", message.GetDescriptor()->full_name());
}

template <class Message>
std::optional<Message> Payload(const absl::Status& status) {
  Message message;
  const auto payload = status.GetPayload(TypeUrl(message));
  if (!payload || !message.ParseFromString(std::string(*payload))) return std::nullopt;
  return message;
}

Violation FromFieldViolation(const google::rpc::BadRequest::FieldViolation& violation) {
  const std::string& text = violation.description();
  const auto at = text.find(kNotIn);
  if (at == std::string::npos) return {violation.field(), "", text};
  return {violation.field(), text.substr(0, at), text.substr(at + kNotIn.size())};
}

std::optional<LimitReached> LimitIn(const google::protobuf::Map<std::string, std::string>& metadata) {
  const auto get = [&](const char* key) {
    const auto it = metadata.find(key);
    return it == metadata.end() ? std::string() : it->second;
  };
  if (get("limit").empty()) return std::nullopt;
  return LimitReached{get("limit"), get("value"), get("flag")};
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return result;
  for (const auto& detail : details.details()) result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  return result;
}

absl::Status FromProto(const v1::Error& error) {
  if (error.code() == 0) return absl::OkStatus();
  absl::Status result(static_cast<absl::StatusCode>(error.code()), error.message());
  result.SetPayload(TypeUrl(error), absl::Cord(error.SerializeAsString()));
  return result;
}

std::vector<Violation> Violations(const absl::Status& status) {
  std::vector<Violation> violations;
  if (const auto error = Payload<v1::Error>(status)) {
    for (const auto& violation : error->violations()) {
      violations.push_back({violation.field(), violation.value(), violation.range()});
    }
  } else if (const auto bad = Payload<google::rpc::BadRequest>(status)) {
    for (const auto& violation : bad->field_violations()) violations.push_back(FromFieldViolation(violation));
  }
  return violations;
}

std::optional<LimitReached> ReachedLimit(const absl::Status& status) {
  if (const auto error = Payload<v1::Error>(status)) return LimitIn(error->metadata());
  if (const auto info = Payload<google::rpc::ErrorInfo>(status)) return LimitIn(info->metadata());
  return std::nullopt;
}

std::string Reason(const absl::Status& status) {
  if (const auto error = Payload<v1::Error>(status)) return error->reason();
  if (const auto info = Payload<google::rpc::ErrorInfo>(status)) return info->reason();
  return "";
}

std::string Describe(const absl::Status& status) {
  std::string text = absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message());
  for (const auto& violation : Violations(status)) {
    const std::string told = absl::StrCat(violation.field, ": ", violation.value, " is not valid; expected ");
    if (absl::StrContains(status.message(), absl::StrCat(told, violation.range))) continue;
    absl::StrAppend(&text, "\n  ", violation.field, " = ", violation.value.empty() ? "?" : violation.value);
    if (!violation.range.empty()) absl::StrAppend(&text, ", valid is ", violation.range);
  }
  if (const auto limit = ReachedLimit(status)) {
    absl::StrAppend(&text, "\n  limit ", limit->limit, " = ", limit->value);
    if (!limit->flag.empty()) absl::StrAppend(&text, ", raised by throngd's ", limit->flag);
  }
  return text;
}

}  // namespace throng::client
