// Sessions end to end: the stream and its unary twin, in the clocks.

#include <absl/strings/str_cat.h>
#include <limits>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;

TEST_F(ServerTest, InputsMoveAgentsInRealTime) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}, {50, 0}});
  const auto stream = Connect(OpenSession("a"));
  const auto first = stream->NextFrame();
  ASSERT_TRUE(first);
  EXPECT_THAT(first->ids, ElementsAre(1u, 2u));
  EXPECT_TRUE(first->with_membership);
  EXPECT_EQ(first->last_input_applied, 0u);
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {2}, 0.0f, 1.5f)));
  const auto applied = stream->NextFrame([](const WholeFrame& frame) { return frame.last_input_applied == 1; });
  ASSERT_TRUE(applied);
  EXPECT_FALSE(applied->with_membership) << "the ids are known";
  const auto moved = stream->NextFrame([&](const WholeFrame& frame) { return frame.tick > applied->tick; });
  ASSERT_TRUE(moved);
  EXPECT_FLOAT_EQ(moved->vy[1], 1.5f);
  EXPECT_GT(moved->y[1], 0.0f);
  EXPECT_EQ(moved->y[0], 0.0f);
  // By rank, as the membership has them.
  v1::ConnectRequest by_rank;
  by_rank.mutable_input()->set_sequence(2);
  by_rank.mutable_input()->set_membership_version(first->membership_version);
  by_rank.mutable_input()->add_preferred_velocity_x(-1.0f);
  by_rank.mutable_input()->add_preferred_velocity_y(0.0f);
  ASSERT_TRUE(stream->reader().Write(by_rank));
  EXPECT_TRUE(
      stream->NextFrame([](const WholeFrame& frame) { return frame.last_input_applied == 2 && frame.x[0] < 0; }));
  ASSERT_TRUE(stream->reader().WritesDone());
  EXPECT_THAT(stream->Finish(), IsOk());
}

TEST_F(ServerTest, BadInputIsAnsweredInTheStreamWhichStaysOpen) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}});
  const auto stream = Connect(OpenSession("a"));
  v1::ConnectRequest mixed = InputRequest(1, {1, 99, 1}, 1.0f, 0.0f);
  mixed.mutable_input()->set_preferred_velocity_x(2, std::numeric_limits<float>::quiet_NaN());
  ASSERT_TRUE(stream->reader().Write(mixed));
  auto event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  const v1::InputResult& result = event->input_result();
  EXPECT_EQ(result.sequence(), 1u);
  EXPECT_FALSE(result.has_error());
  EXPECT_EQ(result.applied(), 1u);
  EXPECT_EQ(result.rejected(), 2u);
  ASSERT_EQ(result.items_size(), 2);
  EXPECT_EQ(result.items(0).index(), 1u);
  EXPECT_EQ(result.items(0).id(), 99u);
  EXPECT_EQ(result.items(0).error().code(), grpc::NOT_FOUND);
  EXPECT_EQ(result.items(1).index(), 2u);
  EXPECT_EQ(result.items(1).error().code(), grpc::INVALID_ARGUMENT);

  v1::ConnectRequest lengths = InputRequest(2, {1}, 1.0f, 0.0f);
  lengths.mutable_input()->add_preferred_velocity_x(1.0f);
  ASSERT_TRUE(stream->reader().Write(lengths));
  event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->input_result().sequence(), 2u);
  EXPECT_EQ(event->input_result().error().code(), grpc::INVALID_ARGUMENT);

  v1::ConnectRequest stale = InputRequest(3, {}, 0, 0);
  stale.mutable_input()->set_membership_version(0xdead);
  stale.mutable_input()->add_preferred_velocity_x(0.0f);
  stale.mutable_input()->add_preferred_velocity_y(0.0f);
  ASSERT_TRUE(stream->reader().Write(stale));
  event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->input_result().error().code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(event->input_result().error().reason(), "STALE_MEMBERSHIP");

  ASSERT_TRUE(stream->reader().Write(v1::ConnectRequest{}));
  event = stream->NextEvent(v1::ConnectResponse::kRequestError);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->request_error().request(), 5u);
  EXPECT_EQ(event->request_error().error().code(), grpc::INVALID_ARGUMENT);

  ASSERT_TRUE(stream->reader().Write(InputRequest(4, {1}, 0.5f, 0.0f)));
  EXPECT_TRUE(stream->NextFrame([](const WholeFrame& frame) { return frame.last_input_applied == 4; }));
  ASSERT_TRUE(stream->reader().WritesDone());
  EXPECT_THAT(stream->Finish(), IsOk());
}

