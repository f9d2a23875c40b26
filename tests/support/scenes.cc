#include "tests/support/scenes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/random.h"

namespace throng::testing {
namespace {

// Never two draws in one expression: their order would be the compiler's choice.

constexpr float kPi = 3.14159265f;

std::vector<AgentId> Ids(std::size_t count, bool shuffled, Random& random) {
  std::vector<AgentId> ids(count);
  std::iota(ids.begin(), ids.end(), AgentId{1});
  if (shuffled) random.Shuffle(ids);
  return ids;
}

void AddAgent(Scene& scene, Vec2 position, Vec2 velocity, Vec2 preferred) {
  AgentSpec spec;
  spec.id = static_cast<AgentId>(scene.agents.size() + 1);
  spec.position = position;
  spec.velocity = velocity;
  spec.preferred_velocity = preferred;
  scene.agents.push_back(spec);
}

Vec2 Scaled(float scale, Vec2 v) { return {scale * v.x, scale * v.y}; }
Vec2 Sum(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }

void AddObstacle(Scene& scene, ObstacleKind kind, std::vector<Vec2> vertices) {
  scene.obstacles.push_back({static_cast<ObstacleId>(scene.obstacles.size() + 1), kind, std::move(vertices)});
}

std::vector<Vec2> Rectangle(Vec2 low, Vec2 high) { return {low, {high.x, low.y}, high, {low.x, high.y}}; }

// A random walker somewhere in the box.
void AddWalker(Scene& scene, Random& random, Vec2 low, Vec2 high) {
  const Vec2 position = random.InBox(low, high);
  const Vec2 heading = random.UnitVector();
  const float speed = random.Uniform(0.0f, 1.5f);
  const float preferred_speed = random.Uniform(0.0f, 2.5f);
  AddAgent(scene, position, Scaled(speed, heading), Scaled(preferred_speed, heading));
}

// Half the side of a square in which agents of radius 0.5 cover a part of the ground.
float ExtentFor(std::size_t agents, float cover) {
  return 0.5f * std::sqrt(static_cast<float>(agents) * (kPi * 0.25f) / cover);
}

void FillUniform(Scene& scene, std::size_t agents, Vec2 center, Random& random) {
  const float extent = ExtentFor(agents, 0.3f);
  for (std::size_t i = 0; i < agents; ++i) {
    AddWalker(scene, random, {center.x - extent, center.y - extent}, {center.x + extent, center.y + extent});
  }
}

void FillClustered(Scene& scene, std::size_t agents, Random& random) {
  const float extent = ExtentFor(agents, 0.02f);
  std::vector<Vec2> centers(1 + agents / 60);
  for (Vec2& center : centers) center = random.InBox({-extent, -extent}, {extent, extent});
  for (std::size_t i = 0; i < agents; ++i) {
    const bool stray = random.Chance(0.1f);
    const Vec2 center = stray ? Vec2{} : centers[random.Below(centers.size())];
    const float reach = stray ? extent : random.Uniform(0.2f, 4.0f);
    AddWalker(scene, random, {center.x - reach, center.y - reach}, {center.x + reach, center.y + reach});
  }
}

void FillCoincident(Scene& scene, std::size_t agents, Random& random) {
  const float extent = ExtentFor(agents, 0.2f);
  for (std::size_t i = 0; i < agents; ++i) {
    AddWalker(scene, random, {-extent, -extent}, {extent, extent});
    if (i == 0 || !random.Chance(0.7f)) continue;
    const AgentSpec& other = scene.agents[random.Below(i)];
    scene.agents[i].position = other.position;
    if (random.Chance(0.5f)) scene.agents[i].velocity = other.velocity;
  }
}

void FillLattice(Scene& scene, std::size_t agents, Random& random) {
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(agents))));
  for (std::size_t i = 0; i < agents; ++i) {
    const Vec2 place{1.5f * static_cast<float>(i % side), 1.5f * static_cast<float>(i / side)};
    const Vec2 heading{random.Chance(0.5f) ? 1.25f : -1.25f, 0.0f};
    AddAgent(scene, place, random.Chance(0.5f) ? heading : Vec2{}, heading);
  }
}

