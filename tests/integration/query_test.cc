// Questions about a world over the wire.
#include <cmath>

#include "server/rpc/methods.h"
#include "tests/integration/support.h"

namespace throng::server {
namespace {

v1::Vector2 At(float x, float y) {
  v1::Vector2 vector;
  vector.set_x(x);
  vector.set_y(y);
  return vector;
}

class QueryTest : public ServerTest {
 protected:
  // A column of agents 1 to 5 at y = 0, 10, ..., 40, a wall at x = 5, and no ticks.
  void SetUp() override {
    ServerTest::SetUp();
    CreateWorld("a", Paused());
    AddAgents("a", {{0, 0}, {0, 10}, {0, 20}, {0, 30}, {0, 40}});
    v1::AddObstaclesRequest add;
    add.set_world("a");
    auto* const wall = add.add_obstacles();
    wall->set_id(9);
    wall->set_kind(v1::OBSTACLE_KIND_WALL);
    for (const float y : {-100.0f, 100.0f}) {
      wall->add_x(5.0f);
      wall->add_y(y);
    }
    v1::AddObstaclesResponse added;
    ASSERT_THAT(obstacles_->AddObstacles(NewContext().get(), add, &added), IsOk());
    ASSERT_FALSE(added.result().results(0).has_error());
  }

  template <class Request, class Response>
  grpc::Status Ask(grpc::Status (v1::QueryService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   Request request, Response* response) {
    request.set_world("a");
    return (queries_.get()->*method)(NewContext("a").get(), request, response);
  }
  template <class Request, class Response>
  void ExpectRefused(grpc::Status (v1::QueryService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     const Request& request, const std::string& field) {
    Response response;
    const grpc::Status status = Ask(method, request, &response);
    EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT)) << field;
    ASSERT_EQ(BadRequestOf(status).field_violations_size(), 1) << field;
    EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), field);
  }
};

using Stub = v1::QueryService::Stub;

TEST_F(QueryTest, FindsTheNearest) {
  v1::FindNearestRequest request;
  *request.mutable_point() = At(0, 21);
  v1::FindNearestResponse response;
  ASSERT_THAT(Ask(&Stub::FindNearest, request, &response), IsOk());
  ASSERT_EQ(response.agents_size(), 1);  // by default
  EXPECT_EQ(response.agents(0).id(), 3u);
  EXPECT_EQ(response.agents(0).distance(), 1.0f);
  EXPECT_EQ(response.agents(0).position().y(), 20.0f);
  request.set_count(10);
  request.set_max_distance(11.0f);  // strictly
  ASSERT_THAT(Ask(&Stub::FindNearest, request, &response), IsOk());
  ASSERT_EQ(response.agents_size(), 2);
  EXPECT_EQ(response.agents(1).id(), 4u);
}

TEST_F(QueryTest, FindsInDiscsAndBoxes) {
  v1::FindInDiscRequest disc;
  *disc.mutable_center() = At(0, 20);
  disc.set_radius(10.0f);
  v1::FindInDiscResponse in_disc;
  ASSERT_THAT(Ask(&Stub::FindInDisc, disc, &in_disc), IsOk());
  ASSERT_EQ(in_disc.agents_size(), 3);
  EXPECT_EQ(in_disc.agents(0).id(), 3u);
  EXPECT_EQ(in_disc.agents(1).id(), 2u);  // of equally far ones the lowest id
  EXPECT_FALSE(in_disc.truncated());
  disc.set_limit(2);
  ASSERT_THAT(Ask(&Stub::FindInDisc, disc, &in_disc), IsOk());
  EXPECT_EQ(in_disc.agents_size(), 2);
  EXPECT_TRUE(in_disc.truncated());

  v1::FindInBoxRequest box;
  *box.mutable_min() = At(-1, 10);
  *box.mutable_max() = At(1, 40);
  v1::FindInBoxResponse in_box;
  ASSERT_THAT(Ask(&Stub::FindInBox, box, &in_box), IsOk());
  EXPECT_EQ(in_box.agents_size(), 4);
  EXPECT_EQ(in_box.agents(0).distance(), 5.0f);
}

TEST_F(QueryTest, TestsVisibility) {
  v1::TestVisibilityRequest request;
  *request.mutable_from() = At(0, 5);
  *request.mutable_to() = At(4, 5);
  v1::TestVisibilityResponse response;
  ASSERT_THAT(Ask(&Stub::TestVisibility, request, &response), IsOk());
  EXPECT_TRUE(response.visible());
  EXPECT_EQ(response.obstacle_id(), 0u);
  request.set_radius(1.0f);  // touches the wall
  ASSERT_THAT(Ask(&Stub::TestVisibility, request, &response), IsOk());
  EXPECT_FALSE(response.visible());
  EXPECT_EQ(response.obstacle_id(), 9u);
}

TEST_F(QueryTest, CastsRays) {
  v1::CastRayRequest request;
  *request.mutable_from() = At(-5, 0);
  *request.mutable_to() = At(15, 0);
  v1::CastRayResponse response;
  ASSERT_THAT(Ask(&Stub::CastRay, request, &response), IsOk());
  EXPECT_TRUE(response.hit());
  EXPECT_EQ(response.agent_id(), 1u);
  EXPECT_EQ(response.obstacle_id(), 0u);
  EXPECT_NEAR(response.distance(), 4.5f, 1e-6f);
  EXPECT_EQ(response.normal().x(), -1.0f);
  request.set_obstacles(true);
  ASSERT_THAT(Ask(&Stub::CastRay, request, &response), IsOk());
  EXPECT_EQ(response.obstacle_id(), 9u);
  EXPECT_EQ(response.fraction(), 0.5f);
  EXPECT_EQ(response.point().x(), 5.0f);
  request.set_obstacles(false);
  request.set_agents(true);
  request.set_ignored_agent_id(1);
  ASSERT_THAT(Ask(&Stub::CastRay, request, &response), IsOk());
  EXPECT_FALSE(response.hit());
  EXPECT_EQ(response.point().x(), 15.0f);
  EXPECT_FALSE(response.has_normal());
}

