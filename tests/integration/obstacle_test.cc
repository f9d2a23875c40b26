// Obstacles that some agents see and others do not, and obstacles that move, over the wire.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using Fill = std::function<void(v1::ObstacleSpec&)>;

v1::ObstacleSpec Obstacle(v1::ObstacleKind kind, const std::vector<std::pair<float, float>>& vertices) {
  v1::ObstacleSpec spec;
  spec.set_kind(kind);
  for (const auto& [x, y] : vertices) {
    spec.add_x(x);
    spec.add_y(y);
  }
  return spec;
}

class ObstacleTest : public ServerTest {
 protected:
  v1::CommandResult Add(v1::ObstacleSpec spec, const Fill& fill = {}) {
    v1::AddObstaclesRequest request;
    request.set_world("a");
    if (fill) fill(spec);
    *request.add_obstacles() = std::move(spec);
    v1::AddObstaclesResponse response;
    EXPECT_THAT(obstacles_->AddObstacles(NewContext("a").get(), request, &response), IsOk());
    return response.result().results(0);
  }
  v1::CommandResult Move(std::uint32_t id, const std::function<void(v1::ObstacleMove&)>& fill,
                         bool all_or_nothing = false) {
    v1::MoveObstaclesRequest request;
    request.set_world("a");
    request.set_all_or_nothing(all_or_nothing);
    request.add_obstacles()->set_id(id);
    fill(*request.mutable_obstacles(0));
    v1::MoveObstaclesResponse response;
    EXPECT_THAT(obstacles_->MoveObstacles(NewContext("a").get(), request, &response), IsOk());
    return response.result().results(0);
  }
  v1::ListObstaclesResponse List() {
    v1::ListObstaclesRequest request;
    request.set_world("a");
    v1::ListObstaclesResponse response;
    EXPECT_THAT(obstacles_->ListObstacles(NewContext("a").get(), request, &response), IsOk());
    return response;
  }
};

TEST_F(ObstacleTest, LayerAndBandAreToldAndReadBack) {
  CreateWorld("a", Paused());
  const v1::ObstacleSpec wall = Obstacle(v1::OBSTACLE_KIND_WALL, {{5, -9}, {5, 9}});
  ASSERT_FALSE(Add(wall).has_error());
  ASSERT_FALSE(Add(wall, [](v1::ObstacleSpec& spec) {
                 spec.set_layer(4);
                 spec.set_z(3);
                 spec.set_height(2.5f);
               }).has_error());
  v1::ListObstaclesResponse listed = List();
  ASSERT_EQ(listed.obstacles_size(), 2);
  EXPECT_EQ(listed.obstacles(0).layer(), 1u);
  EXPECT_FALSE(listed.obstacles(0).has_z());
  EXPECT_EQ(listed.obstacles(1).layer(), 4u);
  EXPECT_EQ(listed.obstacles(1).z(), 3.0f);
  EXPECT_EQ(listed.obstacles(1).height(), 2.5f);
  // An update replaces all of it.
  v1::UpdateObstaclesRequest update;
  update.set_world("a");
  *update.add_obstacles() = wall;
  update.mutable_obstacles(0)->set_id(listed.obstacles(1).id());
  v1::UpdateObstaclesResponse updated;
  ASSERT_THAT(obstacles_->UpdateObstacles(NewContext("a").get(), update, &updated), IsOk());
  ASSERT_FALSE(updated.result().results(0).has_error());
  listed = List();
  EXPECT_EQ(listed.obstacles(1).layer(), 1u);
  EXPECT_FALSE(listed.obstacles(1).has_z());
}

TEST_F(ObstacleTest, ABadBandIsNamed) {
  CreateWorld("a", Paused());
  const v1::ObstacleSpec wall = Obstacle(v1::OBSTACLE_KIND_WALL, {{5, -9}, {5, 9}});
  const auto refused = [&](const Fill& fill, const std::string& field, const std::string& range) {
    const v1::Error error = Add(wall, fill).error();
    EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT);
    ASSERT_EQ(error.violations_size(), 1);
    EXPECT_EQ(error.violations(0).field(), "obstacles[0]." + field);
    EXPECT_EQ(error.violations(0).range(), range);
  };
  refused([](v1::ObstacleSpec& spec) { spec.set_height(1); }, "height", "unset, since z is");
  refused([](v1::ObstacleSpec& spec) { spec.set_z(-2e6f); }, "z", "[-1048576, 1048576]");
  refused(
      [](v1::ObstacleSpec& spec) {
        spec.set_z(0);
        spec.set_height(-1);
      },
      "height", "[0, 1048576]");
  EXPECT_EQ(List().obstacles_size(), 0);
}