TEST_F(ServerTest, ALockstepWorldStepsWhenItsStepperSays) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}});
  const auto session = OpenSession("a", /*stepper=*/true);
  const auto stream =
      Connect(session, [](v1::ConnectOpen& open) { open.mutable_subscription()->set_state_hash(true); });
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1}, 1.0f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 30)));
  const auto done = stream->NextEvent(v1::ConnectResponse::kStepResult);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->step_result().sequence(), 1u);
  EXPECT_EQ(done->step_result().tick(), 30u);
  EXPECT_FALSE(done->step_result().has_error()) << done->ShortDebugString();
  ASSERT_FALSE(stream->frames().empty()) << "the last tick's frame comes before its result";
  const WholeFrame last = stream->frames().back();
  EXPECT_EQ(last.tick, 30u);
  EXPECT_EQ(last.last_input_applied, 1u);
  EXPECT_EQ(last.state_hash, done->step_result().state_hash());
  EXPECT_NEAR(last.x[0], 1.0f, 1e-4f);
  // Nothing moves by itself.
  EXPECT_EQ(GetWorld("a").tick(), 30u);

  // The same again steps no more; another number that is lower is refused.
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 30)));
  const auto again = stream->NextEvent(v1::ConnectResponse::kStepResult);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->step_result().tick(), 30u);
  EXPECT_EQ(again->step_result().state_hash(), done->step_result().state_hash());
  EXPECT_EQ(GetWorld("a").tick(), 30u);
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 0)));
  const auto none = stream->NextEvent(v1::ConnectResponse::kStepResult);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->step_result().error().code(), grpc::INVALID_ARGUMENT);

  // By the unary twin, and its repeat.
  v1::StepRequest step;
  step.set_world("a");
  step.set_session_id(session.session_id());
  step.set_resume_token(session.resume_token());
  step.mutable_step()->set_sequence(2);
  step.mutable_step()->set_ticks(5);
  v1::StepResponse stepped;
  ASSERT_THAT(sessions_->Step(NewContext("a").get(), step, &stepped), IsOk());
  EXPECT_EQ(stepped.result().tick(), 35u);
  v1::StepResponse repeated;
  ASSERT_THAT(sessions_->Step(NewContext("a").get(), step, &repeated), IsOk());
  EXPECT_EQ(repeated.SerializeAsString(), stepped.SerializeAsString());
  EXPECT_EQ(GetWorld("a").tick(), 35u);
}

TEST_F(ServerTest, ALockstepWorldHasOneStepper) {
  CreateWorld("a", Lockstep());
  CreateWorld("b");
  const auto stepper = OpenSession("a", /*stepper=*/true);
  v1::OpenSessionRequest open;
  open.set_world("a");
  open.set_stepper(true);
  v1::OpenSessionResponse opened;
  const grpc::Status taken = sessions_->OpenSession(NewContext("a").get(), open, &opened);
  EXPECT_THAT(taken, HasCode(grpc::FAILED_PRECONDITION));
  EXPECT_EQ(ErrorInfoOf(taken).reason(), "STEPPER_TAKEN");
  open.set_world("b");
  const grpc::Status wrong = sessions_->OpenSession(NewContext("b").get(), open, &opened);
  EXPECT_THAT(wrong, HasCode(grpc::FAILED_PRECONDITION));
  EXPECT_EQ(ErrorInfoOf(wrong).reason(), "WRONG_CLOCK");

  const auto other = OpenSession("a");
  v1::StepRequest step;
  step.set_world("a");
  step.set_session_id(other.session_id());
  step.set_resume_token(other.resume_token());
  step.mutable_step()->set_sequence(1);
  step.mutable_step()->set_ticks(1);
  v1::StepResponse stepped;
  EXPECT_THAT(sessions_->Step(NewContext("a").get(), step, &stepped), HasCode(grpc::PERMISSION_DENIED));
  EXPECT_EQ(GetWorld("a").tick(), 0u);

  // The role falls free with its session.
  v1::CloseSessionRequest close;
  close.set_world("a");
  close.set_session_id(stepper.session_id());
  close.set_resume_token(stepper.resume_token());
  v1::CloseSessionResponse closed;
  ASSERT_THAT(sessions_->CloseSession(NewContext("a").get(), close, &closed), IsOk());
  OpenSession("a", /*stepper=*/true);
}