void FillSparse(Scene& scene, std::size_t agents, Random& random) {
  for (std::size_t i = 0; i < agents; ++i) {
    AddWalker(scene, random, {-1.0e6f, -1.0e6f}, {1.0e6f, 1.0e6f});
    if (i % 3 == 1) {
      scene.agents[i].position = Sum(*scene.agents[i - 1].position, Scaled(1.5f, random.UnitVector()));
    }
  }
}

void FillMixed(Scene& scene, std::size_t agents, Random& random) {
  const float extent = ExtentFor(agents, 0.2f);
  for (std::size_t i = 0; i < agents; ++i) {
    AddWalker(scene, random, {-extent, -extent}, {extent, extent});
    scene.agents[i].params = RandomParams(random, scene.settings.time_step);
    if (random.Chance(0.1f)) scene.agents[i].preferred_velocity.reset();
  }
}

void FillObstacles(Scene& scene, std::size_t agents, Random& random) {
  const float extent = ExtentFor(agents, 0.1f);
  AddObstacle(scene, ObstacleKind::kEnclosure, Rectangle({-extent, -extent}, {extent, extent}));
  for (std::size_t i = 0; i < 3 + agents / 30; ++i) {
    ObstacleSpec spec = RandomObstacle(random, {}, extent);
    AddObstacle(scene, spec.kind, spec.vertices);
  }
  for (std::size_t i = 0; i < agents; ++i) AddWalker(scene, random, {-extent, -extent}, {extent, extent});
}

void FillTiny(Scene& scene, std::size_t agents, Random& random) {
  constexpr std::array<float, 6> kScales = {0.0f, 1e-42f, 1e-30f, 1e-20f, 1e-12f, 1e-3f};
  const auto scale = [&] { return kScales[random.Below(kScales.size())]; };
  const auto vector = [&] {
    const float length = scale();
    return Scaled(length, random.UnitVector());
  };
  for (std::size_t i = 0; i < agents; ++i) {
    const Vec2 position = vector();
    const Vec2 velocity = vector();
    AddAgent(scene, position, velocity, vector());
    if (random.Chance(0.3f)) scene.agents[i].params.radius = random.Chance(0.5f) ? 1e-40f : 1e-18f;
    if (random.Chance(0.3f)) scene.agents[i].params.max_speed = scale();
    if (random.Chance(0.2f)) scene.agents[i].params.neighbor_distance = scale();
  }
  AddObstacle(scene, ObstacleKind::kWall, {{0.0f, 0.0f}, {0.0f, 1e-3f}});
  AddObstacle(scene, ObstacleKind::kSolid, Rectangle({1.0f, -1.0f}, {2.0f, 1.0f}));
}

}  // namespace

AgentParams WalkerParams() {
  AgentParams params;
  params.radius = 0.5f;
  params.max_speed = 2.0f;
  params.neighbor_distance = 5.0f;
  params.max_neighbors = 10;
  params.time_horizon = 2.0f;
  params.time_horizon_obstacles = 1.0f;
  return params;
}

WorldSettings CrossingSettings() {
  WorldSettings settings;
  settings.time_step = 1.0f / 30.0f;
  settings.preset = Preset::kBase;
  settings.agent_defaults = WalkerParams();
  return settings;
}

Scene Crossing(const CrossingOptions& options) {
  Random random(options.seed);
  Scene scene;
  scene.settings = CrossingSettings();
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(options.agents))));
  const float spacing = std::sqrt(kPi * 0.25f / options.cover);
  const float jitter = std::max(0.0f, 0.5f * (spacing - 1.0f));  // radius 0.5: none overlap
  const std::vector<AgentId> ids = Ids(options.agents, options.shuffle_ids, random);
  for (std::size_t i = 0; i < options.agents; ++i) {
    const Vec2 place{spacing * static_cast<float>(i % side), spacing * static_cast<float>(i / side)};
    const Vec2 heading{random.Chance(0.5f) ? 1.3f : -1.3f, 0.0f};
    AddAgent(scene, Sum(place, random.InBox({-jitter, -jitter}, {jitter, jitter})), heading, heading);
    scene.agents.back().id = ids[i];
  }
  return scene;
}

