// Obstacles that move, as a user sees them: capsules, and polygons that are moved by command.
#include <absl/status/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld(Preset preset = Preset::kBase) {
  WorldSettings settings;
  settings.preset = preset;
  settings.time_step = 0.1f;
  return World::Create(settings).value();
}

ObstacleSpec Capsule(Vec2 start, Vec2 end, float radius, std::optional<Vec2> velocity = std::nullopt) {
  ObstacleSpec spec;
  spec.kind = ObstacleKind::kCapsule;
  spec.vertices = {start, end};
  spec.radius = radius;
  spec.velocity = velocity;
  return spec;
}

AgentId Walk(World& world, Vec2 position, Vec2 velocity, const AgentParamsPatch& params = {}) {
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

double Gap(const World& world, AgentId agent, ObstacleId capsule) {
  const AgentState a = world.GetAgent(agent).value();
  const ObstacleState c = world.GetObstacle(capsule).value();
  const double x = double{c.vertices[1].x} - c.vertices[0].x, y = double{c.vertices[1].y} - c.vertices[0].y;
  const double px = double{a.position.x} - c.vertices[0].x, py = double{a.position.y} - c.vertices[0].y;
  const double squared = x * x + y * y;
  const double s = squared > 0 ? std::clamp((px * x + py * y) / squared, 0.0, 1.0) : 0.0;
  return std::hypot(px - s * x, py - s * y) - double{a.params.radius} - double{*c.radius};
}

std::string FieldOf(const absl::Status& status) {
  const auto violation = GetViolation(status);
  return violation ? violation->field : "none: " + status.ToString();
}

TEST(Capsule, IsKeptClearOfByThoseItComesUpon) {
  for (const Preset preset : {Preset::kBase, Preset::kDefault}) {
    const auto world = MakeWorld(preset);
    const ObstacleId lorry = world->AddObstacle(Capsule({-30, 0}, {-24, 0}, 1.25f, Vec2{1.5f, 0})).value();
    std::vector<AgentId> agents;
    testing::Random random(3);
    for (int i = 0; i < 8; ++i) {
      const Vec2 place{static_cast<float>(4 * i), random.Uniform(-1.0f, 1.0f)};
      agents.push_back(Walk(*world, place, {i % 2 == 0 ? -1.0f : 0.0f, 0}));
    }
    for (int tick = 0; tick < 400; ++tick) {
      Step(*world);
      for (const AgentId id : agents) ASSERT_GT(Gap(*world, id, lorry), -0.01) << "agent " << id << " tick " << tick;
    }
    EXPECT_NEAR(world->GetObstacle(lorry)->vertices[0].x, 30, 1e-3) << "it goes through everything";
  }
}

TEST(Capsule, IsAsAKinematicDiscOfItsSize) {
  const auto velocity_beside = [](bool capsule) {
    const auto world = MakeWorld();
    const AgentId id = Walk(*world, {0, 0}, {1.5f, 0.1f});
    if (capsule) {
      EXPECT_TRUE(world->AddObstacle(Capsule({5, 0}, {5, 0}, 0.75f, Vec2{-1, 0})).ok());
    } else {
      AgentSpec disc;
      disc.position = Vec2{5, 0};
      disc.velocity = {-1, 0};
      disc.preferred_velocity = disc.velocity;
      disc.kinematic = true;
      disc.params.radius = 0.75f;
      EXPECT_TRUE(world->AddAgent(disc).ok());
    }
    Step(*world);
    return world->GetAgent(id)->velocity;
  };
  EXPECT_EQ(velocity_beside(true), velocity_beside(false));
}

// Looked at within neighbor_distance of its surface, by whom it is seen by, and beside max_neighbors agents.
TEST(Capsule, CountsWhereItIsNearAndSeen) {
  const auto lines = [](const AgentParamsPatch& params, std::uint32_t layer, std::optional<HeightBand> band = {}) {
    const auto world = MakeWorld();
    ObstacleSpec spec = Capsule({6, -3}, {6, 3}, 1);
    spec.layer = layer;
    spec.band = band;
    const ObstacleId capsule = world->AddObstacle(spec).value();
    const AgentId id = Walk(*world, {0, 0}, {1, 0}, params);
    const AgentId other = Walk(*world, {0, 2}, {1, 0});
    const Explanation why = world->Explain(id).value();
    std::size_t of_capsule = 0;
    for (const ExplainedHalfPlane& line : why.half_planes) {
      EXPECT_FALSE(line.hard);
      EXPECT_EQ(line.share, line.source == HalfPlaneSource::kObstacle ? 1.0f : line.share);
      EXPECT_EQ(line.id, line.source == HalfPlaneSource::kObstacle ? capsule : other);
      of_capsule += line.source == HalfPlaneSource::kObstacle ? 1 : 0;
      if (line.source == HalfPlaneSource::kObstacle) {
        EXPECT_EQ(&line, &why.half_planes[0]) << "before those of agents";
      }
    }
    EXPECT_EQ(why.half_planes.size() - of_capsule, why.neighbors.size());
    return of_capsule;
  };
  const auto with = [](auto change) {
    AgentParamsPatch params;
    change(params);
    return params;
  };
  EXPECT_EQ(lines({}, 1), 1u);
  EXPECT_EQ(lines(with([](auto& p) { p.neighbor_distance = 5.0f; }), 1), 0u) << "strictly nearer";
  EXPECT_EQ(lines(with([](auto& p) { p.neighbor_distance = 5.001f; }), 1), 1u);
  EXPECT_EQ(lines(with([](auto& p) { p.max_neighbors = 1; }), 1), 1u);
  EXPECT_EQ(lines(with([](auto& p) { p.max_neighbors = 0; }), 1), 1u);
  EXPECT_EQ(lines(with([](auto& p) { p.responsibility = 0.0f; }), 1), 1u);
  EXPECT_EQ(lines(with([](auto& p) { p.avoids = 2; }), 1), 0u);
  EXPECT_EQ(lines({}, 0), 0u);
  EXPECT_EQ(lines({}, 1, HeightBand{0.5f, 1}), 0u);
  EXPECT_EQ(lines(with([](auto& p) { p.height = 0.5f; }), 1, HeightBand{0.5f, 1}), 1u);
}

TEST(Capsule, IsNotAvoidedByKinematicAgentsAndNobodyIsPutOutOfOne) {
  const auto world = MakeWorld(Preset::kDefault);
  const ObstacleId capsule = world->AddObstacle(Capsule({3, -5}, {3, 5}, 1)).value();
  AgentSpec spec;
  spec.position = Vec2{0, 0};
  spec.preferred_velocity = Vec2{2, 0};
  spec.kinematic = true;
  const AgentId id = world->AddAgent(spec).value();
  const AgentId within = Walk(*world, {3.5f, 0}, {});
  Step(*world, 15);
  EXPECT_NEAR(world->GetAgent(id)->position.x, 3, 1e-5);
  EXPECT_EQ(world->recoveries(), 0u);
  EXPECT_EQ(world->stats().cut, 0u);
  EXPECT_GT(Gap(*world, within, capsule), -1e-3) << "it leaves by itself";
}

TEST(Capsule, MovesInEveryTickThatTakesTime) {
  const auto world = MakeWorld();
  const ObstacleId id = world->AddObstacle(Capsule({0, 0}, {1, 0}, 1, Vec2{2, -1})).value();
  const std::uint64_t version = world->obstacle_version();
  Step(*world, 5);
  const ObstacleState state = world->GetObstacle(id).value();
  EXPECT_NEAR(state.vertices[0].x, 1, 1e-6);
  EXPECT_NEAR(state.vertices[1].x, 2, 1e-6);
  EXPECT_NEAR(state.vertices[0].y, -0.5, 1e-6);
  ASSERT_TRUE(world->ComputeVelocities().ok());
  EXPECT_EQ(world->GetObstacle(id)->vertices, state.vertices);
  EXPECT_EQ(world->obstacle_version(), version);
}

TEST(Capsule, StallsItsVictimsByAnObstacle) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  const auto world = World::Create(settings).value();
  ASSERT_TRUE(world->AddObstacle(Capsule({2, -30}, {2, 30}, 1)).ok());
  const AgentId id = Walk(*world, {0, 0}, {1, 0});
  Step(*world, 40);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kStalled);
  EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kObstacles);
}

