#include "throng/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/unit/engine/world/test_access.h"
#include "throng/limits.h"

namespace throng {

namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<Vec2> kSquare = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};

std::unique_ptr<World> MakeWorld(const WorldSettings& settings = {}) { return *World::Create(settings); }

AgentSpec At(Vec2 position, std::optional<AgentId> id = std::nullopt) {
  AgentSpec spec;
  spec.id = id;
  spec.position = position;
  return spec;
}

ObstacleSpec Solid(std::vector<Vec2> vertices = kSquare, std::optional<ObstacleId> id = std::nullopt) {
  ObstacleSpec spec;
  spec.id = id;
  spec.vertices = std::move(vertices);
  return spec;
}

std::string FieldOf(const absl::Status& status) {
  const auto violation = GetViolation(status);
  return violation ? violation->field : "";
}

std::vector<float> ReadAll(const World& world, Column column) {
  std::vector<float> values(world.agent_count());
  world.Read(column, 0, values);
  return values;
}

TEST(World, RefusesBadSettings) {
  WorldSettings settings;
  settings.time_step = 2.0f;
  EXPECT_EQ(FieldOf(World::Create(settings).status()), "time_step");
}

TEST(World, BeginsEmpty) {
  const auto world = MakeWorld();
  EXPECT_EQ(world->agent_count(), 0u);
  EXPECT_EQ(world->tick(), 0u);
  EXPECT_EQ(world->StateHash(), 0u);
  EXPECT_EQ(world->phase(), Phase::kIdle);
  EXPECT_TRUE(world->membership()->ids.empty());
  EXPECT_TRUE(world->Step().ok());
  EXPECT_EQ(world->tick(), 1u);
  EXPECT_EQ(world->StateHash(), 0u);
}

TEST(World, AddsWithDefaultsAndReadsBack) {
  WorldSettings settings;
  settings.agent_defaults.radius = 0.25f;
  const auto world = MakeWorld(settings);
  AgentSpec spec = At({1, 2}, 7);
  spec.velocity = {3, 4};
  spec.params.max_speed = 5.0f;
  ASSERT_EQ(world->AddAgent(spec).value(), 7u);
  const AgentState state = world->GetAgent(7).value();
  EXPECT_EQ(state.id, 7u);
  EXPECT_EQ(state.position, (Vec2{1, 2}));
  EXPECT_EQ(state.velocity, (Vec2{3, 4}));
  EXPECT_FALSE(state.preferred_velocity) << "unset is not zero";
  EXPECT_EQ(state.params.radius, 0.25f);
  EXPECT_EQ(state.params.max_speed, 5.0f);
  EXPECT_EQ(state.params.max_neighbors, 10u);
}

TEST(World, DefaultsHoldForAgentsAddedLater) {
  const auto world = MakeWorld();
  world->AddAgent(At({0, 0}, 1)).value();
  AgentParams defaults;
  defaults.radius = 0.75f;
  ASSERT_TRUE(world->SetAgentDefaults(defaults).ok());
  world->AddAgent(At({9, 0}, 2)).value();
  EXPECT_EQ(world->GetAgent(1)->params.radius, 0.5f);
  EXPECT_EQ(world->GetAgent(2)->params.radius, 0.75f);
  defaults.radius = kNan;
  EXPECT_EQ(FieldOf(world->SetAgentDefaults(defaults)), "radius");
  EXPECT_EQ(world->settings().agent_defaults.radius, 0.75f);
}

