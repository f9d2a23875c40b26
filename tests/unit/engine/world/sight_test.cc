// Who avoids whom: layers, masks, height bands and shares, by what users asked for, and the index against all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/sight.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/unit/engine/world/test_access.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;
using testing::Scene;

std::unique_ptr<World> MakeWorld(float time_step = 0.1f) {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  settings.time_step = time_step;
  return *World::Create(settings);
}

std::unique_ptr<World> MakeWorld(const Scene& scene) {
  auto world = *World::Create(scene.settings);
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE(world->AddAgent(agent).ok());
  return world;
}

AgentId Add(World& world, Vec2 position, Vec2 velocity, const AgentParamsPatch& params = {}) {
  AgentSpec spec;
  spec.position = position;
  spec.velocity = velocity;
  spec.preferred_velocity = velocity;
  spec.params = params;
  return world.AddAgent(spec).value();
}

void Step(World& world, int ticks = 1) {
  for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world.Step().ok());
}

Vec2 PlaceOf(const World& world, AgentId id) { return world.GetAgent(id)->position; }

// Two that meet head on, 0.1 m aside of each other.
struct Meeting {
  double first_aside = 0.0, second_aside = 0.0;  // [m] largest way off their lines
  double gap = 1e9;                              // [m] least, of their centres
};
Meeting Meet(const AgentParamsPatch& first, const AgentParamsPatch& second) {
  const auto world = MakeWorld(1.0f / 30);
  const AgentId a = Add(*world, {-20, 0}, {1.5f, 0}, first);
  const AgentId b = Add(*world, {20, 0.1f}, {-1.5f, 0}, second);
  Meeting meeting;
  for (int tick = 0; tick < 800; ++tick) {
    Step(*world);
    const Vec2 at = PlaceOf(*world, a), other = PlaceOf(*world, b);
    meeting.first_aside = std::max(meeting.first_aside, std::abs(double{at.y}));
    meeting.second_aside = std::max(meeting.second_aside, std::abs(double{other.y} - 0.1f));
    meeting.gap = std::min(meeting.gap, std::hypot(double{at.x} - other.x, double{at.y} - other.y));
  }
  return meeting;
}

constexpr double kTouch = 1.0 - 1e-3;  // [m] of two radii

AgentParamsPatch Weight(float responsibility) {
  AgentParamsPatch params;
  params.responsibility = responsibility;
  return params;
}

TEST(Sight, R084_DeviationFollowsTheShares) {
  const Meeting none = Meet(Weight(0.0f), Weight(1.0f));
  EXPECT_LT(none.first_aside, 1e-4);
  EXPECT_GT(none.second_aside, 0.5);
  EXPECT_GE(none.gap, kTouch);
  const Meeting quarter = Meet(Weight(0.25f), Weight(0.75f));
  EXPECT_NEAR(quarter.first_aside / quarter.second_aside, 0.25 / 0.75, 0.2 * 0.25 / 0.75);
  EXPECT_GE(quarter.gap, kTouch);
  const Meeting half = Meet(Weight(0.5f), Weight(0.5f));
  EXPECT_NEAR(half.first_aside / half.second_aside, 1.0, 0.2);
  EXPECT_GE(half.gap, kTouch);
}

AgentParamsPatch Mask(std::uint32_t layer, std::uint32_t avoids) {
  AgentParamsPatch params;
  params.layer = layer;
  params.avoids = avoids;
  return params;
}

// All pairs of layers 1 and 2 with each other, and all masks: who sees the other reacts, and does all of it where it
// is not seen itself.
TEST(Sight, R085A_ReactsExactlyWhereMaskAndLayerMeet) {
  for (const std::uint32_t first_layer : {1u, 2u}) {
    for (const std::uint32_t second_layer : {1u, 2u}) {
      for (std::uint32_t first_mask = 0; first_mask < 4; ++first_mask) {
        for (std::uint32_t second_mask = 0; second_mask < 4; ++second_mask) {
          const Meeting meeting = Meet(Mask(first_layer, first_mask), Mask(second_layer, second_mask));
          const bool first_sees = (first_mask & second_layer) != 0, second_sees = (second_mask & first_layer) != 0;
          EXPECT_EQ(meeting.first_aside > 1e-4, first_sees);
          EXPECT_EQ(meeting.second_aside > 1e-4, second_sees);
          EXPECT_TRUE(meeting.gap >= kTouch || !(first_sees || second_sees)) << meeting.gap;
        }
      }
    }
  }
}

TEST(Sight, R085A_FourAgentsOfTwoLayers) {
  // Layers 1 and 2, masks 1 and 2, all four, one after another against a wanderer of layer 1 that sees nobody.
  for (const auto& [layer, mask] : {std::pair(1u, 1u), {1u, 2u}, {2u, 1u}, {2u, 2u}}) {
    const Meeting meeting = Meet(Mask(1, 0), Mask(layer, mask));
    EXPECT_LT(meeting.first_aside, 1e-9);
    EXPECT_EQ(meeting.second_aside > 1e-4, mask == 1u);
  }
}

