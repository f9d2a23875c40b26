// Explain in scenes whose answer is known. That it tells the next step to the bit is held in tests/differential.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/support/scenes.h"
#include "throng/query.h"
#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld(Preset preset) {
  WorldSettings settings;
  settings.preset = preset;
  return World::Create(settings).value();
}

AgentId Put(World& world, Vec2 position, Vec2 preferred, Vec2 velocity = {}) {
  AgentSpec spec;
  spec.position = position;
  spec.velocity = velocity;
  spec.preferred_velocity = preferred;
  return world.AddAgent(spec).value();
}

Vec2 VelocityAfterStep(World& world, AgentId id) {
  EXPECT_TRUE(world.Step().ok());
  return world.GetAgent(id)->velocity;
}

TEST(Explain, WhoIsAloneGetsWhatItPrefers) {
  const auto world = MakeWorld(Preset::kBase);
  const AgentId id = Put(*world, {1, 2}, {1, 0.5f});
  const Explanation why = *world->Explain(id);
  EXPECT_EQ(why.agent.id, id);
  EXPECT_EQ(why.outcome, SolveOutcome::kFree);
  EXPECT_TRUE(why.neighbors.empty());
  EXPECT_TRUE(why.half_planes.empty());
  EXPECT_FALSE(why.truncated);
  for (const Vec2 velocity : {why.wanted, why.preferred, why.solved, why.limited, why.velocity}) {
    EXPECT_EQ(velocity, (Vec2{1, 0.5f}));
  }
  EXPECT_EQ(VelocityAfterStep(*world, id), why.velocity);
  EXPECT_EQ(world->GetAgent(id)->position, why.position);
}

// R081, in the head-on scene.
TEST(Explain, NamesWhoIsInTheWay) {
  const auto world = MakeWorld(Preset::kBase);
  const AgentId left = Put(*world, {-3, 0}, {1, 0}, {1, 0});
  const AgentId right = Put(*world, {3, 0.1f}, {-1, 0}, {-1, 0});
  const Explanation why = *world->Explain(left);
  EXPECT_EQ(why.outcome, SolveOutcome::kConstrained);
  ASSERT_EQ(why.neighbors.size(), 1u);
  EXPECT_EQ(why.neighbors[0].id, right);
  EXPECT_NEAR(why.neighbors[0].distance, 6.0f, 0.01f);
  ASSERT_EQ(why.half_planes.size(), 1u);
  const ExplainedHalfPlane& line = why.half_planes[0];
  EXPECT_EQ(line.source, HalfPlaneSource::kAgent);
  EXPECT_EQ(line.id, right);
  EXPECT_EQ(line.share, 0.5f);
  EXPECT_FALSE(line.hard);
  EXPECT_TRUE(line.binding);
  EXPECT_LT(line.violation, 1e-6f);
  EXPECT_NE(why.solved, why.preferred);
  EXPECT_EQ(VelocityAfterStep(*world, left), why.velocity);
}

TEST(Explain, NamesTheObstacleThatHoldsIt) {
  const auto world = MakeWorld(Preset::kBase);
  const AgentId id = Put(*world, {0, 0}, {2, 0}, {2, 0});
  ASSERT_TRUE(world->AddObstacle({ObstacleId{5}, ObstacleKind::kWall, {{2, -4}, {2, 4}}}).ok());
  const Explanation why = *world->Explain(id);
  EXPECT_EQ(why.outcome, SolveOutcome::kConstrained);
  ASSERT_FALSE(why.half_planes.empty());
  EXPECT_EQ(why.half_planes[0].source, HalfPlaneSource::kObstacle);
  EXPECT_EQ(why.half_planes[0].id, 5u);
  EXPECT_TRUE(why.half_planes[0].hard);
  EXPECT_TRUE(why.half_planes[0].binding);
  EXPECT_EQ(why.half_planes[0].share, 1.0f);
  EXPECT_LT(why.solved.x, 2.0f);
  EXPECT_EQ(VelocityAfterStep(*world, id), why.velocity);
}

TEST(Explain, SaysThatLinesWereRelaxed) {
  const auto world = MakeWorld(Preset::kBase);
  const AgentId middle = Put(*world, {0, 0}, {0, 0});
  for (const Vec2 place : {Vec2{0.6f, 0}, Vec2{-0.6f, 0}, Vec2{0, 0.6f}, Vec2{0, -0.6f}}) Put(*world, place, {0, 0});
  const Explanation why = *world->Explain(middle);
  EXPECT_EQ(why.outcome, SolveOutcome::kRelaxed);
  EXPECT_EQ(why.half_planes.size(), 4u);
  EXPECT_TRUE(std::any_of(why.half_planes.begin(), why.half_planes.end(),
                          [](const ExplainedHalfPlane& line) { return line.violation > 0.1f && line.binding; }));
  EXPECT_EQ(VelocityAfterStep(*world, middle), why.velocity);
}

TEST(Explain, CountsNeighboursUpToTheLimit) {
  const auto world = MakeWorld(Preset::kBase);
  AgentParams few;
  few.max_neighbors = 2;
  ASSERT_TRUE(world->SetAgentDefaults(few).ok());
  const AgentId id = Put(*world, {0, 0}, {1, 0});
  const AgentId far = Put(*world, {4, 0}, {0, 0}), near = Put(*world, {2, 0}, {0, 0});
  EXPECT_TRUE(world->Explain(id)->truncated);
  Put(*world, {6, 0}, {0, 0});
  const Explanation why = *world->Explain(id);
  EXPECT_TRUE(why.truncated);
  ASSERT_EQ(why.neighbors.size(), 2u);
  EXPECT_EQ(why.neighbors[0].id, near);
  EXPECT_EQ(why.neighbors[1].id, far);
}

