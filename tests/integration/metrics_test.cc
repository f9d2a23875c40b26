// The HTTP port beside a server at work.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "server/rpc/methods.h"
#include "tests/integration/raw_call.h"
#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Body(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

// The value of a series by its full name with labels; -1 if it is not there.
double Value(const std::string& text, const std::string& series) {
  const std::size_t at = ("\n" + text).find("\n" + series + " ");
  return at == std::string::npos ? -1.0 : std::strtod(text.c_str() + at + series.size() + 1, nullptr);
}

class MetricsTest : public ServerTest {
 protected:
  std::string Scrape() { return Body(HttpGet(server_->http_port(), "/metrics")); }
  // What all of the metrics need to be other than zero.
  void DoSomething() {
    CreateWorld("a");
    AddAgents("a", {{0, 0}, {9, 0}});
    const auto stream = Connect(OpenSession("a"));
    ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1, 77}, 1.0f, 0.0f)));
    ASSERT_TRUE(stream->NextFrame([](const WholeFrame& frame) { return frame.last_input_applied == 1; }));
    ASSERT_TRUE(stream->NextFrame());
    v1::GetWorldRequest get;
    get.set_world("nowhere");
    v1::GetWorldResponse got;
    EXPECT_THAT(worlds_->GetWorld(NewContext().get(), get, &got), HasCode(grpc::NOT_FOUND));
    scrape_ = Scrape();
    stream->Cancel();
  }
  std::string scrape_;  // taken while the stream was open
};

TEST_F(MetricsTest, CountWhatHappened) {
  DoSomething();
  for (const char* phase : {"apply", "index", "solve", "move", "encode"}) {
    EXPECT_GT(Value(scrape_, std::string("throng_tick_phase_seconds_count{phase=\"") + phase + "\"}"), 0.0) << phase;
  }
  EXPECT_GT(Value(scrape_, "throng_tick_lateness_seconds_count"), 0.0);
  EXPECT_GT(Value(scrape_, "throng_ticks_total"), 0.0);
  EXPECT_GE(Value(scrape_, "throng_missed_deadlines_total"), 0.0);
  EXPECT_EQ(Value(scrape_, "throng_worlds"), 1.0);
  EXPECT_EQ(Value(scrape_, "throng_agents"), 2.0);
  EXPECT_EQ(Value(scrape_, "throng_sessions"), 1.0);
  EXPECT_EQ(Value(scrape_, "throng_streams"), 1.0);
  EXPECT_GT(Value(scrape_, "throng_frames_sent_total"), 0.0);
  EXPECT_GE(Value(scrape_, "throng_frames_skipped_total"), 0.0);
  EXPECT_GE(Value(scrape_, "throng_inputs_applied_total"), 1.0);
  EXPECT_GE(Value(scrape_, "throng_inputs_rejected_total"), 1.0);
  EXPECT_EQ(Value(scrape_, "throng_rpc_duration_seconds_count{method=\"throng.v1.WorldService/CreateWorld\"}"), 1.0);
  EXPECT_EQ(Value(scrape_, "throng_rpc_errors_total{code=\"NOT_FOUND\"}"), 1.0);
  EXPECT_GT(Value(scrape_, "process_resident_memory_bytes"), 0.0);
  EXPECT_THAT(scrape_, HasSubstr("throng_build_info{"));
}

TEST_F(MetricsTest, NameNoWorld) {
  CreateWorld("a-world-of-a-name-that-is-nowhere-else");
  EXPECT_THAT(Scrape(), Not(HasSubstr("a-world-of-a-name")));
}

TEST_F(MetricsTest, PassPromtool) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "promtool is not installed";
  DoSomething();
  std::string path = ::testing::TempDir() + "throng_metrics_XXXXXX";
  const int fd = mkstemp(path.data());
  ASSERT_GE(fd, 0);
  std::ofstream(path) << scrape_;
  EXPECT_EQ(std::system(("promtool check metrics < " + path).c_str()), 0);
  std::remove(path.c_str());
}

TEST_F(ServerTest, HttpServesThreePages) {
  EXPECT_THAT(HttpGet(server_->http_port(), "/metrics"), HasSubstr("Content-Type: text/plain; version=0.0.4"));
  EXPECT_THAT(HttpGet(server_->http_port(), "/livez"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(HttpGet(server_->http_port(), "/"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(ServerTest, HttpCanBeOff) {
  Options options = FreePorts();
  options.http_port = -1;
  StartServer(options);
  EXPECT_EQ(server_->http_port(), -1);
  v1::GetServerInfoResponse info;
  ASSERT_THAT(info_->GetServerInfo(NewContext().get(), {}, &info), IsOk());
  EXPECT_EQ(info.http_address(), "");
}

// list_services is field 7 of ServerReflectionRequest; the answer holds the names as plain text.
TEST_F(ServerTest, ReflectionNamesTheServices) {
  const RawAnswer answer =
      CallRaw(channel_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", std::string("\x3a\x01*"));
  EXPECT_THAT(answer.status, IsOk());
  ASSERT_EQ(answer.messages.size(), 1u);
  for (const char* name : kServiceNames) EXPECT_THAT(answer.messages[0], HasSubstr(name));
}

}  // namespace
}  // namespace throng::server
