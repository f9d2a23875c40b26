#include "server/base/config.h"

#include <absl/flags/commandlineflag.h>
#include <absl/flags/flag.h>
#include <absl/flags/reflection.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/time/time.h>
#include <arpa/inet.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

// Names of Abseil flags have underscores; people write dashes. Either is taken.
ABSL_FLAG(std::string, address, "127.0.0.1",
          "IP address for gRPC. Any but a loopback address needs --insecure. 0.0.0.0 or :: for all.");
ABSL_FLAG(std::int64_t, port, 50051, "Port for gRPC. 0 takes a free one, which is printed.");
ABSL_FLAG(std::string, http_address, "", "IP address for HTTP: /metrics, /livez, /readyz. Default: as --address.");
ABSL_FLAG(std::int64_t, http_port, 9464, "Port for HTTP. 0 takes a free one, -1 turns HTTP off.");
ABSL_FLAG(bool, insecure, false,
          "Listen beyond this machine although nothing is encrypted and nobody is asked who they are.");
ABSL_FLAG(std::int64_t, workers, 0, "Threads that step worlds. 0: as many as CPU affinity and cgroup quota grant.");
ABSL_FLAG(std::string, simd_level, "auto",
          "Instructions that worlds are stepped with. auto takes the fastest; results are the same.");
