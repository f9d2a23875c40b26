// Worlds over the wire: making, listing, changing, ending.

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ServerTest, AWorldIsMadeWithEveryDefaultSaid) {
  const v1::World world = CreateWorld("a");
  EXPECT_EQ(world.name(), "a");
  EXPECT_NE(world.uid(), 0u);
  EXPECT_FLOAT_EQ(world.settings().time_step(), 1.0f / 30.0f);
  EXPECT_TRUE(world.settings().has_seed());
  EXPECT_EQ(world.settings().preset(), v1::PRESET_DEFAULT);
  EXPECT_EQ(world.settings().clock(), v1::WORLD_CLOCK_REALTIME);
  EXPECT_EQ(world.settings().agent_defaults().radius(), 0.5f);
  EXPECT_EQ(world.settings().agent_defaults().max_neighbors(), 10u);
  EXPECT_EQ(world.settings().stale_input().policy(), v1::STALE_INPUT_POLICY_HOLD);
  EXPECT_EQ(world.settings().time_scale(), 1.0);
  EXPECT_EQ(world.settings().max_agents(), Options{}.limits.max_agents_per_world);
  EXPECT_EQ(world.settings().idle_time_to_live(), 0.0);
  EXPECT_EQ(world.state(), v1::WORLD_STATE_RUNNING);
}

TEST_F(ServerTest, ANameIsTakenOnceAndARecreatedWorldIsAnother) {
  const v1::World first = CreateWorld("a");
  v1::CreateWorldRequest create;
  create.set_name("a");
  v1::CreateWorldResponse created;
  const grpc::Status taken = worlds_->CreateWorld(NewContext().get(), create, &created);
  EXPECT_THAT(taken, HasCode(grpc::ALREADY_EXISTS));
  EXPECT_EQ(ErrorInfoOf(taken).reason(), "WORLD_EXISTS");
  v1::DeleteWorldRequest remove;
  remove.set_world("a");
  remove.set_uid(first.uid() + 1);
  v1::DeleteWorldResponse removed;
  EXPECT_THAT(worlds_->DeleteWorld(NewContext("a").get(), remove, &removed), HasCode(grpc::FAILED_PRECONDITION));
  remove.set_uid(first.uid());
  EXPECT_THAT(worlds_->DeleteWorld(NewContext("a").get(), remove, &removed), IsOk());
  const grpc::Status gone = worlds_->DeleteWorld(NewContext("a").get(), remove, &removed);
  EXPECT_THAT(gone, HasCode(grpc::NOT_FOUND));
  EXPECT_EQ(ErrorInfoOf(gone).reason(), "WORLD_NOT_FOUND");
  EXPECT_NE(CreateWorld("a").uid(), first.uid());
}

TEST_F(ServerTest, ARepeatedCreationGetsTheFirstAnswer) {
  v1::CreateWorldRequest create;
  create.set_name("a");
  create.set_request_id("r1");
  v1::CreateWorldResponse first;
  ASSERT_THAT(worlds_->CreateWorld(NewContext().get(), create, &first), IsOk());
  v1::CreateWorldResponse second;
  ASSERT_THAT(worlds_->CreateWorld(NewContext().get(), create, &second), IsOk());
  EXPECT_EQ(first.world().uid(), second.world().uid());
  create.set_name("b");
  const grpc::Status reused = worlds_->CreateWorld(NewContext().get(), create, &second);
  EXPECT_THAT(reused, HasCode(grpc::INVALID_ARGUMENT));
  EXPECT_EQ(ErrorInfoOf(reused).reason(), "REQUEST_ID_REUSED");
}

TEST_F(ServerTest, WorldsAreListedByPages) {
  for (const char* name : {"b2", "a1", "b1", "b3"}) CreateWorld(name, Paused());
  v1::ListWorldsRequest list;
  list.set_page_size(2);
  list.set_name_prefix("b");
  v1::ListWorldsResponse page;
  ASSERT_THAT(worlds_->ListWorlds(NewContext().get(), list, &page), IsOk());
  ASSERT_EQ(page.worlds_size(), 2);
  EXPECT_EQ(page.worlds(0).name(), "b1");
  EXPECT_EQ(page.worlds(1).name(), "b2");
  ASSERT_NE(page.next_page_token(), "");
  list.set_page_token(page.next_page_token());
  v1::ListWorldsResponse last;
  ASSERT_THAT(worlds_->ListWorlds(NewContext().get(), list, &last), IsOk());
  ASSERT_EQ(last.worlds_size(), 1);
  EXPECT_EQ(last.worlds(0).name(), "b3");
  EXPECT_EQ(last.next_page_token(), "");
}

TEST_F(ServerTest, ChangesWhatMayChange) {
  CreateWorld("a", Paused());
  v1::UpdateWorldRequest update;
  update.set_world("a");
  update.mutable_settings()->set_time_scale(4.0);
  update.mutable_settings()->mutable_agent_defaults()->set_radius(0.25f);
  v1::UpdateWorldResponse updated;
  ASSERT_THAT(worlds_->UpdateWorld(NewContext("a").get(), update, &updated), IsOk());
  EXPECT_EQ(updated.world().settings().time_scale(), 4.0);
  EXPECT_EQ(updated.world().settings().agent_defaults().radius(), 0.25f);
  EXPECT_EQ(updated.world().settings().agent_defaults().max_speed(), 2.0f) << "unset inside stays";
  *update.mutable_settings() = updated.world().settings();
  EXPECT_THAT(worlds_->UpdateWorld(NewContext("a").get(), update, &updated), IsOk()) << "what was said, said back";
  update.mutable_settings()->set_seed(9);
  const grpc::Status fixed = worlds_->UpdateWorld(NewContext("a").get(), update, &updated);
  ASSERT_THAT(fixed, HasCode(grpc::INVALID_ARGUMENT));
  EXPECT_EQ(BadRequestOf(fixed).field_violations(0).field(), "settings.seed");
}

