// The session's stream against scripts: what is sent again after a break, what ends a session, and that closing leaves
// nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/clients/cpp/scripted_service.h"
#include "throng/client.h"

namespace throng::client {
namespace {

using ::testing::ElementsAre;

const grpc::Status kGone(grpc::StatusCode::UNAVAILABLE, "gone");

Session Open(const ScriptedService& service, const SessionOptions& options = {}) {
  auto session = Client(service.address()).GetWorld("w").OpenSession(options);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

TEST(SessionStream, AnInputIsSentAgainIfTheServerMayNotHaveHadIt) {
  std::promise<std::uint64_t> first, second;
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
                             first.set_value(Read(stream).input().sequence());
                             return kGone;
                           },
                           [&](ConnectStream& stream, grpc::ServerContext&) {
                             second.set_value(Read(stream).input().sequence());
                             return UntilGone(stream);
                           }});
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  const auto sequence = session.SteerAll(1, 0);
  ASSERT_TRUE(sequence.ok());
  EXPECT_EQ(first.get_future().get(), *sequence);
  EXPECT_EQ(second.get_future().get(), *sequence);
  EXPECT_EQ(session.resumptions(), 1u);
  EXPECT_TRUE(service.tokens_right);
  EXPECT_TRUE(session.NextFrame().ok());
}

TEST(SessionStream, AnInputSeenInAFrameIsNotSentAgain) {
  std::promise<void> shown;
  std::promise<v1::ConnectRequest> after;
  ScriptedService* the_service = nullptr;
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
                             const auto sequence = Read(stream).input().sequence();
                             the_service->last_input_received = sequence;
                             stream.Write(FrameOf(2, sequence));
                             shown.get_future().wait();
                             return kGone;
                           },
                           [&](ConnectStream& stream, grpc::ServerContext&) {
                             after.set_value(Read(stream));
                             return UntilGone(stream);
                           }});
  the_service = &service;
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  const std::vector<AgentId> ids = {1};
  const auto sequence = session.Steer(ids, std::vector<float>{1}, std::vector<float>{0});
  while (session.NextFrame().value().last_input_applied() < *sequence) {
  }
  shown.set_value();
  while (session.resumptions() == 0) ASSERT_TRUE(session.NextFrame().ok());
  const auto next = session.Steer(ids, std::vector<float>{2}, std::vector<float>{0});
  EXPECT_EQ(after.get_future().get().input().sequence(), *next);
  EXPECT_GT(*next, *sequence);
}

TEST(SessionStream, CommandsAndStepsAreRepeatedUnderTheirNumbers) {
  std::string request_id;
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
                             request_id = Read(stream).commands().request_id();
                             return kGone;
                           },
                           [&](ConnectStream& stream, grpc::ServerContext&) {
                             const auto again = Read(stream).commands().request_id();
                             EXPECT_EQ(again, request_id);
                             v1::ConnectResponse response;
                             response.mutable_command_result()->set_request_id(again);
                             response.mutable_command_result()->set_tick(5);
                             response.mutable_command_result()->add_results()->set_id(9);
                             stream.Write(response);
                             EXPECT_EQ(Read(stream).step().sequence(), 1u);
                             return grpc::Status(grpc::StatusCode::INTERNAL, "Received RST_STREAM with error code 2");
                           },
                           [&](ConnectStream& stream, grpc::ServerContext&) {
                             EXPECT_EQ(Read(stream).step().sequence(), 1u);
                             stream.Write(FrameOf(6));
                             v1::ConnectResponse response;
                             response.mutable_step_result()->set_sequence(1);
                             response.mutable_step_result()->set_tick(6);
                             stream.Write(response);
                             return UntilGone(stream);
                           }});
  Session session = Open(service);
  Commands commands;
  commands.Add(AgentSpec{.id = 9, .position = {1, 2}});
  const auto result = session.Apply(commands);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tick, 5u);
  EXPECT_THAT(result->Ids(), ElementsAre(9));
  const auto frame = session.Step();
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(frame->tick(), 6u);
  EXPECT_EQ(session.resumptions(), 2u);
}

