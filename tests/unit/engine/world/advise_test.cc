// Advice: one test a warning, and the values where it begins.
#include "world/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "throng/advice.h"
#include "throng/world.h"

namespace throng {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<WarningCode> Codes(const std::vector<Warning>& warnings) {
  std::vector<WarningCode> codes;
  for (const Warning& warning : warnings) codes.push_back(warning.code);
  return codes;
}
std::vector<WarningCode> CodesOf(const AgentParams& params, const WorldSettings& world = {}) {
  return Codes(Advise(world, params));
}
using CodeList = std::vector<WarningCode>;

std::unique_ptr<World> MakeWorld(float radius = 0.5f) {
  WorldSettings settings;
  settings.agent_defaults.radius = radius;
  return *World::Create(settings);
}

void AddWall(World& world, std::vector<Vec2> vertices) {
  ObstacleSpec spec;
  spec.kind = ObstacleKind::kWall;
  spec.vertices = std::move(vertices);
  ASSERT_TRUE(world.AddObstacle(spec).ok());
}
void AddBlock(World& world, float min_x, float min_y, float max_x, float max_y) {
  ObstacleSpec spec;
  spec.vertices = {{min_x, min_y}, {max_x, min_y}, {max_x, max_y}, {min_x, max_y}};
  ASSERT_TRUE(world.AddObstacle(spec).ok());
}

TEST(AdviceTest, TheDefaultsGoTogether) {
  EXPECT_THAT(Advise({}, {}), IsEmpty());
  EXPECT_THAT(MakeWorld()->Advise(16), IsEmpty());
}

// R038: neighbour distances meant for another scale, with no hint.
TEST(AdviceTest, R038ANeighborDistanceBelowHorizonTimesSpeed) {
  EXPECT_EQ(CodesOf({.neighbor_distance = 9.99f}), CodeList{WarningCode::kNeighborDistanceShort});
  EXPECT_THAT(CodesOf({.neighbor_distance = 10.0f}), IsEmpty());
  const std::vector<Warning> warnings = Advise({}, {.max_speed = 2.0f, .neighbor_distance = 4.0f});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].field, "params.neighbor_distance");
  EXPECT_THAT(warnings[0].message, HasSubstr("4 m is less than the 10 m"));
  EXPECT_THAT(warnings[0].message, HasSubstr("time_horizon of at most 2 s"));
}

// Distances are between centres, so that large agents touch before they are near.
TEST(AdviceTest, ANeighborDistanceBelowTwoRadii) {
  EXPECT_THAT(CodesOf({.radius = 5.0f, .neighbor_distance = 10.0f}), IsEmpty());
  const std::vector<Warning> warnings = Advise({}, {.radius = 5.5f, .neighbor_distance = 10.0f});
  ASSERT_EQ(Codes(warnings), CodeList{WarningCode::kNeighborDistanceShort});
  EXPECT_THAT(warnings[0].message, HasSubstr("less than the 11 m"));
  EXPECT_THAT(warnings[0].message, HasSubstr("take 21 m or more"));
  EXPECT_THAT(CodesOf({.radius = 5.5f, .neighbor_distance = 21.0f}), IsEmpty());
}

TEST(AdviceTest, FewNeighbors) {
  EXPECT_EQ(CodesOf({.max_neighbors = 5}), CodeList{WarningCode::kFewNeighbors});
  EXPECT_THAT(CodesOf({.max_neighbors = 6}), IsEmpty());
}

TEST(AdviceTest, WhoLooksForNobodySeesNothing) {
  EXPECT_EQ(CodesOf({.max_neighbors = 0}), CodeList{WarningCode::kSeesNothing});
  EXPECT_EQ(CodesOf({.neighbor_distance = 0.0f}), CodeList{WarningCode::kSeesNothing});
}

TEST(AdviceTest, ATickThatIsLongForSpeedAndRadius) {
  WorldSettings world;
  world.time_step = 0.5f;
  EXPECT_EQ(CodesOf({.radius = 0.75f}, world), CodeList{WarningCode::kTimeStepLong});
  EXPECT_THAT(CodesOf({.radius = 1.0f}, world), IsEmpty());
  EXPECT_THAT(Advise(world, {.radius = 0.75f})[0].message, HasSubstr("take a time_step of at most 0.375 s or"));
  const std::vector<Warning> warnings = Advise(world, {.radius = 0.001f});
  EXPECT_THAT(warnings[0].message, HasSubstr("take a max_speed of at most 0.002 m/s")) << "no time step is so short";
}

