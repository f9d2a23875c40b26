// Kinematic agents: they move as told, to the bit, past limits and walls, and others keep from them in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/unit/engine/world/test_access.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld(Preset preset = Preset::kBase) {
  WorldSettings settings;
  settings.preset = preset;
  settings.time_step = 0.1f;
  return *World::Create(settings);
}

AgentId Add(World& world, Vec2 position, std::optional<Vec2> velocity = {}, bool kinematic = true) {
  AgentSpec spec;
  spec.position = position;
  spec.preferred_velocity = velocity;
  spec.kinematic = kinematic;
  const auto id = world.AddAgent(spec);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.value_or(kInvalidId);
}

void Step(World& world, int ticks = 1) {
  for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world.Step().ok());
}

AgentState StateOf(const World& world, AgentId id) { return *world.GetAgent(id); }

absl::Status Tell(World& world, AgentId id, Vec2 position, std::uint32_t ticks) {
  AgentUpdate update;
  update.move_to = MoveTo{position, ticks};
  return world.UpdateAgent(id, update);
}

absl::Status Make(World& world, AgentId id, bool kinematic) {
  AgentUpdate update;
  update.kinematic = kinematic;
  return world.UpdateAgent(id, update);
}

TEST(Kinematic, MovesByItsVelocityPastItsMaximumSpeedAndOthers) {
  const auto world = MakeWorld();
  const AgentId leader = Add(*world, {0, 0}, Vec2{7.3f, -2.1f});
  Add(*world, {1, 0}, Vec2{-1, 0}, false);
  Vec2 place{0, 0};
  for (int tick = 0; tick < 20; ++tick) {
    Step(*world);
    place = {place.x + 0.1f * 7.3f, place.y + 0.1f * -2.1f};
    EXPECT_EQ(StateOf(*world, leader).position, place);
    EXPECT_EQ(StateOf(*world, leader).velocity, (Vec2{7.3f, -2.1f}));
  }
}

TEST(Kinematic, StandsWithoutInput) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {3, 4});
  Add(*world, {3.2f, 4}, Vec2{0, 0}, false);  // on top of it
  Step(*world, 10);
  EXPECT_EQ(StateOf(*world, id).position, (Vec2{3, 4}));
  EXPECT_EQ(StateOf(*world, id).status, AgentStatus::kNoInput);
  EXPECT_TRUE(StateOf(*world, id).kinematic);
}

TEST(Kinematic, GoesThroughSolidsAndWalls) {
  const auto world = MakeWorld(Preset::kDefault);
  ASSERT_TRUE(world->AddObstacle({{}, ObstacleKind::kSolid, {{2, -1}, {4, -1}, {4, 1}, {2, 1}}}).ok());
  ASSERT_TRUE(world->AddObstacle({{}, ObstacleKind::kWall, {{6, -5}, {6, 5}}}).ok());
  const AgentId id = Add(*world, {0, 0}, Vec2{1, 0});
  const AgentId inside = Add(*world, {3, 0});
  for (int tick = 1; tick <= 80; ++tick) {
    Step(*world);
    EXPECT_EQ(StateOf(*world, id).velocity, (Vec2{1, 0}));
    EXPECT_EQ(world->stats().cut + world->stats().recovered + world->stats().stranded, 0u);
    EXPECT_EQ(world->stats().obstacle_edges, 0u);
  }
  EXPECT_NEAR(StateOf(*world, id).position.x, 8.0f, 1e-4f);
  EXPECT_EQ(StateOf(*world, inside).position, (Vec2{3, 0}));
}

// Whoever it was is found by containment once it is no longer kinematic.
TEST(Kinematic, IsPutOnFreeGroundWhenItCeasesToBe) {
  const auto world = MakeWorld(Preset::kDefault);
  ASSERT_TRUE(world->AddObstacle({{}, ObstacleKind::kSolid, {{2, -1}, {4, -1}, {4, 1}, {2, 1}}}).ok());
  const AgentId id = Add(*world, {3.5f, 0}, Vec2{0, 0});
  Step(*world, 3);
  ASSERT_TRUE(Make(*world, id, false).ok());
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 1u);
  EXPECT_GE(StateOf(*world, id).position.x, 4.0f);
  EXPECT_FALSE(StateOf(*world, id).kinematic);
}

TEST(Kinematic, OthersDoAllOfTheAvoiding) {
  const auto world = MakeWorld();
  const AgentId leader = Add(*world, {-10, 0}, Vec2{1.5f, 0});
  const AgentId other = Add(*world, {10, 0.1f}, Vec2{-1.5f, 0}, false);
  double gap = 1e9;
  for (int tick = 0; tick < 150; ++tick) {
    Step(*world);
    const Vec2 a = StateOf(*world, leader).position, b = StateOf(*world, other).position;
    gap = std::min(gap, std::hypot(double{a.x} - b.x, double{a.y} - b.y));
    EXPECT_EQ(a.y, 0.0f);
  }
  EXPECT_GE(gap, 1.0 - 1e-3);
  EXPECT_LT(StateOf(*world, other).position.x, -5.0f);
}