TEST_F(ServerTest, UnaryTwinsDoWhatTheStreamDoes) {
  CreateWorld("a", Paused());
  const auto session = OpenSession("a");
  v1::ApplyCommandsRequest commands;
  commands.set_world("a");
  commands.set_session_id(session.session_id());
  commands.set_resume_token(session.resume_token());
  commands.mutable_commands()->set_request_id("c1");
  v1::AgentSpec* const spec = commands.mutable_commands()->add_commands()->mutable_add_agent();
  spec->set_id(3);
  spec->mutable_position()->set_x(1.0f);
  commands.mutable_commands()->add_commands();  // nothing set
  v1::ApplyCommandsResponse applied;
  ASSERT_THAT(sessions_->ApplyCommands(NewContext("a").get(), commands, &applied), IsOk());
  ASSERT_EQ(applied.result().results_size(), 2);
  EXPECT_EQ(applied.result().results(0).id(), 3u);
  EXPECT_EQ(applied.result().results(1).error().code(), grpc::INVALID_ARGUMENT);
  v1::ApplyCommandsResponse again;
  ASSERT_THAT(sessions_->ApplyCommands(NewContext("a").get(), commands, &again), IsOk());
  EXPECT_EQ(again.SerializeAsString(), applied.SerializeAsString());

  v1::SendInputRequest send;
  send.set_world("a");
  send.set_session_id(session.session_id());
  send.set_resume_token(session.resume_token());
  *send.mutable_input() = InputRequest(1, {3, 4}, 1.0f, 0.0f).input();
  v1::SendInputResponse sent;
  ASSERT_THAT(sessions_->SendInput(NewContext("a").get(), send, &sent), IsOk());
  EXPECT_EQ(sent.result().applied(), 1u);
  EXPECT_EQ(sent.result().rejected(), 1u);

  const auto watch = Watch("a", [&](v1::WatchRequest& request) {
    request.set_session_id(session.session_id());
    request.set_resume_token(session.resume_token());
    request.mutable_subscription()->set_preferred_velocity(true);
  });
  const auto frame = watch->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->last_input_applied, 1u);
  EXPECT_THAT(frame->px, ElementsAre(1.0f));
  EXPECT_TRUE(frame->x.empty()) << "not subscribed to";
  watch->Cancel();
}

TEST_F(ServerTest, CommandsOnTheStreamAreAnsweredInTheirOrder) {
  CreateWorld("a");
  const auto stream = Connect(OpenSession("a"));
  for (std::uint32_t i = 1; i <= 20; ++i) {
    v1::ConnectRequest request;
    request.mutable_commands()->set_request_id(absl::StrCat("c", i));
    v1::AgentSpec* const spec = request.mutable_commands()->add_commands()->mutable_add_agent();
    spec->set_id(i);
    spec->mutable_position()->set_x(3.0f * static_cast<float>(i));
    ASSERT_TRUE(stream->reader().Write(request));
  }
  std::uint64_t tick = 0;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const auto event = stream->NextEvent(v1::ConnectResponse::kCommandResult);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->command_result().request_id(), absl::StrCat("c", i));
    EXPECT_EQ(event->command_result().results(0).id(), i);
    EXPECT_GE(event->command_result().tick(), tick);
    tick = event->command_result().tick();
  }
  EXPECT_TRUE(stream->NextFrame([](const WholeFrame& frame) { return frame.agents == 20; }));
  ASSERT_TRUE(stream->reader().WritesDone());
  EXPECT_THAT(stream->Finish(), IsOk());
}

