// Random worlds with random settings, parameters, edits and slices, engine against twin. THRONG_RANDOM_WORLDS says how
// many; ctest runs a few, and many under the label `long`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/differential/foretold.h"
#include "throng/limits.h"

namespace throng::testing {
namespace {

int WorldsToTry() {
  const char* text = std::getenv("THRONG_RANDOM_WORLDS");
  return text == nullptr ? 27 : std::atoi(text);
}

float NearTo(float coordinate, Random& random) {
  return std::clamp(coordinate + random.Uniform(-20.0f, 20.0f), -kMaxCoordinate, kMaxCoordinate);
}

Scene RandomScene(Shape shape, Random& random) {
  const std::size_t most = random.Chance(0.1f) ? 2'000 : 250;
  const std::size_t agents = 20 + random.Below(most);
  Scene scene = RandomCrowd(shape, agents, random.Next());
  scene.settings.parallel_grain = 1;
  if (random.Chance(0.3f)) scene.settings.time_step = random.Chance(0.5f) ? 0.001f : 1.0f;
  for (AgentSpec& agent : scene.agents) {
    for (std::optional<float>* const horizon : {&agent.params.time_horizon, &agent.params.time_horizon_obstacles}) {
      if (*horizon) *horizon = std::max(**horizon, scene.settings.time_step);
    }
  }
  const bool mixed = random.Chance(0.3f);
  const bool crowded_lists = random.Chance(0.2f);
  const bool shots = random.Chance(0.1f);  // velocities far past what any agent could choose
  const float goals = random.Chance(0.5f) ? random.Uniform(0.0f, 1.0f) : 0.0f;  // share of agents that have one
  for (AgentSpec& agent : scene.agents) {
    if (random.Chance(goals)) {
      agent.preferred_velocity.reset();
      const Vec2 near{NearTo(agent.position->x, random), NearTo(agent.position->y, random)};
      const Vec2 low{std::min(near.x, agent.position->x), std::min(near.y, agent.position->y)};
      const Vec2 high{std::max(near.x, agent.position->x), std::max(near.y, agent.position->y)};
      if (random.Chance(0.5f)) {
        agent.goal = near;
      } else {
        agent.path = RandomPath(random, low, high);
      }
      DrawGoalParams(random, agent.params);
    }
    if (mixed && random.Chance(0.5f)) agent.params = RandomParams(random, scene.settings.time_step);
    if (crowded_lists) agent.params.max_neighbors = random.Chance(0.5f) ? 64 : 17;
    if (shots && random.Chance(0.3f)) agent.velocity = {agent.velocity.x * 5e5f, agent.velocity.y};
  }
  return scene;
}

void Try(Shape shape, std::uint64_t seed) {
  Random random(seed);
  const Scene scene = RandomScene(shape, random);
  const auto worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  Editor editor(scene, seed, {.sights = random.Chance(0.2f), .moves = random.Chance(0.3f)});
  const float edits_at_a_border = random.Chance(0.6f) ? 0.3f : 0.0f;
  const int steps = static_cast<int>(20 + random.Below(100));
  for (int step = 1; step <= steps; ++step) {
    if (random.Chance(edits_at_a_border)) {
      for (const Edit& edit : editor.Next()) {
        for (const auto& world : worlds) Apply(edit, *world);
        Apply(edit, twin);
      }
    }
    const Foretold foretold(*worlds.back(), 2, random);
    twin.Step();
    for (const auto& world : worlds) {
      const int threads = random.Chance(0.2f) ? 3 : 1;
      StepIn(*world, {threads, random.Chance(0.2f) ? 1 + random.Below(3'000) : 0});
      if (world->StateHash() == twin.StateHash() && step % 20 != 0) continue;
      const auto difference = FirstDifference(*world, twin);
      ASSERT_FALSE(difference.has_value()) << LevelOf(*world) << ", step " << step << ": " << *difference;
    }
    foretold.Expect(*worlds.back());
    ASSERT_FALSE(::testing::Test::HasFailure()) << "explained before step " << step;
  }
}

TEST(RandomWorldsTest, SameBits) {
  for (int i = 0; i < WorldsToTry(); ++i) {
    const Shape shape = kAllShapes[static_cast<std::size_t>(i) % kAllShapes.size()];
    const auto seed = static_cast<std::uint64_t>(1'000 + i);
    SCOPED_TRACE("shape " + ToString(shape) + " seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(Try(shape, seed));
  }
}

}  // namespace
}  // namespace throng::testing
