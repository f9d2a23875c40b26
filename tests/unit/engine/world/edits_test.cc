// Random edits against a model of what must be there, and in any order.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;

constexpr std::size_t kIds = 120;

// All that was put in; positions and velocities are the world's own once it has stepped.
struct Model {
  std::map<AgentId, AgentSpec> agents;
  std::map<ObstacleId, ObstacleSpec> obstacles;
};

AgentSpec RandomAgent(Random& random, AgentId id) {
  AgentSpec spec;
  spec.id = id;
  spec.position = random.InBox({-20, -20}, {20, 20});
  spec.velocity = random.InBox({-1, -1}, {1, 1});
  if (random.Chance(0.5f)) spec.preferred_velocity = random.InBox({-2, -2}, {2, 2});
  spec.params = testing::RandomParams(random, 0.1f);
  return spec;
}

void EditOnce(World& world, Model& model, Random& random) {
  const AgentId id = static_cast<AgentId>(1 + random.Below(kIds));
  const auto agent = model.agents.find(id);
  switch (random.Below(8)) {
    case 0:
    case 1: {
      const AgentSpec spec = RandomAgent(random, id);
      EXPECT_EQ(world.AddAgent(spec).ok(), agent == model.agents.end());
      model.agents.try_emplace(id, spec);
      return;
    }
    case 2:
      EXPECT_EQ(world.RemoveAgent(id).ok(), agent != model.agents.end());
      model.agents.erase(id);
      return;
    case 3: {
      AgentUpdate update;
      update.position = random.InBox({-20, -20}, {20, 20});
      EXPECT_EQ(world.UpdateAgent(id, update).ok(), agent != model.agents.end());
      if (agent != model.agents.end()) agent->second.position = update.position;
      return;
    }
    case 4: {
      AgentUpdate update;
      update.velocity = random.InBox({-1, -1}, {1, 1});
      update.params.radius = random.Uniform(0.1f, 1.0f);
      EXPECT_EQ(world.UpdateAgent(id, update).ok(), agent != model.agents.end());
      if (agent != model.agents.end()) {
        agent->second.velocity = *update.velocity;
        agent->second.params.radius = update.params.radius;
      }
      return;
    }
    case 5: {
      const std::vector<AgentId> ids = {id, static_cast<AgentId>(1 + random.Below(kIds))};
      const std::vector<float> x = {random.Uniform(-2, 2), random.Uniform(-2, 2)};
      const std::vector<float> y = {random.Uniform(-2, 2), random.Uniform(-2, 2)};
      std::vector<InputRejection> rejected;
      const std::size_t applied = world.SetPreferredVelocities(ids, x, y, rejected).value();
      EXPECT_EQ(applied + rejected.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        const auto found = model.agents.find(ids[i]);
        if (found != model.agents.end()) found->second.preferred_velocity = Vec2{x[i], y[i]};
      }
      return;
    }
    default: {
      const ObstacleId obstacle_id = static_cast<ObstacleId>(1 + random.Below(12));
      const bool there = model.obstacles.contains(obstacle_id);
      ObstacleSpec spec = testing::RandomObstacle(random, {0, 0}, 20.0f);
      spec.id = obstacle_id;
      if (!there) {
        EXPECT_TRUE(world.AddObstacle(spec).ok());
        model.obstacles[obstacle_id] = spec;
      } else if (random.Chance(0.5f)) {
        EXPECT_TRUE(world.UpdateObstacle(obstacle_id, spec).ok());
        model.obstacles[obstacle_id] = spec;
      } else {
        EXPECT_TRUE(world.RemoveObstacle(obstacle_id).ok());
        model.obstacles.erase(obstacle_id);
      }
    }
  }
}

void TakeStates(const World& world, Model& model) {
  for (auto& [id, spec] : model.agents) {
    const AgentState state = world.GetAgent(id).value();
    spec.position = state.position;
    spec.velocity = state.velocity;
  }
}

// Jam relief goes by how long agents have been held up, which a world that was given their states cannot know.
std::unique_ptr<World> WorldWithoutAPast() {
  WorldSettings settings;
  settings.motion.jam_relief = false;
  return *World::Create(settings);
}

std::unique_ptr<World> Rebuild(const Model& model, Random& random) {
  auto world = WorldWithoutAPast();
  std::vector<const AgentSpec*> agents;
  for (const auto& [id, spec] : model.agents) agents.push_back(&spec);
  random.Shuffle(agents);
  std::vector<ObstacleSpec> obstacles;
  for (const auto& [id, spec] : model.obstacles) obstacles.push_back(spec);
  random.Shuffle(obstacles);
  for (const AgentSpec* const spec : agents) EXPECT_TRUE(world->AddAgent(*spec).ok());
  for (const ObstacleSpec& spec : obstacles) EXPECT_TRUE(world->AddObstacle(spec).ok());
  return world;
}

void ExpectSame(const World& world, const World& other) {
  ASSERT_EQ(world.StateHash(), other.StateHash());
  ASSERT_EQ(world.membership()->ids, other.membership()->ids);
  for (const Column column : {Column::kPositionX, Column::kPositionY, Column::kVelocityX, Column::kVelocityY,
                              Column::kPreferredVelocityX, Column::kPreferredVelocityY, Column::kRadius}) {
    std::vector<float> values(world.agent_count()), others(world.agent_count());
    world.Read(column, 0, values);
    other.Read(column, 0, others);
    ASSERT_EQ(values, others);
  }
  ASSERT_EQ(world.obstacle_ids(), other.obstacle_ids());
}

// A world edited over and over equals one that was given the end result at once, and goes on to give the same bits.
TEST(Edits, LeaveWhatAModelSays) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto world = WorldWithoutAPast();
    Model model;
    for (int round = 0; round < 25; ++round) {
      const std::size_t edits = random.Below(60);
      for (std::size_t i = 0; i < edits; ++i) EditOnce(*world, model, random);
      const auto rebuilt = Rebuild(model, random);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, *rebuilt)) << "seed " << seed << " round " << round;
      const std::size_t steps = random.Below(4);
      for (std::size_t i = 0; i < steps; ++i) {
        ASSERT_TRUE(world->Step().ok());
        ASSERT_TRUE(rebuilt->Step().ok());
        ASSERT_EQ(world->StateHash(), rebuilt->StateHash()) << "seed " << seed << " round " << round;
        ASSERT_EQ(world->stats().obstacle_edges, rebuilt->stats().obstacle_edges);
      }
      TakeStates(*world, model);
    }
  }
}

}  // namespace
}  // namespace throng
