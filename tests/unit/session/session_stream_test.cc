#include "server/session/session_stream.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/session_client.h"

namespace throng::server {
namespace {

using Message = v1::ConnectResponse;

TEST(SessionStreamTest, OpenedComesFirstThenTheCurrentFrameAlsoOfAPausedWorld) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("plaza", Paused()), 3);
  ConnectClient client(serving.sessions);
  EXPECT_TRUE(client.Open(serving.Open("plaza")));
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].opened().world().name(), "plaza");
  EXPECT_EQ(messages[0].opened().world().state(), v1::WORLD_STATE_PAUSED);
  EXPECT_EQ(messages[1].frame().tick(), 0u);
  EXPECT_EQ(messages[1].frame().agents(), 3u);
  EXPECT_EQ(messages[1].frame().position_x_size(), 3);
  EXPECT_EQ(messages[1].membership().ids_size(), 3);
  EXPECT_EQ(messages[1].membership().version(), messages[1].frame().membership_version());
}

TEST(SessionStreamTest, AnswersWaitForTheFirstFrame) {
  ManualSessions serving;
  serving.Create("plaza", Paused());
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("plaza"));
  client.Send(v1::ConnectRequest());  // nothing set: answered at once
  client.AddAgent("", 7);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_GE(messages.size(), 4u);
  EXPECT_TRUE(messages[0].has_opened());
  EXPECT_TRUE(messages[1].has_frame());
  EXPECT_EQ(messages[2].request_error().request(), 2u);
  EXPECT_EQ(messages[3].command_result().results(0).id(), 7u);
}

TEST(SessionStreamTest, ARealtimeWorldTicksAndTellsTheInputApplied) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("plaza"), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("plaza"));
  serving.Pump();
  client.sink->Take();
  client.Input(5, 2, 1.0f, 0.0f);
  serving.Pump();
  serving.Advance(std::chrono::milliseconds(100));
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_GE(messages.size(), 2u);
  EXPECT_GE(messages[0].frame().tick(), 1u);
  EXPECT_EQ(messages[0].last_input_applied(), 5u);
  EXPECT_GT(messages.back().frame().velocity_x(0), 0.5f);
  EXPECT_FALSE(messages.back().has_membership());
  for (std::size_t i = 1; i < messages.size(); ++i) {
    EXPECT_EQ(messages[i].frame().tick(), messages[i - 1].frame().tick() + 1);
    EXPECT_EQ(messages[i].ticks_skipped(), 0u);
  }
}

TEST(SessionStreamTest, ALockstepWorldStepsWhenToldAndTheFrameComesBeforeTheAnswer) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true));
  serving.Advance(std::chrono::seconds(1));
  EXPECT_EQ(client.sink->Take().size(), 2u);  // no tick came by itself
  client.Input(1, 2, 0.0f, 1.0f);
  client.Step(1);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].frame().tick(), 1u);
  EXPECT_EQ(messages[0].last_input_applied(), 1u);
  EXPECT_EQ(messages[1].step_result().sequence(), 1u);
  EXPECT_EQ(messages[1].step_result().tick(), 1u);
  EXPECT_NE(messages[1].step_result().state_hash(), 0u);
}

TEST(SessionStreamTest, TheFrameOfAStepIsNeverSkippedAndThoseInBetweenDoNotCount) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true));
  serving.Pump();
  client.sink->Take();
  client.sink->SetSlow(true);
  client.Step(1, 5);
  serving.Pump();
  ASSERT_EQ(client.sink->Take().size(), 1u);  // the first tick's frame hangs
  client.sink->Release();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].frame().tick(), 5u);
  EXPECT_EQ(messages[0].ticks_skipped(), 0u);
  EXPECT_EQ(messages[1].step_result().tick(), 5u);
}