TEST(Capsule, IsAnObstacleLikeOthersToEdits) {
  const auto world = MakeWorld();
  const ObstacleId wall = world->AddObstacle({std::nullopt, ObstacleKind::kWall, {{0, 0}, {5, 0}, {5, 5}}}).value();
  ObstacleSpec spec = Capsule({0, 0}, {1, 0}, 1);
  spec.id = 4;
  ASSERT_TRUE(world->AddObstacle(spec).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(world->AddObstacle(spec).status()));
  spec.id = std::nullopt;
  EXPECT_EQ(world->obstacle_count(), 2u);
  EXPECT_EQ(world->obstacle_vertex_count(), 5u);
  EXPECT_EQ(world->obstacle_ids(), (std::vector<ObstacleId>{4, wall}));
  // From one kind to another and back.
  ASSERT_TRUE(world->UpdateObstacle(wall, spec).ok());
  EXPECT_EQ(world->GetObstacle(wall)->kind, ObstacleKind::kCapsule);
  ASSERT_TRUE(world->UpdateObstacle(4, {std::nullopt, ObstacleKind::kSolid, {{0, 0}, {1, 0}, {0, 1}}}).ok());
  EXPECT_EQ(world->GetObstacle(4)->kind, ObstacleKind::kSolid);
  EXPECT_FALSE(world->GetObstacle(4)->radius.has_value());
  EXPECT_EQ(world->obstacle_vertex_count(), 5u);
  ASSERT_TRUE(world->RemoveObstacle(wall).ok());
  ASSERT_TRUE(world->RemoveObstacle(4).ok());
  EXPECT_EQ(world->obstacle_count(), 0u);
  EXPECT_TRUE(absl::IsNotFound(world->GetObstacle(4).status()));
}

