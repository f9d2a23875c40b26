// Memory shrinks again after a peak, whatever made it: agents, the index that served them, lists, workers.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <string>

#include "tests/support/scenes.h"
#include "tests/support/speed_scenes.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Scene;

void Step(World& world, int steps) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(world.Step().ok());
}

std::unique_ptr<World> Make(const Scene& scene) {
  auto world = World::Create(scene.settings);
  EXPECT_TRUE(world.ok()) << world.status();
  for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
  return *std::move(world);
}

void RemoveAllBut(World& world, std::size_t left) {
  const auto membership = world.membership();
  for (std::size_t i = left; i < membership->ids.size(); ++i) ASSERT_TRUE(world.RemoveAgent(membership->ids[i]).ok());
}

struct Peak {
  std::string name;
  Scene (*make)(std::size_t agents);
};
void PrintTo(const Peak& peak, std::ostream* out) { *out << peak.name; }

class MemoryAfter : public ::testing::TestWithParam<Peak> {
 protected:
  static constexpr std::size_t kMany = 30'000, kFew = 200;
};

// No more than twice what a world holds that never had more.
TEST_P(MemoryAfter, AgentsLeftOneByOne) {
  const auto small = Make(GetParam().make(kFew));
  Step(*small, 3);
  const auto world = Make(GetParam().make(kMany));
  Step(*world, 3);
  const std::size_t peak = world->memory_bytes();
  RemoveAllBut(*world, kFew);
  Step(*world, 300);  // so that the index has been chosen anew
  EXPECT_LT(world->memory_bytes(), peak / 20);
  EXPECT_LT(world->memory_bytes(), 2 * small->memory_bytes() + 64 * 1024);
}

TEST_P(MemoryAfter, AllAgentsLeftAtOnce) {
  const auto world = Make(GetParam().make(kMany));
  Step(*world, 3);
  ASSERT_TRUE(world->RemoveAllAgents().ok());
  Step(*world, 2);
  EXPECT_LT(world->memory_bytes(), 64 * 1024u);
}

TEST(MemoryAfterObstacles, AFewAreLeft) {
  Scene scene = testing::Crossing({.agents = 100});
  for (ObstacleId id = 1; id <= 10'000; ++id) {
    const float x = static_cast<float>(id % 100) * 7.0f - 2.0f, y = static_cast<float>(id / 100) * 7.0f - 2.0f;
    scene.obstacles.push_back({id, ObstacleKind::kSolid, {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}}});
  }
  const auto world = Make(scene);
  Step(*world, 1);
  scene.obstacles.resize(20);
  const auto small = Make(scene);
  Step(*small, 1);
  const std::size_t peak = world->memory_bytes();
  for (ObstacleId id = 21; id <= 10'000; ++id) ASSERT_TRUE(world->RemoveObstacle(id).ok());
  Step(*world, 1);
  EXPECT_LT(world->memory_bytes(), peak / 50);
  EXPECT_LT(world->memory_bytes(), 2 * small->memory_bytes() + 64 * 1024);
}

INSTANTIATE_TEST_SUITE_P(
    Peaks, MemoryAfter,
    ::testing::Values(Peak{"grid", [](std::size_t n) { return testing::Crossing({.agents = n, .shuffle_ids = true}); }},
                      Peak{"tree", [](std::size_t n) { return testing::TightClusters(n, 1 + n / 100); }},
                      Peak{"stale_inputs",
                           [](std::size_t n) {
                             Scene scene = testing::Crossing({.agents = n});
                             scene.settings.stale_input.policy = StaleInputPolicy::kStop;
                             return scene;
                           }}),
    [](const auto& peak) { return peak.param.name; });

TEST(Memory, OfWorkersShrinksWithTheCrowd) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  Scene scene = testing::Crossing({.agents = 3'000});
  for (AgentSpec& agent : scene.agents) agent.params.max_neighbors = 64;
  scene.settings.parallel_grain = 1'000;
  const auto world = Make(scene);
  arena.execute([&] { Step(*world, 3); });
  const std::size_t peak = world->memory_bytes();
  RemoveAllBut(*world, 100);
  arena.execute([&] { Step(*world, 3); });
  // The room of one worker is 3 buffers of 64 rows of 256 bytes. Columns of less than 1,024 agents stay.
  EXPECT_LT(world->memory_bytes(), 1024 * 150 + 3 * 64 * 256);
  EXPECT_LT(world->memory_bytes(), peak - 7 * 3 * 64 * 256);
}

// Where the index goes from the tree back to the grid.
TEST(Memory, OfTheTreeShrinksOnceTheGridServes) {
  const auto even = Make(testing::Crossing({.agents = 20'000}));
  Step(*even, 3);
  const auto world = Make(testing::TightClusters(20'000, 50));
  Step(*world, 3);
  const Scene apart = testing::Crossing({.agents = 20'000});
  for (const AgentSpec& agent : apart.agents) {
    AgentUpdate update;
    update.position = agent.position;
    ASSERT_TRUE(world->UpdateAgent(*agent.id, update).ok());
  }
  Step(*world, 200);  // the grid is tried again once the tree has been sorted some times
  // The membership and the tree's own are kept where they are small.
  EXPECT_LT(world->memory_bytes(), even->memory_bytes() + 20'000 * 16);
}

// The columns of responsibilities are there while some agent has one that is not 1.
TEST(Memory, OfResponsibilitiesLastsAsLongAsTheyDo) {
  const auto world = Make(testing::Crossing({.agents = 5'000}));
  Step(*world, 3);
  const std::size_t without = world->memory_bytes();
  AgentUpdate update;
  update.params.responsibility = 0.0f;
  ASSERT_TRUE(world->UpdateAgent(7, update).ok());
  EXPECT_GE(world->memory_bytes(), without + 5'000 * 5);
  Step(*world, 20);
  EXPECT_EQ(world->GetAgent(7)->params.responsibility, 0.0f);
  EXPECT_EQ(world->GetAgent(7)->params.max_neighbors, testing::WalkerParams().max_neighbors);
  EXPECT_EQ(world->GetAgent(8)->params.responsibility, 1.0f);
  update.params.responsibility = 1.0f;
  ASSERT_TRUE(world->UpdateAgent(7, update).ok());
  EXPECT_EQ(world->GetAgent(7)->params.max_neighbors, testing::WalkerParams().max_neighbors);
  Step(*world, 20);  // sorts, at the latest
  EXPECT_LE(world->memory_bytes(), without);
}

}  // namespace
}  // namespace throng