TEST_F(ServerTest, APausedWorldStandsStillAndResumes) {
  CreateWorld("a");
  v1::PauseWorldRequest pause;
  pause.set_world("a");
  v1::PauseWorldResponse paused;
  ASSERT_THAT(worlds_->PauseWorld(NewContext("a").get(), pause, &paused), IsOk());
  EXPECT_EQ(paused.world().state(), v1::WORLD_STATE_PAUSED);
  v1::PauseWorldResponse again;
  ASSERT_THAT(worlds_->PauseWorld(NewContext("a").get(), pause, &again), IsOk());
  EXPECT_EQ(again.world().tick(), paused.world().tick());
  v1::ResumeWorldRequest resume;
  resume.set_world("a");
  v1::ResumeWorldResponse resumed;
  ASSERT_THAT(worlds_->ResumeWorld(NewContext("a").get(), resume, &resumed), IsOk());
  EXPECT_EQ(resumed.world().state(), v1::WORLD_STATE_RUNNING);
  auto watch = Watch("a");
  EXPECT_TRUE(watch->NextFrame([&](const WholeFrame& frame) { return frame.tick > paused.world().tick(); }));
  watch->Cancel();
}

TEST_F(ServerTest, AnIdleWorldGoesAfterItsTimeToLive) {
  v1::WorldSettings settings;
  settings.set_idle_time_to_live(1.0);
  CreateWorld("a", settings);
  CreateWorld("b");
  v1::ListWorldsRequest list;
  v1::ListWorldsResponse page;
  do {  // listing is no use of a world; the call's own deadline bounds the wait
    ASSERT_THAT(worlds_->ListWorlds(NewContext().get(), list, &page), IsOk());
  } while (page.worlds_size() == 2);
  EXPECT_EQ(page.worlds(0).name(), "b");
}

TEST_F(ServerTest, LimitsAreNamed) {
  Options options = FreePorts();
  options.limits.max_worlds = 1;
  options.limits.max_agents_per_world = 3;
  options.limits.max_sessions = 1;
  options.limits.max_streams = 1;
  options.limits.max_batch_items = 5;
  StartServer(options);
  CreateWorld("a");
  const auto expect_limit = [](const grpc::Status& status, const std::string& limit, const std::string& value) {
    EXPECT_THAT(status, HasCode(grpc::RESOURCE_EXHAUSTED));
    const google::rpc::ErrorInfo info = ErrorInfoOf(status);
    EXPECT_EQ(info.domain(), "throng");
    EXPECT_EQ(info.reason(), "LIMIT");
    EXPECT_EQ(info.metadata().at("limit"), limit);
    EXPECT_EQ(info.metadata().at("value"), value);
    EXPECT_EQ(
        info.metadata().at("flag"), "--" + [&] {
          std::string flag = limit;
          std::replace(flag.begin(), flag.end(), '_', '-');
          return flag;
        }());
  };
  v1::CreateWorldRequest create;
  create.set_name("b");
  v1::CreateWorldResponse created;
  expect_limit(worlds_->CreateWorld(NewContext().get(), create, &created), "max_worlds", "1");

  OpenSession("a");
  v1::OpenSessionRequest open;
  open.set_world("a");
  v1::OpenSessionResponse opened;
  expect_limit(sessions_->OpenSession(NewContext("a").get(), open, &opened), "max_sessions", "1");

  const auto watch = Watch("a");
  ASSERT_TRUE(watch->NextFrame());
  expect_limit(Watch("a")->Finish(), "max_streams", "1");
  watch->Cancel();

  v1::AddAgentsRequest add;
  add.set_world("a");
  for (int i = 0; i < 4; ++i) add.add_agents()->mutable_position()->set_x(static_cast<float>(3 * i));
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_FALSE(added.result().results(2).has_error());
  EXPECT_EQ(added.result().results(3).error().code(), grpc::RESOURCE_EXHAUSTED);
  for (int i = 0; i < 2; ++i) add.add_agents();
  expect_limit(agents_->AddAgents(NewContext("a").get(), add, &added), "max_batch_items", "5");
}

TEST_F(ServerTest, AMessageOfTooManyBytesIsRefused) {
  Options options = FreePorts();
  options.limits.max_message_bytes = 65'536;
  StartServer(options);
  CreateWorld("a");
  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  for (std::uint32_t i = 0; i < 60'000; ++i) remove.add_ids(1'000'000 + i);
  v1::RemoveAgentsResponse removed;
  EXPECT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), HasCode(grpc::RESOURCE_EXHAUSTED));
  GetWorld("a");
}

TEST_F(ServerTest, TellsAboutItself) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}, {5, 0}});
  OpenSession("a");
  v1::GetServerInfoResponse info;
  ASSERT_THAT(info_->GetServerInfo(NewContext().get(), {}, &info), IsOk());
  EXPECT_NE(info.version(), "");
  EXPECT_NE(info.commit(), "");
  EXPECT_GT(info.start_time(), 1.6e9);
  EXPECT_GE(info.server_time(), info.start_time());
  EXPECT_EQ(info.workers(), 2u);
  EXPECT_EQ(info.limits().max_worlds(), Options{}.limits.max_worlds);
  EXPECT_EQ(info.worlds(), 1u);
  EXPECT_EQ(info.agents(), 2u);
  EXPECT_EQ(info.sessions(), 1u);
  EXPECT_EQ(info.http_address(), server_->http_address());
  EXPECT_FALSE(info.draining());
}

}  // namespace
}  // namespace throng::server
