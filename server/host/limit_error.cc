#include "server/host/limit_error.h"

#include <absl/strings/cord.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <vector>

namespace throng::server {
namespace {

constexpr char kPayload[] = "throng/exceeded-limit";

absl::Status MakeError(const ExceededLimit& exceeded) {
  std::string words = absl::StrCat("limit exceeded: ", exceeded.limit, " is ", exceeded.value);
  if (!exceeded.flag.empty()) absl::StrAppend(&words, " (", exceeded.flag, ")");
  absl::Status status = absl::ResourceExhaustedError(words);
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(exceeded.limit, "\n", exceeded.value, "\n", exceeded.flag)));
  return status;
}

}  // namespace

absl::Status LimitError(std::string_view limit, std::uint64_t value) {
  std::string flag = "--" + std::string(limit);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return MakeError({std::string(limit), absl::StrCat(value), flag});
}

absl::Status FixedLimitError(std::string_view limit, std::uint64_t value) {
  return MakeError({std::string(limit), absl::StrCat(value), ""});
}

std::optional<ExceededLimit> GetExceededLimit(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(std::string(*payload), '\n');
  if (parts.size() != 3) return std::nullopt;
  return ExceededLimit{parts[0], parts[1], parts[2]};
}

}  // namespace throng::server
