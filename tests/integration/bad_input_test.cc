// What is not valid: the right code, field, value and range in every RPC, and nothing applied by halves.

#include <absl/strings/str_cat.h>

#include <cmath>
#include <limits>

#include "tests/integration/raw_call.h"
#include "tests/integration/support.h"

namespace throng::server {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void ExpectViolation(const grpc::Status& status, const std::string& field, const std::string& description) {
  EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT)) << field;
  const google::rpc::BadRequest details = BadRequestOf(status);
  ASSERT_EQ(details.field_violations_size(), 1) << field << ": " << status.error_message();
  EXPECT_EQ(details.field_violations(0).field(), field);
  EXPECT_THAT(details.field_violations(0).description(), ::testing::HasSubstr(description));
  EXPECT_THAT(details.field_violations(0).description(), ::testing::StartsWith("value "));
  EXPECT_EQ(ErrorInfoOf(status).reason(), "INVALID_VALUE");
  EXPECT_EQ(ErrorOf(status).violations(0).field(), field);
}

struct BadSettings {
  std::function<void(v1::WorldSettings&)> make;
  std::string field;
  std::string description;
};

TEST_F(ServerTest, BadSettingsMakeNoWorld) {
  const std::vector<BadSettings> bads = {
      {[](auto& s) { s.set_time_step(0.0f); }, "settings.time_step", "value 0, valid range [0.001"},
      {[](auto& s) { s.set_time_step(kNan); }, "settings.time_step", "value nan"},
      {[](auto& s) { s.set_time_step(2.0f); }, "settings.time_step", "value 2, valid range [0.001"},
      {[](auto& s) { s.set_preset(static_cast<v1::Preset>(9)); }, "settings.preset", "value 9"},
      {[](auto& s) { s.set_clock(static_cast<v1::WorldClock>(9)); }, "settings.clock", "value 9"},
      {[](auto& s) { s.mutable_origin()->set_x(std::numeric_limits<double>::infinity()); }, "settings.origin.x", "inf"},
      {[](auto& s) { s.mutable_agent_defaults()->set_radius(0.0f); }, "settings.agent_defaults.radius",
       "value 0, valid range (0, 1000]"},
      {[](auto& s) { s.mutable_agent_defaults()->set_max_speed(-1.0f); }, "settings.agent_defaults.max_speed",
       "value -1, valid range [0, 1000]"},
      {[](auto& s) { s.mutable_agent_defaults()->set_neighbor_distance(kInfinity); },
       "settings.agent_defaults.neighbor_distance", "value inf, valid range [0, 1000]"},
      {[](auto& s) { s.mutable_agent_defaults()->set_max_neighbors(65); }, "settings.agent_defaults.max_neighbors",
       "value 65, valid range [0, 64]"},
      {[](auto& s) { s.mutable_agent_defaults()->set_time_horizon(0.0f); }, "settings.agent_defaults.time_horizon",
       "value 0, valid range [0.01"},
      {[](auto& s) { s.mutable_agent_defaults()->set_time_horizon_obstacles(101.0f); },
       "settings.agent_defaults.time_horizon_obstacles", "value 101"},
      {[](auto& s) { s.mutable_stale_input()->set_policy(static_cast<v1::StaleInputPolicy>(7)); },
       "settings.stale_input.policy", "value 7"},
      {[](auto& s) { s.mutable_stale_input()->set_timeout_ticks(0); }, "settings.stale_input.timeout_ticks", "value 0"},
      {[](auto& s) { s.mutable_stale_input()->set_decay_time(0.0f); }, "settings.stale_input.decay_time", "value 0"},
      {[](auto& s) { s.mutable_bounds()->mutable_min(); }, "settings.bounds.max", "value unset, valid range a point"},
      {[](auto& s) { s.set_time_scale(0.0); }, "settings.time_scale", "value 0, valid range [0.01"},
      {[](auto& s) { s.set_time_scale(kNan); }, "settings.time_scale", "value nan"},
      {[](auto& s) { s.set_max_agents(0); }, "settings.max_agents", "value 0"},
      {[](auto& s) { s.set_idle_time_to_live(-1.0); }, "settings.idle_time_to_live", "value -1"},
      {[](auto& s) { s.set_idle_time_to_live(0.5); }, "settings.idle_time_to_live", "value 0.5"},
  };
  for (const BadSettings& bad : bads) {
    v1::CreateWorldRequest create;
    create.set_name("a");
    bad.make(*create.mutable_settings());
    v1::CreateWorldResponse created;
    ExpectViolation(worlds_->CreateWorld(NewContext().get(), create, &created), bad.field, bad.description);
  }
  v1::ListWorldsResponse page;
  ASSERT_THAT(worlds_->ListWorlds(NewContext().get(), {}, &page), IsOk());
  EXPECT_EQ(page.worlds_size(), 0);
}

