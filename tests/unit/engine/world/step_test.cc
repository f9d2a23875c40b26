#include "world/step.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
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

std::vector<std::uint64_t> Hashes(World& world, int steps) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(world.Step().ok());
    hashes.push_back(world.StateHash());
  }
  return hashes;
}

// Scenes that between them use every part of a step, of a size that has several blocks.
std::vector<Scene> Scenes() {
  std::vector<Scene> scenes = {testing::Crossing({.agents = 3000}), testing::Town(1500, 5, 2)};
  for (const Shape shape : {Shape::kClustered, Shape::kCoincident, Shape::kMixed, Shape::kObstacles}) {
    scenes.push_back(testing::RandomCrowd(shape, 1500, 3));
  }
  for (Scene& scene : scenes) {
    scene.settings.parallel_grain = 1;
    scene.settings.stale_input = {StaleInputPolicy::kDecay, 3, 0.5f};
  }
  return scenes;
}

TEST(Step, SameBitsForAnySlicing) {
  Random random(1);
  for (const Scene& scene : Scenes()) {
    const auto whole = Make(scene), sliced = Make(scene);
    const std::vector<std::uint64_t> expected = Hashes(*whole, 8);
    for (int step = 0; step < 8; ++step) {
      ASSERT_TRUE(sliced->BeginStep().ok());
      Phase phase = sliced->phase();
      EXPECT_EQ(phase, Phase::kApply);
      while (phase != Phase::kIdle) {
        const Phase next = sliced->Advance(step == 0 ? 1 : random.Below(1000));
        EXPECT_TRUE(next == phase || static_cast<int>(next) == (static_cast<int>(phase) + 1) % 5)
            << "a slice ends with its phase";
        EXPECT_EQ(sliced->phase(), next);
        phase = next;
      }
      ASSERT_EQ(sliced->StateHash(), expected[static_cast<std::size_t>(step)]);
    }
    EXPECT_EQ(sliced->stats().neighbors, whole->stats().neighbors);
    EXPECT_EQ(sliced->stats().overlapping, whole->stats().overlapping);
    EXPECT_EQ(sliced->stats().obstacle_edges, whole->stats().obstacle_edges);
  }
}

TEST(Step, SameBitsForAnyNumberOfThreads) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
  for (const Scene& scene : Scenes()) {
    std::vector<std::uint64_t> expected;
    for (const int threads : {1, 2, 3, 8}) {
      const auto world = Make(scene);
      tbb::task_arena arena(threads);
      const auto hashes = arena.execute([&] { return Hashes(*world, 8); });
      if (expected.empty()) expected = hashes;
      EXPECT_EQ(hashes, expected) << threads << " threads";
    }
    Scene serial = scene;
    serial.settings.parallel_grain = scene.agents.size() + 1;
    EXPECT_EQ(Hashes(*Make(serial), 8), expected);
  }
}

// Counts threads of oneTBB that come into an arena to work.
class Arrivals final : public tbb::task_scheduler_observer {
 public:
  explicit Arrivals(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  ~Arrivals() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override { count_ += is_worker ? 1 : 0; }
  int count() const { return count_; }

 private:
  std::atomic<int> count_{0};
};

// Threads of oneTBB that came to work while a world of 2,000 agents steps, until one comes or `steps` are done.
int ThreadsThatCame(std::size_t parallel_grain, int steps) {
  tbb::task_arena arena(4);
  const Arrivals arrivals(arena);
  Scene scene = testing::Crossing({.agents = 2000});
  scene.settings.parallel_grain = parallel_grain;
  const auto world = Make(scene);
  for (int i = 0; i < steps && arrivals.count() == 0; ++i) arena.execute([&] { Hashes(*world, 1); });
  return arrivals.count();
}

TEST(Step, OnlyAHeavyWorldIsSplitAmongThreads) {
  tbb::task_scheduler_handle threads{tbb::attach{}};
  {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 4);
    EXPECT_EQ(ThreadsThatCame(2001, 30), 0);
    EXPECT_GT(ThreadsThatCame(2000, std::numeric_limits<int>::max()), 0);
  }
  // A thread frees what it keeps of an observer at its end.
  EXPECT_TRUE(tbb::finalize(threads, std::nothrow));
}

TEST(Step, SameBitsAtEverySimdLevel) {
  for (const Scene& scene : Scenes()) {
    std::vector<std::uint64_t> expected;
    for (const SimdLevel level : AvailableSimdLevels()) {
      Scene forced = scene;
      forced.settings.simd_level = level;
      const auto hashes = Hashes(*Make(forced), 40);
      if (expected.empty()) expected = hashes;
      EXPECT_EQ(hashes, expected) << Name(level);
    }
  }
}

TEST(Step, SameBitsUnderAnyFloatingPointModes) {
  const Scene scene = testing::RandomCrowd(Shape::kTiny, 300, 1);
  const auto expected = Hashes(*Make(scene), 10);
  const auto world = Make(scene);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const auto hashes = Hashes(*world, 10);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_EQ(hashes, expected);
}

