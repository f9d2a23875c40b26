// Watching: the current state at once, slow readers, large frames, ends.

#include <absl/strings/str_cat.h>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;

TEST_F(ServerTest, AWatcherOfAPausedWorldGetsItsStateAtOnce) {
  CreateWorld("a", Paused());
  AddAgents("a", {{1, 2}, {5, 6}});
  const auto watch = Watch("a");
  const auto frame = watch->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->tick, 0u);
  EXPECT_THAT(frame->ids, ElementsAre(1u, 2u));
  EXPECT_THAT(frame->x, ElementsAre(1.0f, 5.0f));
  EXPECT_THAT(frame->y, ElementsAre(2.0f, 6.0f));
  EXPECT_THAT(frame->vx, ElementsAre(0.0f, 0.0f));
  EXPECT_TRUE(frame->px.empty());
  EXPECT_FALSE(frame->state_hash);
  watch->Cancel();
  EXPECT_THAT(watch->Finish(), HasCode(grpc::CANCELLED));
}

TEST_F(ServerTest, AWorldWithoutAgentsHasFrames) {
  CreateWorld("a");
  const auto watch = Watch("a");
  const auto frame = watch->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->agents, 0u);
  EXPECT_EQ(frame->parts, 1u);
  EXPECT_TRUE(frame->with_membership);
  watch->Cancel();
}

TEST_F(ServerTest, AFrameOfManyAgentsComesInParts) {
  constexpr std::uint32_t kAgents = 100'000;
  CreateWorld("a", Paused());
  AddCrowd("a", kAgents);
  const auto watch = Watch("a", [](v1::WatchRequest& request) {
    request.mutable_subscription()->set_position(true);
    request.mutable_subscription()->set_velocity(true);
    request.mutable_subscription()->set_preferred_velocity(true);
  });
  const auto frame = watch->NextFrame();  // with the default limit of 4 MiB a message
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->agents, kAgents);
  EXPECT_GT(frame->parts, 1u);
  EXPECT_LE(frame->largest_part, std::size_t{1} << 20);
  ASSERT_EQ(frame->x.size(), kAgents);
  EXPECT_EQ(frame->vx.size(), kAgents);
  EXPECT_EQ(frame->py.size(), kAgents);
  EXPECT_EQ(frame->ids.front(), 1u);
  EXPECT_EQ(frame->ids.back(), kAgents);
  watch->Cancel();
}

// The slow one reads nothing until the fast one has seen many frames: what it then gets first was sent before, and
// after that the newest, with what lies between told as skipped. What is held for it meanwhile is counted, not timed.
TEST_F(ServerTest, ASlowReaderSkipsAndDelaysNobody) {
  Options options = FreePorts();
  options.stall_limit = std::chrono::minutes(30);  // a slow machine takes longer than the default for the fast one
  StartServer(options);
  v1::WorldSettings settings;
  settings.set_time_step(0.01f);
  CreateWorld("a", settings);
  AddCrowd("a", 20'000);
  const auto slow = Watch("a", {}, NewChannel());
  ASSERT_TRUE(slow->NextFrame());
  const auto fast = Watch("a", {}, NewChannel());
  const auto begin = fast->NextFrame();
  ASSERT_TRUE(begin);
  std::uint64_t seen = begin->tick;
  while (seen < begin->tick + 200) {
    const auto frame = fast->NextFrame();
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->tick, seen);
    seen = frame->tick;
  }
  std::uint64_t skipped = 0;
  std::uint64_t frames = 0;
  std::uint64_t last = 0;
  while (last < seen) {
    const auto frame = slow->NextFrame();
    ASSERT_TRUE(frame);
    if (last != 0) {
      EXPECT_EQ(frame->tick, last + 1 + frame->ticks_skipped) << "every tick is sent or told as skipped";
    }
    last = frame->tick;
    skipped += frame->ticks_skipped;
    ++frames;
  }
  EXPECT_GT(skipped, 0u);
  EXPECT_LT(frames, 100u) << "a queue would have held them all";
  slow->Cancel();
  fast->Cancel();
}

TEST_F(ServerTest, AReaderThatTakesNothingIsDropped) {
  Options options = FreePorts();
  options.stall_limit = std::chrono::milliseconds(200);
  StartServer(options);
  v1::WorldSettings settings;
  settings.set_time_step(0.01f);
  CreateWorld("a", settings);
  AddCrowd("a", 20'000);
  const auto stalled = Watch("a", {}, NewChannel());
  ASSERT_TRUE(stalled->NextFrame());
  while (server_->metrics().streams_stalled.value() == 0) {
    GetWorld("a");  // each call has its own deadline
  }
  v1::GetServerInfoResponse info;
  do {
    ASSERT_THAT(info_->GetServerInfo(NewContext().get(), {}, &info), IsOk());
  } while (info.streams() > 0);
}

TEST_F(ServerTest, DeletingAWorldEndsItsStreams) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}});
  const auto watch = Watch("a");
  const auto stream = Connect(OpenSession("a"));
  ASSERT_TRUE(watch->NextFrame());
  ASSERT_TRUE(stream->NextFrame());
  v1::DeleteWorldRequest remove;
  remove.set_world("a");
  v1::DeleteWorldResponse removed;
  ASSERT_THAT(worlds_->DeleteWorld(NewContext("a").get(), remove, &removed), IsOk());
  const auto told = watch->NextEvent(v1::WatchResponse::kClosing);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->closing().reason(), v1::CLOSING_REASON_WORLD_DELETED);
  EXPECT_THAT(watch->Finish(), HasCode(grpc::NOT_FOUND));
  const auto told_too = stream->NextEvent(v1::ConnectResponse::kClosing);
  ASSERT_TRUE(told_too);
  EXPECT_EQ(told_too->closing().reason(), v1::CLOSING_REASON_WORLD_DELETED);
  EXPECT_THAT(stream->Finish(), HasCode(grpc::NOT_FOUND));
}

TEST_F(ServerTest, PauseIsTold) {
  CreateWorld("a");
  const auto watch = Watch("a");
  ASSERT_TRUE(watch->NextFrame());
  v1::PauseWorldRequest pause;
  pause.set_world("a");
  v1::PauseWorldResponse paused;
  ASSERT_THAT(worlds_->PauseWorld(NewContext("a").get(), pause, &paused), IsOk());
  const auto event = watch->NextEvent(v1::WatchResponse::kWorld);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->world().state(), v1::WORLD_STATE_PAUSED);
  // Edits of a world that waits show at once.
  AddAgents("a", {{3, 4}});
  const auto edited = watch->NextFrame([](const WholeFrame& frame) { return frame.agents == 1; });
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->tick, paused.world().tick());
  watch->Cancel();
}

TEST_F(ServerTest, ManyWorldsAtOnce) {
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (int i = 0; i < 30; ++i) {
    const std::string name = absl::StrCat("w", i);
    CreateWorld(name);
    AddCrowd(name, 20);
    watches.push_back(Watch(name));
  }
  for (auto& watch : watches) EXPECT_TRUE(watch->NextFrame([](const WholeFrame& frame) { return frame.tick >= 10; }));
  for (auto& watch : watches) watch->Cancel();
}

}  // namespace
}  // namespace throng::server
