// A step of no time (World::ComputeVelocities): velocities as of the next step, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;
using testing::Scene;
using testing::Shape;

std::unique_ptr<World> Make(const Scene& scene) {
  auto world = World::Create(scene.settings);
  EXPECT_TRUE(world.ok()) << world.status();
  for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
  return *std::move(world);
}

std::vector<Vec2> Read(const World& world, Column x_column, Column y_column) {
  std::vector<float> x(world.agent_count()), y(world.agent_count());
  world.Read(x_column, 0, x);
  world.Read(y_column, 0, y);
  std::vector<Vec2> both;
  for (std::size_t i = 0; i < x.size(); ++i) both.push_back({x[i], y[i]});
  return both;
}
std::vector<Vec2> Velocities(const World& world) { return Read(world, Column::kVelocityX, Column::kVelocityY); }
std::vector<Vec2> Places(const World& world) { return Read(world, Column::kPositionX, Column::kPositionY); }

// R046: overlapping, touching, coinciding and separate agents get finite velocities while time is frozen.
TEST(ZeroStep, R046GivesVelocitiesAndMovesNobody) {
  for (const Preset preset : {Preset::kBase, Preset::kDefault}) {
    WorldSettings settings;
    settings.preset = preset;
    settings.time_step = 0.1f;
    const auto world = *World::Create(settings);
    for (const Vec2 place : {Vec2{0, 0}, {0.4f, 0}, {10, 0}, {11, 0}, {20, 0}, {20, 0}, {30, 0}, {36, 0}}) {
      AgentSpec spec;
      spec.position = place;
      spec.preferred_velocity = Vec2{1.5f, 0.0f};
      ASSERT_TRUE(world->AddAgent(spec).ok());
    }
    const std::vector<Vec2> places = Places(*world);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(world->ComputeVelocities().ok());
      EXPECT_EQ(Places(*world), places);
      EXPECT_EQ(world->tick(), 0u);
      EXPECT_EQ(world->simulation_time(), 0.0);
      for (const Vec2 v : Velocities(*world)) {
        EXPECT_TRUE(std::isfinite(v.x) && std::isfinite(v.y));
        EXPECT_LE(std::hypot(v.x, v.y), 2.0 * (1.0 + 1e-5));
      }
    }
    const std::vector<Vec2> velocities = Velocities(*world);
    EXPECT_EQ(velocities.back(), (Vec2{1.5f, 0.0f}));  // far from others: what it wants
    EXPECT_LT(velocities[0].x, velocities[1].x);       // those that overlap part
    EXPECT_NE(velocities[4], velocities[5]);           // and so do those on one place
  }
}

// R046: no other time step than a positive one makes a world.
TEST(ZeroStep, R046NoWorldHasSuchATimeStep) {
  for (const float time_step :
       {0.0f, -1.0f, -0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e-9f}) {
    WorldSettings settings;
    settings.time_step = time_step;
    const auto world = World::Create(settings);
    EXPECT_EQ(world.status().code(), absl::StatusCode::kInvalidArgument) << time_step;
    const auto violation = GetViolation(world.status());
    ASSERT_TRUE(violation.has_value());
    EXPECT_EQ(violation->field, "time_step");
    EXPECT_EQ(violation->range, "[0.001, 1]");
  }
}

class ZeroStepOf : public ::testing::TestWithParam<Shape> {};

