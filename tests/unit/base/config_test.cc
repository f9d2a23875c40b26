#include "server/base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace throng::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Strings = std::vector<std::string>;

absl::StatusOr<CommandLine> Parse(const Strings& args, const Strings& environment = {}) {
  return ParseCommandLine(args, environment);
}

std::string Problem(const Strings& args, const Strings& environment = {}) {
  const auto line = Parse(args, environment);
  EXPECT_FALSE(line.ok());
  return line.ok() ? "" : std::string(line.status().message());
}

TEST(Config, DefaultsAreThoseOfTheOptions) {
  const auto line = Parse({});
  ASSERT_TRUE(line.ok()) << line.status();
  const Options defaults;
  EXPECT_EQ(line->action, CommandLine::Action::kServe);
  EXPECT_EQ(line->options.address, defaults.address);
  EXPECT_EQ(line->options.port, defaults.port);
  EXPECT_EQ(line->options.http_address, defaults.address);
  EXPECT_EQ(line->options.http_port, defaults.http_port);
  EXPECT_EQ(line->options.insecure, defaults.insecure);
  EXPECT_EQ(line->options.workers, defaults.workers);
  EXPECT_EQ(line->options.limits.max_worlds, defaults.limits.max_worlds);
  EXPECT_EQ(line->options.limits.max_agents_per_world, defaults.limits.max_agents_per_world);
  EXPECT_EQ(line->options.limits.max_obstacle_vertices_per_world, defaults.limits.max_obstacle_vertices_per_world);
  EXPECT_EQ(line->options.limits.max_batch_items, defaults.limits.max_batch_items);
  EXPECT_EQ(line->options.limits.max_sessions, defaults.limits.max_sessions);
  EXPECT_EQ(line->options.limits.max_streams, defaults.limits.max_streams);
  EXPECT_EQ(line->options.limits.max_message_bytes, defaults.limits.max_message_bytes);
  EXPECT_EQ(line->options.stall_limit, defaults.stall_limit);
  EXPECT_EQ(line->options.drain_timeout, defaults.drain_timeout);
  EXPECT_EQ(line->options.log_format, defaults.log_format);
  EXPECT_EQ(line->options.log_level, defaults.log_level);
  EXPECT_EQ(line->options.ready_file, defaults.ready_file);
}

TEST(Config, TakesFlagsInEveryForm) {
  const auto line = Parse({"--port=1", "--max-worlds", "7", "-max_streams=9", "--stall-limit=250ms", "--insecure",
                           "--log-level=debug", "--log-format", "json"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.port, 1);
  EXPECT_EQ(line->options.limits.max_worlds, 7u);
  EXPECT_EQ(line->options.limits.max_streams, 9u);
  EXPECT_EQ(line->options.stall_limit, std::chrono::milliseconds(250));
  EXPECT_TRUE(line->options.insecure);
  EXPECT_EQ(line->options.log_level, LogLevel::kDebug);
  EXPECT_EQ(line->options.log_format, LogFormat::kJson);
}

TEST(Config, FlagGoesBeforeEnvironmentAndThatBeforeDefault) {
  const auto line = Parse({"--port=1"}, {"THRONG_PORT=2", "THRONG_MAX_WORLDS=3", "HOME=/", "THRONG_WORKERS="});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.port, 1);
  EXPECT_EQ(line->options.limits.max_worlds, 3u);
  EXPECT_THAT(line->warnings, IsEmpty());
  EXPECT_THAT(line->effective, AllOf(HasSubstr("port = 1"), HasSubstr("(flag)"), HasSubstr("max-worlds = 3"),
                                     HasSubstr("(environment THRONG_MAX_WORLDS)"), HasSubstr("workers = 0")));
}

TEST(Config, ForcesASimdLevelByFlagOrVariable) {
  EXPECT_EQ(Parse({})->options.simd_level, std::nullopt);
  EXPECT_EQ(Parse({"--simd-level=auto"}, {"THRONG_SIMD_LEVEL=scalar"})->options.simd_level, std::nullopt);
  for (const SimdLevel level : AvailableSimdLevels()) {
    const std::string name(Name(level));
    EXPECT_EQ(Parse({"--simd-level=" + name})->options.simd_level, level);
    EXPECT_EQ(Parse({}, {"THRONG_SIMD_LEVEL=" + name})->options.simd_level, level);
  }
  EXPECT_THAT(Problem({"--simd-level=neon"}), AllOf(HasSubstr("simd-level"), HasSubstr("scalar")));
}

