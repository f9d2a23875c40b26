#include "server/session/session_manager.h"

#include <gtest/gtest.h>

#include "server/base/reason.h"
#include "server/host/limit_error.h"
#include "tests/support/session_client.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

template <class Request>
Request For(const v1::OpenSessionResponse& session) {
  Request request;
  request.set_world(session.world().name());
  request.set_session_id(session.session_id());
  request.set_resume_token(session.resume_token());
  return request;
}

TEST(SessionManagerTest, OpensWithIdTokenAndWorld) {
  ManualSessions serving;
  serving.Create("plaza");
  const v1::OpenSessionResponse a = serving.Open("plaza"), b = serving.Open("plaza");
  EXPECT_EQ(a.resume_token().size(), 32u);
  EXPECT_NE(a.session_id(), b.session_id());
  EXPECT_NE(a.resume_token(), b.resume_token());
  EXPECT_EQ(a.lease(), 10.0);
  EXPECT_EQ(b.world().sessions(), 2u);
  EXPECT_EQ(serving.metrics.sessions.value(), 2);
}

TEST(SessionManagerTest, RefusesByFieldLimitAndRole) {
  Limits limits;
  limits.max_sessions = 1;
  ManualSessions serving(limits);
  serving.Create("plaza");
  v1::OpenSessionRequest request;
  request.set_world("street");
  EXPECT_EQ(GetReason(serving.sessions.Open(request).status()), "WORLD_NOT_FOUND");
  request.set_world("plaza");
  request.set_lease(0.5);
  EXPECT_EQ(GetViolation(serving.sessions.Open(request).status())->field, "lease");
  request.clear_lease();
  request.set_stepper(true);
  EXPECT_EQ(GetReason(serving.sessions.Open(request).status()), "WRONG_CLOCK");
  serving.Open("plaza");
  request.set_stepper(false);
  EXPECT_EQ(GetExceededLimit(serving.sessions.Open(request).status())->flag, "--max-sessions");
}

TEST(SessionManagerTest, LeasesRunOutAndFreeTheStepper) {
  ManualSessions serving;
  const auto world = serving.Create("arena", Lockstep());
  const v1::OpenSessionResponse session = serving.Open("arena", true);
  serving.clock.Advance(seconds(9));
  serving.sessions.Sweep(serving.clock.Now());
  EXPECT_EQ(serving.sessions.session_count(), 1u);
  serving.sessions.SendInput(For<v1::SendInputRequest>(session), [](auto) {});  // refused, yet no use of the lease
  serving.clock.Advance(seconds(2));
  serving.sessions.Sweep(serving.clock.Now());
  EXPECT_EQ(serving.sessions.session_count(), 0u);
  EXPECT_EQ(world->Info().sessions, 0u);
  serving.Open("arena", true);
  ConnectClient late(serving.sessions);
  late.Open(session);
  EXPECT_EQ(late.sink->finished()->code(), absl::StatusCode::kNotFound);
}

TEST(SessionManagerTest, AStreamKeepsTheLease) {
  ManualSessions serving;
  serving.Create("plaza");
  const v1::OpenSessionResponse session = serving.Open("plaza");
  ConnectClient client(serving.sessions);
  client.Open(session);
  WatchClient watch(serving.sessions);
  v1::WatchRequest request = For<v1::WatchRequest>(session);
  watch.stream->Start(request);
  const auto after = [&](Duration time) {
    serving.clock.Advance(time);
    serving.sessions.Sweep(serving.clock.Now());
    return serving.sessions.session_count();
  };
  EXPECT_EQ(after(seconds(100)), 1u);
  client.stream->OnCancelled();
  EXPECT_EQ(after(seconds(100)), 1u);
  watch.stream->OnCancelled();
  EXPECT_EQ(after(seconds(9)), 1u);
  ConnectClient resumed(serving.sessions);
  resumed.Open(session);
  EXPECT_EQ(after(seconds(100)), 1u);
  resumed.stream->OnCancelled();
  EXPECT_EQ(after(seconds(11)), 0u);
}

TEST(SessionManagerTest, TheUnaryTwinDrivesALockstepWorld) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 1);
  const v1::OpenSessionResponse session = serving.Open("arena", true);
  WatchClient watch(serving.sessions);
  watch.stream->Start(For<v1::WatchRequest>(session));
  serving.Pump();
  EXPECT_TRUE(watch.sink->Take()[0].has_opened());

  auto input = For<v1::SendInputRequest>(session);
  input.mutable_input()->set_sequence(3);
  input.mutable_input()->add_ids(1);
  input.mutable_input()->add_preferred_velocity_x(1.0f);
  input.mutable_input()->add_preferred_velocity_y(0.0f);
  absl::StatusOr<v1::SendInputResponse> applied;
  serving.sessions.SendInput(input, [&](auto result) { applied = std::move(result); });
  serving.Pump();
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_EQ(applied->result().applied(), 1u);
  serving.sessions.SendInput(input, [&](auto result) { applied = std::move(result); });
  EXPECT_FALSE(applied->has_result());  // its number is not above the last

  auto step = For<v1::StepRequest>(session);
  step.mutable_step()->set_sequence(1);
  step.mutable_step()->set_ticks(4);
  absl::StatusOr<v1::StepResponse> stepped;
  watch.sink->SetSlow(true);
  serving.sessions.Step(step, [&](auto result) { stepped = std::move(result); });
  serving.Pump();
  ASSERT_TRUE(stepped.ok()) << stepped.status();
  EXPECT_EQ(stepped->result().tick(), 4u);
  watch.sink->Release();
  const v1::ConnectResponse last = watch.sink->Take().back();
  EXPECT_EQ(last.frame().tick(), 4u);
  EXPECT_EQ(last.last_input_applied(), 3u);
  step.mutable_step()->set_ticks(0);
  step.mutable_step()->set_sequence(2);
  serving.sessions.Step(step, [&](auto result) { stepped = std::move(result); });
  EXPECT_EQ(GetViolation(stepped.status())->field, "step.ticks");
  step.set_resume_token("guess");
  serving.sessions.Step(step, [&](auto result) { stepped = std::move(result); });
  EXPECT_EQ(GetReason(stepped.status()), "WRONG_TOKEN");
}