ABSL_FLAG(std::int64_t, max_worlds, 1'000, "Most worlds.");
ABSL_FLAG(std::int64_t, max_agents_per_world, 1'000'000,
          "Most agents in a world, and what a world may have if it does not say.");
ABSL_FLAG(std::int64_t, max_obstacle_vertices_per_world, 1'000'000, "Most obstacle vertices in a world.");
ABSL_FLAG(std::int64_t, max_batch_items, 25'000, "Most commands in a batch, and items in a unary request.");
ABSL_FLAG(std::int64_t, max_sessions, 10'000, "Most sessions in all worlds together.");
ABSL_FLAG(std::int64_t, max_streams, 10'000, "Most open streams of sessions and watchers together.");
ABSL_FLAG(std::int64_t, max_message_bytes, 4 * 1024 * 1024, "Most bytes of a request message.");
ABSL_FLAG(absl::Duration, stall_limit, absl::Seconds(10),
          "A stream whose reader takes nothing for so long is dropped.");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(4),
          "From the first SIGTERM or SIGINT to the end of what is left.");
ABSL_FLAG(std::string, log_format, "auto", "auto is text on a terminal, JSON elsewhere.");
ABSL_FLAG(std::string, log_level, "info", "The least that is logged.");
ABSL_FLAG(std::string, ready_file, "",
          "Written once the server serves, with the addresses in force; removed at the end.");

namespace throng::server {
namespace {

enum class Kind { kAddress, kInteger, kDuration, kChoice, kText, kSwitch };

// What Abseil does not know of a flag.
struct Knob {
  const char* name;
  Kind kind;
  const char* placeholder;
  const char* valid;  // what is valid, in words
  double min = 0.0;   // [s] for durations
  double max = 0.0;
};

struct Group {
  const char* title;
  std::vector<Knob> knobs;
};

constexpr double kMaxCount = 1e9;

const std::vector<Group>& Groups() {
  static const auto* const groups = new std::vector<Group>{
      {"Where it listens",
       {{"address", Kind::kAddress, "ADDRESS", "an IP address or localhost"},
        {"port", Kind::kInteger, "N", "0 to 65535", 0, 65535},
        {"http_address", Kind::kAddress, "ADDRESS", "an IP address or localhost"},
        {"http_port", Kind::kInteger, "N", "-1 to 65535", -1, 65535},
        {"insecure", Kind::kSwitch, "", "true or false"}}},
      {"What it grants",
       {{"workers", Kind::kInteger, "N", "0 to 1024", 0, 1024},
        {"simd_level", Kind::kChoice, "LEVEL", "auto, scalar, or avx2 or avx512 where the machine has it"},
        {"max_worlds", Kind::kInteger, "N", "1 to 1000000", 1, 1e6},
        {"max_agents_per_world", Kind::kInteger, "N", "1 to 100000000", 1, 1e8},
        {"max_obstacle_vertices_per_world", Kind::kInteger, "N", "0 to 100000000", 0, 1e8},
        {"max_batch_items", Kind::kInteger, "N", "1 to 10000000", 1, 1e7},
        {"max_sessions", Kind::kInteger, "N", "1 to 1000000000", 1, kMaxCount},
        {"max_streams", Kind::kInteger, "N", "1 to 1000000000", 1, kMaxCount},
        {"max_message_bytes", Kind::kInteger, "N", "65536 to 1073741824", 65536, 1073741824},
        {"stall_limit", Kind::kDuration, "TIME", "a time with its unit, such as 500ms or 10s, from 100ms to 1h", 0.1,
         3600},
        {"drain_timeout", Kind::kDuration, "TIME", "a time with its unit, such as 500ms or 4s, from 0s to 1h", 0,
         3600}}},
      {"What it says",
       {{"log_format", Kind::kChoice, "FORMAT", "auto, text or json"},
        {"log_level", Kind::kChoice, "LEVEL", "debug, info, warning or error"},
        {"ready_file", Kind::kText, "PATH", "a path"}}},
  };
  return *groups;
}

constexpr std::pair<const char*, LogLevel> kLevels[] = {{"debug", LogLevel::kDebug},
                                                        {"info", LogLevel::kInfo},
                                                        {"warning", LogLevel::kWarning},
                                                        {"error", LogLevel::kError}};
constexpr std::pair<const char*, LogFormat> kFormats[] = {
    {"auto", LogFormat::kAuto}, {"text", LogFormat::kText}, {"json", LogFormat::kJson}};

bool IsUsableLevel(const std::string& name) {
  if (name == "auto") return true;
  const std::optional<SimdLevel> level = SimdLevelOf(name);
  return level && IsAvailable(*level);
}

template <typename Value, std::size_t n>
std::optional<Value> Find(const std::pair<const char*, Value> (&table)[n], const std::string& name) {
  for (const auto& [key, value] : table) {
    if (name == key) return value;
  }
  return std::nullopt;
}

const Knob* FindKnob(const std::string& name) {
  for (const Group& group : Groups()) {
    for (const Knob& knob : group.knobs) {
      if (name == knob.name) return &knob;
    }
  }
  return nullptr;
}

std::string Dashed(const std::string& name) { return absl::StrReplaceAll(name, {{"_", "-"}}); }
absl::CommandLineFlag& Flag(const Knob& knob) { return *absl::FindCommandLineFlag(knob.name); }

bool IsIpLiteral(const std::string& address) {
  in6_addr ignored;
  return inet_pton(AF_INET, address.c_str(), &ignored) == 1 || inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
}

bool InRange(const Knob& knob, const std::string& value) {
  switch (knob.kind) {
    case Kind::kAddress:
      return value == "localhost" || IsIpLiteral(value);
    case Kind::kInteger: {
      const auto number = static_cast<double>(std::strtoll(value.c_str(), nullptr, 10));
      return number >= knob.min && number <= knob.max;
    }
    case Kind::kDuration: {
      absl::Duration duration;
      return absl::ParseDuration(value, &duration) && duration >= absl::Seconds(knob.min) &&
             duration <= absl::Seconds(knob.max);
    }
    case Kind::kChoice:
      if (std::string(knob.name) == "simd_level") return IsUsableLevel(value);
      return std::string(knob.name) == "log_level" ? Find(kLevels, value).has_value()
                                                   : Find(kFormats, value).has_value();
    case Kind::kText:
    case Kind::kSwitch:
      return true;
  }
  return false;
}

// `said`: the flag or variable as its giver wrote it.
absl::Status Set(const Knob& knob, const std::string& said, const std::string& value) {
  std::string ignored;  // Abseil's words: a type's, where ours are the flag's
  if (value.empty() || !Flag(knob).ParseFrom(value, &ignored) || !InRange(knob, Flag(knob).CurrentValue())) {
    return absl::InvalidArgumentError(absl::StrCat(said, "=", value, ": not valid; must be ", knob.valid));
  }
  return absl::OkStatus();
}

using Sources = std::map<std::string, std::string>;  // flag -> where its value comes from

absl::Status ReadEnvironment(std::span<const std::string> environment, Sources& sources,
                             std::vector<std::string>& warnings) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || !entry.starts_with("THRONG_")) continue;
    const std::string variable = entry.substr(0, equals);
    if (variable == "THRONG_SERVER") continue;  // where the command line finds a server, often set beside ours
    const std::string value = entry.substr(equals + 1);
    const std::string name = absl::AsciiStrToLower(variable.substr(7));
    const Knob* knob = FindKnob(name);
    if (variable == "THRONG_SERVER") continue;  // the command line's: where it finds a server
    if (knob == nullptr) {
      warnings.push_back(
          absl::StrCat(variable, " is not one of throngd's variables and is ignored; see throngd --help"));
      continue;
    }
    // Kubernetes sets THRONG_PORT=tcp://... and more in every pod beside a service called "throng".
    if (value.starts_with("tcp://") || value.starts_with("udp://")) {
      warnings.push_back(absl::StrCat(variable, "=", value, " is a service link of Kubernetes and is ignored; ",
                                      "enableServiceLinks: false keeps it away"));
      continue;
    }
    if (value.empty()) continue;
    if (absl::Status status = Set(*knob, variable, value); !status.ok()) return status;
    sources[name] = absl::StrCat("environment ", variable);
  }
  return absl::OkStatus();
}

std::optional<CommandLine::Action> ActionOf(const std::string& name) {
  if (name == "help" || name == "h") return CommandLine::Action::kHelp;
  if (name == "version") return CommandLine::Action::kVersion;
  if (name == "check_config") return CommandLine::Action::kCheckConfig;
  return std::nullopt;
}

absl::Status ReadArguments(std::span<const std::string> args, Sources& sources, CommandLine::Action& action) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const std::size_t dashes = arg.starts_with("--") ? 2 : arg.starts_with("-") ? 1 : 0;
    if (dashes == 0 || arg.size() == dashes) {
      return absl::InvalidArgumentError(absl::StrCat("unexpected argument \"", arg, "\"; see throngd --help"));
    }
    const std::size_t equals = arg.find('=');
    const std::string said = arg.substr(0, equals);
    const std::string name = absl::StrReplaceAll(said.substr(dashes), {{"-", "_"}});
    std::optional<std::string> value;
    if (equals != std::string::npos) value = arg.substr(equals + 1);
    if (const auto asked = ActionOf(name); asked && !value) {
      action = *asked;
      // --help answers whatever else stands there.
      if (action == CommandLine::Action::kHelp || action == CommandLine::Action::kVersion) return absl::OkStatus();
      continue;
    }
    const Knob* knob = FindKnob(name);
    if (knob == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("unknown flag ", said, "; see throngd --help"));
    }
    if (!value && knob->kind == Kind::kSwitch) value = "true";
    if (!value && i + 1 < args.size()) value = args[++i];
    if (!value) return absl::InvalidArgumentError(absl::StrCat(said, ": needs a value; must be ", knob->valid));
    if (absl::Status status = Set(*knob, absl::StrCat("--", Dashed(name)), *value); !status.ok()) return status;
    sources[name] = "flag";
  }
  return absl::OkStatus();
}