// One wall of the ground floor: who is upstairs, or does not look out for walls, goes through it.
TEST_F(ObstacleTest, WhoDoesNotSeeAWallGoesThroughIt) {
  CreateWorld("a", Lockstep());
  ASSERT_FALSE(Add(Obstacle(v1::OBSTACLE_KIND_WALL, {{5, -100}, {5, 100}}), [](v1::ObstacleSpec& spec) {
                 spec.set_id(9);
                 spec.set_layer(2);
                 spec.set_z(0);
                 spec.set_height(2);
               }).has_error());
  v1::AddAgentsRequest add;
  add.set_world("a");
  for (std::uint32_t id = 1; id <= 3; ++id) {
    v1::AgentSpec* const agent = add.add_agents();
    agent->set_id(id);
    agent->mutable_position()->set_y(static_cast<float>(20 * id));
    agent->mutable_goal()->set_x(10);
    agent->mutable_goal()->set_y(static_cast<float>(20 * id));
  }
  add.mutable_agents(1)->mutable_params()->set_z(3);
  add.mutable_agents(2)->mutable_params()->set_avoids(1);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 300)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 300; });
  ASSERT_TRUE(frame);
  EXPECT_LT(frame->x[0], 5.0f);
  EXPECT_GT(frame->x[1], 9.0f) << "upstairs";
  EXPECT_GT(frame->x[2], 9.0f) << "does not look out for it";
  // Questions are asked with the eyes of an agent.
  v1::TestVisibilityRequest look;
  look.set_world("a");
  look.mutable_from()->set_x(0);
  look.mutable_to()->set_x(10);
  const auto visible = [&](const std::function<void(v1::SightFilter&)>& fill) {
    v1::TestVisibilityRequest request = look;
    fill(*request.mutable_filter());
    v1::TestVisibilityResponse response;
    EXPECT_THAT(queries_->TestVisibility(NewContext("a").get(), request, &response), IsOk());
    return response.visible();
  };
  EXPECT_FALSE(visible([](v1::SightFilter&) {}));
  EXPECT_FALSE(visible([](v1::SightFilter& filter) { filter.set_avoids(2); }));
  EXPECT_TRUE(visible([](v1::SightFilter& filter) { filter.set_avoids(1); }));
  EXPECT_TRUE(visible([](v1::SightFilter& filter) { filter.set_z(3); }));
  v1::CastRayRequest ray;
  ray.set_world("a");
  *ray.mutable_from() = look.from();
  *ray.mutable_to() = look.to();
  v1::CastRayResponse hit;
  ASSERT_THAT(queries_->CastRay(NewContext("a").get(), ray, &hit), IsOk());
  EXPECT_EQ(hit.obstacle_id(), 9u);
  ray.mutable_filter()->set_z(3);
  ASSERT_THAT(queries_->CastRay(NewContext("a").get(), ray, &hit), IsOk());
  EXPECT_FALSE(hit.hit());
}

v1::ObstacleSpec Capsule(float x, float y, float radius) {
  v1::ObstacleSpec spec = Obstacle(v1::OBSTACLE_KIND_CAPSULE, {{x, y - 1}, {x, y + 1}});
  spec.set_radius(radius);
  return spec;
}

// R013 over the wire: an obstacle that moves is seen coming, also by who wants to stand.
TEST_F(ObstacleTest, R013ACapsuleMovesAndAgentsMakeRoom) {
  CreateWorld("a", Lockstep());
  ASSERT_FALSE(Add(Capsule(-10, 0, 0.75f), [](v1::ObstacleSpec& spec) {
                 spec.set_id(9);
                 spec.mutable_velocity()->set_x(1.5f);
               }).has_error());
  AddAgents("a", {{0, 0.25f}});
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  const std::uint64_t version = GetWorld("a").obstacle_version();
  const float time_step = GetWorld("a").settings().time_step();
  float nearest = 1e9f;
  for (std::uint64_t step = 1; step <= 40; ++step) {
    ASSERT_TRUE(stream->reader().Write(StepRequestOf(step, 10)));
    ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
    const auto frame = stream->NextFrame([&](const WholeFrame& later) { return later.tick == 10 * step; });
    ASSERT_TRUE(frame);
    const v1::ListObstaclesResponse listed = List();
    const v1::Obstacle& capsule = listed.obstacles(0);
    EXPECT_NEAR(capsule.x(0), -10.0f + 1.5f * time_step * static_cast<float>(10 * step), 1e-3f);
    EXPECT_EQ(capsule.velocity().x(), 1.5f);
    const float y = frame->y[0] - std::clamp(frame->y[0], capsule.y(0), capsule.y(1));
    nearest = std::min(nearest, std::hypot(frame->x[0] - capsule.x(0), y));
  }
  EXPECT_GT(nearest, 0.75f + 0.5f - 0.01f) << "nobody is run over";
  EXPECT_LT(nearest, 2.0f) << "and it came by";
  EXPECT_EQ(GetWorld("a").obstacle_version(), version);
}