TEST(Capsule, WithWrongValuesIsRefused) {
  const auto world = MakeWorld();
  const auto field = [&](auto change) {
    ObstacleSpec spec = Capsule({0, 0}, {1, 0}, 1);
    change(spec);
    return FieldOf(world->AddObstacle(spec).status());
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(field([](auto& s) { s.radius.reset(); }), "radius");
  EXPECT_EQ(field([](auto& s) { s.radius = 0.0f; }), "radius");
  EXPECT_EQ(field([](auto& s) { s.radius = 1001.0f; }), "radius");
  EXPECT_EQ(field([&](auto& s) { s.radius = nan; }), "radius");
  EXPECT_EQ(field([&](auto& s) { s.velocity = Vec2{0, nan}; }), "velocity.y");
  EXPECT_EQ(field([](auto& s) { s.velocity = Vec2{2e6f, 0}; }), "velocity.x");
  EXPECT_EQ(field([](auto& s) { s.vertices.pop_back(); }), "vertices");
  EXPECT_EQ(field([](auto& s) { s.vertices.push_back({2, 0}); }), "vertices");
  EXPECT_EQ(field([](auto& s) { s.vertices[1].x = 2e6f; }), "vertices[1].x");
  EXPECT_EQ(field([](auto& s) { s.kind = static_cast<ObstacleKind>(5); }), "kind");
  const auto other = [&](auto change) {
    ObstacleSpec spec{std::nullopt, ObstacleKind::kWall, {{0, 0}, {1, 0}}};
    change(spec);
    return FieldOf(world->AddObstacle(spec).status());
  };
  EXPECT_EQ(other([](auto& s) { s.radius = 1.0f; }), "radius");
  EXPECT_EQ(other([](auto& s) { s.velocity = Vec2{}; }), "velocity");
  EXPECT_EQ(world->obstacle_count(), 0u);
  EXPECT_EQ(world->obstacle_version(), 0u);
}

TEST(Capsule, ThereAreNoMoreThanSoMany) {
  const auto world = MakeWorld();
  const ObstacleSpec spec = Capsule({0, 0}, {1, 0}, 1);
  for (std::size_t i = 0; i < kMaxCapsules; ++i) ASSERT_TRUE(world->AddObstacle(spec).ok());
  const absl::Status refused = world->AddObstacle(spec).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(FieldOf(refused), "capsules");
  const ObstacleId wall = world->AddObstacle({std::nullopt, ObstacleKind::kWall, {{0, 0}, {5, 0}}}).value();
  EXPECT_TRUE(absl::IsResourceExhausted(world->UpdateObstacle(wall, spec)));
  EXPECT_EQ(world->GetObstacle(wall)->kind, ObstacleKind::kWall);
  EXPECT_TRUE(world->UpdateObstacle(world->obstacle_ids()[0], spec).ok()) << "one in place of another";
}

TEST(MoveObstacle, ChangesACapsulesVelocityAndPlace) {
  const auto world = MakeWorld();
  const ObstacleId id = world->AddObstacle(Capsule({0, 0}, {1, 0}, 1)).value();
  ASSERT_TRUE(world->MoveObstacle(id, {.velocity = Vec2{1, 0}, .translation = Vec2{0, 5}}).ok());
  EXPECT_EQ(world->obstacle_version(), 2u);
  Step(*world, 10);
  const ObstacleState state = world->GetObstacle(id).value();
  EXPECT_NEAR(state.vertices[0].x, 1, 1e-6);
  EXPECT_EQ(state.vertices[1].y, 5);
  EXPECT_EQ(state.velocity, (Vec2{1, 0}));
  EXPECT_EQ(FieldOf(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{2e6f, 0}})), "translation");
  EXPECT_EQ(FieldOf(world->MoveObstacle(id, {.velocity = Vec2{0, INFINITY}, .translation = {}})), "velocity.y");
  EXPECT_EQ(FieldOf(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{3e6f, 0}})), "translation.x");
  EXPECT_TRUE(absl::IsNotFound(world->MoveObstacle(77, {})));
  EXPECT_EQ(world->GetObstacle(id)->vertices, state.vertices);
  EXPECT_EQ(world->obstacle_version(), 2u);
  EXPECT_TRUE(world->MoveObstacle(id, {}).ok());
  EXPECT_EQ(world->obstacle_version(), 2u);
  Walk(*world, {50, 50}, {});
  ASSERT_TRUE(world->BeginStep().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(world->MoveObstacle(id, {.velocity = Vec2{}, .translation = {}})));
  while (world->Advance(100) != Phase::kIdle) {
  }
}

