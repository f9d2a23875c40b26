// Lifecycle, identity, and parameters that take effect.
#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/reports/support.h"
#include "tests/support/random.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng::reports {
namespace {

TEST(Reports, R033_RemovalKeepsIdsApart) {
  const auto world = Make();
  std::vector<AgentId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(Add(*world, {5.0f * static_cast<float>(i), 0}));
  ASSERT_TRUE(world->RemoveAgent(ids[3]).ok());
  Want(*world, ids[7], {0, 1});
  EXPECT_EQ(world->RemoveAgent(ids[3]).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->RemoveAgent(999).code(), absl::StatusCode::kNotFound);
  const AgentId late = Add(*world, {0, 50});
  EXPECT_THAT(ids, ::testing::Not(::testing::Contains(late)));
  Step(*world);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i == 3) continue;
    const float x = 5.0f * static_cast<float>(i);
    EXPECT_EQ(PositionOf(*world, ids[i]), i == 7 ? (Vec2{x, 0.1f}) : (Vec2{x, 0})) << i;
  }
}

// Two who pass at 1.1 m. `change` comes at tick 10; returns how near they came from tick 11 on.
float ClosestOfPassing(const AgentParamsPatch& change, const AgentParamsPatch& from_start = {}) {
  const auto world = Make();
  Add(*world, {-4, 0}, 1, from_start);
  Add(*world, {4, 1.1f}, 2, from_start);
  float closest = 1e9f;
  for (int tick = 0; tick < 100; ++tick) {
    if (tick == 10) {
      AgentUpdate update;
      update.params = change;
      for (const AgentId id : {1u, 2u}) EXPECT_TRUE(world->UpdateAgent(id, update).ok());
    }
    Want(*world, 1, {1.5f, 0});
    Want(*world, 2, {-1.5f, 0});
    Step(*world);
    if (tick >= 10) closest = std::min(closest, Distance(PositionOf(*world, 1), PositionOf(*world, 2)));
  }
  return closest;
}

TEST(Reports, R035_ParametersTakeEffectInTheNextTick) {
  EXPECT_LT(ClosestOfPassing({}), 1.2f);
  AgentParamsPatch wide;
  wide.radius = 1.5f;
  // At tick 10 they are 5.1 m apart; both have time enough.
  EXPECT_GE(ClosestOfPassing(wide), 3.0f - 1e-3f);
  // Who is blind at first and sees from tick 10 on avoids, and the other way round.
  AgentParamsPatch blind, sees;
  blind.neighbor_distance = 0.0f;
  sees.neighbor_distance = 10.0f;
  AgentParamsPatch wide_and_blind = wide;
  wide_and_blind.neighbor_distance = 0.0f;
  EXPECT_LT(ClosestOfPassing({}, wide_and_blind), 1.2f);
  EXPECT_GE(ClosestOfPassing(sees, wide_and_blind), 3.0f - 1e-3f);
  EXPECT_LT(ClosestOfPassing(blind, wide), ClosestOfPassing({}, wide));
  // One that looks a tenth of a second ahead avoids later than one that looks five.
  AgentParamsPatch short_sighted = wide;
  short_sighted.time_horizon = 0.1f;
  EXPECT_LT(ClosestOfPassing(short_sighted), ClosestOfPassing(wide) + 1e-3f);

  const auto world = Make();
  Add(*world, {0, 0}, 1);
  AgentUpdate slow;
  slow.params.max_speed = 0.25f;
  ASSERT_TRUE(world->UpdateAgent(1, slow).ok());
  EXPECT_EQ(world->GetAgent(1)->params.max_speed, 0.25f);
  Want(*world, 1, {2, 0});
  Step(*world);
  EXPECT_NEAR(VelocityOf(*world, 1).x, 0.25f, 1e-6f);
}

// What a caller may do with an agent within one tick.
enum class Deed { kAdd, kRemove, kRadius, kTeleport, kSelfless, kMindful, kDeeds };

struct Modelled {
  Vec2 position;
  float radius = 0.5f;
  float responsibility = 1.0f;
};