TEST(SessionStreamTest, WhatArrivesDuringAnOrderAppliesAfterIt) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true));
  serving.Pump();
  client.sink->Take();
  client.Step(1, 3);
  client.AddAgent("", 9);
  serving.Pump();
  std::uint64_t step_tick = 0, command_tick = 0;
  for (const Message& message : client.sink->Take()) {
    if (message.has_step_result()) step_tick = message.step_result().tick();
    if (message.has_command_result()) {
      EXPECT_EQ(step_tick, 3u) << "answered before the order";
      command_tick = message.command_result().tick();
    }
  }
  EXPECT_EQ(step_tick, 3u);
  EXPECT_EQ(command_tick, 3u);
}

TEST(SessionStreamTest, CommandsOfAWaitingWorldShowInANewFrameOfTheSameTick) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena"));
  serving.Pump();
  EXPECT_EQ(client.sink->Take().back().frame().revision(), 1u);  // after the two agents were added
  client.AddAgent("", 9);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0].has_command_result());
  EXPECT_EQ(messages[0].command_result().membership_version(), messages[1].frame().membership_version());
  EXPECT_EQ(messages[1].frame().tick(), 0u);
  EXPECT_EQ(messages[1].frame().revision(), 2u);
  EXPECT_EQ(messages[1].frame().agents(), 3u);
  EXPECT_EQ(messages[1].membership().ids_size(), 3);
}

TEST(SessionStreamTest, BadItemsAreNamedByTheirPath) {
  ManualSessions serving;
  serving.Create("plaza", Paused());
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("plaza"));
  serving.Pump();
  client.sink->Take();
  client.AddAgent("r1", 1, -2.0f);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 1u);
  const v1::CommandBatchResult& result = messages[0].command_result();
  EXPECT_EQ(result.request_id(), "r1");
  EXPECT_FALSE(result.applied());
  EXPECT_EQ(result.results(0).error().code(), 3);
  EXPECT_EQ(result.results(0).error().violations(0).field(), "commands[0].add_agent.params.radius");
}

TEST(SessionStreamTest, BadInputIsAnsweredAndTheStreamStaysOpen) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 1);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena"));
  serving.Pump();
  client.sink->Take();
  EXPECT_TRUE(client.Input(0, 1, 0.0f, 0.0f));
  EXPECT_TRUE(client.Input(1, 1, std::nanf(""), 0.0f));
  EXPECT_TRUE(client.Input(2, 2, 0.0f, 0.0f));  // there is no agent 2
  EXPECT_TRUE(client.Input(2, 2, 0.0f, 0.0f));  // not above the last: ignored
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].input_result().error().code(), 3);
  EXPECT_EQ(messages[1].input_result().rejected(), 1u);
  EXPECT_EQ(messages[1].input_result().items(0).id(), 1u);
  EXPECT_EQ(messages[2].input_result().applied(), 1u);
  EXPECT_EQ(messages[2].input_result().items(0).error().reason(), "AGENT_NOT_FOUND");
  EXPECT_FALSE(client.sink->finished().has_value());
}

TEST(SessionStreamTest, InputsMayNameTheirAgentsByAMembershipThatWentOut) {
  ManualSessions serving;
  const auto world = serving.Create("arena", Lockstep());
  serving.AddAgents(*world, 3);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true));
  serving.Pump();
  const std::uint64_t version = client.sink->Take().back().frame().membership_version();
  CommandBatch batch;
  batch.commands = {RemoveAgent{2}};
  serving.Apply(*world, batch);
  client.sink->Take();

  v1::ConnectRequest request;
  request.mutable_input()->set_sequence(1);
  request.mutable_input()->set_membership_version(version);
  request.mutable_input()->set_first_index(1);
  for (const float x : {0.5f, 1.0f}) {
    request.mutable_input()->add_preferred_velocity_x(x);
    request.mutable_input()->add_preferred_velocity_y(0.0f);
  }
  client.Send(request);
  request.mutable_input()->set_sequence(2);
  request.mutable_input()->set_membership_version(version + 100);
  client.Send(request);
  client.Step(1);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].input_result().items(0).id(), 2u);
  EXPECT_EQ(messages[0].input_result().items(0).index(), 0u);
  EXPECT_EQ(messages[0].input_result().applied(), 1u);
  EXPECT_EQ(messages[1].input_result().error().reason(), "STALE_MEMBERSHIP");
  EXPECT_GT(messages[2].frame().velocity_x(1), 0.5f);
}

