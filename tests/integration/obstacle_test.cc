// Obstacles that some agents see and others do not, over the wire.
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

}  // namespace
}  // namespace throng::server
