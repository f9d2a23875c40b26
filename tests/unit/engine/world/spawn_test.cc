// Where new agents come to stand, as a user sees it; and the nearest free place against a search that knows nothing of
// discs and edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/polygon.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using ::testing::HasSubstr;

AgentSpec At(Vec2 position, Placement placement, float radius = 0.5f) {
  AgentSpec spec;
  spec.position = position;
  spec.placement = placement;
  spec.params.radius = radius;
  return spec;
}

float Distance(Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }

class SpawnTest : public ::testing::Test {
 protected:
  explicit SpawnTest(const WorldSettings& settings = {}) : world_(World::Create(settings).value()) {}

  AgentId Add(const AgentSpec& spec) {
    const auto id = world_->AddAgent(spec);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(kInvalidId);
  }
  void Step(int steps = 1) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(world_->Step().ok());
  }
  Vec2 PositionOf(AgentId id) const { return world_->GetAgent(id)->position; }
  ObstacleId AddSolid(const std::vector<Vec2>& vertices) {
    return world_->AddObstacle({std::nullopt, ObstacleKind::kSolid, vertices}).value();
  }
  // Refused, for what is named; and nothing is changed by that.
  void ExpectTaken(const AgentSpec& spec, const std::string& named) {
    const std::size_t count = world_->agent_count();
    const std::uint64_t hash = world_->StateHash();
    const absl::Status status = world_->AddAgent(spec).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
    ASSERT_TRUE(GetViolation(status).has_value());
    EXPECT_EQ(GetViolation(status)->field, "position");
    EXPECT_EQ(world_->agent_count(), count);
    EXPECT_EQ(world_->StateHash(), hash);
  }

  std::unique_ptr<World> world_;
};

TEST_F(SpawnTest, RejectNamesTheNearestAgentInTheWay) {
  const AgentId near = Add(At({5, 5}, Placement::kAllow)), far = Add(At({6.5f, 5}, Placement::kAllow));
  ExpectTaken(At({5.7f, 5}, Placement::kReject), "agent " + std::to_string(near));
  ExpectTaken(At({5.8f, 5}, Placement::kReject), "agent " + std::to_string(far));
  Step();
  ExpectTaken(At({5.8f, 5}, Placement::kReject), "agent " + std::to_string(far));
  Add(At({5, 6}, Placement::kReject));  // touches
  AgentSpec given = At({20, 20}, Placement::kReject);
  given.id = 7;
  EXPECT_EQ(Add(given), 7u);
  EXPECT_EQ(PositionOf(7), (Vec2{20, 20}));
}

TEST_F(SpawnTest, ARefusedAddTakesNoId) {
  const AgentId first = Add(At({0, 0}, Placement::kAllow));
  ExpectTaken(At({0, 0}, Placement::kReject), "agent");
  EXPECT_EQ(Add(At({9, 9}, Placement::kReject)), first + 1);
}