TEST(SessionStreamTest, OnlyTheStepperStepsAndOneOrderIsOutstanding) {
  ManualSessions serving;
  serving.Create("arena", Lockstep());
  ConnectClient stepper(serving.sessions), other(serving.sessions);
  stepper.Open(serving.Open("arena", true));
  other.Open(serving.Open("arena"));
  v1::OpenSessionRequest second;
  second.set_world("arena");
  second.set_stepper(true);
  EXPECT_EQ(serving.sessions.Open(second).status().code(), absl::StatusCode::kFailedPrecondition);
  serving.Pump();
  stepper.sink->Take();
  other.sink->Take();

  other.Step(1);
  stepper.Step(1, 2);
  stepper.Step(2, 2);
  stepper.Step(1, 2);  // a repeat of the one under way: answered at its end
  serving.Pump();
  EXPECT_EQ(other.sink->Take().front().step_result().error().reason(), "NOT_STEPPER");
  std::vector<v1::StepResult> results;
  for (const Message& message : stepper.sink->Take()) {
    if (message.has_step_result()) results.push_back(message.step_result());
  }
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].error().reason(), "STEP_OUTSTANDING");
  EXPECT_EQ(results[1].tick(), 2u);
  EXPECT_EQ(results[2].tick(), 2u);
}

TEST(SessionStreamTest, ASecondStreamTakesTheSessionOverAndGetsTheAnswerToARepeat) {
  ManualSessions serving;
  serving.Create("arena", Lockstep());
  const v1::OpenSessionResponse session = serving.Open("arena", true);
  ConnectClient first(serving.sessions);
  first.Open(session);
  first.Input(4, 0, 0.0f, 0.0f);
  first.Step(7);
  serving.Pump();
  first.sink->Take();

  ConnectClient second(serving.sessions);
  second.Open(session);
  second.Step(7);
  serving.Pump();
  const std::vector<Message> last = first.sink->Take();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].closing().reason(), v1::CLOSING_REASON_SUPERSEDED);
  EXPECT_EQ(first.sink->finished()->code(), absl::StatusCode::kAborted);
  const std::vector<Message> messages = second.sink->Take();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].opened().last_input_received(), 4u);
  EXPECT_EQ(messages[0].opened().last_step(), 7u);
  EXPECT_EQ(messages[1].frame().tick(), 1u);
  EXPECT_EQ(messages[2].step_result().tick(), 1u);
}

TEST(SessionStreamTest, SubscribingAnewBringsTheCurrentStateAtOnce) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("plaza", Paused()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("plaza"));
  serving.Pump();
  client.sink->Take();
  v1::ConnectRequest request;
  request.mutable_subscribe()->set_radius(true);
  request.mutable_subscribe()->set_state_hash(true);
  client.Send(request);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].subscription(), 1u);
  EXPECT_EQ(messages[0].frame().radius_size(), 2);
  EXPECT_EQ(messages[0].frame().position_x_size(), 0);
  EXPECT_TRUE(messages[0].frame().has_state_hash());
  EXPECT_FALSE(messages[0].has_membership());
}

TEST(SessionStreamTest, WithoutFramesEveryInputIsAnswered) {
  ManualSessions serving;
  serving.AddAgents(*serving.Create("arena", Lockstep()), 2);
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true), true);
  client.Input(1, 2, 1.0f, 0.0f);
  client.Step(1);
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_TRUE(messages[0].has_opened());
  EXPECT_EQ(messages[1].input_result().applied(), 2u);
  EXPECT_EQ(messages[2].step_result().tick(), 1u);
}