TEST_F(QueryTest, RefusesByFieldValueAndRange) {
  v1::FindNearestRequest nearest;
  ExpectRefused(&Stub::FindNearest, nearest, "point");
  *nearest.mutable_point() = At(NAN, 0);
  ExpectRefused(&Stub::FindNearest, nearest, "point.x");
  *nearest.mutable_point() = At(0, 0);
  nearest.set_count(10'001);
  ExpectRefused(&Stub::FindNearest, nearest, "count");
  nearest.set_count(1);
  nearest.set_max_distance(-1.0f);
  ExpectRefused(&Stub::FindNearest, nearest, "max_distance");
  nearest.clear_max_distance();
  nearest.mutable_filter()->set_z(0);
  nearest.mutable_filter()->set_height(-1.0f);
  ExpectRefused(&Stub::FindNearest, nearest, "filter.height");
  v1::FindInDiscRequest disc;
  *disc.mutable_center() = At(0, 0);
  disc.set_radius(INFINITY);
  ExpectRefused(&Stub::FindInDisc, disc, "radius");
  disc.set_radius(1);
  disc.set_limit(20'000);
  ExpectRefused(&Stub::FindInDisc, disc, "limit");
  v1::FindInBoxRequest box;
  *box.mutable_min() = At(0, 0);
  ExpectRefused(&Stub::FindInBox, box, "max");
  *box.mutable_max() = At(1, -1);
  ExpectRefused(&Stub::FindInBox, box, "max.y");
  v1::TestVisibilityRequest seen;
  *seen.mutable_to() = At(0, 0);
  ExpectRefused(&Stub::TestVisibility, seen, "from");
  *seen.mutable_from() = At(0, 0);
  seen.set_radius(1e4f);
  ExpectRefused(&Stub::TestVisibility, seen, "radius");
  v1::CastRayRequest ray;
  *ray.mutable_from() = At(0, 0);
  *ray.mutable_to() = At(0, 2e6f);
  ExpectRefused(&Stub::CastRay, ray, "to.y");
}

TEST_F(QueryTest, NamesTheWorldAsOtherCallsDo) {
  v1::FindNearestRequest request;
  v1::FindNearestResponse response;
  *request.mutable_point() = At(0, 0);
  request.set_world("nowhere");
  EXPECT_THAT(queries_->FindNearest(NewContext().get(), request, &response), HasCode(grpc::NOT_FOUND));
  request.set_world("a");
  EXPECT_THAT(queries_->FindNearest(NewContext("b").get(), request, &response), HasCode(grpc::INVALID_ARGUMENT));
}

TEST_F(QueryTest, ExplainsAnAgent) {
  CreateWorld("e", Lockstep());
  AddAgents("e", {{-3, 0}, {3, 0.1f}});
  const auto stream = Connect(OpenSession("e", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_position(true);
    open.mutable_subscription()->set_velocity(true);
  });
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1}, 1.0f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(InputRequest(2, {2}, -1.0f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 40)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  v1::ExplainRequest request;
  request.set_world("e");
  request.set_agent_id(1);
  v1::ExplainResponse why;
  ASSERT_THAT(queries_->Explain(NewContext("e").get(), request, &why), IsOk());
  EXPECT_EQ(why.tick(), 40u);
  EXPECT_EQ(why.agent().id(), 1u);
  EXPECT_EQ(why.agent().preferred_velocity().x(), 1.0f);
  ASSERT_EQ(why.neighbors_size(), 1);
  EXPECT_EQ(why.neighbors(0).id(), 2u);
  ASSERT_EQ(why.half_planes_size(), 1);
  EXPECT_EQ(why.half_planes(0).source(), v1::HALF_PLANE_SOURCE_AGENT);
  EXPECT_EQ(why.half_planes(0).id(), 2u);
  EXPECT_EQ(why.outcome(), v1::SOLVE_OUTCOME_CONSTRAINED);
  EXPECT_TRUE(why.half_planes(0).binding());
  // The next step gives it to the bit.
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 1)));
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 41; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->vx[0], why.velocity().x());
  EXPECT_EQ(frame->vy[0], why.velocity().y());
  EXPECT_EQ(frame->x[0], why.position().x());
  request.set_agent_id(99);
  EXPECT_THAT(queries_->Explain(NewContext("e").get(), request, &why), HasCode(grpc::NOT_FOUND));
}

// In the midst of a step order too, and of a tick that is finished.
TEST_F(QueryTest, AreAnsweredWhileAWorldTicks) {
  v1::WorldSettings free;
  free.set_clock(v1::WORLD_CLOCK_FREE);
  CreateWorld("free", free);
  AddCrowd("free", 500);
  v1::FindNearestRequest request;
  request.set_world("free");
  *request.mutable_point() = At(3, 3);
  std::uint64_t tick = 0;
  for (int i = 0; i < 50; ++i) {
    v1::FindNearestResponse response;
    ASSERT_THAT(queries_->FindNearest(NewContext("free").get(), request, &response), IsOk());
    ASSERT_EQ(response.agents_size(), 1);
    EXPECT_GE(response.tick(), tick);
    tick = response.tick();
  }
  EXPECT_GT(tick, 0u);
  EXPECT_THAT(
      HttpGet(server_->http_port(), "/metrics"),
      ::testing::HasSubstr("throng_rpc_duration_seconds_count{method=\"throng.v1.QueryService/FindNearest\"} 50"));
}

}  // namespace
}  // namespace throng::server