TEST_F(ServerTest, BadNamesAreRefused) {
  for (const std::string& name : {std::string(), std::string("A"), std::string("-a"), std::string("a b"),
                                  std::string("../x"), std::string(129, 'a'), std::string("a\n")}) {
    v1::CreateWorldRequest create;
    create.set_name(name);
    v1::CreateWorldResponse created;
    ExpectViolation(worlds_->CreateWorld(NewContext().get(), create, &created), "name", "");
    v1::GetWorldRequest get;
    get.set_world(name);
    v1::GetWorldResponse got;
    ExpectViolation(worlds_->GetWorld(NewContext().get(), get, &got), "world", "");
    EXPECT_THAT(Watch("", [&](v1::WatchRequest& request) { request.set_world(name); })->Finish(),
                HasCode(grpc::INVALID_ARGUMENT));
  }
}

// One call of each kind that names a world.
std::vector<std::pair<std::string, std::function<grpc::Status(grpc::ClientContext*)>>> CallsOn(
    const std::string& world, v1::WorldService::Stub& worlds, v1::AgentService::Stub& agents,
    v1::ObstacleService::Stub& obstacles, v1::QueryService::Stub& queries, v1::SessionService::Stub& sessions) {
  std::vector<std::pair<std::string, std::function<grpc::Status(grpc::ClientContext*)>>> calls;
  const auto add = [&]<class Request, class Response, class Stub>(
                       const char* name, Stub& stub,
                       grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*)) {
    calls.emplace_back(name, [world, &stub, method](grpc::ClientContext* context) {
      Request request;
      request.set_world(world);
      Response response;
      return (stub.*method)(context, request, &response);
    });
  };
  using Worlds = v1::WorldService::Stub;
  add("GetWorld", worlds, &Worlds::GetWorld);
  add("UpdateWorld", worlds, &Worlds::UpdateWorld);
  add("PauseWorld", worlds, &Worlds::PauseWorld);
  add("ResumeWorld", worlds, &Worlds::ResumeWorld);
  add("AddAgents", agents, &v1::AgentService::Stub::AddAgents);
  add("UpdateAgents", agents, &v1::AgentService::Stub::UpdateAgents);
  add("RemoveAgents", agents, &v1::AgentService::Stub::RemoveAgents);
  add("ListAgents", agents, &v1::AgentService::Stub::ListAgents);
  add("AddObstacles", obstacles, &v1::ObstacleService::Stub::AddObstacles);
  add("UpdateObstacles", obstacles, &v1::ObstacleService::Stub::UpdateObstacles);
  add("MoveObstacles", obstacles, &v1::ObstacleService::Stub::MoveObstacles);
  add("RemoveObstacles", obstacles, &v1::ObstacleService::Stub::RemoveObstacles);
  add("ListObstacles", obstacles, &v1::ObstacleService::Stub::ListObstacles);
  add("FindNearest", queries, &v1::QueryService::Stub::FindNearest);
  add("FindInDisc", queries, &v1::QueryService::Stub::FindInDisc);
  add("FindInBox", queries, &v1::QueryService::Stub::FindInBox);
  add("TestVisibility", queries, &v1::QueryService::Stub::TestVisibility);
  add("CastRay", queries, &v1::QueryService::Stub::CastRay);
  add("Explain", queries, &v1::QueryService::Stub::Explain);
  add("OpenSession", sessions, &v1::SessionService::Stub::OpenSession);
  add("SendInput", sessions, &v1::SessionService::Stub::SendInput);
  add("Step", sessions, &v1::SessionService::Stub::Step);
  add("ApplyCommands", sessions, &v1::SessionService::Stub::ApplyCommands);
  add("CloseSession", sessions, &v1::SessionService::Stub::CloseSession);
  add("DeleteWorld", worlds, &Worlds::DeleteWorld);
  return calls;
}