TEST(Step, ASliceIsBounded) {
  // Under a slice of one agent, no phase is done at once.
  const auto world = Make(testing::Crossing({.agents = 40'000}));
  ASSERT_TRUE(world->BeginStep().ok());
  std::size_t slices[5] = {};
  for (Phase phase = world->phase(); phase != Phase::kIdle;) {
    ++slices[static_cast<std::size_t>(phase)];
    phase = world->Advance(1);
  }
  EXPECT_GT(slices[static_cast<std::size_t>(Phase::kIndex)], 50u);
  EXPECT_GT(slices[static_cast<std::size_t>(Phase::kSolve)], 50u);
  EXPECT_GT(slices[static_cast<std::size_t>(Phase::kMove)], 5u);
}

TEST(Step, EditsWaitForItsEnd) {
  const auto world = Make(testing::Crossing({.agents = 50}));
  ObstacleSpec obstacle;
  obstacle.id = 1;
  obstacle.vertices = {{900, 0}, {901, 0}, {900, 1}};
  ASSERT_TRUE(world->AddObstacle(obstacle).ok());
  obstacle.id = 2;
  AgentSpec agent;
  agent.position = Vec2{500, 500};
  std::vector<InputRejection> rejected;
  const std::vector<AgentId> ids = {1};
  const std::vector<float> one = {1.0f};

  EXPECT_EQ(world->Advance(100), Phase::kIdle) << "nothing was begun";
  ASSERT_TRUE(world->BeginStep().ok());
  const auto refused = absl::StatusCode::kFailedPrecondition;
  do {
    EXPECT_EQ(world->BeginStep().code(), refused);
    EXPECT_EQ(world->Step().code(), refused);
    EXPECT_EQ(world->AddAgent(agent).status().code(), refused);
    EXPECT_EQ(world->UpdateAgent(1, {}).code(), refused);
    EXPECT_EQ(world->RemoveAgent(1).code(), refused);
    EXPECT_EQ(world->RemoveAllAgents().code(), refused);
    EXPECT_EQ(world->AddObstacle(obstacle).status().code(), refused);
    EXPECT_EQ(world->UpdateObstacle(1, obstacle).code(), refused);
    EXPECT_EQ(world->RemoveObstacle(1).code(), refused);
    EXPECT_EQ(world->SetPreferredVelocities(ids, one, one, rejected).status().code(), refused);
    EXPECT_EQ(world->SetPreferredVelocitiesByRank(0, one, one, rejected).status().code(), refused);
    EXPECT_EQ(world->SetAgentDefaults({}).code(), refused);
    EXPECT_EQ(world->SetStaleInput({}).code(), refused);
  } while (world->Advance(1) != Phase::kIdle);
  EXPECT_EQ(world->tick(), 1u);
  EXPECT_TRUE(world->AddAgent(agent).ok());
  EXPECT_EQ(world->agent_count(), 51u);
}

TEST(Step, CountsTicksAndTime) {
  WorldSettings settings;
  settings.time_step = 0.25f;
  const auto world = *World::Create(settings);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->tick(), 8u);
  EXPECT_EQ(world->simulation_time(), 2.0);
}

TEST(Step, MovesALoneAgentAsItPrefers) {
  WorldSettings settings;
  settings.time_step = 0.5f;
  const auto world = *World::Create(settings);
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{1, 1};
  spec.preferred_velocity = Vec2{1, -0.5f};
  world->AddAgent(spec).value();
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->position, (Vec2{1.5f, 0.75f}));
  EXPECT_EQ(world->GetAgent(1)->velocity, (Vec2{1, -0.5f}));
  EXPECT_EQ(world->stats().neighbors, 0u);
}

TEST(Step, CoincidentAgentsPart) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  const auto world = *World::Create(settings);
  for (AgentId id = 1; id <= 5; ++id) {
    AgentSpec spec;
    spec.id = id;
    spec.position = Vec2{3, 3};
    world->AddAgent(spec).value();
  }
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world->Step().ok());
  for (AgentId a = 1; a <= 5; ++a) {
    for (AgentId b = a + 1; b <= 5; ++b) {
      const Vec2 p = world->GetAgent(a)->position, q = world->GetAgent(b)->position;
      EXPECT_GT(std::hypot(p.x - q.x, p.y - q.y), 0.8f) << a << " " << b;
    }
  }
}

TEST(Step, StaysInTheRangeOfCoordinates) {
  const auto world = *World::Create({});
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{kMaxCoordinate - 1, -kMaxCoordinate + 1};
  spec.preferred_velocity = Vec2{1000, -1000};
  spec.params.max_speed = 1000.0f;
  world->AddAgent(spec).value();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->position, (Vec2{kMaxCoordinate, -kMaxCoordinate}));
  AgentUpdate update;
  update.preferred_velocity = Vec2{-1, 1};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
}

