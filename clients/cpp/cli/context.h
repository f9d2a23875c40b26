// What every command of the CLI is given, and how it ends.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "throng/client.h"

namespace throng::cli {

// Exit codes.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // the server refused, or could not be reached
inline constexpr int kUsage = 2;

struct Context {
  std::string address;
  double timeout = 10.0;  // [s]
  bool json = false;

  client::Client Connect() const;
};

// Says on standard error what went wrong, with field, value and range where the server names them.
int Fail(const absl::Status& status);

}  // namespace throng::cli
