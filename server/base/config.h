// From command line and environment to Options. Flags are Abseil's; each has an environment twin (--max-worlds is
// THRONG_MAX_WORLDS). A flag goes before its twin, the twin before the default.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/options.h"

namespace throng::server {

struct CommandLine {
  enum class Action { kServe, kCheckConfig, kHelp, kVersion };
  Action action = Action::kServe;
  Options options;
  std::vector<std::string> warnings;  // one line each: variables that were not understood
  std::string effective;              // "name = value (where it comes from)", a line each
};

// `args`: without the program's name. `environment`: entries "NAME=value"; those that do not begin with THRONG_ are
// ignored, and an empty value counts as unset. INVALID_ARGUMENT with one line for a person that names the flag or
// variable, its value and what would have been valid. Not safe from several threads: Abseil's flags are global.
absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             std::span<const std::string> environment);

// What --help prints.
std::string HelpText();

// Whether only this machine can reach `address`: an IP literal or "localhost".
bool IsLoopback(std::string_view address);

// "127.0.0.1:80", "[::1]:80".
std::string JoinAddress(std::string_view address, int port);

}  // namespace throng::server
