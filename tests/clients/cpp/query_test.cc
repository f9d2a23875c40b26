// Questions through the library, against a real throngd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/clients/cpp/process.h"
#include "throng/client.h"
#include "throng/client/error.h"

namespace throng::client {
namespace {

using ::testing::HasSubstr;

class QueryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new Throngd(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  // Agents 1 to 3 at x = 0, 10, 20 and a wall at x = 15.
  void SetUp() override {
    std::vector<AgentSpec> agents;
    for (AgentId id = 1; id <= 3; ++id)
      agents.push_back({.id = id, .position = {10.0f * static_cast<float>(id - 1), 0}});
    ASSERT_TRUE(world_.AddAgents(agents)->FirstError().ok());
    const ObstacleSpec wall{.id = 7, .kind = ObstacleKind::kWall, .vertices = {{15, -5}, {15, 5}}};
    ASSERT_TRUE(world_.AddObstacles({&wall, 1})->FirstError().ok());
  }
  void TearDown() override { world_.Delete().status().IgnoreError(); }

  static Throngd* server_;
  Client client_{server_->address()};
  World world_ = client_.CreateWorld("w", {.start_paused = true}).value();
};
Throngd* QueryTest::server_ = nullptr;

TEST_F(QueryTest, FindsAgents) {
  const auto nearest = world_.FindNearest({12, 0}, 2);
  ASSERT_TRUE(nearest.ok()) << nearest.status();
  ASSERT_EQ(nearest->agents.size(), 2u);
  EXPECT_EQ(nearest->agents[0].id, 2u);
  EXPECT_EQ(nearest->agents[0].distance, 2.0f);
  EXPECT_EQ(nearest->agents[1].position.x, 20.0f);
  EXPECT_EQ(world_.FindNearest({12, 0}, 5, 8.0f)->agents.size(), 1u);  // strictly nearer
  EXPECT_EQ(world_.FindInDisc({10, 0}, 10)->agents.size(), 3u);
  const auto cut = world_.FindInDisc({10, 0}, 10, 1);
  EXPECT_EQ(cut->agents.size(), 1u);
  EXPECT_TRUE(cut->truncated);
  EXPECT_EQ(world_.FindInBox({5, -1}, {25, 1})->agents.size(), 2u);
  // All are of layer 1, at z = 0.
  EXPECT_EQ(world_.FindInBox({5, -1}, {25, 1}, 9, {.avoids = 1u})->agents.size(), 2u);
  EXPECT_TRUE(world_.FindNearest({12, 0}, 2, std::nullopt, {.avoids = 2u})->agents.empty());
  EXPECT_TRUE(world_.FindInDisc({10, 0}, 10, 9, {.z = 3.0f, .height = 1.0f})->agents.empty());
  EXPECT_FALSE(world_.CastRay({-5, 0}, {14, 0}, {.filter = {.avoids = 2u}})->hit);
}

TEST_F(QueryTest, LooksAlongLines) {
  EXPECT_TRUE(world_.TestVisibility({0, 0}, {14, 0})->visible);
  const auto hidden = world_.TestVisibility({0, 0}, {20, 0}, 0.5f);
  ASSERT_TRUE(hidden.ok()) << hidden.status();
  EXPECT_FALSE(hidden->visible);
  EXPECT_EQ(hidden->obstacle, 7u);
  EXPECT_TRUE(world_.TestVisibility({0, 0}, {20, 0}, 0.5f, {.avoids = 2u})->visible) << "the wall is of layer 1";
  EXPECT_FALSE(world_.CastRay({0, 0}, {25, 0}, {.agents = false, .filter = {.avoids = 2u}})->hit);
  const auto hit = world_.CastRay({-5, 0}, {25, 0});
  ASSERT_TRUE(hit.ok()) << hit.status();
  EXPECT_TRUE(hit->hit);
  EXPECT_EQ(hit->agent, 1u);
  EXPECT_NEAR(hit->distance, 4.5f, 1e-5f);
  EXPECT_EQ(hit->normal.x, -1.0f);
  EXPECT_EQ(world_.CastRay({-5, 0}, {25, 0}, {.agents = false})->obstacle, 7u);
  EXPECT_EQ(world_.CastRay({-5, 0}, {25, 0}, {.obstacles = false, .ignored = 1})->agent, 2u);
  EXPECT_FALSE(world_.CastRay({-5, 3}, {10, 3})->hit);
}

TEST_F(QueryTest, ExplainsAnAgent) {
  World world = client_.CreateWorld("e", {.clock = Clock::kLockstep}).value();
  const std::vector<AgentSpec> agents = {
      {.id = 1, .position = {-3, 0}, .velocity = {1, 0}, .preferred_velocity = Vector2{1, 0}},
      {.id = 2, .position = {3, 0.1f}, .velocity = {-1, 0}, .preferred_velocity = Vector2{-1, 0}}};
  ASSERT_TRUE(world.AddAgents(agents)->FirstError().ok());
  const auto why = world.Explain(1);
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_EQ(why->agent.id, 1u);
  EXPECT_EQ(why->outcome, SolveOutcome::kConstrained);
  ASSERT_EQ(why->neighbors.size(), 1u);
  EXPECT_EQ(why->neighbors[0].id, 2u);
  ASSERT_EQ(why->half_planes.size(), 1u);
  EXPECT_EQ(why->half_planes[0].source, HalfPlaneSource::kAgent);
  EXPECT_EQ(why->half_planes[0].id, 2u);
  EXPECT_TRUE(why->half_planes[0].binding);
  EXPECT_EQ(why->wanted_velocity.x, 1.0f);
  EXPECT_FALSE(why->cut);
  Session session = world.OpenSession({.stepper = true}).value();
  const Frame frame = session.Step().value();
  EXPECT_EQ(frame.vx()[0], why->velocity.x);
  EXPECT_EQ(frame.vy()[0], why->velocity.y);
  EXPECT_EQ(frame.x()[0], why->position.x);
  EXPECT_EQ(world.Explain(99).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(world.Delete().ok());
}

TEST_F(QueryTest, SaysWhatIsWrong) {
  const auto far = world_.FindNearest({3e6f, 0});
  EXPECT_EQ(far.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(far.status().ToString(), HasSubstr("point.x"));
  EXPECT_EQ(world_.FindInDisc({0, 0}, 1, 10'001).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(world_.CastRay({0, 0}, {1, 0}, {.agents = false, .obstacles = false}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client_.GetWorld("none").FindNearest({0, 0}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace throng::client