TEST_F(SpawnTest, RejectNamesTheObstacle) {
  const ObstacleId solid = AddSolid({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
  const ObstacleId room =
      world_->AddObstacle({std::nullopt, ObstacleKind::kEnclosure, {{-50, -50}, {50, -50}, {50, 50}, {-50, 50}}})
          .value();
  ExpectTaken(At({1, 1}, Placement::kReject), "obstacle " + std::to_string(solid));
  ExpectTaken(At({60, 1}, Placement::kReject), "obstacle " + std::to_string(room));
  Add(At({4.1f, 1}, Placement::kReject));  // only the centre is to be on walkable ground
}

TEST_F(SpawnTest, WhoDoesNotSeeEachOtherShareAPlace) {
  AgentSpec spec = At({0, 0}, Placement::kAllow);
  spec.params.layer = 1;
  spec.params.avoids = 1;
  Add(spec);
  spec.placement = Placement::kReject;
  spec.params.layer = 2;
  ExpectTaken(spec, "agent");  // it sees the first
  spec.params.avoids = 2;
  Add(spec);
  spec.params.layer = 1;
  spec.params.avoids = 0;
  ExpectTaken(spec, "agent");  // the first sees it
  spec.params.z = 3;
  Add(spec);  // on another floor
}

TEST_F(SpawnTest, WhoDoesNotSeeAnObstacleMayStandInIt) {
  ObstacleSpec solid{std::nullopt, ObstacleKind::kSolid, {{0, 0}, {4, 0}, {4, 4}, {0, 4}}};
  solid.layer = 2;
  ASSERT_TRUE(world_->AddObstacle(solid).ok());
  AgentSpec spec = At({1, 1}, Placement::kReject);
  ExpectTaken(spec, "obstacle");
  spec.params.avoids = 1;
  Add(spec);
}

TEST_F(SpawnTest, KinematicAgentsMindAgentsAlone) {
  AddSolid({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
  AgentSpec spec = At({1, 1}, Placement::kReject);
  spec.kinematic = true;
  Add(spec);
  ExpectTaken(spec, "agent");
  spec.placement = Placement::kNudge;
  EXPECT_NEAR(Distance(PositionOf(Add(spec)), {1, 1}), 1.0f, 1e-5f) << "and are put into the solid too";
}

TEST_F(SpawnTest, NudgeLeavesFreePlacesAlone) {
  const Vec2 place{1.2345678f, -7.654321f};
  EXPECT_EQ(PositionOf(Add(At(place, Placement::kNudge))), place);
}

TEST_F(SpawnTest, NudgeGoesWhereItTouches) {
  Add(At({0, 0}, Placement::kAllow, 1.0f));
  const Vec2 beside = PositionOf(Add(At({0.3f, 0.4f}, Placement::kNudge)));
  EXPECT_NEAR(beside.x, 0.9f, 1e-5f);
  EXPECT_NEAR(beside.y, 1.2f, 1e-5f);
  // Of four that are as near, the one of the least x.
  EXPECT_EQ(PositionOf(Add(At({0, 0}, Placement::kNudge))), (Vec2{-1.5f, 0}));
}

TEST_F(SpawnTest, NudgeGivesUpBeyondItsDistance) {
  Add(At({0, 0}, Placement::kAllow, 10.0f));
  AgentSpec spec = At({3, 0}, Placement::kNudge);
  spec.nudge_distance = 7.4f;
  ExpectTaken(spec, "within 7.4 m");
  spec.nudge_distance = 7.6f;
  EXPECT_NEAR(PositionOf(Add(spec)).x, 10.5f, 1e-4f);
  ExpectTaken(At({3, 0}, Placement::kNudge), "within 4 m");
}

TEST_F(SpawnTest, NudgeLeavesSolids) {
  AddSolid({{0, 0}, {10, 0}, {10, 4}, {0, 4}});
  Add(At({5, 4.2f}, Placement::kAllow));
  // Not straight out, where another stands, but before the edge beside it.
  const Vec2 place = PositionOf(Add(At({5.1f, 3.8f}, Placement::kNudge)));
  EXPECT_GT(place.y, 4.0f);
  EXPECT_NEAR(place.y, 4.0f, 1e-3f);
  EXPECT_NEAR(Distance(place, {5, 4.2f}), 1.0f, 1e-4f);
  EXPECT_GT(place.x, 5.0f);
  Step();
  EXPECT_EQ(world_->recoveries(), 0u);
}

TEST(Spawn, NudgeStaysInBounds) {
  WorldSettings settings;
  settings.bounds = Rectangle{{0, 0}, {20, 20}};
  const auto world = World::Create(settings).value();
  const absl::Status refused = world->AddAgent(At({19.8f, 5}, Placement::kReject)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("the bounds"));
  const AgentId first = world->AddAgent(At({19.8f, 5}, Placement::kNudge)).value();
  EXPECT_EQ(world->GetAgent(first)->position, (Vec2{19.5f, 5}));
  const AgentId second = world->AddAgent(At({25, 5.1f}, Placement::kNudge)).status().ok() ? kInvalidId : first;
  EXPECT_EQ(second, first) << "farther than 4 m";
  const AgentId third = world->AddAgent(At({22, 5.1f}, Placement::kNudge)).value();
  EXPECT_EQ(world->GetAgent(third)->position.x, 19.5f);
  EXPECT_NEAR(world->GetAgent(third)->position.y, 6.0f, 1e-4f);
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 0u);
}

// Many on one point, whoever holds the index of where they are: the step's, none, or one made for them.
TEST_F(SpawnTest, ManyOnOnePointComeToStandBesideEachOther) {
  float farthest = 0.0f;
  for (int i = 0; i < 120; ++i) {
    AgentSpec spec = At({3, 4}, Placement::kNudge);
    spec.nudge_distance = 50.0f;
    const AgentId id = Add(spec);
    farthest = std::max(farthest, Distance(PositionOf(id), {3, 4}));
    for (const AgentId other : world_->membership()->ids) {
      if (other == id) continue;
      ASSERT_GE(Distance(PositionOf(id), PositionOf(other)), 0.9999f) << i;
    }
    if (i % 50 == 7) Step();
    if (i != 90) continue;
    ASSERT_TRUE(world_->RemoveAgent(world_->membership()->ids[3]).ok());
  }
  EXPECT_LT(farthest, 8.0f) << "packed closely they would reach to 5.2 m";
}

TEST_F(SpawnTest, TheIndexFollowsEdits) {
  for (int i = 0; i < 40; ++i) Add(At({2.0f * static_cast<float>(i), 0}, Placement::kReject));
  const AgentId moved = world_->membership()->ids[20], grown = world_->membership()->ids[30];
  AgentUpdate update;
  update.position = Vec2{40, 50};
  ASSERT_TRUE(world_->UpdateAgent(moved, update).ok());
  for (int i = 0; i < 40; ++i) Add(At({2.0f * static_cast<float>(i), 10}, Placement::kReject));
  ExpectTaken(At({40, 50.5f}, Placement::kReject), "agent " + std::to_string(moved));
  Add(At({40, 0}, Placement::kReject));
  AgentUpdate growth;
  growth.params.radius = 20.0f;
  ASSERT_TRUE(world_->UpdateAgent(grown, growth).ok());
  ExpectTaken(At({60, -20}, Placement::kReject), "agent " + std::to_string(grown));
  ASSERT_TRUE(world_->RemoveAllAgents().ok());
  Add(At({60, -20}, Placement::kReject));
}

TEST_F(SpawnTest, MemoryReturnsWithTheNextStep) {
  Step();
  const auto add = [&](Placement placement) {
    for (int i = 0; i < 2'000; ++i) {
      Add(At({1.5f * static_cast<float>(i % 50), 1.5f * static_cast<float>(i / 50)}, placement));
    }
  };
  add(Placement::kReject);
  Step(2);
  const std::size_t spawned = world_->memory_bytes();
  ASSERT_TRUE(world_->RemoveAllAgents().ok());
  Step(2);
  add(Placement::kAllow);
  Step(2);
  EXPECT_EQ(world_->memory_bytes(), spawned);
}

// No burst: who was put on top of others parts within the speed that it has, idle ones at separation_speed.
TEST_F(SpawnTest, WhoOverlapsPartsWithoutABurst) {
  for (int i = 0; i < 12; ++i) {
    AgentSpec spec = At({0.01f * static_cast<float>(i), 0}, Placement::kAllow);
    if (i % 3 == 0) spec.preferred_velocity = Vec2{1, 0};
    Add(spec);
  }
  for (int tick = 0; tick < 300; ++tick) {
    Step();
    for (const AgentId id : world_->membership()->ids) {
      const AgentState state = *world_->GetAgent(id);
      ASSERT_LE(std::hypot(state.velocity.x, state.velocity.y), 2.0f * 1.00001f);
    }
  }
  const auto pair = World::Create({}).value();
  const AgentId a = pair->AddAgent(At({0, 0}, Placement::kAllow)).value();
  const AgentId b = pair->AddAgent(At({0.1f, 0}, Placement::kAllow)).value();
  for (int tick = 0; tick < 100; ++tick) {
    ASSERT_TRUE(pair->Step().ok());
    for (const AgentId id : {a, b}) {
      const AgentState state = *pair->GetAgent(id);
      ASSERT_LE(std::hypot(state.velocity.x, state.velocity.y), 0.5f * 2.0f * 1.00001f) << "tick " << tick;
    }
  }
  EXPECT_GT(Distance(pair->GetAgent(a)->position, pair->GetAgent(b)->position), 0.98f);
}

// In a crowd among obstacles in bounds: what is found is free, and no place that chance finds is free and nearer.
TEST(Spawn, NoFreePlaceIsNearer) {
  int found = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    testing::Random random(seed);
    WorldSettings settings;
    if (seed % 2 == 0) settings.bounds = Rectangle{{-9, -8}, {8, 7}};
    const auto world = World::Create(settings).value();
    for (int i = 0; i < 60; ++i) {
      AgentSpec spec = At(random.InBox({-10, -10}, {10, 10}), Placement::kAllow, random.Uniform(0.2f, 1.2f));
      spec.params.layer = 1 + static_cast<std::uint32_t>(random.Below(3));
      ASSERT_TRUE(world->AddAgent(spec).ok());
    }
    for (std::size_t i = random.Below(4); i > 0; --i) {
      ObstacleSpec spec = testing::RandomObstacle(random, {}, 10);
      if (spec.kind == ObstacleKind::kEnclosure) spec.kind = ObstacleKind::kSolid;
      ASSERT_TRUE(world->AddObstacle(spec).ok());
    }
    std::vector<AgentState> others;
    for (const AgentId id : world->membership()->ids) others.push_back(*world->GetAgent(id));
    std::vector<ObstacleState> obstacles;
    for (const ObstacleId id : world->obstacle_ids()) obstacles.push_back(*world->GetObstacle(id));
    for (int attempt = 0; attempt < 10; ++attempt) {
      AgentSpec spec = At(random.InBox({-10, -10}, {10, 10}), Placement::kNudge, random.Uniform(0.2f, 1.0f));
      spec.params.avoids = 1 + static_cast<std::uint32_t>(random.Below(3));
      spec.params.layer = 4;
      spec.nudge_distance = random.Uniform(0.3f, 3.0f);
      const float radius = *spec.params.radius;
      // By `slack` [m] clear of all that is in the way.
      const auto is_free = [&](Vec2 place, float slack) {
        if (settings.bounds) {
          const auto& [min, max] = *settings.bounds;
          const float room = radius + slack;
          if (place.x - min.x < room || max.x - place.x < room || place.y - min.y < room || max.y - place.y < room) {
            return false;
          }
        }
        for (const AgentState& other : others) {
          const bool meets = (*spec.params.avoids & other.params.layer) != 0 || (other.params.avoids & 4) != 0;
          if (meets && Distance(place, other.position) < radius + other.params.radius + slack) return false;
        }
        return std::none_of(obstacles.begin(), obstacles.end(), [&](const ObstacleState& obstacle) {
          return (*spec.params.avoids & obstacle.layer) != 0 && obstacle.kind == ObstacleKind::kSolid &&
                 SideOf(obstacle.vertices, place) != PolygonSide::kOutside;
        });
      };
      const Vec2 place = *spec.position;
      const auto id = world->AddAgent(spec);
      float distance = *spec.nudge_distance;
      if (id.ok()) {
        const Vec2 stood = world->GetAgent(*id)->position;
        EXPECT_TRUE(is_free(stood, -1e-4f)) << "seed " << seed << ": " << stood.x << " " << stood.y;
        distance = Distance(stood, place);
        found += distance > 0.0f ? 1 : 0;
        ASSERT_TRUE(world->RemoveAgent(*id).ok());
      } else {
        ASSERT_EQ(id.status().code(), absl::StatusCode::kFailedPrecondition);
        ++refused;
      }
      for (int sample = 0; sample < (distance > 0.0f ? 1'000 : 0); ++sample) {
        const float reach = std::sqrt(random.Uniform(0, 1)) * std::max(0.0f, distance - 0.01f);
        const Vec2 way = random.UnitVector();
        const Vec2 other{place.x + reach * way.x, place.y + reach * way.y};
        ASSERT_FALSE(is_free(other, 1e-4f)) << "seed " << seed << ": from " << place.x << " " << place.y << " not at "
                                            << distance << " but at " << other.x << " " << other.y;
      }
    }
  }
  EXPECT_GT(found, 200);
  EXPECT_GT(refused, 10);
}

// Whatever is to be added one after the other: each finds the same place, or is refused in the same words, as if those
// before it were only thought of.
TEST(Spawn, WhoIsForeseenCountsAsIfItWereThere) {
  int taken = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::Random random(seed);
    WorldSettings settings;
    if (seed % 2 == 0) settings.bounds = Rectangle{{-6, -6}, {6, 6}};
    const auto world = World::Create(settings).value();
    const auto random_agent = [&] {
      AgentSpec spec = At({random.Uniform(-6, 6), random.Uniform(-6, 6)}, static_cast<Placement>(1 + random.Below(3)),
                          random.Uniform(0.2f, 0.8f));
      if (random.Below(4) == 0) spec.params.layer = 2;
      if (random.Below(4) == 0) spec.params.avoids = 1;
      spec.kinematic = random.Below(8) == 0;
      if (random.Below(3) == 0) spec.nudge_distance = random.Uniform(0.1f, 3.0f);
      return spec;
    };
    ASSERT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kSolid, {{-2, -2}, {1, -2}, {0, 3}}}).ok());
    for (int i = 0; i < 20; ++i) world->AddAgent(random_agent()).status().IgnoreError();
    if (seed % 3 != 0) {
      ASSERT_TRUE(world->Step().ok());
    }

    std::vector<AgentSpec> specs;
    std::vector<absl::StatusOr<Vec2>> places;
    std::vector<ForeseenAgent> foreseen;
    AgentId next = world->NextAgentId();
    for (int i = 0; i < 40; ++i) {
      specs.push_back(random_agent());
      places.push_back(world->FindPlace(specs.back(), foreseen));
      if (!places.back().ok()) continue;
      const AgentParams params = Apply(settings.agent_defaults, specs.back().params);
      foreseen.push_back(
          {next++, *places.back(), EffectiveRadius(params), params.layer, params.avoids, params.z, params.height});
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const auto id = world->AddAgent(specs[i]);
      ASSERT_EQ(id.status(), places[i].status()) << "seed " << seed << ", agent " << i;
      taken += id.ok() ? 0 : 1;
      if (!id.ok()) continue;
      EXPECT_EQ(world->GetAgent(*id)->position, *places[i]) << "seed " << seed << ", agent " << i;
      moved += *specs[i].position == *places[i] ? 0 : 1;
    }
    EXPECT_EQ(world->NextAgentId(), next);
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace throng