// Whatever is accepted gives finite states and speeds within the maximum.
TEST(Step, HostileInputsStayFinite) {
  Random random(9);
  for (int round = 0; round < 60; ++round) {
    WorldSettings settings;
    settings.time_step = random.Chance(0.5f) ? 0.001f : 1.0f;
    const auto world = *World::Create(settings);
    const auto log_uniform = [&](float low, float high) {
      return std::min(high, std::max(low, std::exp2(random.Uniform(-140.0f, 20.0f))));
    };
    const float spread = log_uniform(0.0f, kMaxCoordinate);
    for (AgentId id = 1; id <= 60; ++id) {
      AgentSpec spec;
      spec.id = id;
      spec.position = random.InBox({-spread, -spread}, {spread, spread});
      if (random.Chance(0.2f)) spec.position = Vec2{spread, spread};
      spec.velocity = log_uniform(0.0f, kMaxInputSpeed * 0.99f) * random.UnitVector();
      spec.preferred_velocity = log_uniform(0.0f, kMaxInputSpeed * 0.99f) * random.UnitVector();
      spec.params.radius = log_uniform(1e-45f, 1000.0f);
      spec.params.max_speed = log_uniform(0.0f, 1000.0f);
      spec.params.neighbor_distance = log_uniform(0.0f, 1000.0f);
      const float shortest = std::max(0.01f, settings.time_step);
      spec.params.time_horizon = random.Chance(0.5f) ? shortest : 100.0f;
      spec.params.time_horizon_obstacles = random.Chance(0.5f) ? shortest : 100.0f;
      ASSERT_TRUE(world->AddAgent(spec).ok()) << world->AddAgent(spec).status();
    }
    for (int i = 0; i < 5; ++i) {
      ObstacleSpec wall;
      wall.kind = ObstacleKind::kWall;
      wall.vertices = {random.InBox({-spread, -spread}, {spread, spread}),
                       random.InBox({-spread, -spread}, {spread, spread})};
      (void)world->AddObstacle(wall);
    }
    for (int step = 0; step < 5; ++step) {
      ASSERT_TRUE(world->Step().ok());
      for (AgentId id = 1; id <= 60; ++id) {
        const AgentState state = world->GetAgent(id).value();
        ASSERT_LE(std::abs(state.position.x), kMaxCoordinate);
        ASSERT_LE(std::abs(state.position.y), kMaxCoordinate);
        ASSERT_LE(std::hypot(double{state.velocity.x}, double{state.velocity.y}),
                  double{state.params.max_speed} * (1 + 1e-6))
            << "round " << round << " agent " << id;
      }
    }
  }
}

std::vector<float> SpeedsUnder(StaleInput stale, int steps) {
  WorldSettings settings;
  settings.time_step = 0.5f;
  settings.stale_input = stale;
  const auto world = *World::Create(settings);
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{};
  spec.preferred_velocity = Vec2{1, 0};
  world->AddAgent(spec).value();
  std::vector<float> speeds;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(world->Step().ok());
    speeds.push_back(world->GetAgent(1)->velocity.x);
  }
  return speeds;
}

TEST(StaleInput, IsHeldDecaysOrStops) {
  EXPECT_EQ(SpeedsUnder({StaleInputPolicy::kHold, 1, 0.5f}, 4), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(SpeedsUnder({StaleInputPolicy::kStop, 2, 0.5f}, 4), (std::vector<float>{1, 1, 0, 0}));
  EXPECT_EQ(SpeedsUnder({StaleInputPolicy::kDecay, 2, 0.5f}, 5), (std::vector<float>{1, 1, 0.5f, 0.25f, 0.125f}));
  EXPECT_EQ(SpeedsUnder({StaleInputPolicy::kStop, 0, 0.5f}, 2), (std::vector<float>{0, 0}));
}

TEST(StaleInput, ANewInputIsFresh) {
  WorldSettings settings;
  settings.stale_input = {StaleInputPolicy::kStop, 2, 0.5f};
  const auto world = *World::Create(settings);
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{};
  world->AddAgent(spec).value();
  const std::vector<AgentId> ids = {1};
  const std::vector<float> x = {1}, y = {0};
  std::vector<InputRejection> rejected;
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0) world->SetPreferredVelocities(ids, x, y, rejected).value();
    ASSERT_TRUE(world->Step().ok());
    EXPECT_EQ(world->GetAgent(1)->velocity.x, 1.0f);
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->preferred_velocity, (Vec2{0, 0})) << "in force";
  // A change to another policy counts all inputs as new only if none were counted before.
  ASSERT_TRUE(world->SetStaleInput({StaleInputPolicy::kHold, 2, 0.5f}).ok());
  world->SetPreferredVelocities(ids, x, y, rejected).value();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world->Step().ok());
  ASSERT_TRUE(world->SetStaleInput({StaleInputPolicy::kStop, 1, 0.5f}).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->velocity.x, 1.0f);
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->GetAgent(1)->velocity.x, 0.0f);
}

TEST(StaleInput, LeavesAgentsWithoutInputAlone) {
  WorldSettings settings;
  settings.stale_input = {StaleInputPolicy::kStop, 0, 0.5f};
  const auto world = *World::Create(settings);
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{};
  world->AddAgent(spec).value();
  ASSERT_TRUE(world->Step().ok());
  EXPECT_FALSE(world->GetAgent(1)->preferred_velocity);
}

}  // namespace
}  // namespace throng