Scene Ring(std::size_t agents) {
  Scene scene;
  scene.settings.time_step = 0.1f;
  scene.settings.preset = Preset::kBase;
  const float radius = 2.0f + 0.5f * static_cast<float>(agents);
  for (std::size_t i = 0; i < agents; ++i) {
    const Vec2 outward = AtTurns(static_cast<double>(i) / static_cast<double>(agents));
    AddAgent(scene, Scaled(radius, outward), {}, Scaled(-1.5f, outward));
  }
  return scene;
}

Scene Town(std::size_t agents, std::size_t blocks_a_side, std::uint64_t seed) {
  constexpr float kBlock = 12.0f;
  constexpr float kStreet = 6.0f;
  constexpr float kPitch = kBlock + kStreet;
  Random random(seed);
  Scene scene;
  scene.settings.preset = Preset::kBase;
  scene.settings.agent_defaults = WalkerParams();
  const float side = static_cast<float>(blocks_a_side) * kPitch + kStreet;
  AddObstacle(scene, ObstacleKind::kEnclosure, Rectangle({0.0f, 0.0f}, {side, side}));
  for (std::size_t i = 0; i < blocks_a_side * blocks_a_side; ++i) {
    const Vec2 low{kStreet + kPitch * static_cast<float>(i % blocks_a_side),
                   kStreet + kPitch * static_cast<float>(i / blocks_a_side)};
    AddObstacle(scene, ObstacleKind::kSolid, Rectangle(low, {low.x + kBlock, low.y + kBlock}));
    if (random.Chance(0.2f)) {
      AddObstacle(scene, ObstacleKind::kWall, {{low.x - kStreet, low.y}, {low.x - 2.0f, low.y}});
    }
  }
  for (std::size_t i = 0; i < agents; ++i) {
    const float street = kPitch * static_cast<float>(random.Below(blocks_a_side + 1));
    const float across = street + random.Uniform(0.6f, 5.4f);
    const float along = random.Uniform(0.6f, side - 0.6f);
    const float speed = random.Chance(0.5f) ? 1.3f : -1.3f;
    if (random.Chance(0.5f)) {
      AddAgent(scene, {along, across}, {}, {speed, 0.0f});
    } else {
      AddAgent(scene, {across, along}, {}, {0.0f, speed});
    }
  }
  return scene;
}

std::string ToString(Shape shape) {
  switch (shape) {
    case Shape::kUniform:
      return "Uniform";
    case Shape::kClustered:
      return "Clustered";
    case Shape::kCoincident:
      return "Coincident";
    case Shape::kLattice:
      return "Lattice";
    case Shape::kFar:
      return "Far";
    case Shape::kSparse:
      return "Sparse";
    case Shape::kMixed:
      return "Mixed";
    case Shape::kObstacles:
      return "Obstacles";
    case Shape::kTiny:
      return "Tiny";
  }
  return "Unknown";
}

