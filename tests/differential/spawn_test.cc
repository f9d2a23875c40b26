// Placements, engine against twin: the same agents come to stand at the same places, to the bit, or are refused, while
// a world steps, is edited, and grows.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "throng/limits.h"

namespace throng::testing {
namespace {

struct Box {
  Vec2 low, high;
};

Box BoxOf(const Scene& scene) {
  Box box{*scene.agents[0].position, *scene.agents[0].position};
  for (const AgentSpec& agent : scene.agents) {
    box.low = {std::min(box.low.x, agent.position->x), std::min(box.low.y, agent.position->y)};
    box.high = {std::max(box.high.x, agent.position->x), std::max(box.high.y, agent.position->y)};
  }
  return box;
}

AgentSpec RandomNewcomer(Random& random, AgentId id, const Scene& scene, const Box& box) {
  AgentSpec spec;
  spec.id = id;
  // Many where others stand already, some of them exactly there.
  const AgentSpec& other = scene.agents[random.Below(scene.agents.size())];
  spec.position = random.Chance(0.5f) ? *other.position : random.InBox(box.low, box.high);
  spec.params.radius = other.params.radius;
  spec.params.max_speed = other.params.max_speed;
  spec.kinematic = random.Chance(0.1f);
  if (random.Chance(0.4f)) DrawSight(random, spec.params);
  spec.placement = random.Chance(0.3f) ? Placement::kReject : Placement::kNudge;
  const float radius = spec.params.radius.value_or(scene.settings.agent_defaults.radius);
  if (random.Chance(0.5f)) spec.nudge_distance = std::min(1000.0f, radius * random.Uniform(0.5f, 40.0f));
  return spec;
}

// Adds at every border, in worlds of each level and the twin.
void Grow(Scene scene, std::uint64_t seed, int steps, std::size_t adds) {
  const Box box = BoxOf(scene);
  const auto worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  Random random(seed);
  AgentId next = 1'000'000;
  std::size_t added = 0, moved = 0, refused = 0;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = random.Below(2 * adds); i > 0; --i) {
      const AgentSpec spec = RandomNewcomer(random, next++, scene, box);
      const bool fits = twin.AddAgent(spec);
      for (const auto& world : worlds) {
        const auto id = world->AddAgent(spec);
        ASSERT_EQ(id.ok(), fits) << "step " << step << ", agent " << *spec.id << ": " << id.status();
        if (!fits) continue;
        const Vec2 place = world->GetAgent(*id)->position, expected = twin.agent(*id).position;
        ASSERT_EQ(place, expected) << "step " << step << ", agent " << *id << ": (" << place.x << ", " << place.y
                                   << "), in the twin (" << expected.x << ", " << expected.y << ")";
      }
      refused += fits ? 0 : 1;
      added += fits ? 1 : 0;
      moved += fits && twin.agent(*spec.id).position != *spec.position ? 1 : 0;
      if (fits && random.Chance(0.1f)) {
        for (const auto& world : worlds) ASSERT_TRUE(world->RemoveAgent(*spec.id).ok());
        twin.RemoveAgent(*spec.id);
      }
    }
    twin.Step();
    for (const auto& world : worlds) {
      StepIn(*world, {});
      ASSERT_EQ(world->StateHash(), twin.StateHash()) << FirstDifference(*world, twin).value_or("hash");
    }
  }
  EXPECT_GT(added, 0u);
  EXPECT_GT(moved + refused, 0u);
}

class SpawnTest : public ::testing::TestWithParam<Shape> {};

Scene CrowdOf(Shape shape, std::size_t agents, std::uint64_t seed) {
  Scene scene = RandomCrowd(shape, agents, seed);
  scene.settings.seed = seed;
  return scene;
}

TEST_P(SpawnTest, AgentsComeToStandAtTheSamePlaces) { Grow(CrowdOf(GetParam(), 120, 51), 51, 15, 8); }

// More at once than a look at all agents is worth.
TEST_P(SpawnTest, ManyAtOnceComeToStandAtTheSamePlaces) { Grow(CrowdOf(GetParam(), 200, 52), 52, 3, 60); }

TEST_P(SpawnTest, AgentsComeToStandAtTheSamePlacesAmongAllElse) {
  Scene scene = CrowdOf(GetParam(), 100, 53);
  scene.settings.preset = Preset::kDefault;
  const Box box = BoxOf(scene);
  const auto at = [](float a, float b, float part) { return a + part * (b - a); };
  const Vec2 middle{at(box.low.x, box.high.x, 0.5f), at(box.low.y, box.high.y, 0.5f)};
  const float half = std::min(500.0f, 0.4f * std::max(box.high.x - box.low.x, box.high.y - box.low.y));
  scene.settings.bounds = Rectangle{{middle.x - half, middle.y - half}, {middle.x + half, middle.y + half}};
  if (!Validate(scene.settings).ok()) scene.settings.bounds.reset();
  Random random(53);
  for (int attempt = 0; attempt < 40 && scene.obstacles.size() < 10; ++attempt) {
    ObstacleSpec obstacle = RandomObstacle(random, middle, half);
    obstacle.id = static_cast<ObstacleId>(scene.obstacles.size() + 1);
    DrawSight(random, obstacle);
    if (Validate(obstacle).ok()) scene.obstacles.push_back(obstacle);
  }
  Grow(scene, 53, 12, 8);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SpawnTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

}  // namespace
}  // namespace throng::testing