TEST_F(ServerTest, MetadataThatNamesAnotherWorldIsRefused) {
  CreateWorld("a");
  for (const auto& [name, call] : CallsOn("a", *worlds_, *agents_, *obstacles_, *queries_, *sessions_)) {
    const grpc::Status status = call(NewContext("b").get());
    EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT)) << name;
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr("throng-world")) << name;
  }
  EXPECT_THAT(Watch("b", [](v1::WatchRequest& request) { request.set_world("a"); })->Finish(),
              HasCode(grpc::INVALID_ARGUMENT));
  auto context = NewContext("b");
  auto stream = sessions_->Connect(context.get());
  v1::ConnectRequest open;
  open.mutable_open()->set_world("a");
  stream->Write(open);
  EXPECT_THAT(ConnectClient(std::move(context), std::move(stream)).Finish(), HasCode(grpc::INVALID_ARGUMENT));
  GetWorld("a");
}

TEST_F(ServerTest, AnUnknownWorldIsNotFound) {
  for (const auto& [name, call] : CallsOn("nowhere", *worlds_, *agents_, *obstacles_, *queries_, *sessions_)) {
    EXPECT_THAT(call(NewContext().get()), HasCode(grpc::NOT_FOUND)) << name;
  }
  EXPECT_THAT(Watch("nowhere")->Finish(), HasCode(grpc::NOT_FOUND));
}

TEST_F(ServerTest, UnknownSessionsAreNotFound) {
  CreateWorld("a");
  for (const auto& [name, call] : CallsOn("a", *worlds_, *agents_, *obstacles_, *queries_, *sessions_)) {
    if (name != "SendInput" && name != "Step" && name != "ApplyCommands" && name != "CloseSession") continue;
    const grpc::Status status = call(NewContext("a").get());
    EXPECT_THAT(status, HasCode(grpc::NOT_FOUND)) << name;
    EXPECT_EQ(ErrorInfoOf(status).reason(), "SESSION_NOT_FOUND") << name;
  }
}

struct BadAgent {
  std::function<void(v1::AgentSpec&)> make;
  std::string field;
  std::string value;
  std::string range;
};

TEST_F(ServerTest, BadAgentsAreRefusedOneByOne) {
  CreateWorld("a", Paused());
  const std::vector<BadAgent> bads = {
      {[](auto& a) { a.clear_position(); }, "position", "unset", ""},
      {[](auto& a) { a.mutable_position()->set_x(kNan); }, "position.x", "nan", "[-1048576, 1048576]"},
      {[](auto& a) { a.mutable_position()->set_y(2e6f); }, "position.y", "2e+06", "[-1048576, 1048576]"},
      {[](auto& a) { a.mutable_velocity()->set_x(-kInfinity); }, "velocity.x", "-inf", "[-1048576, 1048576]"},
      {[](auto& a) { a.mutable_preferred_velocity()->set_y(kNan); }, "preferred_velocity.y", "nan", ""},
      {[](auto& a) { a.set_id(0x80000000u); }, "id", "2147483648", "[1, 2147483647]"},
      {[](auto& a) { a.mutable_params()->set_radius(1001.0f); }, "params.radius", "1001", "(0, 1000]"},
      {[](auto& a) { a.mutable_params()->set_max_neighbors(65); }, "params.max_neighbors", "65", "[0, 64]"},
  };
  v1::AddAgentsRequest add;
  add.set_world("a");
  for (const BadAgent& bad : bads) {
    v1::AgentSpec* const spec = add.add_agents();
    spec->mutable_position();
    bad.make(*spec);
  }
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_FALSE(added.result().applied());
  ASSERT_EQ(added.result().results_size(), static_cast<int>(bads.size()));
  for (std::size_t i = 0; i < bads.size(); ++i) {
    const v1::Error& error = added.result().results(static_cast<int>(i)).error();
    EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT);
    ASSERT_EQ(error.violations_size(), 1) << bads[i].field;
    EXPECT_EQ(error.violations(0).field(), absl::StrCat("agents[", i, "].", bads[i].field));
    EXPECT_EQ(error.violations(0).value(), bads[i].value);
    if (!bads[i].range.empty()) {
      EXPECT_EQ(error.violations(0).range(), bads[i].range);
    }
  }
  EXPECT_EQ(GetWorld("a").agents(), 0u);
}