struct Passage {
  double aside = 0.0;  // [m] largest way off its line of who walks through
  std::uint64_t overlaps = 0;
  float reached = 0.0f;   // [m]
  double made_way = 0.0;  // [m] largest way of those who stood
};
// One walks 40 m through 50 that stand.
Passage WalkThrough(const AgentParamsPatch& walker) {
  Random random(9);
  const auto world = MakeWorld(1.0f / 30);
  const AgentId id = Add(*world, {-20, 0.05f}, {1.5f, 0}, walker);
  std::vector<std::pair<AgentId, Vec2>> standing;
  for (int column = 0; column < 10; ++column) {
    for (int row = 0; row < 5; ++row) {
      const Vec2 place{static_cast<float>(column) * 2.4f - 10.0f, static_cast<float>(row - 2) * 1.8f};
      standing.emplace_back(Add(*world, place, {0, 0}), place);
    }
  }
  Passage passage;
  for (int tick = 0; tick < 800; ++tick) {
    Step(*world);
    const Vec2 at = PlaceOf(*world, id);
    passage.aside = std::max(passage.aside, std::abs(double{at.y} - 0.05f));
    passage.reached = at.x;
    for (const auto& [other, place] : standing) {
      const Vec2 now = PlaceOf(*world, other);
      passage.made_way = std::max(passage.made_way, std::hypot(double{now.x} - place.x, double{now.y} - place.y));
      passage.overlaps += std::hypot(double{now.x} - at.x, double{now.y} - at.y) < 0.98 ? 1 : 0;
    }
  }
  return passage;
}

// What the report calls priority: of two, the one without responsibility goes its way.
TEST(Sight, R085B_PriorityWalksThroughFifty) {
  const Passage passage = WalkThrough(Weight(0.0f));
  EXPECT_LT(passage.aside, 0.05);
  EXPECT_GT(passage.reached, 19.0f);
  EXPECT_EQ(passage.overlaps, 0u);
  EXPECT_GT(passage.made_way, 0.3);
}

TEST(Sight, R085B_WhoSeesNobodyWalksThroughFiftyToo) {
  const Passage passage = WalkThrough(Mask(1, 0));
  EXPECT_LT(passage.aside, 1e-4);
  EXPECT_GT(passage.reached, 19.0f);
  EXPECT_EQ(passage.overlaps, 0u);
}

TEST(Sight, R085C_FloorsDoNotMeet) {
  AgentParamsPatch ground, upper;
  ground.z = 0.0f;
  upper.z = 3.0f;
  ground.height = upper.height = 1.8f;
  const Meeting meeting = Meet(ground, upper);
  EXPECT_LT(meeting.first_aside, 1e-4);
  EXPECT_LT(meeting.second_aside, 1e-4);
  EXPECT_LT(meeting.gap, 0.2);
}

// Both ends belong to a band, so one of no height meets itself and what touches it.
TEST(Sight, BandsThatTouchMeet) {
  AgentParamsPatch ground, upper;
  ground.height = 3.0f;
  upper.z = 3.0f;
  EXPECT_GE(Meet(ground, upper).gap, kTouch);
  upper.z = std::nextafter(3.0f, 4.0f);
  EXPECT_LT(Meet(ground, upper).gap, 0.2);
}