std::chrono::milliseconds Milliseconds(absl::Duration duration) { return absl::ToChronoMilliseconds(duration); }

Options ReadFlags() {
  Options options;
  options.address = absl::GetFlag(FLAGS_address);
  options.port = static_cast<int>(absl::GetFlag(FLAGS_port));
  options.http_address = absl::GetFlag(FLAGS_http_address);
  options.http_port = static_cast<int>(absl::GetFlag(FLAGS_http_port));
  options.insecure = absl::GetFlag(FLAGS_insecure);
  options.workers = static_cast<int>(absl::GetFlag(FLAGS_workers));
  options.simd_level = SimdLevelOf(absl::GetFlag(FLAGS_simd_level));
  Limits& limits = options.limits;
  limits.max_worlds = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_worlds));
  limits.max_agents_per_world = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_agents_per_world));
  limits.max_obstacle_vertices_per_world =
      static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_obstacle_vertices_per_world));
  limits.max_batch_items = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_batch_items));
  limits.max_sessions = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_sessions));
  limits.max_streams = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_streams));
  limits.max_message_bytes = static_cast<std::uint32_t>(absl::GetFlag(FLAGS_max_message_bytes));
  options.stall_limit = Milliseconds(absl::GetFlag(FLAGS_stall_limit));
  options.drain_timeout = Milliseconds(absl::GetFlag(FLAGS_drain_timeout));
  options.log_format = *Find(kFormats, absl::GetFlag(FLAGS_log_format));
  options.log_level = *Find(kLevels, absl::GetFlag(FLAGS_log_level));
  options.ready_file = absl::GetFlag(FLAGS_ready_file);
  if (options.http_address.empty()) options.http_address = options.address;
  return options;
}

absl::Status CheckExposure(const Options& options) {
  if (options.insecure) return absl::OkStatus();
  const bool http = options.http_port >= 0;
  const bool grpc_exposed = !IsLoopback(options.address);
  if (!grpc_exposed && !(http && !IsLoopback(options.http_address))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      grpc_exposed ? absl::StrCat("--address=", options.address,
                                  ": can be reached from beyond this machine, and nothing is encrypted; "
                                  "say --insecure if that is meant, or listen on 127.0.0.1")
                   : absl::StrCat("--http-address=", options.http_address,
                                  ": can be reached from beyond this machine, and nothing is encrypted; "
                                  "say --insecure if that is meant, or listen on 127.0.0.1"));
}

