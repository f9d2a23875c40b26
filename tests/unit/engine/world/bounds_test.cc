// Bounds as a user sees them. That they hold whatever happens, and give the same bits as the twin, is held in
// tests/differential.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld(const Rectangle& bounds = {{0, 0}, {50, 50}}) {
  WorldSettings settings;
  settings.bounds = bounds;
  return World::Create(settings).value();
}

AgentId Put(World& world, Vec2 position, Vec2 preferred = {}, float radius = 0.5f) {
  AgentSpec spec;
  spec.position = position;
  spec.preferred_velocity = preferred;
  spec.params.radius = radius;
  return world.AddAgent(spec).value();
}

ObstacleId AddSolid(World& world, const std::vector<Vec2>& vertices) {
  return world.AddObstacle({std::nullopt, ObstacleKind::kSolid, vertices}).value();
}

Vec2 PositionOf(const World& world, AgentId id) { return world.GetAgent(id)->position; }

void Step(World& world, int steps = 1) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(world.Step().ok());
}

TEST(Bounds, StopADiscWhereItTouchesThem) {
  const auto world = MakeWorld();
  const AgentId east = Put(*world, {45, 25}, {1.5f, 0}), corner = Put(*world, {3, 3}, {-1, -1});
  Step(*world, 600);
  EXPECT_NEAR(PositionOf(*world, east).x, 49.5f, 0.01f);
  EXPECT_LE(PositionOf(*world, east).x, 49.5f);
  EXPECT_NEAR(PositionOf(*world, corner).x, 0.5f, 0.01f);
  EXPECT_NEAR(PositionOf(*world, corner).y, 0.5f, 0.01f);
  EXPECT_EQ(world->recoveries(), 0u);
}

TEST(Bounds, AreNoneOfTheObstacles) {
  const auto world = MakeWorld();
  EXPECT_EQ(world->obstacle_count(), 0u);
  EXPECT_EQ(world->obstacle_vertex_count(), 0u);
  EXPECT_EQ(world->obstacle_version(), 0u);
  EXPECT_TRUE(world->obstacle_ids().empty());
  EXPECT_EQ(world->GetObstacle(kInvalidId).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->RemoveObstacle(kInvalidId).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->UpdateObstacle(kInvalidId, {std::nullopt, ObstacleKind::kWall, {{1, 1}, {2, 2}}}).code(),
            absl::StatusCode::kNotFound);
}

TEST(Bounds, HoldWhileObstaclesComeAndGo) {
  const auto world = MakeWorld();
  const AgentId id = Put(*world, {49.4f, 25}, {1.5f, 0.2f});
  std::vector<ObstacleId> solids;
  for (int i = 0; i < 20; ++i) {
    const float x = 2.0f * static_cast<float>(i) + 1.0f;
    solids.push_back(AddSolid(*world, {{x, 1}, {x + 1, 1}, {x, 2}}));
    Step(*world);
  }
  for (const ObstacleId solid : solids) {
    ASSERT_TRUE(world->RemoveObstacle(solid).ok());
    Step(*world);
    EXPECT_LE(PositionOf(*world, id).x, 49.5f);
  }
  Step(*world, 20);
  EXPECT_GT(PositionOf(*world, id).x, 49.4f);
  EXPECT_EQ(world->recoveries(), 0u);
}

TEST(Bounds, WhoIsPutOutsideIsMovedInsideByTheShortestWay) {
  const auto world = MakeWorld();
  const AgentId beside = Put(*world, {60, 20}), beyond = Put(*world, {-3, -1e6f}), within = Put(*world, {0.2f, 30});
  Step(*world);
  EXPECT_EQ(world->recoveries(), 3u);
  EXPECT_EQ(PositionOf(*world, beside), (Vec2{49.5f, 20}));
  EXPECT_EQ(PositionOf(*world, beyond), (Vec2{0.5f, 0.5f}));
  EXPECT_EQ(PositionOf(*world, within), (Vec2{0.5f, 30})) << "a disc that reached out";
  for (const AgentId id : {beside, beyond, within}) {
    EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kRecovered);
    EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kOutOfBounds);
  }
  std::vector<AgentEvent> events;
  world->ReadEvents(events);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0], (AgentEvent{beside, AgentEventKind::kRecovered, StatusReason::kOutOfBounds}));
  Step(*world);
  EXPECT_EQ(world->recoveries(), 3u);
}

