// A world with every extension on at once, capsules among them, through edits: the engine reaches the twin's hash on
// any SIMD level, with any number of threads and any slicing. No hash is pinned here: it moves with each extension.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/support/extended_scene.h"

namespace throng::testing {
namespace {

constexpr int kTicks = 240;
constexpr int kLook = 40;  // ticks between hashes that are compared

Scene EverythingAtOnce() {
  Scene scene = Everything(400, 3);
  scene.settings.parallel_grain = 1;
  return scene;
}

// What is edited at the border before this tick: kinematic agents are sent off, some so far that they jump; a polygon
// moves on top of agents, and a capsule turns round.
std::vector<Edit> EditsBefore(int tick, const Scene& scene) {
  if (tick % 60 != 30) return {};
  std::vector<Edit> edits;
  std::uint32_t ticks = 0;
  for (const AgentSpec& agent : scene.agents) {
    if (!agent.kinematic) continue;
    AgentUpdate update;
    update.move_to = MoveTo{{static_cast<float>(tick % 80), 25}, 1 + ticks % 50};
    edits.push_back(UpdateAgentEdit{*agent.id, update});
    ticks += 7;
  }
  edits.push_back(MoveObstacleEdit{2, {.translation = Vec2{-4.0f, 1.0f}}});
  edits.push_back(MoveObstacleEdit{*scene.obstacles.back().id, {.velocity = Vec2{-1.0f, 0.5f}}});
  return edits;
}

TEST(Everything, SameHashesForAnyLevelThreadsAndSlices) {
  const Scene scene = EverythingAtOnce();
  std::map<int, std::uint64_t> expected;
  twin::Twin twin = MakeTwin(scene);
  for (int tick = 1; tick <= kTicks; ++tick) {
    for (const Edit& edit : EditsBefore(tick, scene)) Apply(edit, twin);
    twin.Step();
    if (tick % kLook == 0) expected[tick] = twin.StateHash();
  }
  for (const StepMode& mode : std::vector<StepMode>{{1, 0}, {2, 0}, {3, 0}, {8, 0}, {1, 1}, {3, 97}, {2, 4096}}) {
    for (const auto& world : MakeWorldsOfEachLevel(scene)) {
      SCOPED_TRACE(LevelOf(*world) + ", " + ToString(mode));
      for (int tick = 1; tick <= kTicks; ++tick) {
        for (const Edit& edit : EditsBefore(tick, scene)) Apply(edit, *world);
        StepIn(*world, mode);
        if (tick % kLook == 0) {
          ASSERT_EQ(world->StateHash(), expected[tick]) << "tick " << tick;
        }
      }
    }
  }
}

std::uint64_t HashAfter(const Scene& scene) {
  const auto world = MakeWorld(scene);
  for (int tick = 1; tick <= 100; ++tick) EXPECT_TRUE(world->Step().ok());
  return world->StateHash();
}

// Else the scene would not be one of everything.
TEST(Everything, EachPartOfItMatters) {
  const Scene scene = EverythingAtOnce();
  const std::uint64_t all = HashAfter(scene);
  const auto differs = [&](const std::string& part, const std::function<void(Scene&)>& without) {
    Scene less = scene;
    without(less);
    EXPECT_NE(HashAfter(less), all) << part;
  };
  differs("symmetry breaking", [](Scene& s) { s.settings.motion.symmetry_breaking = false; });
  differs("rest", [](Scene& s) { s.settings.motion.rest = false; });
  differs("separation", [](Scene& s) { s.settings.motion.separation_speed = 1.0f; });
  differs("jam relief", [](Scene& s) { s.settings.motion.jam_relief = false; });
  differs("containment", [](Scene& s) {
    s.settings.motion.containment = false;
    s.settings.bounds.reset();
  });
  differs("bounds", [](Scene& s) { s.settings.bounds.reset(); });
  differs("stale input", [](Scene& s) { s.settings.stale_input = {}; });
  differs("capsules", [](Scene& s) {
    std::erase_if(s.obstacles, [](const ObstacleSpec& o) { return o.kind == ObstacleKind::kCapsule; });
  });
  const auto of_obstacles = [&](const std::string& part, const std::function<void(ObstacleSpec&)>& without) {
    differs(part, [&](Scene& s) { std::ranges::for_each(s.obstacles, without); });
  };
  of_obstacles("layers of obstacles", [](ObstacleSpec& o) { o.layer = 1; });
  of_obstacles("bands of obstacles", [](ObstacleSpec& o) { o.band.reset(); });
  of_obstacles("capsules that move", [](ObstacleSpec& o) { o.velocity.reset(); });
  const auto of_agents = [&](const std::string& part, const std::function<void(AgentSpec&)>& without) {
    differs(part, [&](Scene& s) { std::ranges::for_each(s.agents, without); });
  };
  of_agents("layers", [](AgentSpec& a) { a.params.layer.reset(); });
  of_agents("masks", [](AgentSpec& a) { a.params.avoids.reset(); });
  of_agents("heights", [](AgentSpec& a) { a.params.z = a.params.height = std::nullopt; });
  of_agents("weights", [](AgentSpec& a) { a.params.responsibility.reset(); });
  of_agents("smoothing", [](AgentSpec& a) { a.params.smoothing_time.reset(); });
  of_agents("acceleration", [](AgentSpec& a) { a.params.max_acceleration.reset(); });
  of_agents("drives", [](AgentSpec& a) { a.params.drive.reset(); });
  of_agents("headings", [](AgentSpec& a) { a.heading.reset(); });
  of_agents("goals", [](AgentSpec& a) { a.goal.reset(); });
  of_agents("paths", [](AgentSpec& a) { a.path.reset(); });
  of_agents("kinematic agents", [](AgentSpec& a) { a.kinematic = false; });
}

TEST(Everything, EachCountOfAStepComesUp) {
  const auto world = MakeWorld(EverythingAtOnce());
  StepStats sum;
  for (int tick = 1; tick <= kTicks; ++tick) {
    ASSERT_TRUE(world->Step().ok());
    const StepStats stats = world->stats();
    sum.infeasible += stats.infeasible;
    sum.truncated += stats.truncated;
    sum.overlapping += stats.overlapping;
    sum.obstacle_edges += stats.obstacle_edges;
    sum.cut += stats.cut;
    sum.recovered += stats.recovered;
    sum.arrived += stats.arrived;
    sum.stalled += stats.stalled;
  }
  for (const std::uint64_t count : {sum.infeasible, sum.truncated, sum.overlapping, sum.obstacle_edges, sum.cut,
                                    sum.recovered, sum.arrived, sum.stalled}) {
    EXPECT_GT(count, 0u);
  }
}

}  // namespace
}  // namespace throng::testing