std::string Effective(const Options& options, const Sources& sources) {
  std::string text;
  for (const Group& group : Groups()) {
    for (const Knob& knob : group.knobs) {
      std::string value = Flag(knob).CurrentValue();
      if (std::string(knob.name) == "http_address") value = options.http_address;
      const auto source = sources.find(knob.name);
      std::string line = absl::StrCat(Dashed(knob.name), " = ", value.empty() ? "(none)" : value);
      line.resize(std::max<std::size_t>(line.size() + 2, 44), ' ');
      absl::StrAppend(&text, line, "(", source == sources.end() ? "default" : source->second, ")\n");
    }
  }
  return text;
}

// `text` in lines of at most `width`, those after the first behind `indent` spaces.
std::string Wrap(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out;
}

constexpr std::size_t kHelpColumn = 42;
constexpr std::size_t kHelpWidth = 110;

void AppendHelp(std::string& out, const std::string& flag, const std::string& help) {
  std::string line = absl::StrCat("  ", flag);
  line.resize(std::max(line.size() + 2, kHelpColumn), ' ');
  absl::StrAppend(&out, line, Wrap(help, kHelpColumn, kHelpWidth), "\n");
}

}  // namespace

bool IsLoopback(std::string_view address) {
  return address == "localhost" || address == "::1" ||
         (address.starts_with("127.") && IsIpLiteral(std::string(address)));
}

std::string JoinAddress(std::string_view address, int port) {
  const std::string host(address);
  return host.find(':') == std::string::npos ? absl::StrCat(host, ":", port) : absl::StrCat("[", host, "]:", port);
}

absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             std::span<const std::string> environment) {
  for (const Group& group : Groups()) {
    for (const Knob& knob : group.knobs) {
      std::string error;
      Flag(knob).ParseFrom(Flag(knob).DefaultValue(), &error);
    }
  }
  CommandLine line;
  Sources sources;
  if (absl::Status status = ReadArguments(args, sources, line.action); !status.ok()) return status;
  if (line.action == CommandLine::Action::kHelp || line.action == CommandLine::Action::kVersion) return line;
  // Once more, after the environment, since flags go before it.
  if (absl::Status status = ReadEnvironment(environment, sources, line.warnings); !status.ok()) return status;
  if (absl::Status status = ReadArguments(args, sources, line.action); !status.ok()) return status;
  line.options = ReadFlags();
  if (absl::Status status = CheckExposure(line.options); !status.ok()) return status;
  line.effective = Effective(line.options, sources);
  return line;
}

std::string HelpText() {
  std::string text =
      "Usage: throngd [flags]\n\n"
      "A crowd-movement server: hosts worlds of agents, moves them by ORCA, and talks gRPC.\n"
      "Without flags it serves gRPC on 127.0.0.1:50051 and /metrics, /livez, /readyz on 127.0.0.1:9464.\n";
  for (const Group& group : Groups()) {
    absl::StrAppend(&text, "\n", group.title, "\n");
    for (const Knob& knob : group.knobs) {
      const absl::CommandLineFlag& flag = Flag(knob);
      std::string help = flag.Help();
      if (knob.kind != Kind::kSwitch && knob.kind != Kind::kText && knob.kind != Kind::kAddress) {
        absl::StrAppend(&help, " Must be ", knob.valid, ".");
      }
      if (!flag.DefaultValue().empty() && knob.kind != Kind::kSwitch) {
        absl::StrAppend(&help, " Default: ", flag.DefaultValue(), ".");
      }
      const std::string value = *knob.placeholder == '\0' ? "" : absl::StrCat("=", knob.placeholder);
      AppendHelp(text, absl::StrCat("--", Dashed(knob.name), value), help);
    }
  }
  text += "\nInstead of serving\n";
  AppendHelp(text, "--check-config", "Check all values, print those in force, and exit: 0 if they are valid, else 2.");
  AppendHelp(text, "--help", "Print this and exit.");
  AppendHelp(text, "--version", "Print the version and exit.");
  text +=
      "\nEach flag has a twin in the environment: --max-worlds is THRONG_MAX_WORLDS. A flag goes before its twin, the\n"
      "twin before the default; an empty variable counts as unset.\n"
      "Exit codes: 0 after SIGTERM or SIGINT, 1 if something failed while serving, 2 if a value is not valid or a port "
      "is\n"
      "taken.\n";
  return text;
}

}  // namespace throng::server