TEST_F(ServerTest, TwoClientsDriveOneWorld) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}, {50, 0}});
  const auto one = Connect(OpenSession("a"));
  const auto two = Connect(OpenSession("a"));
  ASSERT_TRUE(one->reader().Write(InputRequest(1, {1}, 0.0f, 1.0f)));
  ASSERT_TRUE(two->reader().Write(InputRequest(7, {2}, 0.0f, -1.0f)));
  const auto both = [](const WholeFrame& frame) { return frame.y[0] > 0 && frame.y[1] < 0; };
  const auto by_one = one->NextFrame(both);
  const auto by_two = two->NextFrame(both);
  ASSERT_TRUE(by_one && by_two);
  EXPECT_EQ(by_one->last_input_applied, 1u) << "each hears of its own";
  EXPECT_EQ(by_two->last_input_applied, 7u);
  one->Cancel();
  two->Cancel();
}

TEST_F(ServerTest, ASecondStreamTakesTheSessionOver) {
  CreateWorld("a");
  const auto session = OpenSession("a");
  const auto first = Connect(session);
  const auto second = Connect(session);
  const auto closing = first->NextEvent(v1::ConnectResponse::kClosing);
  ASSERT_TRUE(closing);
  EXPECT_EQ(closing->closing().reason(), v1::CLOSING_REASON_SUPERSEDED);
  EXPECT_THAT(first->Finish(), HasCode(grpc::ABORTED));
  EXPECT_TRUE(second->NextFrame());
  second->Cancel();
}

TEST_F(ServerTest, ASessionWantsItsToken) {
  CreateWorld("a");
  const auto session = OpenSession("a");
  auto context = NewContext("a");
  auto stream = sessions_->Connect(context.get());
  v1::ConnectRequest request;
  request.mutable_open()->set_world("a");
  request.mutable_open()->set_session_id(session.session_id());
  request.mutable_open()->set_resume_token("guess");
  stream->Write(request);
  EXPECT_THAT(ConnectClient(std::move(context), std::move(stream)).Finish(), HasCode(grpc::PERMISSION_DENIED));
  context = NewContext("a");
  stream = sessions_->Connect(context.get());
  request.mutable_open()->set_session_id("nobody");
  stream->Write(request);
  EXPECT_THAT(ConnectClient(std::move(context), std::move(stream)).Finish(), HasCode(grpc::NOT_FOUND));
}

TEST_F(ServerTest, ASessionEndsWithItsLeaseAndGivesUpItsRole) {
  CreateWorld("a", Lockstep());
  v1::OpenSessionRequest open;
  open.set_world("a");
  open.set_lease(1.0);
  open.set_stepper(true);
  v1::OpenSessionResponse opened;
  ASSERT_THAT(sessions_->OpenSession(NewContext("a").get(), open, &opened), IsOk());
  EXPECT_EQ(opened.lease(), 1.0);
  grpc::Status status;
  do {
    status = sessions_->OpenSession(NewContext("a").get(), open, &opened);
  } while (status.error_code() == grpc::FAILED_PRECONDITION);
  EXPECT_THAT(status, IsOk());
}

TEST_F(ServerTest, AClientKilledInMidStreamLeavesNothingBehind) {
  CreateWorld("a");
  AddCrowd("a", 1'000);
  {
    auto session = OpenSession("a");
    const auto stream = Connect(session);
    ASSERT_TRUE(stream->NextFrame());
    stream->reader().Write(InputRequest(1, {1}, 1.0f, 0.0f));
    stream->Cancel();
    EXPECT_THAT(stream->Finish(), HasCode(grpc::CANCELLED));
    const auto watch = Watch("a");
    ASSERT_TRUE(watch->NextFrame());
    watch->Cancel();
  }
  v1::GetServerInfoResponse info;
  do {
    ASSERT_THAT(info_->GetServerInfo(NewContext().get(), {}, &info), IsOk());
  } while (info.streams() > 0);
  const auto next = Watch("a");
  EXPECT_TRUE(next->NextFrame());
  next->Cancel();
}

}  // namespace
}  // namespace throng::server