TEST(SessionStream, InputsGoBeforeTheStepThatFollowsThem) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
    for (std::uint64_t step = 1; step <= 3; ++step) {
      EXPECT_TRUE(Read(stream).has_input());
      EXPECT_EQ(Read(stream).step().sequence(), step);
      stream.Write(FrameOf(1 + step));
      v1::ConnectResponse response;
      response.mutable_step_result()->set_sequence(step);
      response.mutable_step_result()->set_tick(1 + step);
      stream.Write(response);
    }
    return UntilGone(stream);
  }});
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  for (std::uint64_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(session.SteerAll(1, 0).ok());
    const auto frame = session.Step();
    ASSERT_TRUE(frame.ok()) << frame.status();
    EXPECT_EQ(frame->tick(), 1 + step);
  }
}

TEST(SessionStream, ClosingReasonsThatEndASessionAreNotResumed) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
    v1::ConnectResponse response;
    response.mutable_closing()->set_reason(v1::CLOSING_REASON_SUPERSEDED);
    stream.Write(response);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "superseded");
  }});
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  EXPECT_TRUE(absl::IsUnavailable(session.NextFrame().status()));
  EXPECT_EQ(service.connects, 1);
}

TEST(SessionStream, AStalledReaderIsToldSoAndNotByDeadlineExceeded) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
    v1::ConnectResponse response;
    response.mutable_closing()->set_reason(v1::CLOSING_REASON_STALLED);
    response.mutable_closing()->set_message("took nothing for 10 s");
    stream.Write(response);
    return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "stalled");
  }});
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  EXPECT_EQ(session.NextFrame().status(), absl::AbortedError("took nothing for 10 s"));
}

TEST(SessionStream, ResumptionGivesUpAfterTheLease) {
  ScriptedService service({[&](ConnectStream&, grpc::ServerContext&) { return kGone; }});
  Session session = Open(service);  // later Connects are refused with NOT_FOUND
  absl::Status status;
  while (status.ok()) status = session.NextFrame().status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_TRUE(absl::IsNotFound(session.SteerAll(1, 0).status()));
  EXPECT_TRUE(absl::IsNotFound(session.Step().status()));
}

TEST(SessionStream, WithoutResumptionABreakEndsTheSession) {
  ScriptedService service({[&](ConnectStream&, grpc::ServerContext&) { return kGone; }});
  SessionOptions options;
  options.resume = false;
  Session session = Open(service, options);
  absl::Status status;
  while (status.ok()) status = session.NextFrame().status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(service.connects, 1);
}

TEST(SessionStream, RefusedRequestsAnswerTheirCall) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
    Read(stream);
    v1::ConnectResponse response;
    response.mutable_request_error()->set_request(2);
    response.mutable_request_error()->mutable_error()->set_code(8);
    response.mutable_request_error()->mutable_error()->set_message("too many");
    stream.Write(response);
    return UntilGone(stream);
  }});
  Session session = Open(service);
  EXPECT_TRUE(absl::IsResourceExhausted(session.Apply(Commands().RemoveAllAgents()).status()));
}

TEST(SessionStream, CloseWakesWaitersAndTellsTheServer) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) { return UntilGone(stream); }});
  Session session = Open(service);
  ASSERT_TRUE(session.NextFrame().ok());
  auto frame = std::async(std::launch::async, [&] { return session.NextFrame(std::chrono::minutes(5)).status(); });
  auto step = std::async(std::launch::async, [&] { return session.Step(1, std::chrono::minutes(5)).status(); });
  session.Close();
  EXPECT_TRUE(absl::IsCancelled(frame.get()));
  EXPECT_TRUE(absl::IsCancelled(step.get()));
  EXPECT_EQ(service.closes, 1);
  session.Close();
  EXPECT_EQ(service.closes, 1);
}

TEST(SessionStream, CallbacksTakeFramesAndMayClose) {
  ScriptedService service({[&](ConnectStream& stream, grpc::ServerContext&) {
    for (std::uint64_t tick = 2; tick < 100 && stream.Write(FrameOf(tick)); ++tick) {
    }
    return UntilGone(stream);
  }});
  Session session = Open(service);
  std::vector<std::uint64_t> ticks;
  std::promise<void> closed;
  session.OnFrame([&, done = false](const Frame& frame) mutable {
    ticks.push_back(frame.tick());
    EXPECT_TRUE(absl::IsFailedPrecondition(session.NextFrame().status()));
    if (done) return;
    EXPECT_TRUE(absl::IsFailedPrecondition(session.Step().status()));
    EXPECT_TRUE(session.SteerAll(1, 0).ok());
    if (frame.tick() < 20) return;  // frames before the callback was there may have replaced one another
    done = true;
    session.Close();
    closed.set_value();
  });
  closed.get_future().wait();
  session.Close();
  EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
}

}  // namespace
}  // namespace throng::client