TEST_F(ObstacleTest, ACapsuleIsExplainedSoftAndStopsARay) {
  CreateWorld("a", Paused());
  ASSERT_FALSE(Add(Capsule(-3, 0, 0.5f), [](v1::ObstacleSpec& spec) {
                 spec.set_id(9);
                 spec.mutable_velocity()->set_x(1);
               }).has_error());
  AddAgents("a", {{0, 0}});
  v1::ExplainRequest ask;
  ask.set_world("a");
  ask.set_agent_id(1);
  v1::ExplainResponse why;
  ASSERT_THAT(queries_->Explain(NewContext("a").get(), ask, &why), IsOk());
  ASSERT_EQ(why.half_planes_size(), 1);
  EXPECT_EQ(why.half_planes(0).source(), v1::HALF_PLANE_SOURCE_OBSTACLE);
  EXPECT_EQ(why.half_planes(0).id(), 9u);
  EXPECT_FALSE(why.half_planes(0).hard());
  EXPECT_EQ(why.half_planes(0).share(), 1.0f);
  v1::CastRayRequest ray;
  ray.set_world("a");
  ray.mutable_from()->set_x(-9);
  ray.mutable_to()->set_x(9);
  v1::CastRayResponse hit;
  ASSERT_THAT(queries_->CastRay(NewContext("a").get(), ray, &hit), IsOk());
  EXPECT_EQ(hit.obstacle_id(), 9u);
  EXPECT_NEAR(hit.point().x(), -3.5f, 1e-5f);
}

TEST_F(ObstacleTest, BadCapsulesAreNamed) {
  CreateWorld("a", Paused());
  const auto refused = [&](const v1::ObstacleSpec& spec, const std::string& field) {
    const v1::Error error = Add(spec).error();
    EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT) << field;
    ASSERT_EQ(error.violations_size(), 1) << field;
    EXPECT_EQ(error.violations(0).field(), "obstacles[0]." + field);
  };
  v1::ObstacleSpec spec = Capsule(0, 0, 1);
  spec.clear_radius();
  refused(spec, "radius");
  refused(Capsule(0, 0, 0), "radius");
  spec = Capsule(0, 0, 1);
  spec.add_x(1);
  spec.add_y(1);
  refused(spec, "vertices");
  spec = Capsule(0, 0, 1);
  spec.mutable_velocity()->set_y(std::nanf(""));
  refused(spec, "velocity.y");
  spec = Obstacle(v1::OBSTACLE_KIND_WALL, {{0, 0}, {1, 0}});
  spec.mutable_velocity();
  refused(spec, "velocity");
  spec.clear_velocity();
  spec.set_radius(1);
  refused(spec, "radius");
  EXPECT_EQ(List().obstacles_size(), 0);
}

TEST_F(ObstacleTest, MovesAreToldAndCheckedAlikeOneByOneAndAllOrNothing) {
  CreateWorld("a", Paused());
  v1::ObstacleSpec wall = Obstacle(v1::OBSTACLE_KIND_WALL, {{5, -9}, {5, 9}});
  wall.set_id(8);
  ASSERT_FALSE(Add(wall).has_error());
  v1::ObstacleSpec capsule = Capsule(0, 0, 1);
  capsule.set_id(9);
  ASSERT_FALSE(Add(capsule).has_error());
  for (const bool all_or_nothing : {false, true}) {
    SCOPED_TRACE(all_or_nothing);
    const v1::Error wrong_kind =
        Move(
            8, [](v1::ObstacleMove& move) { move.mutable_velocity()->set_x(1); }, all_or_nothing)
            .error();
    EXPECT_EQ(wrong_kind.code(), grpc::FAILED_PRECONDITION);
    EXPECT_EQ(wrong_kind.reason(), "NOT_CAPSULE");
    EXPECT_EQ(Move(
                  7, [](v1::ObstacleMove&) {}, all_or_nothing)
                  .error()
                  .reason(),
              "OBSTACLE_NOT_FOUND");
    const v1::Error inside =
        Move(
            9, [](v1::ObstacleMove& move) { move.mutable_translation()->set_x(1048575); }, all_or_nothing)
            .error();
    EXPECT_EQ(inside.code(), 0) << inside.message();
    const v1::Error gone = Move(
                               9, [](v1::ObstacleMove& move) { move.mutable_translation()->set_x(2); }, all_or_nothing)
                               .error();
    ASSERT_EQ(gone.violations_size(), 1);
    EXPECT_EQ(gone.violations(0).field(), "obstacles[0].translation");
    EXPECT_FALSE(Move(
                     9, [](v1::ObstacleMove& move) { move.mutable_translation()->set_x(-1048575); }, all_or_nothing)
                     .has_error());
    const v1::Error bad =
        Move(
            9, [](v1::ObstacleMove& move) { move.mutable_velocity()->set_x(INFINITY); }, all_or_nothing)
            .error();
    ASSERT_EQ(bad.violations_size(), 1);
    EXPECT_EQ(bad.violations(0).field(), "obstacles[0].velocity.x");
    EXPECT_FALSE(Move(
                     9,
                     [](v1::ObstacleMove& move) {
                       move.mutable_velocity()->set_y(2);
                       move.mutable_translation()->set_x(0.5f);
                     },
                     all_or_nothing)
                     .has_error());
  }
  EXPECT_EQ(List().obstacles(1).x(0), 1.0f);
  EXPECT_EQ(List().obstacles(1).velocity().y(), 2.0f);
}