TEST(AdviceTest, ASpeedThatIsNeverReached) {
  EXPECT_EQ(CodesOf({.max_speed = 1.0f, .preferred_speed = 1.25f}), CodeList{WarningCode::kSpeedUnreachable});
  EXPECT_THAT(CodesOf({.max_speed = 1.0f}), IsEmpty()) << "nobody chose the default";
}

TEST(AdviceTest, ATurningCircleThatIsWiderThanTheGoal) {
  AgentParams params;
  params.max_turn_rate = 10.0f;
  EXPECT_THAT(CodesOf(params), IsEmpty()) << "it slows down";
  params.slow_down_distance = 0.0f;
  EXPECT_EQ(CodesOf(params), CodeList{WarningCode::kTurnWide});
  params.max_turn_rate = 15.5f;
  EXPECT_THAT(CodesOf(params), IsEmpty());
}

TEST(AdviceTest, AnAccelerationThatIsTooLowToStop) {
  AgentParams params;
  params.max_acceleration = 2.0f;
  EXPECT_THAT(CodesOf(params), IsEmpty());
  params.max_acceleration = 1.5f;  // 0.75 m before a goal, and there are 0.6
  EXPECT_EQ(Advise({}, params)[0].field, "params.slow_down_distance");
  params.max_acceleration = 0.375f;
  EXPECT_EQ(Advise({}, params)[0].field, "params.max_acceleration");
  EXPECT_EQ(CodesOf(params), CodeList{WarningCode::kAccelerationLow});
}

TEST(AdviceTest, OfTheWorldItIsOfItsDefaults) {
  WorldSettings settings;
  settings.agent_defaults.neighbor_distance = 1.0f;
  settings.agent_defaults.max_neighbors = 3;
  const auto world = *World::Create(settings);
  const std::vector<Warning> warnings = world->Advise(16);
  ASSERT_EQ(Codes(warnings), (CodeList{WarningCode::kNeighborDistanceShort, WarningCode::kFewNeighbors}));
  EXPECT_EQ(warnings[0].field, "agent_defaults.neighbor_distance");
  EXPECT_EQ(world->Advise(1).size(), 1u);
}

TEST(AdviceTest, OfAnAgentItNamesTheAgent) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.id = 7;
  spec.position = Vec2{};
  spec.params.max_neighbors = 1;
  ASSERT_TRUE(world->AddAgent(spec).ok());
  const std::vector<Warning> warnings = world->AdviseAgent(7, 4);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].agent, 7u);
  EXPECT_THAT(world->AdviseAgent(8, 4), IsEmpty());
}