TEST(MoveObstacle, ShiftsPolygonsOntoAgentsWhoAreRecovered) {
  const auto world = MakeWorld(Preset::kDefault);
  ObstacleSpec spec{std::nullopt, ObstacleKind::kSolid, {{10, -2}, {10, 2}, {6, 2}, {6, -2}}};
  spec.layer = 6;
  spec.band = HeightBand{-1, 3};
  const ObstacleId id = world->AddObstacle(spec).value();
  const AgentId agent = Walk(*world, {0.5f, 0}, {});
  Step(*world);
  EXPECT_EQ(world->recoveries(), 0u);
  EXPECT_TRUE(absl::IsFailedPrecondition(world->MoveObstacle(id, {.velocity = Vec2{1, 0}, .translation = Vec2{1, 0}})));
  EXPECT_EQ(FieldOf(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{1048570, 0}})), "translation");
  const ObstacleState before = world->GetObstacle(id).value();
  ASSERT_TRUE(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{-8, 0}}).ok());
  const ObstacleState moved = world->GetObstacle(id).value();
  ASSERT_EQ(moved.vertices.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(moved.vertices[i].x, before.vertices[i].x - 8) << i;
  EXPECT_EQ(moved.layer, 6u);
  EXPECT_EQ(moved.band, spec.band);
  Step(*world);
  EXPECT_EQ(world->recoveries(), 1u);
  EXPECT_EQ(world->GetAgent(agent)->status, AgentStatus::kRecovered);
  EXPECT_GT(world->GetAgent(agent)->position.x, 2.0f);
}