TEST(SessionStreamTest, HalfCloseAnswersWhatIsPendingThenEnds) {
  ManualSessions serving;
  serving.Create("arena", Lockstep());
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena", true));
  serving.Pump();
  client.sink->Take();
  client.Step(1);
  client.stream->OnHalfClose();
  EXPECT_FALSE(client.sink->finished().has_value());
  serving.Pump();
  const std::vector<Message> messages = client.sink->Take();
  ASSERT_EQ(messages.size(), 2u);  // no closing event: the session goes on
  EXPECT_EQ(messages[1].step_result().tick(), 1u);
  EXPECT_TRUE(client.sink->finished()->ok());
  EXPECT_EQ(serving.sessions.session_count(), 1u);
  EXPECT_EQ(serving.sessions.stream_count(), 0u);
}

TEST(SessionStreamTest, ReadingStopsWhileTooMuchIsPending) {
  ManualSessions serving;
  serving.Create("arena", Lockstep());
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("arena"));
  serving.Pump();
  std::vector<std::shared_ptr<bool>> ready;
  for (std::size_t i = 0; i < SessionStream::kMaxPending; ++i) {
    v1::ConnectRequest request;
    request.mutable_commands()->add_commands()->set_remove_agent(1);
    ready.push_back(std::make_shared<bool>(false));
    client.stream->OnRequest(request, [flag = ready.back()] { *flag = true; });
  }
  EXPECT_TRUE(*ready[SessionStream::kMaxPending - 2]);
  EXPECT_FALSE(*ready.back());
  serving.Pump();
  EXPECT_TRUE(*ready.back());
}

TEST(SessionStreamTest, RefusesWrongBeginnings) {
  ManualSessions serving;
  serving.Create("plaza");
  v1::OpenSessionResponse session = serving.Open("plaza");
  const auto status_of = [&](auto&& begin) {
    ConnectClient client(serving.sessions);
    begin(client);
    EXPECT_TRUE(client.sink->Take().empty());
    return client.sink->finished().value_or(absl::OkStatus()).code();
  };
  EXPECT_EQ(status_of([](ConnectClient& c) { c.Step(1); }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status_of([](ConnectClient& c) { c.stream->OnHalfClose(); }), absl::StatusCode::kInvalidArgument);
  session.mutable_world()->set_name("street");
  EXPECT_EQ(status_of([&](ConnectClient& c) { c.Open(session); }), absl::StatusCode::kInvalidArgument);
  session.mutable_world()->set_name("plaza");
  session.set_resume_token(std::string(32, '0'));
  EXPECT_EQ(status_of([&](ConnectClient& c) { c.Open(session); }), absl::StatusCode::kPermissionDenied);
  session.set_session_id("none");
  EXPECT_EQ(status_of([&](ConnectClient& c) { c.Open(session); }), absl::StatusCode::kNotFound);
  EXPECT_EQ(serving.sessions.stream_count(), 0u);
}

TEST(SessionStreamTest, AStreamThatNeverBeginsIsEnded) {
  ManualSessions serving;
  ConnectClient client(serving.sessions);
  serving.clock.Advance(StreamTable::kMaxUnbegun + Duration(1));
  serving.sessions.Sweep(serving.clock.Now());
  EXPECT_EQ(client.sink->finished()->code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(SessionStreamTest, DeletingTheWorldEndsTheStream) {
  ManualSessions serving;
  serving.Create("plaza");
  ConnectClient client(serving.sessions);
  client.Open(serving.Open("plaza"));
  serving.Pump();
  client.sink->Take();
  serving.worlds.Delete("plaza", 0, [](auto) {});
  serving.Pump();
  EXPECT_EQ(client.sink->Take().back().closing().reason(), v1::CLOSING_REASON_WORLD_DELETED);
  EXPECT_EQ(client.sink->finished()->code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace throng::server