TEST(AdviceTest, WhoMovesAsItIsToldNeedsNoAdviceOnAvoiding) {
  const auto world = MakeWorld();
  AddWall(*world, {{0, -10}, {0, -0.4f}});
  AddWall(*world, {{0, 0.4f}, {0, 10}});
  AgentSpec spec;
  spec.id = 7;
  spec.position = Vec2{90'000, 0};
  spec.params.max_neighbors = 0;
  spec.kinematic = true;
  ASSERT_TRUE(world->AddAgent(spec).ok());
  EXPECT_EQ(Codes(world->AdviseAgent(7, 4)), CodeList{WarningCode::kResolutionCoarse});
}

TEST(AdviceTest, CoordinatesThatResolveCoarsely) {
  const auto world = MakeWorld();
  AgentSpec spec;
  spec.id = 1;
  spec.position = Vec2{0.0f, 60'000.0f};
  ASSERT_TRUE(world->AddAgent(spec).ok());
  EXPECT_THAT(world->AdviseAgent(1, 4), IsEmpty());
  AgentUpdate far;
  far.position = Vec2{0.0f, -70'000.0f};
  ASSERT_TRUE(world->UpdateAgent(1, far).ok());
  EXPECT_EQ(Codes(world->AdviseAgent(1, 4)), CodeList{WarningCode::kResolutionCoarse});
}

TEST(AdviceTest, ADoorThatIsTooNarrow) {
  const auto world = MakeWorld();
  AddWall(*world, {{0, -10}, {0, -0.4f}});
  AddWall(*world, {{0, 0.4f}, {0, 10}});
  std::vector<Warning> warnings = world->Advise(16);
  ASSERT_EQ(Codes(warnings), CodeList{WarningCode::kPassageNarrow});
  EXPECT_EQ(warnings[0].field, "agent_defaults.radius");
  EXPECT_THAT(warnings[0].message, HasSubstr("the opening of 0.8 m"));
  EXPECT_THAT(warnings[0].message, HasSubstr("at (0, 0)"));
  EXPECT_THAT(warnings[0].message, HasSubstr("radius below 0.4 m"));
  for (const auto& [id, radius, narrow] : {std::tuple{1u, 0.39f, false}, std::tuple{2u, 0.41f, true},
                                           std::tuple{3u, 0.79f, true}, std::tuple{4u, 0.81f, false}}) {
    AgentSpec spec;
    spec.id = id;
    spec.position = Vec2{-5, 0};
    spec.params.radius = radius;
    ASSERT_TRUE(world->AddAgent(spec).ok());
    warnings = world->AdviseAgent(id, 4);
    EXPECT_EQ(warnings.size(), narrow ? 1u : 0u) << radius;
    if (narrow) {
      EXPECT_EQ(warnings[0].field, "params.radius");
    }
  }
  EXPECT_EQ(Codes(world->AdviseObstacle(world->obstacle_ids()[0], 4)), CodeList{WarningCode::kPassageNarrow});
  ASSERT_TRUE(world->RemoveObstacle(world->obstacle_ids()[0]).ok());
  EXPECT_THAT(world->Advise(16), IsEmpty());
}

// An opening is one only for whom both of its sides are there.
TEST(AdviceTest, ADoorOfWallsThatNobodySeesTogether) {
  const auto codes = [](const std::function<void(ObstacleSpec&, ObstacleSpec&, WorldSettings&)>& fill) {
    ObstacleSpec low, high;
    low.kind = high.kind = ObstacleKind::kWall;
    low.vertices = {{0, -10}, {0, -0.4f}};
    high.vertices = {{0, 0.4f}, {0, 10}};
    WorldSettings settings;
    fill(low, high, settings);
    const auto world = *World::Create(settings);
    const ObstacleId id = *world->AddObstacle(low);
    EXPECT_TRUE(world->AddObstacle(high).ok());
    EXPECT_EQ(world->Advise(4).size(), world->AdviseObstacle(id, 4).size());
    return Codes(world->Advise(4));
  };
  const CodeList narrow{WarningCode::kPassageNarrow};
  EXPECT_EQ(codes([](auto& low, auto& high, auto&) { low.layer = 2, high.layer = 4; }), narrow);
  EXPECT_THAT(codes([](auto& low, auto&, auto& settings) { low.layer = 2, settings.agent_defaults.avoids = 1; }),
              IsEmpty());
  EXPECT_THAT(codes([](auto& low, auto&, auto&) { low.layer = 0; }), IsEmpty());
  const auto floors = [](auto& low, auto& high, auto&) { low.band = {0, 1}, high.band = {1.5f, 1}; };
  EXPECT_THAT(codes(floors), IsEmpty());
  EXPECT_EQ(codes([&](auto& low, auto& high, auto& settings) {
              floors(low, high, settings);
              settings.agent_defaults.height = 0.5f;
            }),
            narrow)
      << "who is tall sees both";
  EXPECT_EQ(codes([](auto& low, auto& high, auto&) {
              low.band = high.band = {30, 1};
            }),
            narrow)
      << "of a floor that the defaults are not on";
}

TEST(AdviceTest, ADoorOfAnotherFloorIsNothingToAnAgent) {
  const auto world = MakeWorld();
  for (const float side : {-1.0f, 1.0f}) {
    ObstacleSpec wall;
    wall.kind = ObstacleKind::kWall;
    wall.vertices = {{0, side * 0.4f}, {0, side * 10}};
    wall.band = {3, 1};
    ASSERT_TRUE(world->AddObstacle(wall).ok());
  }
  for (const auto& [id, z] : {std::pair{1u, 0.0f}, std::pair{2u, 3.5f}}) {
    AgentSpec spec;
    spec.id = id;
    spec.position = Vec2{-5, 0};
    spec.params.z = z;
    ASSERT_TRUE(world->AddAgent(spec).ok());
    EXPECT_EQ(world->AdviseAgent(id, 4).size(), id - 1u);
  }
}

TEST(AdviceTest, BoundsThatAreTooNarrowOrTooFar) {
  const auto codes = [](const Rectangle& bounds) {
    WorldSettings settings;
    settings.bounds = bounds;
    return Codes((*World::Create(settings))->Advise(4));
  };
  EXPECT_THAT(codes({{-50'000, -50'000}, {50'000, 50'000}}), IsEmpty());
  EXPECT_EQ(codes({{0, 0}, {100'000, 10}}), CodeList{WarningCode::kResolutionCoarse});
  EXPECT_EQ(codes({{-9, 0}, {9, 0.9f}}), CodeList{WarningCode::kPassageNarrow});
  EXPECT_THAT(codes({{-9, 0}, {9, 1}}), IsEmpty());
}

TEST(AdviceTest, AStreetAlongTheBoundsThatIsTooNarrow) {
  WorldSettings settings;
  settings.bounds = Rectangle{{0, 0}, {30, 30}};
  const auto world = *World::Create(settings);
  AddBlock(*world, 10, 10, 20, 29.2f);
  const std::vector<Warning> warnings = world->Advise(4);
  ASSERT_EQ(Codes(warnings), CodeList{WarningCode::kPassageNarrow});
  EXPECT_THAT(warnings[0].message, HasSubstr("the world's bounds and obstacle"));
}

TEST(AdviceTest, AStreetBetweenBlocksThatIsTooNarrow) {
  const auto world = MakeWorld();
  AddBlock(*world, 0, 0, 10, 10);
  AddBlock(*world, 10.75f, -5, 20, 15);
  const std::vector<Warning> warnings = world->Advise(16);
  ASSERT_EQ(Codes(warnings), CodeList{WarningCode::kPassageNarrow});
  EXPECT_THAT(warnings[0].message, HasSubstr("0.75 m"));
}

TEST(AdviceTest, WhatIsNoOpening) {
  const auto touching = MakeWorld();
  AddBlock(*touching, 0, 0, 10, 10);
  AddBlock(*touching, 10, 0, 20, 10);
  EXPECT_THAT(touching->Advise(16), IsEmpty());
  const auto crack = MakeWorld();
  AddBlock(*crack, 0, 0, 10, 10);
  AddBlock(*crack, 10.25f, 0, 20, 10);
  EXPECT_THAT(crack->Advise(16), IsEmpty()) << "nobody is meant to pass";
  const auto thick = MakeWorld();
  AddBlock(*thick, 0, 0, 0.75f, 10);
  EXPECT_THAT(thick->Advise(16), IsEmpty()) << "two sides of one block";
  // A round hall of many short walls: its corners are near to each other, and lead nowhere.
  const auto hall = MakeWorld();
  ObstacleSpec round;
  round.kind = ObstacleKind::kEnclosure;
  for (const auto& [x, y] : {std::pair{1.0f, 0.0f},
                             {0.7f, 0.7f},
                             {0.0f, 1.0f},
                             {-0.7f, 0.7f},
                             {-1.0f, 0.0f},
                             {-0.7f, -0.7f},
                             {0.0f, -1.0f},
                             {0.7f, -0.7f}}) {
    round.vertices.push_back({1.2f * x, 1.2f * y});
  }
  ASSERT_TRUE(hall->AddObstacle(round).ok());
  EXPECT_THAT(hall->Advise(16), IsEmpty());
}

TEST(AdviceTest, ATinyObstacle) {
  const auto world = MakeWorld(0.6f);
  AddBlock(*world, 0, 0, 0.05f, 0.05f);
  AddBlock(*world, 10, 0, 10.07f, 0.07f);
  const std::vector<Warning> warnings = world->AdviseObstacle(world->obstacle_ids()[0], 4);
  ASSERT_EQ(Codes(warnings), CodeList{WarningCode::kObstacleTiny});
  EXPECT_EQ(warnings[0].obstacle, world->obstacle_ids()[0]);
  EXPECT_THAT(world->AdviseObstacle(world->obstacle_ids()[1], 4), IsEmpty());
}

TEST(AdviceTest, ManyObstaclesAreNotLookedThrough) {
  const auto world = MakeWorld();
  AddWall(*world, {{0, -10}, {0, -0.4f}});
  AddWall(*world, {{0, 0.4f}, {0, 10}});
  std::vector<Vec2> line;
  for (std::size_t i = 0; i <= Openings::kMaxVertices; ++i) line.push_back({100.0f + static_cast<float>(i), 0.0f});
  EXPECT_EQ(world->Advise(16).size(), 1u);
  AddWall(*world, line);
  EXPECT_THAT(world->Advise(16), IsEmpty());
}

}  // namespace
}  // namespace throng