TEST(World, RefusedAddChangesNothing) {
  const auto world = MakeWorld();
  world->AddAgent(At({1, 1}, 5)).value();
  const std::uint64_t hash = world->StateHash();
  const auto membership = world->membership();
  EXPECT_EQ(world->AddAgent(At({2, 2}, 5)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(FieldOf(world->AddAgent(At({kNan, 2})).status()), "position.x");
  EXPECT_EQ(FieldOf(world->AddAgent(AgentSpec{}).status()), "position");
  EXPECT_EQ(FieldOf(world->AddAgent(At({2, 2}, kFirstWorldMadeId)).status()), "id");
  EXPECT_EQ(world->StateHash(), hash);
  EXPECT_EQ(world->membership(), membership);
}

TEST(World, MakesIdsThatAreNeverUsedAgain) {
  const auto world = MakeWorld();
  EXPECT_EQ(world->AddAgent(At({0, 0})).value(), kFirstWorldMadeId);
  EXPECT_TRUE(world->RemoveAgent(kFirstWorldMadeId).ok());
  EXPECT_EQ(world->AddAgent(At({0, 0})).value(), kFirstWorldMadeId + 1);
  EXPECT_EQ(world->AddObstacle(Solid()).value(), kFirstWorldMadeId) << "obstacles count apart";
}

TEST(World, RunsOutOfIds) {
  const auto world = MakeWorld();
  WorldTestAccess::SetNextIds(*world, 0xffffffff);
  EXPECT_EQ(world->AddAgent(At({0, 0})).value(), 0xffffffff);
  EXPECT_EQ(world->AddAgent(At({0, 0})).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(world->AddAgent(At({0, 0}, 1)).ok()) << "the client's are still there";
  EXPECT_EQ(world->AddObstacle(Solid()).value(), 0xffffffff);
  EXPECT_EQ(world->AddObstacle(Solid()).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(World, HoldsItsCapacity) {
  WorldSettings settings;
  settings.max_agents = 2;
  settings.max_obstacle_vertices = 6;
  const auto world = MakeWorld(settings);
  world->AddAgent(At({0, 0})).value();
  world->AddAgent(At({5, 0})).value();
  const absl::Status full = world->AddAgent(At({9, 0})).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FieldOf(full), "max_agents");
  ASSERT_TRUE(world->RemoveAllAgents().ok());
  EXPECT_TRUE(world->AddAgent(At({9, 0})).ok());

  const ObstacleId id = world->AddObstacle(Solid()).value();
  EXPECT_EQ(FieldOf(world->AddObstacle(Solid()).status()), "max_obstacle_vertices");
  EXPECT_TRUE(world->UpdateObstacle(id, Solid({{0, 0}, {9, 0}, {9, 9}, {5, 9}, {2, 9}, {0, 9}})).ok());
  EXPECT_EQ(FieldOf(world->AddObstacle(Solid({{0, 0}, {1, 0}, {0, 1}})).status()), "max_obstacle_vertices");
}

TEST(World, UpdatesWhatIsSet) {
  const auto world = MakeWorld();
  world->AddAgent(At({0, 0}, 1)).value();
  AgentUpdate update;
  update.position = Vec2{8, 9};
  update.params.max_neighbors = 3;
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  AgentState state = world->GetAgent(1).value();
  EXPECT_EQ(state.position, (Vec2{8, 9}));
  EXPECT_EQ(state.params.max_neighbors, 3u);
  EXPECT_FALSE(state.preferred_velocity);
  update = {};
  update.preferred_velocity = Vec2{0, 0};
  update.velocity = Vec2{1, 0};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  state = world->GetAgent(1).value();
  EXPECT_EQ(state.preferred_velocity, (Vec2{0, 0}));
  EXPECT_EQ(state.position, (Vec2{8, 9}));

  update.params.radius = 0.0f;
  update.position = Vec2{1, 1};
  EXPECT_EQ(FieldOf(world->UpdateAgent(1, update)), "params.radius");
  EXPECT_EQ(world->GetAgent(1)->position, (Vec2{8, 9}));
  EXPECT_EQ(world->UpdateAgent(2, {}).code(), absl::StatusCode::kNotFound);
}

TEST(World, RemovesAgents) {
  const auto world = MakeWorld();
  for (AgentId id = 1; id <= 4; ++id) world->AddAgent(At({3.0f * static_cast<float>(id), 0}, id)).value();
  ASSERT_TRUE(world->RemoveAgent(2).ok());
  EXPECT_EQ(world->RemoveAgent(2).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(world->membership()->ids, ElementsAre(1, 3, 4));
  EXPECT_THAT(ReadAll(*world, Column::kPositionX), ElementsAre(3, 9, 12));
  EXPECT_EQ(world->GetAgent(2).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(world->RemoveAllAgents().ok());
  EXPECT_EQ(world->agent_count(), 0u);
  EXPECT_EQ(world->StateHash(), 0u);
  EXPECT_TRUE(world->membership()->ids.empty());
}

TEST(World, ReadsColumnsInAscendingIds) {
  const auto world = MakeWorld();
  for (const AgentId id : {30u, 10u, 20u}) {
    AgentSpec spec = At({static_cast<float>(id), 1}, id);
    spec.velocity = {static_cast<float>(id) + 1, 2};
    spec.preferred_velocity = Vec2{static_cast<float>(id) + 3, 4};
    spec.params.radius = static_cast<float>(id) / 100;
    world->AddAgent(spec).value();
  }
  EXPECT_THAT(ReadAll(*world, Column::kPositionX), ElementsAre(10, 20, 30));
  EXPECT_THAT(ReadAll(*world, Column::kPositionY), ElementsAre(1, 1, 1));
  EXPECT_THAT(ReadAll(*world, Column::kVelocityX), ElementsAre(11, 21, 31));
  EXPECT_THAT(ReadAll(*world, Column::kVelocityY), ElementsAre(2, 2, 2));
  EXPECT_THAT(ReadAll(*world, Column::kPreferredVelocityX), ElementsAre(13, 23, 33));
  EXPECT_THAT(ReadAll(*world, Column::kPreferredVelocityY), ElementsAre(4, 4, 4));
  EXPECT_THAT(ReadAll(*world, Column::kRadius), ElementsAre(0.1f, 0.2f, 0.3f));
  std::vector<float> part(2);
  world->Read(Column::kPositionX, 1, part);
  EXPECT_THAT(part, ElementsAre(20, 30));
}

TEST(World, TakesPreferredVelocitiesByIdAndRank) {
  const auto world = MakeWorld();
  for (const AgentId id : {5u, 3u, 9u}) world->AddAgent(At({static_cast<float>(id) * 9, 0}, id)).value();
  std::vector<InputRejection> rejected;
  const std::vector<AgentId> ids = {9, 4, 5, 9, 3};
  const std::vector<float> x = {1, 2, kNan, 4, 5}, y = {0, 0, 0, 0, 2e6f};
  EXPECT_EQ(world->SetPreferredVelocities(ids, x, y, rejected).value(), 2u);
  ASSERT_EQ(rejected.size(), 3u);
  EXPECT_EQ(rejected[0].index, 1u);
  EXPECT_EQ(rejected[0].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(rejected[1].index, 2u);
  EXPECT_EQ(FieldOf(rejected[1].status), "preferred_velocity.x");
  EXPECT_EQ(FieldOf(rejected[2].status), "preferred_velocity.y");
  EXPECT_EQ(world->GetAgent(9)->preferred_velocity, (Vec2{4, 0})) << "the later holds";
  EXPECT_FALSE(world->GetAgent(5)->preferred_velocity);

  rejected.clear();
  const std::vector<float> two_x = {7, kNan}, two_y = {8, 8};
  EXPECT_EQ(world->SetPreferredVelocitiesByRank(1, two_x, two_y, rejected).value(), 1u);
  EXPECT_EQ(world->GetAgent(5)->preferred_velocity, (Vec2{7, 8}));
  ASSERT_EQ(rejected.size(), 1u);
  EXPECT_EQ(rejected[0].index, 1u);

  const auto out = world->SetPreferredVelocitiesByRank(2, two_x, two_y, rejected);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(world->SetPreferredVelocitiesByRank(std::numeric_limits<std::size_t>::max(), two_x, two_y, rejected)
                .status()
                .code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(FieldOf(world->SetPreferredVelocities(ids, x, two_y, rejected).status()), "y");
  EXPECT_EQ(FieldOf(world->SetPreferredVelocities(ids, two_x, y, rejected).status()), "x");
  EXPECT_EQ(FieldOf(world->SetPreferredVelocitiesByRank(0, x, two_y, rejected).status()), "y");
}

TEST(World, KeepsObstacles) {
  const auto world = MakeWorld();
  EXPECT_EQ(world->obstacle_version(), 0u);
  ASSERT_EQ(world->AddObstacle(Solid(kSquare, 3)).value(), 3u);
  EXPECT_EQ(world->AddObstacle(Solid(kSquare, 3)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(world->obstacle_version(), 1u);
  ObstacleSpec wall;
  wall.kind = ObstacleKind::kWall;
  wall.vertices = {{0, 0}, {5, 5}};
  const ObstacleId made = world->AddObstacle(wall).value();
  EXPECT_THAT(world->obstacle_ids(), ElementsAre(3, made));
  EXPECT_EQ(world->obstacle_count(), 2u);
  EXPECT_EQ(world->obstacle_vertex_count(), 6u);
  EXPECT_EQ(world->GetObstacle(3)->area, 4.0f);

  wall.id = made;
  wall.vertices.push_back({6, 0});
  ASSERT_TRUE(world->UpdateObstacle(made, wall).ok());
  EXPECT_EQ(world->GetObstacle(made)->vertices.size(), 3u);
  EXPECT_EQ(FieldOf(world->UpdateObstacle(3, wall)), "id");
  EXPECT_EQ(FieldOf(world->UpdateObstacle(3, Solid({{0, 0}, {1, 1}, {1, 0}, {0, 1}}))), "vertices[2]");
  EXPECT_EQ(world->GetObstacle(3)->vertices, kSquare);
  EXPECT_EQ(world->obstacle_version(), 3u);

  EXPECT_EQ(world->UpdateObstacle(77, Solid()).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->RemoveObstacle(77).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->GetObstacle(77).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(world->RemoveObstacle(3).ok());
  EXPECT_THAT(world->obstacle_ids(), ElementsAre(made));
  EXPECT_EQ(world->obstacle_version(), 4u);
}

TEST(World, MembershipIsNewAtOnceAfterAnEdit) {
  const auto world = MakeWorld();
  std::uint64_t version = world->membership()->version;
  for (AgentId id = 1; id <= 3; ++id) {
    world->AddAgent(At({0, static_cast<float>(id) * 5}, id)).value();
    EXPECT_GT(world->membership()->version, version);
    version = world->membership()->version;
  }
  AgentUpdate update;
  update.position = Vec2{1, 1};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->membership()->version, version);
}

TEST(World, HashFollowsEdits) {
  const auto world = MakeWorld();
  world->AddAgent(At({0, 0}, 1)).value();
  const std::uint64_t at_first = world->StateHash();
  AgentUpdate update;
  update.position = Vec2{1, 0};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  EXPECT_NE(world->StateHash(), at_first);
  update.position = Vec2{0, 0};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  EXPECT_EQ(world->StateHash(), at_first);
  update = {};
  update.preferred_velocity = Vec2{1, 1};
  ASSERT_TRUE(world->UpdateAgent(1, update).ok());
  EXPECT_EQ(world->StateHash(), at_first) << "an input is not yet a state";
}

TEST(World, GivesMemoryBackAfterAPeak) {
  const auto world = MakeWorld();
  for (AgentId id = 1; id <= 40'000; ++id) {
    world->AddAgent(At({static_cast<float>(id % 200) * 2, static_cast<float>(id / 200) * 2}, id)).value();
  }
  ASSERT_TRUE(world->Step().ok());
  const std::size_t peak = world->memory_bytes();
  EXPECT_LE(peak, 220u * 40'000);  // of which some 60 are what the defaults remember of how each agent got on
  for (AgentId id = 101; id <= 40'000; ++id) ASSERT_TRUE(world->RemoveAgent(id).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_LT(world->memory_bytes(), peak / 10);
}

}  // namespace
}  // namespace throng