// Moved by little many times, a shape is what it was.
TEST(MoveObstacle, DoesNotBendAShape) {
  const auto world = MakeWorld();
  const ObstacleId id =
      world->AddObstacle({std::nullopt, ObstacleKind::kWall, {{0.1f, 0}, {70'000.3f, 1}, {0.1f, 2}}}).value();
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{0x1p-10f, 0}}).ok());
  }
  const std::vector<Vec2> there = world->GetObstacle(id)->vertices;
  EXPECT_NEAR(there[0].x, 0.1 + 5000 * 0x1p-10, 1e-6);
  EXPECT_NEAR(there[1].x, 70'000.3 + 5000 * 0x1p-10, 0.008);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{-0x1p-10f, 0}}).ok());
  }
  EXPECT_EQ(world->GetObstacle(id)->vertices, (std::vector<Vec2>{{0.1f, 0}, {70'000.3f, 1}, {0.1f, 2}}));
}

TEST(MoveObstacle, RefusesWhatRoundingWouldSpoil) {
  const auto world = MakeWorld();
  const std::vector<Vec2> small = {{0, 0}, {1e-3f, 0}, {0, 1e-3f}};
  const ObstacleId id = world->AddObstacle({std::nullopt, ObstacleKind::kSolid, small}).value();
  const absl::Status refused = world->MoveObstacle(id, {.velocity = {}, .translation = Vec2{1e6f, 1e6f}});
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_EQ(world->GetObstacle(id)->vertices, small);
}

TEST(Capsule, StopsRaysAndDiscs) {
  const auto world = MakeWorld();
  const ObstacleId wall = world->AddObstacle({std::nullopt, ObstacleKind::kWall, {{20, -9}, {20, 9}}}).value();
  const ObstacleId id = world->AddObstacle(Capsule({10, -3}, {10, 3}, 1)).value();
  const RayHit hit = world->CastRay({0, 1}, {30, 1}).value();
  EXPECT_EQ(hit.obstacle, id);
  EXPECT_NEAR(hit.distance, 9, 1e-6);
  EXPECT_EQ(hit.normal, (Vec2{-1, 0}));
  EXPECT_EQ(world->CastRay({0, 4.1f}, {30, 4.1f})->obstacle, wall);
  const RayHit slanted = world->CastRay({10, 9}, {10, -9}).value();  // along its middle line
  EXPECT_NEAR(slanted.distance, 5, 1e-6);
  EXPECT_EQ(slanted.normal, (Vec2{0, 1}));
  EXPECT_EQ(world->CastRay({10, 0}, {0, 0})->distance, 0.0f) << "from within";
  EXPECT_EQ(world->TestVisibility({0, 4.4f}, {30, 4.4f}, 0.5f)->obstacle, id);
  EXPECT_EQ(world->TestVisibility({0, 4.6f}, {30, 4.6f}, 0.5f)->obstacle, wall);
  EXPECT_EQ(world->TestVisibility({10, 0}, {10, 0}, 0)->obstacle, id);
  RayQuery blind;
  blind.filter.avoids = 2;
  EXPECT_FALSE(world->CastRay({0, 1}, {30, 1}, blind)->hit);
  ASSERT_TRUE(world->MoveObstacle(id, {.velocity = Vec2{0, 60}, .translation = {}}).ok());
  Step(*world);
  EXPECT_EQ(world->CastRay({0, 1}, {30, 1})->obstacle, wall) << "queries see where it is now";
}

}  // namespace
}  // namespace throng