TEST(Kinematic, KeepsWhatItsParametersWereTold) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.position = Vec2{0, 0};
  spec.kinematic = true;
  spec.params.responsibility = 3.0f;
  spec.params.max_neighbors = 7;
  const AgentId id = *world->AddAgent(spec);
  EXPECT_EQ(StateOf(*world, id).params.responsibility, 3.0f);
  EXPECT_EQ(StateOf(*world, id).params.max_neighbors, 7u);
  AgentUpdate update;
  update.params.responsibility = 0.25f;
  update.params.max_neighbors = 9;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world, 2);
  ASSERT_TRUE(Make(*world, id, false).ok());
  EXPECT_EQ(StateOf(*world, id).params.responsibility, 0.25f);
  EXPECT_EQ(StateOf(*world, id).params.max_neighbors, 9u);
}

TEST(Kinematic, SearchesNobody) {
  testing::Scene scene = testing::Crossing({.agents = 500});
  for (AgentSpec& agent : scene.agents) agent.kinematic = true;
  auto world = *World::Create(scene.settings);
  for (const AgentSpec& agent : scene.agents) ASSERT_TRUE(world->AddAgent(agent).ok());
  Step(*world, 20);
  EXPECT_EQ(world->stats().neighbors, 0u);
  EXPECT_EQ(world->stats().infeasible, 0u);
}