TEST(Bounds, WhoGrowsIsMovedInside) {
  const auto world = MakeWorld();
  const AgentId id = Put(*world, {49.5f, 20});
  Step(*world);
  EXPECT_EQ(world->recoveries(), 0u);
  AgentUpdate update;
  update.params.radius = 4.0f;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world);
  EXPECT_EQ(PositionOf(*world, id), (Vec2{46, 20}));
  EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kOutOfBounds);
  update.params.radius = 1.0f;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world);
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Bounds, ADiscWiderThanTheyAreStandsInTheMiddle) {
  const auto world = MakeWorld({{0, 0}, {50, 2}});
  const AgentId id = Put(*world, {10, 0.3f}, {1, 1}, 3.0f);
  for (int i = 0; i < 100; ++i) {
    Step(*world);
    ASSERT_EQ(PositionOf(*world, id).y, 1.0f);
  }
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Bounds, HoldADrivenDiscWithItsTrackingError) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.position = Vec2{48, 25};
  spec.preferred_velocity = Vec2{1.5f, 0};
  spec.params.drive = Drive::kDifferential;
  spec.params.max_turn_rate = 2.0f;
  spec.params.tracking_error = 0.25f;
  const AgentId id = world->AddAgent(spec).value();
  for (int i = 0; i < 200; ++i) {
    Step(*world);
    ASSERT_LE(PositionOf(*world, id).x, 49.25f);
  }
  EXPECT_GT(PositionOf(*world, id).x, 49.0f);
}

TEST(Bounds, ExemptKinematicAgents) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.position = Vec2{49, 25};
  spec.preferred_velocity = Vec2{3, 0};
  spec.kinematic = true;
  const AgentId id = world->AddAgent(spec).value();
  Step(*world, 30);
  EXPECT_NEAR(PositionOf(*world, id).x, 52.0f, 0.01f);
  AgentUpdate update;
  update.kinematic = false;
  update.preferred_velocity = Vec2{};
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world);
  EXPECT_EQ(PositionOf(*world, id).x, 49.5f);
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Bounds, GroundIsLookedForWithinThem) {
  const auto world = MakeWorld();
  // Across the eastern side: the shortest way out of it leads out of the bounds.
  AddSolid(*world, {{46, 10}, {55, 10}, {55, 40}, {46, 40}});
  const AgentId inside = Put(*world, {49.4f, 15}), outside = Put(*world, {53, 38.5f});
  Step(*world);
  EXPECT_EQ(world->recoveries(), 2u);
  EXPECT_NEAR(PositionOf(*world, inside).x, 46, 1e-3f);
  EXPECT_NEAR(PositionOf(*world, inside).y, 15, 1e-3f);
  EXPECT_EQ(world->GetAgent(inside)->reason, StatusReason::kInSolid);
  // Where the solid's side crosses that of its room.
  EXPECT_EQ(PositionOf(*world, outside).x, 49.5f);
  EXPECT_NEAR(PositionOf(*world, outside).y, 40, 1e-3f);
  EXPECT_GT(PositionOf(*world, outside).y, 40);
  EXPECT_EQ(world->GetAgent(outside)->reason, StatusReason::kOutOfBounds);
}

TEST(Bounds, WhereAllOfThemIsSolidAgentsRestInside) {
  const auto world = MakeWorld();
  const ObstacleId solid = AddSolid(*world, {{-10, -10}, {60, -10}, {60, 60}, {-10, 60}});
  const AgentId id = Put(*world, {55, 20}, {1, 0});
  Step(*world, 3);
  EXPECT_EQ(world->stats().stranded, 1u);
  EXPECT_EQ(PositionOf(*world, id), (Vec2{49.5f, 20}));
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{}));
  ASSERT_TRUE(world->RemoveObstacle(solid).ok());
  Step(*world, 3);
  EXPECT_EQ(world->stats().stranded, 0u);
}

