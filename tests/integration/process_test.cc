// throngd as a process: flags, ports, signals, exit codes.

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/support.h"

extern char** environ;

namespace throng::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// throngd as a child; killed with the object if it still runs.
class Throngd {
 public:
  explicit Throngd(std::vector<std::string> args, const std::vector<std::string>& environment = {}) {
    int out[2];
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    std::vector<char*> argv{const_cast<char*>(THRONGD_PATH)};
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    std::vector<char*> env;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!std::string(*entry).starts_with("THRONG_")) env.push_back(*entry);
    }
    for (const std::string& entry : environment) env.push_back(const_cast<char*>(entry.c_str()));
    env.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      dup2(out[1], STDERR_FILENO);
      execve(THRONGD_PATH, argv.data(), env.data());
      _exit(127);
    }
    close(out[1]);
    output_fd_ = out[0];
  }
  ~Throngd() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      Wait();
    }
    close(output_fd_);
  }

  void Signal(int signal) const { EXPECT_EQ(kill(pid_, signal), 0); }

  // Reads its output until it contains `text`; false if it ends before.
  bool WaitFor(const std::string& text) {
    while (output_.find(text) == std::string::npos) {
      if (!ReadMore()) return false;
    }
    return true;
  }

  // Its exit code, or 128 and the signal that ended it.
  int Wait() {
    while (ReadMore()) {
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& output() const { return output_; }

 private:
  bool ReadMore() {
    char buffer[4096];
    const ssize_t n = read(output_fd_, buffer, sizeof buffer);
    if (n <= 0) return false;
    output_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  pid_t pid_ = -1;
  int output_fd_ = -1;
  std::string output_;
};

class ProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::path(::testing::TempDir()) / "throngd_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string ready_file() const { return folder_ / "ready"; }
  std::vector<std::string> FreePorts() const {
    return {"--port=0", "--http-port=0", "--log-format=json", "--workers=1", "--ready-file=" + ready_file()};
  }
  // Once it serves: what it wrote into its ready file.
  std::map<std::string, std::string> Addresses(Throngd& throngd) const {
    EXPECT_TRUE(throngd.WaitFor("\"event\":\"ready\"")) << throngd.output();
    std::map<std::string, std::string> values;
    std::ifstream in(ready_file());
    for (std::string line; std::getline(in, line);) {
      values[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    }
    return values;
  }

  std::filesystem::path folder_;
};

std::string PortOf(const std::string& address) { return address.substr(address.rfind(':') + 1); }

TEST_F(ProcessTest, SaysWhatItServes) {
  Throngd throngd(FreePorts());
  const auto addresses = Addresses(throngd);
  EXPECT_THAT(throngd.output(), AllOf(HasSubstr("\"version\":"), HasSubstr("\"workers\":1"),
                                      HasSubstr("\"max_worlds\":1000"), HasSubstr(addresses.at("grpc"))));
  EXPECT_NE(PortOf(addresses.at("http")), "0");
  throngd.Signal(SIGTERM);
  EXPECT_EQ(throngd.Wait(), 0) << throngd.output();
  EXPECT_FALSE(std::filesystem::exists(ready_file()));
}

TEST_F(ProcessTest, EndsWithOpenStreamsOnEitherSignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Throngd throngd(FreePorts());
    const auto channel = grpc::CreateChannel(Addresses(throngd).at("grpc"), grpc::InsecureChannelCredentials());
    const auto worlds = v1::WorldService::NewStub(channel);
    v1::CreateWorldRequest create;
    create.set_name("a");
    v1::CreateWorldResponse created;
    ASSERT_THAT(worlds->CreateWorld(NewContext().get(), create, &created), IsOk());
    const auto watch = v1::WatchService::NewStub(channel);
    v1::WatchRequest request;
    request.set_world("a");
    auto context = NewContext("a");
    auto reader = watch->Watch(context.get(), request);
    WatchClient stream(std::move(context), std::move(reader));
    ASSERT_TRUE(stream.NextFrame());
    throngd.Signal(signal);
    EXPECT_TRUE(stream.NextEvent(v1::WatchResponse::kClosing));
    EXPECT_THAT(stream.Finish(), HasCode(grpc::UNAVAILABLE));
    EXPECT_EQ(throngd.Wait(), 0) << throngd.output();
    EXPECT_THAT(throngd.output(), HasSubstr("\"event\":\"stopped\""));
  }
}

// Nothing but the second signal ends this one in time: the reader takes nothing, and no limit of the server's is near.
TEST_F(ProcessTest, ASecondSignalHastensTheDrain) {
  std::vector<std::string> args = FreePorts();
  args.insert(args.end(), {"--drain-timeout=1h", "--stall-limit=1h"});
  Throngd throngd(args);
  const auto channel = grpc::CreateChannel(Addresses(throngd).at("grpc"), grpc::InsecureChannelCredentials());
  v1::CreateWorldRequest create;
  create.set_name("a");
  create.mutable_settings()->set_time_step(0.01f);
  v1::CreateWorldResponse created;
  ASSERT_THAT(v1::WorldService::NewStub(channel)->CreateWorld(NewContext().get(), create, &created), IsOk());
  v1::AddAgentsRequest add;
  add.set_world("a");
  for (int i = 0; i < 20'000; ++i) {
    v1::Vector2* const position = add.add_agents()->mutable_position();
    position->set_x(2.0f * static_cast<float>(i % 150));
    position->set_y(2.0f * static_cast<float>(i / 150));
  }
  v1::AddAgentsResponse added;
  ASSERT_THAT(v1::AgentService::NewStub(channel)->AddAgents(NewContext().get(), add, &added), IsOk());
  v1::WatchRequest request;
  request.set_world("a");
  const auto stub = v1::WatchService::NewStub(channel);
  auto context = NewContext("a");
  auto reader = stub->Watch(context.get(), request);
  WatchClient stalled(std::move(context), std::move(reader));
  ASSERT_TRUE(stalled.NextFrame()) << stalled.Finish().error_message() << "\n" << throngd.output();
  throngd.Signal(SIGTERM);
  ASSERT_TRUE(throngd.WaitFor("\"event\":\"draining\""));
  throngd.Signal(SIGTERM);
  EXPECT_EQ(throngd.Wait(), 0) << throngd.output();
}

TEST_F(ProcessTest, ATakenPortIsSaid) {
  Throngd first(FreePorts());
  const auto addresses = Addresses(first);
  const std::string port = PortOf(addresses.at("grpc"));
  const std::string http_port = PortOf(addresses.at("http"));
  Throngd second({"--port=" + port, "--http-port=0"});
  EXPECT_EQ(second.Wait(), 2);
  EXPECT_THAT(second.output(), AllOf(HasSubstr("--port=" + port), HasSubstr("127.0.0.1:" + port), HasSubstr("in use")));
  Throngd third({"--port=0", "--http-port=" + http_port});
  EXPECT_EQ(third.Wait(), 2);
  EXPECT_THAT(third.output(), AllOf(HasSubstr("--http-port=" + http_port), HasSubstr("in use")));
  first.Signal(SIGTERM);
  EXPECT_EQ(first.Wait(), 0);
}

TEST_F(ProcessTest, ChecksItsConfiguration) {
  Throngd good({"--check-config", "--max-worlds=7"}, {"THRONG_MAX_STREAMS=8"});
  EXPECT_EQ(good.Wait(), 0);
  EXPECT_THAT(good.output(), AllOf(HasSubstr("max-worlds = 7"), HasSubstr("(flag)"), HasSubstr("max-streams = 8"),
                                   HasSubstr("(environment THRONG_MAX_STREAMS)")));
  Throngd bad({"--check-config"}, {"THRONG_MAX_STREAMS=none"});
  EXPECT_EQ(bad.Wait(), 2);
  EXPECT_EQ(bad.output(), "throngd: THRONG_MAX_STREAMS=none: not valid; must be 1 to 1000000000\n");
}

TEST_F(ProcessTest, RefusesBadFlags) {
  Throngd exposed({"--address=0.0.0.0", "--port=0", "--http-port=0"});
  EXPECT_EQ(exposed.Wait(), 2);
  EXPECT_THAT(exposed.output(), HasSubstr("--insecure"));
  Throngd unknown({"--nonsense"});
  EXPECT_EQ(unknown.Wait(), 2);
  EXPECT_THAT(unknown.output(), HasSubstr("--nonsense"));
  Throngd no_folder({"--port=0", "--http-port=0", "--ready-file=/nonexistent/ready"});
  EXPECT_EQ(no_folder.Wait(), 2);
  EXPECT_THAT(no_folder.output(), HasSubstr("--ready-file=/nonexistent/ready"));
}

TEST_F(ProcessTest, HelpsAndTellsItsVersion) {
  Throngd help({"--help"});
  EXPECT_EQ(help.Wait(), 0);
  EXPECT_THAT(help.output(), AllOf(HasSubstr("Usage: throngd"), Not(HasSubstr("/absl/"))));
  Throngd version({"--version"});
  EXPECT_EQ(version.Wait(), 0);
  EXPECT_THAT(version.output(), ::testing::StartsWith("throngd "));
}

}  // namespace
}  // namespace throng::server