// Lists are made anew once after it, and serve as before then.
TEST(Kinematic, AJumpDoesNotMakeOthersSearch) {
  testing::Scene scene = testing::Crossing({.agents = 2'000});
  scene.settings.parallel_grain = 10'000;
  auto world = *World::Create(scene.settings);
  for (const AgentSpec& agent : scene.agents) ASSERT_TRUE(world->AddAgent(agent).ok());
  const AgentId jumper = Add(*world, {-10, -10});
  std::uint64_t usual = 0;
  Step(*world, 40);
  for (int tick = 0; tick < 32; ++tick) {
    Step(*world);
    usual = std::max(usual, WorldTestAccess::LookUps(*world));
  }
  ASSERT_LT(usual, 2'500u);
  ASSERT_TRUE(Tell(*world, jumper, {1'000, 1'000}, 1).ok());
  Step(*world, 2);
  std::uint64_t after = 0;
  for (int tick = 0; tick < 8; ++tick) {
    Step(*world);
    after += WorldTestAccess::LookUps(*world);
  }
  EXPECT_LT(after, 4'000u);  // lists, which serve for some ticks; without, each of 2,000 would search in each of 8
}

struct Shove {
  double fastest = 0.0;  // [m/s]
  double way = 0.0;      // [m] in all
  double gap = 0.0;      // [m] of the centres, at last
  bool rests = false;    // at last
};

// An agent that wants nothing stands at the origin, and a kinematic one comes there from so far within one tick.
Shove JumpOnto(Preset preset, Vec2 from, Vec2 to) {
  const auto world = MakeWorld(preset);
  const AgentId idle = Add(*world, {0, 0}, Vec2{0, 0}, false), jumper = Add(*world, from);
  Step(*world, 5);
  EXPECT_EQ(StateOf(*world, idle).position, (Vec2{0, 0}));
  EXPECT_TRUE(Tell(*world, jumper, to, 1).ok());
  Shove shove;
  Vec2 before{0, 0};
  for (int tick = 0; tick < 40; ++tick) {
    Step(*world);
    const AgentState now = StateOf(*world, idle);
    shove.fastest = std::max(shove.fastest, std::hypot(double{now.velocity.x}, double{now.velocity.y}));
    shove.way += std::hypot(double{now.position.x} - before.x, double{now.position.y} - before.y);
    shove.gap = std::hypot(double{now.position.x} - to.x, double{now.position.y} - to.y);
    shove.rests = now.velocity == Vec2{};
    before = now.position;
  }
  return shove;
}

// By a jump a kinematic agent has the speed of its way, up to kilometres a second, and is on top of others at once.
// They part from it no faster than from anybody, straight, and only as far as they overlap.
TEST(Kinematic, NobodyIsThrownByAJumpOntoIt) {
  for (const Vec2 from : {Vec2{1'000, 0}, Vec2{-1'000, 0}, Vec2{3, 0}, Vec2{0, 50}, Vec2{1e5f, -1e5f}}) {
    for (const Vec2 to : {Vec2{0, 0}, Vec2{1e-4f, 0}, Vec2{0.3f, 0}, Vec2{-0.5f, 0.5f}, Vec2{0.9f, 0.1f}}) {
      SCOPED_TRACE(::testing::PrintToString(from.x) + " to " + ::testing::PrintToString(to.x));
      const double overlap = 1.0 - std::hypot(double{to.x}, double{to.y});
      const Shove calm = JumpOnto(Preset::kDefault, from, to);
      EXPECT_GT(calm.fastest, 0.0);
      EXPECT_LE(calm.fastest, 0.5 * 2.0 * (1.0 + 1e-5)) << "separation_speed";
      EXPECT_NEAR(calm.way, overlap, 2e-3);
      EXPECT_NEAR(calm.gap, 1.0, 2e-3);
      EXPECT_TRUE(calm.rests);
      // Plain ORCA undoes the overlap within a step, as far as max_speed lets it; no farther either.
      const Shove plain = JumpOnto(Preset::kBase, from, to);
      EXPECT_LE(plain.fastest, 2.0 * (1.0 + 1e-5));
      EXPECT_NEAR(plain.way, overlap, 2e-3);
    }
  }
}

// Beside it and not on it: who is told a speed of kilometres a second for one tick starts back for one tick.
TEST(Kinematic, AJumpBesideSomeoneMovesItByATickAtMost) {
  for (const Preset preset : {Preset::kBase, Preset::kDefault}) {
    for (const Vec2 from : {Vec2{1'000, 0}, Vec2{-1'000, 0}, Vec2{0, 50}}) {
      const Shove shove = JumpOnto(preset, from, {1.5f, 0});
      EXPECT_LE(shove.fastest, 2.0 * (1.0 + 1e-5));
      EXPECT_LE(shove.way, 0.2 * (1.0 + 1e-5));
      EXPECT_TRUE(shove.rests);
    }
  }
}

TEST(KinematicMoveTo, ComesThereToTheBitInTheLastTick) {
  testing::Random random(5);
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {0, 0});
  for (int i = 0; i < 200; ++i) {
    const float extent = i % 3 == 0 ? kMaxCoordinate : 100.0f;
    const Vec2 from = StateOf(*world, id).position, to = random.InBox({-extent, -extent}, {extent, extent});
    const auto ticks = static_cast<std::uint32_t>(1 + random.Below(12));
    ASSERT_TRUE(Tell(*world, id, to, ticks).ok());
    for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
      EXPECT_EQ(std::get<MoveTo>(StateOf(*world, id).steering), (MoveTo{to, ticks - tick + 1}));
      Step(*world);
      // On the straight way, a part of it a tick.
      const Vec2 now = StateOf(*world, id).position;
      const double part = static_cast<double>(tick) / ticks;
      const double slack = 1e-5 * (std::abs(from.x) + std::abs(from.y) + std::abs(to.x) + std::abs(to.y));
      EXPECT_NEAR(now.x, from.x + part * (double{to.x} - from.x), slack);
      EXPECT_NEAR(now.y, from.y + part * (double{to.y} - from.y), slack);
    }
    EXPECT_EQ(StateOf(*world, id).position, to);
  }
}

TEST(KinematicMoveTo, StandsThereUntilToldAgain) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {0, 0}, Vec2{5, 5});
  ASSERT_TRUE(Tell(*world, id, {1, 2}, 3).ok());
  Step(*world, 3);
  EXPECT_NE(StateOf(*world, id).velocity, (Vec2{0, 0}));
  Step(*world, 5);
  EXPECT_EQ(StateOf(*world, id).position, (Vec2{1, 2}));
  EXPECT_EQ(StateOf(*world, id).velocity, (Vec2{0, 0}));
  EXPECT_EQ(std::get<MoveTo>(StateOf(*world, id).steering), (MoveTo{{1, 2}, 0}));
  EXPECT_EQ(StateOf(*world, id).status, AgentStatus::kMoving);
  std::vector<InputRejection> rejected;
  const std::vector<AgentId> ids{id};
  const std::vector<float> x{1.0f}, y{0.0f};
  ASSERT_TRUE(world->SetPreferredVelocities(ids, x, y, rejected).ok());
  EXPECT_EQ(std::get<Vec2>(StateOf(*world, id).steering), (Vec2{1, 0}));
  Step(*world);
  EXPECT_EQ(StateOf(*world, id).position, (Vec2{1.1f, 2}));
}