Scene RandomCrowd(Shape shape, std::size_t agents, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  scene.settings.preset = Preset::kBase;
  scene.settings.time_step = 0.1f;
  scene.settings.agent_defaults = WalkerParams();
  switch (shape) {
    case Shape::kUniform:
      FillUniform(scene, agents, {}, random);
      break;
    case Shape::kClustered:
      FillClustered(scene, agents, random);
      break;
    case Shape::kCoincident:
      FillCoincident(scene, agents, random);
      break;
    case Shape::kLattice:
      FillLattice(scene, agents, random);
      break;
    case Shape::kFar:
      FillUniform(scene, agents, {1048560.0f, -1048560.0f}, random);
      for (AgentSpec& agent : scene.agents) {
        agent.position->x = std::min(agent.position->x, 1048576.0f);
        agent.position->y = std::max(agent.position->y, -1048576.0f);
      }
      break;
    case Shape::kSparse:
      FillSparse(scene, agents, random);
      break;
    case Shape::kMixed:
      FillMixed(scene, agents, random);
      break;
    case Shape::kObstacles:
      FillObstacles(scene, agents, random);
      break;
    case Shape::kTiny:
      FillTiny(scene, agents, random);
      break;
  }
  const std::vector<AgentId> ids = Ids(agents, /*shuffled=*/true, random);
  for (std::size_t i = 0; i < agents; ++i) scene.agents[i].id = ids[i];
  return scene;
}

// Star-shaped around its own centre, so that it never crosses itself, in either direction of turning.
ObstacleSpec RandomObstacle(Random& random, Vec2 center, float extent) {
  ObstacleSpec spec;
  const float size = random.Uniform(0.05f, 0.3f) * extent;
  const float inner = extent - size;
  const Vec2 middle = Sum(center, random.InBox({-inner, -inner}, {inner, inner}));
  const bool wall = random.Chance(0.3f);
  spec.kind = wall ? ObstacleKind::kWall : (random.Chance(0.1f) ? ObstacleKind::kEnclosure : ObstacleKind::kSolid);
  const std::size_t count = wall ? 2 + random.Below(4) : 3 + random.Below(6);
  const double begin = static_cast<double>(random.Uniform(0.0f, 1.0f));
  const double direction = random.Chance(0.5f) ? 1.0 : -1.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double turns = begin + direction * static_cast<double>(i) / static_cast<double>(count);
    spec.vertices.push_back(Sum(middle, Scaled(size * random.Uniform(0.4f, 1.0f), AtTurns(turns))));
  }
  return spec;
}

// A disc now and then, or one as long as the square is wide; most of them move, some very fast.
ObstacleSpec RandomCapsule(Random& random, Vec2 center, float extent) {
  ObstacleSpec spec;
  spec.kind = ObstacleKind::kCapsule;
  spec.radius = random.Uniform(0.005f, 0.1f) * extent;
  const float length = (random.Chance(0.1f) ? 2.0f : random.Uniform(0.0f, 0.4f)) * extent;
  const Vec2 start = Sum(center, random.InBox({-extent, -extent}, {extent, extent}));
  const Vec2 end = Sum(start, Scaled(length, random.UnitVector()));
  spec.vertices = {start, random.Chance(0.2f) ? start : end};
  if (random.Chance(0.8f)) spec.velocity = Scaled(random.Chance(0.1f) ? 300.0f : 2.0f, random.UnitVector());
  return spec;
}

AgentParamsPatch RandomParams(Random& random, float time_step) {
  AgentParamsPatch patch;
  patch.radius = random.Chance(0.05f) ? random.Uniform(1.0f, 5.0f) : random.Uniform(0.05f, 1.0f);
  if (random.Chance(0.8f)) patch.max_speed = random.Chance(0.1f) ? 0.0f : random.Uniform(0.1f, 5.0f);
  if (random.Chance(0.8f)) patch.neighbor_distance = random.Chance(0.1f) ? 0.0f : random.Uniform(0.5f, 15.0f);
  if (random.Chance(0.8f)) patch.max_neighbors = static_cast<std::uint32_t>(random.Below(25));
  if (random.Chance(0.02f)) patch.max_neighbors = 64;
  if (random.Chance(0.8f)) patch.time_horizon = random.Chance(0.1f) ? 0.01f : random.Uniform(0.1f, 20.0f);
  if (random.Chance(0.8f)) patch.time_horizon_obstacles = random.Uniform(0.05f, 5.0f);
  for (std::optional<float>* const horizon : {&patch.time_horizon, &patch.time_horizon_obstacles}) {
    if (*horizon) *horizon = std::max(**horizon, time_step);
  }
  return patch;
}

}  // namespace throng::testing