TEST(Sight, ChangesActInTheNextStep) {
  const Scene scene = testing::Crossing({.agents = 1'000, .cover = 0.6f});
  const auto world = MakeWorld(scene);
  Step(*world, 7);  // lists have been made
  const auto set_all = [&](const AgentParamsPatch& params) {
    for (const AgentId id : world->membership()->ids) {
      AgentUpdate update;
      update.params = params;
      ASSERT_TRUE(world->UpdateAgent(id, update).ok());
    }
  };
  set_all(Mask(2, 4));
  Step(*world);
  EXPECT_EQ(world->stats().neighbors, 0u);
  set_all(Mask(4, 4));
  Step(*world);
  EXPECT_GT(world->stats().neighbors, 5'000u);
  set_all(Mask(1, 0xffffffff));
  Step(*world);
  EXPECT_GT(world->stats().neighbors, 5'000u);
}

// One agent changes what it sees, while everybody keeps a list: what it then has for neighbours is what a world has
// that was made so.
TEST(Sight, AListDoesNotOutliveAChange) {
  const Scene scene = testing::Crossing({.agents = 600, .cover = 0.6f});
  const auto world = MakeWorld(scene), other = MakeWorld(scene);
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    const auto id = static_cast<AgentId>(1 + random.Below(600));
    AgentUpdate update;
    update.params.layer = static_cast<std::uint32_t>(1 + random.Below(3));
    update.params.avoids = static_cast<std::uint32_t>(random.Below(4));
    update.params.z = random.Chance(0.5f) ? 0.0f : 2.5f;
    for (World* const each : {world.get(), other.get()}) {
      ASSERT_TRUE(each->UpdateAgent(id, update).ok());
    }
    // A teleport to where it stands makes all lists anew.
    AgentUpdate still;
    still.position = PlaceOf(*other, 1);
    ASSERT_TRUE(other->UpdateAgent(1, still).ok());
    Step(*world);
    Step(*other);
    ASSERT_EQ(world->stats().neighbors, other->stats().neighbors);
    ASSERT_EQ(world->StateHash(), other->StateHash());
  }
}

// Who sees nobody makes no list, searches nothing and has no neighbour.
TEST(Sight, R049_WhoAvoidsNobodyLooksNobodyUp) {
  for (const AgentParamsPatch& params : {Mask(1, 0), Weight(0.0f)}) {
    Scene scene = testing::Crossing({.agents = 5'000, .cover = 0.5f});
    const auto avoiding = MakeWorld(scene);
    for (AgentSpec& agent : scene.agents) agent.params = params;
    const auto blind = MakeWorld(scene);
    std::uint64_t looked = 0, neighbors = 0;
    for (int tick = 0; tick < 40; ++tick) {
      Step(*avoiding);
      Step(*blind);
      looked += WorldTestAccess::LookUps(*avoiding);
      neighbors += avoiding->stats().neighbors;
      ASSERT_EQ(WorldTestAccess::LookUps(*blind), 0u);
      ASSERT_EQ(blind->stats().neighbors, 0u);
    }
    EXPECT_GT(looked, 5'000u);
    EXPECT_GT(neighbors, 100'000u);
  }
}

// The few who see nobody among many who do cost no search either.
TEST(Sight, R049_ABlindOneAmongOthersHasNoNeighbor) {
  Scene scene = testing::Crossing({.agents = 400, .cover = 0.5f});
  for (std::size_t i = 0; i < scene.agents.size(); ++i) {
    scene.agents[i].params = i % 4 == 0 ? AgentParamsPatch{} : Mask(0, 0);
  }
  const auto world = MakeWorld(scene);
  Step(*world, 10);
  EXPECT_LE(world->stats().neighbors, 100u * 10u);
  EXPECT_GT(world->stats().neighbors, 0u);
}

TEST(Sight, WhatIsNotSeenDoesNotCountAmongTheNeighbors) {
  const auto world = MakeWorld();
  AgentParamsPatch params = Mask(1, 2);
  params.max_neighbors = 1;
  const AgentId id = Add(*world, {0, 0}, {1, 0}, params);
  for (int i = 0; i < 30; ++i) Add(*world, {2.0f + 0.01f * static_cast<float>(i), 0.5f}, {0, 0}, Mask(4, 0));
  Add(*world, {8, 0.01f}, {0, 0}, Mask(2, 0));
  Step(*world);
  EXPECT_EQ(world->stats().neighbors, 1u);
  Step(*world, 60);
  EXPECT_GT(std::abs(PlaceOf(*world, id).y), 0.1f);
}

TEST(Sight, IsReadBackAndCopiedFromDefaults) {
  const auto world = MakeWorld();
  AgentParams defaults;
  defaults.layer = 6;
  defaults.avoids = 3;
  defaults.z = -1.25f;
  defaults.height = 1e-3f;
  ASSERT_TRUE(world->SetAgentDefaults(defaults).ok());
  const AgentId id = Add(*world, {0, 0}, {0, 0});
  EXPECT_EQ(world->GetAgent(id)->params, defaults);
  Step(*world, 3);
  EXPECT_EQ(world->GetAgent(id)->params, defaults);
  AgentUpdate update;
  update.params.avoids = 0;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  EXPECT_EQ(world->GetAgent(id)->params.max_neighbors, defaults.max_neighbors);
  update.params = Mask(1, 0xffffffff);
  update.params.z = update.params.height = 0.0f;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world, 3);
  EXPECT_EQ(world->GetAgent(id)->params, AgentParams{});
}

TEST(Sight, WorldsWithoutItPayNoMemory) {
  Scene scene = testing::Crossing({.agents = 2'000});
  const auto plain = MakeWorld(scene);
  scene.agents[7].params.layer = 2;
  const auto seeing = MakeWorld(scene);
  Step(*plain, 2);
  Step(*seeing, 2);
  EXPECT_GE(seeing->memory_bytes(), plain->memory_bytes() + 2'000 * sizeof(Sight));
  AgentUpdate update;
  update.params.layer = 1;
  ASSERT_TRUE(seeing->UpdateAgent(8, update).ok());
  Step(*seeing, 1);
  EXPECT_EQ(seeing->memory_bytes(), plain->memory_bytes());
}

TEST(Sight, HeightsOutOfRangeAreRefused) {
  AgentParamsPatch patch;
  patch.z = 2e6f;
  EXPECT_EQ(GetViolation(Validate(patch))->field, "z");
  patch.z = -kMaxCoordinate;
  EXPECT_TRUE(Validate(patch).ok());
  patch.height = -0.5f;
  EXPECT_EQ(GetViolation(Validate(patch))->field, "height");
  patch.height = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(GetViolation(Validate(patch))->field, "height");
  patch.height = kMaxCoordinate;
  EXPECT_TRUE(Validate(patch).ok());
}

}  // namespace
}  // namespace throng