// What a batch would come to is foreseen item by item, so that nothing of it is applied where one is refused.
TEST_F(ObstacleTest, MovesOfOneBatchAddUp) {
  CreateWorld("a", Paused());
  v1::ObstacleSpec wall = Obstacle(v1::OBSTACLE_KIND_WALL, {{5, -9}, {5, 9}});
  wall.set_id(8);
  ASSERT_FALSE(Add(wall).has_error());
  v1::MoveObstaclesRequest request;
  request.set_world("a");
  request.set_all_or_nothing(true);
  for (const float x : {600'000.0f, 600'000.0f}) {
    v1::ObstacleMove* const move = request.add_obstacles();
    move->set_id(8);
    move->mutable_translation()->set_x(x);
  }
  v1::MoveObstaclesResponse response;
  ASSERT_THAT(obstacles_->MoveObstacles(NewContext("a").get(), request, &response), IsOk());
  EXPECT_FALSE(response.result().applied());
  EXPECT_EQ(response.result().results(0).error().reason(), "BATCH_REFUSED");
  EXPECT_EQ(response.result().results(1).error().violations(0).field(), "obstacles[1].translation");
  EXPECT_EQ(List().obstacles(0).x(0), 5.0f);
}

TEST_F(ObstacleTest, APolygonThatIsMovedOntoAnAgentPutsItOut) {
  CreateWorld("a", Lockstep());
  v1::ObstacleSpec block = Obstacle(v1::OBSTACLE_KIND_SOLID, {{-1, 9}, {1, 9}, {1, 11}, {-1, 11}});
  block.set_id(8);
  ASSERT_FALSE(Add(block).has_error());
  AddAgents("a", {{0.5f, 0}});
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  v1::ConnectRequest commands;
  v1::ObstacleMove* const move = commands.mutable_commands()->add_commands()->mutable_move_obstacle();
  move->set_id(8);
  move->mutable_translation()->set_y(-10);
  commands.mutable_commands()->add_commands()->mutable_move_obstacle()->set_id(8);
  commands.mutable_commands()->mutable_commands(1)->mutable_move_obstacle()->mutable_velocity()->set_x(1);
  ASSERT_TRUE(stream->reader().Write(commands));
  const auto answer = stream->NextEvent(v1::ConnectResponse::kCommandResult);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->command_result().results(0).has_error());
  EXPECT_EQ(answer->command_result().results(1).error().reason(), "NOT_CAPSULE");
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 1)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  EXPECT_EQ(GetWorld("a").recoveries(), 1u);
  EXPECT_EQ(List().obstacles(0).bounds_max().y(), 1.0f);
}

TEST_F(ObstacleTest, CapsulesAreLimited) {
  CreateWorld("a", Paused());
  for (const bool all_or_nothing : {false, true}) {
    v1::AddObstaclesRequest request;
    request.set_world("a");
    request.set_all_or_nothing(all_or_nothing);
    for (int i = 0; i < 257; ++i) *request.add_obstacles() = Capsule(static_cast<float>(3 * i), 0, 1);
    v1::AddObstaclesResponse response;
    ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), request, &response), IsOk());
    const v1::Error error = response.result().results(256).error();
    EXPECT_EQ(error.code(), grpc::RESOURCE_EXHAUSTED);
    EXPECT_EQ(error.reason(), "LIMIT");
    EXPECT_EQ(error.metadata().at("limit"), "capsules_per_world");
    EXPECT_EQ(error.metadata().at("value"), "256");
    EXPECT_EQ(response.result().results(0).has_error(), all_or_nothing);
    EXPECT_EQ(List().obstacles_size(), all_or_nothing ? 0 : 100);
    v1::RemoveObstaclesRequest remove;
    remove.set_world("a");
    for (const v1::CommandResult& result : response.result().results()) remove.add_ids(result.id());
    v1::RemoveObstaclesResponse removed;
    ASSERT_THAT(obstacles_->RemoveObstacles(NewContext("a").get(), remove, &removed), IsOk());
  }
}

}  // namespace
}  // namespace throng::server
