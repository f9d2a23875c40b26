#include "tests/support/extended_scene.h"

#include "tests/support/random.h"

namespace throng::testing {
namespace {

constexpr Vec2 kLow{0.0f, 0.0f}, kHigh{80.0f, 50.0f};

void AddObstacles(Scene& scene) {
  const auto add = [&](ObstacleKind kind, const std::vector<Vec2>& vertices) -> ObstacleSpec& {
    scene.obstacles.push_back({static_cast<ObstacleId>(scene.obstacles.size() + 1), kind, vertices});
    return scene.obstacles.back();
  };
  add(ObstacleKind::kSolid, {{20, 10}, {32, 10}, {32, 14}, {24, 14}, {24, 22}, {32, 22}, {32, 26}, {20, 26}});
  add(ObstacleKind::kSolid, {{50, 30}, {58, 34}, {52, 40}});
  add(ObstacleKind::kWall, {{40, 5}, {44, 20}, {40, 35}});
  add(ObstacleKind::kSolid, {{66, -5}, {74, -5}, {74, 12}, {66, 12}});  // across the bounds
  add(ObstacleKind::kWall, {{10, 30}, {18, 44}}).layer = 2;
  add(ObstacleKind::kSolid, {{60, 18}, {70, 18}, {70, 26}, {60, 26}}).band = HeightBand{2.0f, 3.0f};
}

void DrawParams(Random& random, AgentSpec& agent) {
  AgentParamsPatch& params = agent.params;
  params.radius = random.Uniform(0.2f, 0.6f);
  params.max_speed = random.Uniform(1.0f, 2.5f);
  params.neighbor_distance = 6.0f;
  if (random.Chance(0.3f)) params.max_neighbors = static_cast<std::uint32_t>(random.Below(24));
  if (random.Chance(0.3f)) params.responsibility = random.Uniform(0.0f, 3.0f);
  if (random.Chance(0.3f)) params.layer = 1 + static_cast<std::uint32_t>(random.Below(3));
  if (random.Chance(0.3f)) params.avoids = static_cast<std::uint32_t>(random.Below(4));
  if (random.Chance(0.2f)) params.z = random.Uniform(0.0f, 3.0f);
  if (random.Chance(0.3f)) params.height = random.Uniform(0.0f, 2.0f);
  if (random.Chance(0.3f)) params.smoothing_time = random.Uniform(0.1f, 0.8f);
  if (random.Chance(0.3f)) params.max_acceleration = random.Uniform(0.5f, 4.0f);
  if (random.Chance(0.4f)) params.max_turn_rate = random.Uniform(0.5f, 6.0f);
  if (params.max_turn_rate && random.Chance(0.5f)) params.drive = Drive::kDifferential;
  if (random.Chance(0.2f)) agent.heading = random.Uniform(-3.0f, 3.0f);
}

// What it goes by: a velocity, a goal, a path, or nothing.
void DrawWay(Random& random, AgentSpec& agent) {
  switch (random.Below(5)) {
    case 0:
      return;
    case 1:
      agent.preferred_velocity = random.Chance(0.3f) ? Vec2{} : random.InBox({-2, -2}, {2, 2});
      return;
    case 2: {
      Path path;
      for (std::size_t i = 1 + random.Below(4); i > 0; --i) path.points.push_back(random.InBox(kLow, kHigh));
      agent.path = path;
      return;
    }
    default:
      // A fifth of these to the same place, until it is crowded.
      agent.goal = random.Chance(0.2f) ? Vec2{10, 10} : random.InBox(kLow, kHigh);
  }
}

}  // namespace

Scene AllExtensions(std::size_t agents, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  scene.settings.seed = seed;
  scene.settings.bounds = Rectangle{kLow, kHigh};
  scene.settings.stale_input = {StaleInputPolicy::kDecay, 60, 1.0f};
  AddObstacles(scene);
  for (std::size_t i = 0; i < agents; ++i) {
    AgentSpec agent;
    agent.id = static_cast<AgentId>(i + 1);
    // Some outside of the bounds, and some in solids.
    agent.position = random.InBox({kLow.x - 2, kLow.y - 2}, {kHigh.x + 2, kHigh.y + 2});
    DrawParams(random, agent);
    if (random.Chance(0.02f)) {
      agent.kinematic = true;
      agent.preferred_velocity = random.InBox({-1, -1}, {1, 1});
    } else {
      DrawWay(random, agent);
    }
    scene.agents.push_back(agent);
  }
  return scene;
}

Scene Everything(std::size_t agents, std::uint64_t seed) {
  Scene scene = AllExtensions(agents, seed);
  Random random(seed + 1);
  const Vec2 middle{0.5f * (kLow.x + kHigh.x), 0.5f * (kLow.y + kHigh.y)};
  for (int i = 0; i < 24; ++i) {
    ObstacleSpec capsule = RandomCapsule(random, middle, 0.5f * (kHigh.y - kLow.y));
    capsule.id = static_cast<ObstacleId>(scene.obstacles.size() + 1);
    if (i % 3 == 0) capsule.layer = 2;
    if (i % 4 == 0) capsule.band = HeightBand{1.0f, 1.0f};
    scene.obstacles.push_back(capsule);
  }
  return scene;
}

}  // namespace throng::testing