// A half-plane of a side that long would be too coarse; see MakeBoundsOutline.
TEST(Bounds, KeepAgentsAsWellInAWorldOf100Kilometres) {
  const auto world = MakeWorld({{-50'000, -50'000}, {50'000, 50'000}});
  const AgentId id = Put(*world, {49'990, 12'345}, {1.5f, 0});
  for (int i = 0; i < 400; ++i) {
    Step(*world);
    ASSERT_NEAR(PositionOf(*world, id).y, 12'345, 0.5f);
  }
  // Nearer by less than half of what floats tell apart there, it stands.
  EXPECT_NEAR(PositionOf(*world, id).x, 49'999.5f, 0.15f);
}

TEST(Bounds, AreCheapInTheLargestWorld) {
  const auto world = MakeWorld({{-kMaxCoordinate, -kMaxCoordinate}, {kMaxCoordinate, kMaxCoordinate}});
  EXPECT_LT(world->memory_bytes(), 1'000'000u);
  const AgentId id = Put(*world, {1'048'570, 3}, {2, 0}, 1.0f);
  Step(*world, 300);
  EXPECT_LE(PositionOf(*world, id).x, kMaxCoordinate - 1.0f);
  EXPECT_NEAR(PositionOf(*world, id).y, 3, 0.5f);
}

TEST(Bounds, ExplainNamesThem) {
  const auto world = MakeWorld();
  const AgentId id = Put(*world, {49, 25}, {1.5f, 0});
  Step(*world);
  const Explanation why = *world->Explain(id);
  ASSERT_EQ(why.half_planes.size(), 1u);
  EXPECT_EQ(why.half_planes[0].source, HalfPlaneSource::kBounds);
  EXPECT_EQ(why.half_planes[0].id, kInvalidId);
  EXPECT_TRUE(why.half_planes[0].hard);
  EXPECT_NEAR(why.half_planes[0].normal.x, -1, 1e-5f);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->velocity, why.velocity);
  EXPECT_EQ(PositionOf(*world, id), why.position);
}

TEST(Bounds, ExplainTellsOfRecoveryIntoThem) {
  const auto world = MakeWorld();
  const AgentId id = Put(*world, {55, 25}, {1.5f, 0});
  const Explanation why = *world->Explain(id);
  EXPECT_TRUE(why.recovered);
  Step(*world);
  EXPECT_EQ(PositionOf(*world, id), why.position);
}

TEST(Bounds, StopDiscsButNotRays) {
  const auto world = MakeWorld();
  const ObstacleId solid = AddSolid(*world, {{60, 20}, {70, 20}, {70, 30}, {60, 30}});
  EXPECT_TRUE(world->TestVisibility({10, 10}, {40, 40}, 0.5f)->visible);
  EXPECT_TRUE(world->TestVisibility({10, 49}, {40, 49}, 0.5f)->visible);
  for (const auto& [from, to, radius] : std::vector<std::tuple<Vec2, Vec2, float>>{
           {{10, 25}, {80, 25}, 0.0f}, {{10, 49}, {40, 49}, 2.0f}, {{80, 10}, {10, 10}, 0.5f}}) {
    const Visibility seen = *world->TestVisibility(from, to, radius);
    EXPECT_FALSE(seen.visible);
    EXPECT_EQ(seen.obstacle, kInvalidId);
  }
  const RayHit hit = *world->CastRay({10, 25}, {80, 25});
  EXPECT_TRUE(hit.hit);
  EXPECT_EQ(hit.obstacle, solid);
  EXPECT_EQ(hit.point.x, 60.0f);
  EXPECT_FALSE(world->CastRay({10, 10}, {80, 10})->hit);
}

TEST(Bounds, ADiscMayGoThroughNoStepTooLong) {
  WorldSettings settings;
  settings.bounds = Rectangle{{0, 0}, {10, 10}};
  settings.time_step = 1.0f;
  settings.agent_defaults.max_speed = 1'000.0f;
  const auto world = World::Create(settings).value();
  const AgentId id = Put(*world, {5, 5}, {1'000, 300});
  Step(*world);
  EXPECT_LE(PositionOf(*world, id).x, 9.5f);
  EXPECT_LE(PositionOf(*world, id).y, 9.5f);
  const AgentState state = *world->GetAgent(id);
  EXPECT_NEAR(state.velocity.x, state.position.x - 5, 1e-4f) << "of the way made";
  EXPECT_NEAR(state.velocity.y, state.position.y - 5, 1e-4f);
}

}  // namespace
}  // namespace throng