TEST(Config, AFlagSaysFalseAgainstItsVariable) {
  const auto line = Parse({"--insecure=false"}, {"THRONG_INSECURE=true"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_FALSE(line->options.insecure);
}

TEST(Config, NothingStaysFromOneParseToTheNext) {
  ASSERT_TRUE(Parse({"--port=1"}).ok());
  EXPECT_EQ(Parse({})->options.port, Options{}.port);
}

struct Bad {
  Strings args;
  Strings environment;
  Strings said;  // all in the message
};

TEST(Config, RefusesWithFlagValueAndRange) {
  const std::vector<Bad> bads = {
      {{"--port=65536"}, {}, {"--port=65536", "0 to 65535"}},
      {{"--port=x"}, {}, {"--port=x", "0 to 65535"}},
      {{"--port=1.5"}, {}, {"--port=1.5"}},
      {{"--port=99999999999999999999"}, {}, {"--port=99999999999999999999"}},
      {{"--port="}, {}, {"--port="}},
      {{"--port"}, {}, {"--port", "needs a value"}},
      {{"--http-port=-2"}, {}, {"--http-port=-2", "-1 to 65535"}},
      {{"--max_worlds=0"}, {}, {"--max-worlds=0", "1 to 1000000"}},
      {{"--stall-limit=5"}, {}, {"--stall-limit=5", "100ms to 1h"}},
      {{"--stall-limit=-5s"}, {}, {"--stall-limit=-5s"}},
      {{"--drain-timeout=inf"}, {}, {"--drain-timeout=inf"}},
      {{"--log-level=loud"}, {}, {"--log-level=loud", "debug, info, warning or error"}},
      {{"--log-format=xml"}, {}, {"--log-format=xml", "auto, text or json"}},
      {{"--address=example.org"}, {}, {"--address=example.org", "an IP address"}},
      {{"--insecure=perhaps"}, {}, {"--insecure=perhaps", "true or false"}},
      {{"--prot=1"}, {}, {"unknown flag --prot"}},
      {{"serve"}, {}, {"unexpected argument \"serve\""}},
      {{"--"}, {}, {"unexpected argument"}},
      {{}, {"THRONG_PORT=99999"}, {"THRONG_PORT=99999", "0 to 65535"}},
      {{"--address=0.0.0.0"}, {}, {"--address=0.0.0.0", "--insecure"}},
      {{"--address=::"}, {}, {"--address=::", "--insecure"}},
      {{"--http-address=10.0.0.1"}, {}, {"--http-address=10.0.0.1", "--insecure"}},
  };
  for (const Bad& bad : bads) {
    const std::string problem = Problem(bad.args, bad.environment);
    for (const std::string& said : bad.said) EXPECT_THAT(problem, HasSubstr(said));
    EXPECT_THAT(problem, Not(HasSubstr("\n")));
  }
}

TEST(Config, ListensBeyondTheMachineWithInsecure) {
  EXPECT_TRUE(Parse({"--address=0.0.0.0", "--insecure"}).ok());
  EXPECT_TRUE(Parse({"--address=127.0.0.9"}).ok());
  EXPECT_TRUE(Parse({"--address=::1"}).ok());
  EXPECT_TRUE(Parse({"--address=localhost"}).ok());
  EXPECT_TRUE(Parse({"--http-address=0.0.0.0", "--http-port=-1"}).ok()) << "no HTTP, nothing to reach";
}

TEST(Config, WarnsOfVariablesThatAreNotItsOwn) {
  const auto line = Parse({}, {"THRONG_PROT=1", "THRONG_PORT=tcp://10.0.0.1:50051", "THRONG_SERVICE_HOST=10.0.0.1",
                               "THRONG_SERVER=127.0.0.1:1"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.port, Options{}.port);
  ASSERT_EQ(line->warnings.size(), 3u);
  EXPECT_THAT(line->warnings[0], HasSubstr("THRONG_PROT"));
}

TEST(Config, LeavesTheVariableOfTheCommandLineAlone) {
  const auto line = Parse({}, {"THRONG_SERVER=127.0.0.1:6000"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_TRUE(line->warnings.empty());
}

TEST(Config, KnowsWhatElseThanServingIsAsked) {
  EXPECT_EQ(Parse({"--help"})->action, CommandLine::Action::kHelp);
  EXPECT_EQ(Parse({"-h", "--nonsense"})->action, CommandLine::Action::kHelp);
  EXPECT_EQ(Parse({"--version"})->action, CommandLine::Action::kVersion);
  EXPECT_EQ(Parse({"--check-config"})->action, CommandLine::Action::kCheckConfig);
  EXPECT_FALSE(Parse({"--check-config", "--port=-1"}).ok());
}

TEST(Config, HelpNamesEveryFlagAndIsNarrow) {
  const std::string help = HelpText();
  for (const char* flag : {"--address",
                           "--port",
                           "--http-address",
                           "--http-port",
                           "--insecure",
                           "--workers",
                           "--max-worlds",
                           "--max-agents-per-world",
                           "--max-obstacle-vertices-per-world",
                           "--max-batch-items",
                           "--max-sessions",
                           "--max-streams",
                           "--max-message-bytes",
                           "--stall-limit",
                           "--drain-timeout",
                           "--log-format",
                           "--log-level",
                           "--ready-file",
                           "--check-config",
                           "--help",
                           "--version",
                           "THRONG_"}) {
    EXPECT_THAT(help, HasSubstr(flag));
  }
  std::size_t start = 0;
  for (std::size_t end; (end = help.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(end - start, 120u) << help.substr(start, end - start);
  }
}

TEST(Config, JoinsAddresses) {
  EXPECT_EQ(JoinAddress("127.0.0.1", 80), "127.0.0.1:80");
  EXPECT_EQ(JoinAddress("::1", 80), "[::1]:80");
}

}  // namespace
}  // namespace throng::server
