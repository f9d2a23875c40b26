// The end of a server: health, streams, calls that wait.

#include <absl/strings/str_cat.h>

#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/rpc/methods.h"
#include "tests/integration/support.h"

namespace throng::server {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kLong{30'000};

TEST_F(ServerTest, HealthKnowsTheServerAndEachService) {
  const auto health = Health::NewStub(channel_);
  HealthCheckRequest request;
  HealthCheckResponse response;
  ASSERT_THAT(health->Check(NewContext().get(), request, &response), IsOk());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  for (const char* name : kServiceNames) {
    request.set_service(name);
    ASSERT_THAT(health->Check(NewContext().get(), request, &response), IsOk()) << name;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << name;
  }
  request.set_service("nobody");
  EXPECT_THAT(health->Check(NewContext().get(), request, &response), HasCode(grpc::NOT_FOUND));
  EXPECT_THAT(HttpGet(server_->http_port(), "/readyz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(HttpGet(server_->http_port(), "/livez"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, HealthTellsThatTheServerDrains) {
  const auto health = Health::NewStub(channel_);
  const auto context = NewContext();
  const auto watch = health->Watch(context.get(), {});
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  std::thread drain([&] { server_->Drain(kLong); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  context->TryCancel();
  drain.join();
  EXPECT_THAT(HttpGet(server_->http_port(), "/readyz"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(HttpGet(server_->http_port(), "/livez"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, ADrainTellsOpenStreamsAndEnds) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}});
  const auto watch = Watch("a");
  const auto stream = Connect(OpenSession("a"));
  ASSERT_TRUE(watch->NextFrame());
  ASSERT_TRUE(stream->NextFrame());
  std::thread drain([&] { server_->Drain(kLong); });
  const auto told = watch->NextEvent(v1::WatchResponse::kClosing);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->closing().reason(), v1::CLOSING_REASON_DRAINING);
  EXPECT_THAT(watch->Finish(), HasCode(grpc::UNAVAILABLE));
  const auto told_too = stream->NextEvent(v1::ConnectResponse::kClosing);
  ASSERT_TRUE(told_too);
  EXPECT_EQ(told_too->closing().reason(), v1::CLOSING_REASON_DRAINING);
  EXPECT_THAT(stream->Finish(), HasCode(grpc::UNAVAILABLE));
  drain.join();
}

TEST_F(ServerTest, ADrainAnswersCallsThatWait) {
  CreateWorld("a", Lockstep());
  AddCrowd("a", 5'000);
  const auto session = OpenSession("a", /*stepper=*/true);
  v1::StepRequest step;
  step.set_world("a");
  step.set_session_id(session.session_id());
  step.set_resume_token(session.resume_token());
  step.mutable_step()->set_sequence(1);
  step.mutable_step()->set_ticks(10'000);
  v1::StepResponse stepped;
  grpc::Status status;
  std::thread waiting([&] { status = sessions_->Step(NewContext("a").get(), step, &stepped); });
  while (GetWorld("a").tick() == 0) {
  }
  server_->Drain(kLong);
  waiting.join();
  EXPECT_THAT(status, HasCode(grpc::UNAVAILABLE));
}

TEST_F(ServerTest, AHastenedDrainBreaksOffAReaderThatTakesNothing) {
  v1::WorldSettings settings;
  settings.set_time_step(0.01f);
  CreateWorld("a", settings);
  AddCrowd("a", 20'000);
  const auto stalled = Watch("a", {}, NewChannel());
  ASSERT_TRUE(stalled->NextFrame());
  // Until the transport is full, so that a write is in flight.
  while (server_->metrics().frames_skipped.value() == 0) GetWorld("a");
  server_->HastenDrain();
  server_->Drain(kLong);
  EXPECT_FALSE(stalled->Finish().ok());
}

TEST_F(ServerTest, ASecondServerOnThePortIsRefused) {
  Options options = FreePorts();
  options.port = server_->port();
  const auto second = Server::Start(options);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(absl::StrCat("--port=", server_->port())));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("in use"));
  options = FreePorts();
  options.http_port = server_->http_port();
  const auto third = Server::Start(options);
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(std::string(third.status().message()), HasSubstr(absl::StrCat("--http-port=", server_->http_port())));
}

}  // namespace
}  // namespace throng::server
