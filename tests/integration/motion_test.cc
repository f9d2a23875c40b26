// The motion model's settings and parameters over the wire, and what worlds tell of their effect.
#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::HasSubstr;

TEST_F(ServerTest, MotionSettingsFollowThePresetAndAreEchoed) {
  EXPECT_TRUE(CreateWorld("default").settings().motion().containment());
  EXPECT_TRUE(GetWorld("default").settings().motion().symmetry_breaking());
  v1::WorldSettings settings;
  settings.set_preset(v1::PRESET_BASE);
  settings.mutable_motion()->set_rest(true);
  settings.mutable_motion()->set_rest_speed(0.25f);
  CreateWorld("base", settings);
  const v1::MotionSettings motion = GetWorld("base").settings().motion();
  EXPECT_FALSE(motion.containment());
  EXPECT_TRUE(motion.has_containment());
  EXPECT_TRUE(motion.rest());
  EXPECT_EQ(motion.rest_speed(), 0.25f);
  EXPECT_EQ(motion.symmetry_bias(), 0.1f);
}

TEST_F(ServerTest, BadMotionSettingsAreNamed) {
  v1::CreateWorldRequest create;
  create.set_name("a");
  create.mutable_settings()->mutable_motion()->set_symmetry_bias(0.6f);
  v1::CreateWorldResponse created;
  const grpc::Status status = worlds_->CreateWorld(NewContext("a").get(), create, &created);
  EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT));
  ASSERT_EQ(BadRequestOf(status).field_violations_size(), 1);
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "settings.motion.symmetry_bias");
  EXPECT_THAT(BadRequestOf(status).field_violations(0).description(), HasSubstr("[0, 0.5]"));
}

TEST_F(ServerTest, AWorldCountsWhomItMovesOutOfObstacles) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}, {50, 0}});
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const block = add.add_obstacles();
  block->set_kind(v1::OBSTACLE_KIND_SOLID);
  for (const auto& [x, y] : {std::pair{-2.0f, -1.0f}, {2.0f, -1.0f}, {2.0f, 1.0f}, {-2.0f, 1.0f}}) {
    block->add_x(x);
    block->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 3)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  EXPECT_EQ(GetWorld("a").recoveries(), 1u);
  EXPECT_EQ(GetWorld("a").stranded_agents(), 0u);
  const std::string scrape = HttpGet(server_->http_port(), "/metrics");
  EXPECT_THAT(scrape, HasSubstr("\nthrong_recoveries_total 1\n"));
  EXPECT_THAT(scrape, HasSubstr("\nthrong_stranded_agents 0\n"));
  EXPECT_THAT(scrape, HasSubstr("\nthrong_cut_moves_total "));
}

}  // namespace
}  // namespace throng::server