TEST(KinematicMoveTo, IsForKinematicAgentsAlone) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {0, 0}, Vec2{1, 0}, false);
  EXPECT_EQ(Tell(*world, id, {1, 1}, 2).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::get<Vec2>(StateOf(*world, id).steering), (Vec2{1, 0}));
  AgentUpdate update;
  update.kinematic = true;
  update.move_to = MoveTo{{1, 1}, 2};
  EXPECT_TRUE(world->UpdateAgent(id, update).ok());
  update.kinematic = false;
  EXPECT_EQ(world->UpdateAgent(id, update).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(StateOf(*world, id).kinematic);
}

TEST(KinematicMoveTo, OutOfRangeIsRefused) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {0, 0});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(GetViolation(Tell(*world, id, {2e6f, 0}, 1))->field, "move_to.position.x");
  EXPECT_EQ(GetViolation(Tell(*world, id, {0, nan}, 1))->field, "move_to.position.y");
  EXPECT_EQ(GetViolation(Tell(*world, id, {0, 0}, 0))->field, "move_to.ticks");
  EXPECT_EQ(GetViolation(Tell(*world, id, {0, 0}, kMaxMoveTicks + 1))->field, "move_to.ticks");
  EXPECT_TRUE(Tell(*world, id, {kMaxCoordinate, -kMaxCoordinate}, kMaxMoveTicks).ok());
}

TEST(Kinematic, StopsAtTheEndOfTheCoordinateRange) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {1048000, 0}, Vec2{1e6f, 0});
  Step(*world, 3);
  EXPECT_EQ(StateOf(*world, id).position, (Vec2{kMaxCoordinate, 0}));
}

TEST(Kinematic, HasNeitherGoalNorPath) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, {0, 0});
  const AgentId walker = Add(*world, {9, 9}, Vec2{0, 0}, false);
  AgentUpdate goal;
  goal.goal = Vec2{1, 1};
  EXPECT_EQ(world->UpdateAgent(id, goal).code(), absl::StatusCode::kFailedPrecondition);
  AgentUpdate path;
  path.path = Path{{{1, 1}}};
  EXPECT_EQ(world->UpdateAgent(id, path).code(), absl::StatusCode::kFailedPrecondition);
  const std::vector<AgentId> ids{id, walker};
  const std::vector<float> x{1, 2}, y{3, 4};
  std::vector<InputRejection> rejected;
  EXPECT_EQ(world->SetGoals(ids, x, y, rejected).value(), 1u);
  EXPECT_EQ(world->SetGoalsByRank(0, x, y, rejected).value(), 1u);
  ASSERT_EQ(rejected.size(), 2u);
  for (const InputRejection& rejection : rejected) {
    EXPECT_EQ(rejection.index, 0u);
    EXPECT_EQ(rejection.status.code(), absl::StatusCode::kFailedPrecondition);
  }
  AgentSpec spec;
  spec.position = Vec2{5, 5};
  spec.goal = Vec2{1, 1};
  spec.kinematic = true;
  EXPECT_EQ(GetViolation(world->AddAgent(spec).status())->field, "goal");
}

// What it went by is gone, whichever way it changes; a preferred velocity stays.
TEST(Kinematic, ChangingDropsWhereItWasToGo) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.position = Vec2{0, 0};
  spec.goal = Vec2{10, 0};
  const AgentId id = *world->AddAgent(spec);
  Step(*world);
  ASSERT_TRUE(Make(*world, id, true).ok());
  EXPECT_EQ(std::get<Vec2>(StateOf(*world, id).steering), (Vec2{0, 0}));
  ASSERT_TRUE(Tell(*world, id, {3, 3}, 5).ok());
  Step(*world);
  ASSERT_TRUE(Make(*world, id, false).ok());
  EXPECT_EQ(std::get<Vec2>(StateOf(*world, id).steering), (Vec2{0, 0}));
  AgentUpdate told;
  told.preferred_velocity = Vec2{1, 1};
  ASSERT_TRUE(world->UpdateAgent(id, told).ok());
  ASSERT_TRUE(Make(*world, id, true).ok());
  EXPECT_EQ(std::get<Vec2>(StateOf(*world, id).steering), (Vec2{1, 1}));
}

TEST(Kinematic, InputAgesButNotAMoveTo) {
  const auto world = MakeWorld();
  ASSERT_TRUE(world->SetStaleInput({StaleInputPolicy::kStop, 2, 0.5f}).ok());
  const AgentId id = Add(*world, {0, 0}, Vec2{1, 0});
  const AgentId mover = Add(*world, {0, 5});
  ASSERT_TRUE(Tell(*world, mover, {10, 5}, 10).ok());
  Step(*world, 10);
  EXPECT_FLOAT_EQ(StateOf(*world, id).position.x, 0.2f);
  EXPECT_EQ(StateOf(*world, id).status, AgentStatus::kStaleInput);
  EXPECT_EQ(StateOf(*world, mover).position, (Vec2{10, 5}));
}

}  // namespace
}  // namespace throng