TEST(Reports, R037_AnyOrderOfEditsWithinATick) {
  for (std::uint64_t script = 0; script < 10'000; ++script) {
    testing::Random random(script);
    const auto world = Make();
    std::map<AgentId, Modelled> model;
    const std::size_t edits = 1 + random.Below(12);
    for (std::size_t i = 0; i < edits; ++i) {
      const auto id = static_cast<AgentId>(1 + random.Below(3));
      const bool exists = model.contains(id);
      const Vec2 place = random.InBox({-2, -2}, {2, 2});
      AgentUpdate update;
      absl::Status status;
      const auto deed = static_cast<Deed>(random.Below(static_cast<std::size_t>(Deed::kDeeds)));
      switch (deed) {
        case Deed::kAdd: {
          AgentSpec spec;
          spec.id = id;
          spec.position = place;
          const auto added = world->AddAgent(spec);
          ASSERT_EQ(added.ok(), !exists);
          if (!exists) model[id] = {place};
          continue;
        }
        case Deed::kRemove:
          ASSERT_EQ(world->RemoveAgent(id).ok(), exists);
          model.erase(id);
          continue;
        case Deed::kRadius:
          update.params.radius = random.Uniform(0.1f, 2.0f);
          break;
        case Deed::kTeleport:
          update.position = place;
          break;
        case Deed::kSelfless:
          update.params.responsibility = 0.0f;
          break;
        case Deed::kMindful:
        case Deed::kDeeds:
          update.params.responsibility = random.Uniform(0.5f, 2.0f);
          break;
      }
      ASSERT_EQ(world->UpdateAgent(id, update).ok(), exists);
      if (!exists) continue;
      Modelled& agent = model[id];
      agent.position = update.position.value_or(agent.position);
      agent.radius = update.params.radius.value_or(agent.radius);
      agent.responsibility = update.params.responsibility.value_or(agent.responsibility);
    }
    ASSERT_EQ(world->agent_count(), model.size());
    for (const auto& [id, agent] : model) {
      const auto state = world->GetAgent(id);
      ASSERT_TRUE(state.ok());
      EXPECT_EQ(state->position, agent.position);
      EXPECT_EQ(state->params.radius, agent.radius);
      EXPECT_EQ(state->params.responsibility, agent.responsibility);
    }
    Step(*world);
    ASSERT_NO_FATAL_FAILURE(ExpectSound(*world));
  }
}

TEST(Reports, R039_ANewAgentStandsWhereItWasPut) {
  const auto world = Make();
  std::vector<Vec2> idle;
  for (int i = 0; i < 10; ++i)
    idle.push_back({static_cast<float>(i % 5) - 2.0f, static_cast<float>(i / 5) * 2.0f - 1.0f});
  for (std::size_t i = 0; i < idle.size(); ++i) Add(*world, idle[i], static_cast<AgentId>(1 + i));
  Add(*world, {50, 50}, 11);
  EXPECT_EQ(PositionOf(*world, 11), (Vec2{50, 50}));
  Step(*world);
  EXPECT_EQ(PositionOf(*world, 11), (Vec2{50, 50}));
  for (std::size_t i = 0; i < idle.size(); ++i) {
    EXPECT_LT(Distance(PositionOf(*world, static_cast<AgentId>(1 + i)), idle[i]), 1e-6f);
  }
  AgentSpec nowhere;
  EXPECT_EQ(world->AddAgent(nowhere).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Reports, R041_EpisodesKeepTheObstacleIndex) {
  const auto world = Make();
  for (int i = 0; i < 1250; ++i) {
    ObstacleSpec block;
    const Vec2 at{static_cast<float>(i % 50) * 8.0f, static_cast<float>(i / 50) * 8.0f};
    block.vertices = {at, {at.x + 3, at.y}, {at.x + 3, at.y + 3}, {at.x, at.y + 3}};
    ASSERT_TRUE(world->AddObstacle(block).ok());
  }
  const std::uint64_t version = world->obstacle_version();
  std::size_t memory = 0;
  std::uint64_t hash = 0;
  for (int episode = 0; episode < 100; ++episode) {
    ASSERT_TRUE(world->RemoveAllAgents().ok());
    for (int i = 0; i < 200; ++i) {
      const Vec2 at{static_cast<float>(i % 20) * 8.0f + 5.5f, static_cast<float>(i / 20) * 8.0f + 1.0f};
      const auto id = static_cast<AgentId>(1 + i);
      Add(*world, at, id);
      Want(*world, id, {i % 2 == 0 ? 1.0f : -1.0f, 0.5f});
    }
    for (int tick = 0; tick < 10; ++tick) Step(*world);
    ASSERT_EQ(world->obstacle_version(), version);
    if (episode == 0) hash = world->StateHash();
    EXPECT_EQ(world->StateHash(), hash) << "an episode remembers the one before it";
    if (episode == 9) memory = world->memory_bytes();
  }
  EXPECT_LE(world->memory_bytes(), memory);
}

}  // namespace
}  // namespace throng::reports