TEST(Explain, SaysWhatTheExtensionsDid) {
  const auto world = MakeWorld(Preset::kDefault);
  const AgentId left = Put(*world, {-1.2f, 0}, {1, 0}, {0.2f, 0});
  Put(*world, {1.2f, 0}, {-1, 0}, {-0.2f, 0});
  Explanation why = *world->Explain(left);
  EXPECT_TRUE(why.stepped_aside);
  EXPECT_NE(why.limited, why.solved);
  EXPECT_EQ(VelocityAfterStep(*world, left), why.velocity);

  const AgentId idle = Put(*world, {50, 0}, {0, 0}, {0, 0});
  Put(*world, {50.9995f, 0}, {0, 0}, {0, 0});
  why = *world->Explain(idle);
  EXPECT_TRUE(why.rested);
  EXPECT_NE(why.solved, (Vec2{}));
  EXPECT_EQ(why.velocity, (Vec2{}));
  EXPECT_EQ(VelocityAfterStep(*world, idle), why.velocity);
}

// Who wants nothing and is pressed from all sides, by next to nothing.
TEST(Explain, SaysThatRestStoppedWhoseLinesWereRelaxed) {
  const auto explained = [](Preset preset, float apart) {
    const auto world = MakeWorld(preset);
    const AgentId middle = Put(*world, {0, 0}, {0, 0});
    for (const Vec2 place :
         {Vec2{apart, 0}, Vec2{-0.5f * apart, 0.866f * apart}, Vec2{-0.5f * apart, -0.8658f * apart}}) {
      Put(*world, place, {0, 0});
    }
    const Explanation why = *world->Explain(middle);
    EXPECT_EQ(why.outcome, SolveOutcome::kRelaxed);
    EXPECT_NE(why.solved, (Vec2{}));
    EXPECT_EQ(why.velocity, why.limited);
    EXPECT_EQ(VelocityAfterStep(*world, middle), why.velocity);
    return why;
  };
  const Explanation shallow = explained(Preset::kDefault, 0.999f);
  EXPECT_TRUE(shallow.rested);
  EXPECT_EQ(shallow.velocity, (Vec2{}));
  // Pressed for good it is not stopped, and without rest nobody is.
  for (const Explanation& why : {explained(Preset::kDefault, 0.8f), explained(Preset::kBase, 0.999f)}) {
    EXPECT_FALSE(why.rested);
    EXPECT_EQ(why.velocity, why.solved);
  }
}

TEST(Explain, SaysThatAnAgentIsRecoveredOrCut) {
  const auto world = MakeWorld(Preset::kDefault);
  ASSERT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kSolid, {{0, 0}, {4, 0}, {4, 4}, {0, 4}}}).ok());
  const AgentId inside = Put(*world, {0.5f, 2}, {0, 0});
  Explanation why = *world->Explain(inside);
  EXPECT_TRUE(why.recovered);
  EXPECT_EQ(why.agent.position, (Vec2{0.5f, 2}));  // as it stands
  EXPECT_LT(why.position.x, 0.0f);
  EXPECT_EQ(VelocityAfterStep(*world, inside), why.velocity);
  EXPECT_EQ(world->GetAgent(inside)->position, why.position);
  EXPECT_FALSE(world->Explain(inside)->recovered);

  // So fast that the next step would take it through to the other side.
  AgentUpdate fast;
  fast.position = Vec2{-1, 2};
  fast.velocity = Vec2{100, 0};
  fast.preferred_velocity = Vec2{100, 0};
  fast.params.max_speed = 100.0f;
  fast.params.radius = 0.001f;
  fast.params.time_horizon_obstacles = 0.04f;
  ASSERT_TRUE(world->UpdateAgent(inside, fast).ok());
  why = *world->Explain(inside);
  EXPECT_EQ(VelocityAfterStep(*world, inside), why.velocity);
  EXPECT_LT(world->GetAgent(inside)->position.x, 0.0f);
}

TEST(Explain, ChangesNothing) {
  const testing::Scene scene = testing::Town(300, 3, 4);
  auto asked = World::Create(scene.settings).value(), left = World::Create(scene.settings).value();
  for (World* const world : {asked.get(), left.get()}) {
    for (const ObstacleSpec& obstacle : scene.obstacles) ASSERT_TRUE(world->AddObstacle(obstacle).ok());
    for (const AgentSpec& agent : scene.agents) ASSERT_TRUE(world->AddAgent(agent).ok());
  }
  for (int step = 0; step < 20; ++step) {
    for (const AgentId id : asked->membership()->ids) ASSERT_TRUE(asked->Explain(id).ok());
    ASSERT_TRUE(asked->Step().ok());
    ASSERT_TRUE(left->Step().ok());
    ASSERT_EQ(asked->StateHash(), left->StateHash()) << step;
  }
}

TEST(Explain, RefusesUnknownAgentsAndUnfinishedSteps) {
  const auto world = MakeWorld(Preset::kBase);
  EXPECT_TRUE(absl::IsNotFound(world->Explain(1).status()));
  const AgentId id = Put(*world, {0, 0}, {1, 0});
  ASSERT_TRUE(world->BeginStep().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(world->Explain(id).status()));
}

}  // namespace
}  // namespace throng