TEST(SessionManagerTest, BatchesAreBounded) {
  Limits limits;
  limits.max_batch_items = 2;
  ManualSessions serving(limits);
  serving.Create("plaza", Paused());
  auto request = For<v1::ApplyCommandsRequest>(serving.Open("plaza"));
  for (int i = 0; i < 3; ++i) request.mutable_commands()->add_commands()->mutable_remove_all_agents();
  absl::StatusOr<v1::ApplyCommandsResponse> answer;
  serving.sessions.ApplyCommands(request, [&](auto result) { answer = std::move(result); });
  EXPECT_EQ(GetExceededLimit(answer.status())->limit, "max_batch_items");
  request.mutable_commands()->mutable_commands()->RemoveLast();
  serving.sessions.ApplyCommands(request, [&](auto result) { answer = std::move(result); });
  serving.Pump();
  EXPECT_EQ(answer->result().results_size(), 2);
}

TEST(SessionManagerTest, ClosingEndsTheSessionsStreams) {
  ManualSessions serving;
  serving.Create("plaza");
  const v1::OpenSessionResponse session = serving.Open("plaza");
  ConnectClient client(serving.sessions);
  client.Open(session);
  EXPECT_TRUE(serving.sessions.Close(For<v1::CloseSessionRequest>(session)).ok());
  EXPECT_EQ(client.sink->Take().back().closing().reason(), v1::CLOSING_REASON_CLIENT);
  EXPECT_TRUE(client.sink->finished()->ok());
  EXPECT_EQ(serving.sessions.session_count(), 0u);
  EXPECT_TRUE(absl::IsNotFound(serving.sessions.Close(For<v1::CloseSessionRequest>(session))));
}

TEST(SessionManagerTest, StreamsAreLimited) {
  Limits limits;
  limits.max_streams = 1;
  ManualSessions serving(limits);
  serving.Create("plaza");
  WatchClient first(serving.sessions), second(serving.sessions);
  first.stream->OnCancelled();
  WatchClient third(serving.sessions);
  second.Start("plaza");
  EXPECT_EQ(second.sink->finished()->code(), absl::StatusCode::kResourceExhausted);
  third.Start("plaza");
  serving.Pump();
  EXPECT_FALSE(third.sink->finished().has_value());
  EXPECT_EQ(third.sink->Take().size(), 2u);
  EXPECT_EQ(serving.metrics.streams.value(), 1);
}

TEST(SessionManagerTest, ASlowWatcherCostsAFastOneNothing) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("plaza"), 10);
  WatchClient fast(serving.sessions), slow(serving.sessions);
  fast.Start("plaza");
  slow.Start("plaza");
  serving.Pump();
  fast.sink->Take();
  slow.sink->Take();
  slow.sink->SetSlow(true);
  serving.Advance(seconds(2));
  EXPECT_GE(fast.sink->Take().size(), 59u);
  EXPECT_EQ(slow.sink->Take().size(), 1u);
  slow.sink->Release();
  const std::vector<v1::ConnectResponse> late = slow.sink->Take();
  ASSERT_EQ(late.size(), 1u);
  EXPECT_GE(late[0].ticks_skipped(), 57u);
  slow.sink->SetSlow(true);
  serving.Advance(milliseconds(100));
  serving.clock.Advance(ManualSessions::kStallLimit);
  serving.sessions.Sweep(serving.clock.Now());
  EXPECT_TRUE(slow.sink->cancelled());
  EXPECT_FALSE(fast.sink->cancelled());
}

TEST(SessionManagerTest, DrainTellsAllAndLetsNobodyIn) {
  ManualSessions serving;
  serving.Create("plaza");
  const v1::OpenSessionResponse session = serving.Open("plaza");
  ConnectClient client(serving.sessions);
  client.Open(session);
  WatchClient watch(serving.sessions);
  watch.Start("plaza");
  serving.sessions.Drain();
  EXPECT_EQ(client.sink->Take().back().closing().reason(), v1::CLOSING_REASON_DRAINING);
  EXPECT_EQ(client.sink->finished()->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(watch.sink->finished()->code(), absl::StatusCode::kUnavailable);
  WatchClient late(serving.sessions);
  late.Start("plaza");
  EXPECT_EQ(late.sink->finished()->code(), absl::StatusCode::kUnavailable);
  v1::OpenSessionRequest request;
  request.set_world("plaza");
  EXPECT_TRUE(absl::IsUnavailable(serving.sessions.Open(request).status()));
  EXPECT_EQ(serving.sessions.stream_count(), 0u);
}

TEST(SessionManagerTest, SessionsOfADeletedWorldGo) {
  ManualSessions serving;
  serving.Create("plaza");
  const v1::OpenSessionResponse session = serving.Open("plaza");
  serving.worlds.Delete("plaza", 0, [](auto) {});
  serving.Pump();
  absl::Status status;
  auto step = For<v1::ApplyCommandsRequest>(session);
  serving.sessions.ApplyCommands(step, [&](auto result) { status = result.status(); });
  EXPECT_EQ(GetReason(status), "WORLD_NOT_FOUND");
  serving.sessions.Sweep(serving.clock.Now());
  EXPECT_EQ(serving.sessions.session_count(), 0u);
}

}  // namespace
}  // namespace throng::server