TEST_F(ServerTest, BadRequestFieldsAreNamed) {
  CreateWorld("a", Paused());
  const std::string long_id(65, 'x');
  v1::CreateWorldRequest create;
  create.set_name("b");
  create.set_request_id(long_id);
  v1::CreateWorldResponse created;
  ExpectViolation(worlds_->CreateWorld(NewContext().get(), create, &created), "request_id", "");
  v1::AddAgentsRequest add;
  add.set_world("a");
  add.set_request_id(long_id);
  v1::AddAgentsResponse added;
  ExpectViolation(agents_->AddAgents(NewContext().get(), add, &added), "request_id", "");
  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  remove.set_all(true);
  remove.add_ids(1);
  v1::RemoveAgentsResponse removed;
  ExpectViolation(agents_->RemoveAgents(NewContext().get(), remove, &removed), "ids", "");
  v1::ListAgentsRequest list;
  list.set_world("a");
  list.set_page_size(10'001);
  v1::ListAgentsResponse listed;
  ExpectViolation(agents_->ListAgents(NewContext().get(), list, &listed), "page_size",
                  "value 10001, valid range [1, 10000]");
  list.set_page_size(1);
  list.set_page_token("nonsense");
  ExpectViolation(agents_->ListAgents(NewContext().get(), list, &listed), "page_token", "value nonsense");
  v1::ListObstaclesRequest obstacles;
  obstacles.set_world("a");
  obstacles.set_page_size(1'001);
  v1::ListObstaclesResponse page;
  ExpectViolation(obstacles_->ListObstacles(NewContext().get(), obstacles, &page), "page_size", "value 1001");
  v1::ListWorldsRequest worlds;
  worlds.set_page_size(1'001);
  v1::ListWorldsResponse world_page;
  ExpectViolation(worlds_->ListWorlds(NewContext().get(), worlds, &world_page), "page_size", "value 1001");
  v1::OpenSessionRequest open;
  open.set_world("a");
  open.set_lease(0.5);
  v1::OpenSessionResponse opened;
  ExpectViolation(sessions_->OpenSession(NewContext().get(), open, &opened), "lease", "value 0.5");
}

TEST_F(ServerTest, AStatusStaysWithinItsBounds) {
  v1::CreateWorldRequest create;
  create.set_name(std::string(3'000'000, 'X'));
  v1::CreateWorldResponse created;
  const grpc::Status status = worlds_->CreateWorld(NewContext().get(), create, &created);
  ExpectViolation(status, "name", "XXX");
  EXPECT_LE(status.error_details().size() + status.error_message().size(), 4096u);
}

TEST_F(ServerTest, BytesThatDoNotParseAreInvalid) {
  CreateWorld("a");
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff"), std::string("\x0a\x7f"), std::string(1'000, '\x08')}) {
    EXPECT_THAT(CallRaw(channel_, "/throng.v1.SessionService/Connect", bytes).status, HasCode(grpc::INVALID_ARGUMENT));
    EXPECT_THAT(CallRaw(channel_, "/throng.v1.WatchService/Watch", bytes).status, HasCode(grpc::INVALID_ARGUMENT));
    EXPECT_FALSE(CallRaw(channel_, "/throng.v1.WorldService/GetWorld", bytes).status.ok()) << "gRPC's own answer";
  }
  EXPECT_THAT(CallRaw(channel_, "/throng.v1.WorldService/NoSuchMethod", "").status, HasCode(grpc::UNIMPLEMENTED));
  GetWorld("a");
}

TEST_F(ServerTest, AStreamBeginsWithOpen) {
  CreateWorld("a");
  auto context = NewContext("a");
  auto stream = sessions_->Connect(context.get());
  stream->Write(InputRequest(1, {1}, 0.0f, 0.0f));
  EXPECT_THAT(ConnectClient(std::move(context), std::move(stream)).Finish(), HasCode(grpc::INVALID_ARGUMENT));
  context = NewContext("a");
  stream = sessions_->Connect(context.get());
  stream->WritesDone();
  EXPECT_THAT(ConnectClient(std::move(context), std::move(stream)).Finish(), ::testing::Not(HasCode(grpc::INTERNAL)));
}

}  // namespace
}  // namespace throng::server