// Where no obstacle cuts a move, the velocities of a step are those that it computes.
TEST_P(ZeroStepOf, GivesTheVelocitiesOfTheNextStep) {
  for (const Preset preset : {Preset::kBase, Preset::kDefault}) {
    Scene scene = testing::RandomCrowd(GetParam(), 200, 3);
    scene.settings.preset = preset;
    scene.settings.motion.containment = false;
    Random random(4);
    for (AgentSpec& agent : scene.agents) {
      if (random.Chance(0.3f)) {
        agent.preferred_velocity.reset();
        agent.goal = Vec2{agent.position->x * 0.9f, agent.position->y * 0.9f};
      }
      if (random.Chance(0.3f)) agent.params.max_acceleration = 1.0f;
      if (random.Chance(0.3f)) agent.params.smoothing_time = 0.5f;
      if (random.Chance(0.3f)) agent.params.max_turn_rate = 1.0f;
    }
    const auto world = Make(scene), frozen = Make(scene);
    ASSERT_TRUE(frozen->ComputeVelocities().ok());
    ASSERT_TRUE(world->Step().ok());
    EXPECT_EQ(Velocities(*frozen), Velocities(*world));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ZeroStepOf, ::testing::ValuesIn(testing::kAllShapes),
                         [](const auto& shape) { return testing::ToString(shape.param); });

TEST(ZeroStep, NobodyArrivesPassesOrIsRecovered) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  const auto world = *World::Create(settings);
  AgentSpec at_goal, on_path, inside;
  at_goal.id = 1;
  at_goal.position = at_goal.goal = Vec2{0, 0};
  on_path.id = 2;
  on_path.position = Vec2{10, 0};
  on_path.path = Path{{{10, 0}, {10, 20}}, 1.0f};
  inside.id = 3;
  inside.position = Vec2{100, 0};
  for (const AgentSpec& spec : {at_goal, on_path, inside}) ASSERT_TRUE(world->AddAgent(spec).ok());
  ASSERT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kSolid, {{99, -2}, {103, -2}, {103, 2}, {99, 2}}}).ok());
  std::vector<AgentEvent> events;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world->ComputeVelocities().ok());
    world->ReadEvents(events);
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(world->stats().arrived, 0u);
    EXPECT_EQ(world->GetAgent(1)->status, AgentStatus::kMoving);
    EXPECT_EQ(world->GetAgent(1)->velocity, (Vec2{}));
    EXPECT_EQ(std::get<Path>(world->GetAgent(2)->steering).next, 0u);
    EXPECT_NEAR(world->GetAgent(2)->velocity.y, 1.5, 1e-5);  // on to the next waypoint all the same
    EXPECT_EQ(world->GetAgent(3)->position, (Vec2{100, 0}));
    EXPECT_EQ(world->recoveries(), 0u);
  }
  ASSERT_TRUE(world->Step().ok());
  world->ReadEvents(events);
  EXPECT_EQ(world->stats().arrived, 1u);
  EXPECT_EQ(std::get<Path>(world->GetAgent(2)->steering).next, 1u);
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(ZeroStep, NoInputAgesAndNoWayGetsShorter) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  settings.stale_input = {StaleInputPolicy::kStop, 2, 0.5f};
  const auto world = *World::Create(settings);
  AgentSpec walker, leader;
  walker.id = 1;
  walker.position = Vec2{0, 0};
  walker.preferred_velocity = Vec2{1, 0};
  leader.id = 2;
  leader.position = Vec2{50, 0};
  leader.kinematic = true;
  ASSERT_TRUE(world->AddAgent(walker).ok());
  ASSERT_TRUE(world->AddAgent(leader).ok());
  AgentUpdate update;
  update.move_to = MoveTo{{52, 0}, 4};
  ASSERT_TRUE(world->UpdateAgent(2, update).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world->ComputeVelocities().ok());
  EXPECT_EQ(world->GetAgent(1)->velocity, (Vec2{1, 0}));
  EXPECT_EQ(world->GetAgent(2)->position, (Vec2{50, 0}));
  EXPECT_NEAR(world->GetAgent(2)->velocity.x, 5.0, 1e-5);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->velocity, (Vec2{1, 0}));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->velocity, (Vec2{}));
  EXPECT_EQ(world->GetAgent(2)->position, (Vec2{52, 0}));
}

TEST(ZeroStep, InSlicesGivesTheSameAndRefusesEdits) {
  const Scene scene = testing::Crossing({.agents = 2'000, .cover = 0.5f});
  const auto whole = Make(scene), sliced = Make(scene);
  ASSERT_TRUE(whole->ComputeVelocities().ok());
  ASSERT_TRUE(sliced->BeginStep(true).ok());
  EXPECT_EQ(sliced->ComputeVelocities().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(sliced->RemoveAllAgents().code(), absl::StatusCode::kFailedPrecondition);
  while (sliced->Advance(100) != Phase::kIdle) {
  }
  EXPECT_EQ(sliced->StateHash(), whole->StateHash());
  EXPECT_EQ(sliced->tick(), 0u);
  EXPECT_EQ(sliced->stats().neighbors, whole->stats().neighbors);
  // What is kept up to date step by step is right when time goes on.
  ASSERT_TRUE(whole->Step().ok());
  ASSERT_TRUE(sliced->Step().ok());
  EXPECT_EQ(sliced->StateHash(), whole->StateHash());
  EXPECT_EQ(sliced->tick(), 1u);
}

TEST(ZeroStep, OfAnEmptyWorld) {
  const auto world = *World::Create({});
  ASSERT_TRUE(world->ComputeVelocities().ok());
  EXPECT_EQ(world->tick(), 0u);
}

}  // namespace
}  // namespace throng
