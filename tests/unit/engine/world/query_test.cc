// Questions against a look at everything that knows no index, in worlds just stepped and just edited.
#include "throng/query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;

std::unique_ptr<World> MakeWorld(const testing::Scene& scene) {
  auto world = World::Create(scene.settings).value();
  for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE(world->AddObstacle(obstacle).ok());
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE(world->AddAgent(agent).ok());
  return world;
}

std::unique_ptr<World> EmptyWorld() { return World::Create({}).value(); }

AgentId Put(World& world, Vec2 position, float radius = 0.5f) {
  AgentSpec spec;
  spec.position = position;
  spec.params.radius = radius;
  return world.AddAgent(spec).value();
}

ObstacleId Add(World& world, ObstacleKind kind, const std::vector<Vec2>& vertices) {
  return world.AddObstacle({std::nullopt, kind, vertices}).value();
}

std::vector<AgentState> AllAgents(const World& world) {
  std::vector<AgentState> agents;
  for (const AgentId id : world.membership()->ids) agents.push_back(*world.GetAgent(id));
  return agents;
}

double Distance(Vec2 position, double x, double y) { return std::hypot(position.x - x, position.y - y); }

// Of all agents that `wanted` takes, by distance from (x, y).
std::vector<FoundAgent> Expected(const World& world, double x, double y,
                                 const std::function<bool(const AgentState&, double)>& wanted) {
  std::vector<std::tuple<double, AgentId, Vec2>> found;
  for (const AgentState& agent : AllAgents(world)) {
    const double dx = agent.position.x - x, dy = agent.position.y - y;
    const double squared = dx * dx + dy * dy;
    if (wanted(agent, squared)) found.emplace_back(squared, agent.id, agent.position);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::vector<FoundAgent> agents;
  for (const auto& [squared, id, position] : found) {
    agents.push_back({id, position, static_cast<float>(std::sqrt(squared))});
  }
  return agents;
}

void Cut(std::vector<FoundAgent>& agents, std::size_t most) {
  if (agents.size() > most) agents.resize(most);
}

void ExpectSearchesRight(const World& world, Random& random, const std::string& where) {
  Vec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
  for (const AgentState& agent : AllAgents(world)) {
    low = {std::min(low.x, agent.position.x), std::min(low.y, agent.position.y)};
    high = {std::max(high.x, agent.position.x), std::max(high.y, agent.position.y)};
  }
  const float size = std::max(high.x - low.x, high.y - low.y);
  for (int i = 0; i < 20; ++i) {
    Vec2 point = random.InBox(low, high);
    if (random.Chance(0.2f)) point = {point.x + size, point.y};
    point = {std::clamp(point.x, -kMaxCoordinate, kMaxCoordinate),
             std::clamp(point.y, -kMaxCoordinate, kMaxCoordinate)};
    const std::size_t count = 1 + random.Below(random.Chance(0.2f) ? 500 : 12);
    const float reach = size * random.Uniform(0.0f, random.Chance(0.3f) ? 1.0f : 0.05f);

    NearestQuery nearest;
    nearest.count = count;
    if (random.Chance(0.5f)) nearest.max_distance = reach;
    std::vector<FoundAgent> expected = Expected(world, point.x, point.y, [&](const AgentState&, double squared) {
      return !nearest.max_distance || squared < double{reach} * double{reach};
    });
    Cut(expected, count);
    EXPECT_EQ(*world.FindNearest(point, nearest), expected) << where;

    expected = Expected(world, point.x, point.y,
                        [&](const AgentState&, double squared) { return squared <= double{reach} * double{reach}; });
    const FoundAgents in_disc = *world.FindInDisc(point, reach, count);
    EXPECT_EQ(in_disc.truncated, expected.size() > count) << where;
    Cut(expected, count);
    EXPECT_EQ(in_disc.agents, expected) << where;

    const Vec2 far{std::min(point.x + reach, kMaxCoordinate), std::min(point.y + 0.5f * reach, kMaxCoordinate)};
    expected = Expected(world, 0.5 * (double{point.x} + far.x), 0.5 * (double{point.y} + far.y),
                        [&](const AgentState& agent, double) {
                          return agent.position.x >= point.x && agent.position.x <= far.x &&
                                 agent.position.y >= point.y && agent.position.y <= far.y;
                        });
    const FoundAgents in_box = *world.FindInBox(point, far, count);
    EXPECT_EQ(in_box.truncated, expected.size() > count) << where;
    Cut(expected, count);
    EXPECT_EQ(in_box.agents, expected) << where;
  }
}

TEST(Query, FindsWhatALookAtEveryAgentFinds) {
  for (const testing::Shape shape : testing::kAllShapes) {
    for (const std::size_t agents : {1u, 30u, 700u}) {
      const auto world = MakeWorld(testing::RandomCrowd(shape, agents, 11 + agents));
      Random random(agents);
      const std::string where = ToString(shape) + " of " + std::to_string(agents);
      ExpectSearchesRight(*world, random, where + ", never stepped");
      for (int step = 1; step <= 20; ++step) {
        ASSERT_TRUE(world->Step().ok());
        if (step == 1 || step == 7 || step == 20) {
          ExpectSearchesRight(*world, random, where + ", step " + std::to_string(step));
        }
      }
      const auto ids = world->membership()->ids;
      if (ids.size() > 1) {
        ASSERT_TRUE(world->RemoveAgent(ids[ids.size() / 2]).ok());
      }
      AgentUpdate teleport;
      teleport.position = Vec2{3, 4};
      ASSERT_TRUE(world->UpdateAgent(ids[0], teleport).ok());
      Put(*world, {-2, 1});
      ExpectSearchesRight(*world, random, where + ", edited");
    }
  }
}

TEST(Query, FindsNobodyInAnEmptyWorld) {
  const auto world = EmptyWorld();
  EXPECT_TRUE(world->FindNearest({1, 2})->empty());
  EXPECT_TRUE(world->FindInDisc({1, 2}, 1e6f)->agents.empty());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_TRUE(world->FindNearest({1, 2})->empty());
  EXPECT_TRUE(world->FindInBox({-1, -1}, {1, 1})->agents.empty());
  EXPECT_FALSE(world->CastRay({0, 0}, {10, 0})->hit);
  EXPECT_TRUE(world->TestVisibility({0, 0}, {10, 0}, 1)->visible);
}

TEST(Query, OrdersEquallyFarAgentsById) {
  const auto world = EmptyWorld();
  const AgentId east = Put(*world, {3, 0}), west = Put(*world, {-3, 0}), north = Put(*world, {0, 3});
  NearestQuery two;
  two.count = 2;
  const auto nearest = *world->FindNearest({0, 0}, two);
  ASSERT_EQ(nearest.size(), 2u);
  EXPECT_EQ(nearest[0].id, east);
  EXPECT_EQ(nearest[1].id, west);
  EXPECT_EQ(nearest[0].distance, 3.0f);
  two.max_distance = 3.0f;  // strictly nearer
  EXPECT_TRUE(world->FindNearest({0, 0}, two)->empty());
  const FoundAgents disc = *world->FindInDisc({0, 0}, 3, 10);  // the rim included
  EXPECT_EQ(disc.agents.size(), 3u);
  EXPECT_EQ(disc.agents[2].id, north);
  EXPECT_FALSE(disc.truncated);
  EXPECT_TRUE(world->FindInDisc({0, 0}, 3, 2)->truncated);
}

// Sides of everything in a world.
struct Side {
  ObstacleId obstacle;
  Vec2 start, end;
};
std::vector<Side> AllSides(const World& world) {
  std::vector<Side> sides;
  for (const ObstacleId id : world.obstacle_ids()) {
    const ObstacleState obstacle = *world.GetObstacle(id);
    const std::size_t count = obstacle.vertices.size();
    for (std::size_t i = 0; i + (obstacle.kind == ObstacleKind::kWall ? 1 : 0) < count; ++i) {
      sides.push_back({id, obstacle.vertices[i], obstacle.vertices[(i + 1) % count]});
    }
  }
  return sides;
}

double DistanceOf(const Side& side, double x, double y) {
  const double ex = side.end.x - side.start.x, ey = side.end.y - side.start.y;
  const double along = ((x - side.start.x) * ex + (y - side.start.y) * ey) / (ex * ex + ey * ey);
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(side.start.x + t * ex - x, side.start.y + t * ey - y);
}

// By bisection of the way's clearance: where it is first `radius` from the side, if coarse steps come that near.
bool ComesWithin(const Side& side, Vec2 from, Vec2 to, double radius, double slack) {
  constexpr int kSteps = 2000;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = i / double{kSteps};
    if (DistanceOf(side, from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)) <= radius + slack) return true;
  }
  return false;
}

TEST(Query, SeesWhereEverySampleOfTheWayIsClear) {
  const auto world = EmptyWorld();
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    ObstacleSpec obstacle = testing::RandomObstacle(random, {0, 0}, 20);
    if (obstacle.kind == ObstacleKind::kEnclosure) obstacle.kind = ObstacleKind::kSolid;
    ASSERT_TRUE(world->AddObstacle(obstacle).ok());
  }
  Add(*world, ObstacleKind::kEnclosure, {{-18, -18}, {18, -18}, {18, 18}, {-18, 18}});
  const std::vector<Side> sides = AllSides(*world);
  int visible = 0, hidden = 0;
  for (int i = 0; i < 400; ++i) {
    const Vec2 from = random.InBox({-20, -20}, {20, 20}), way = random.InBox({-8, -8}, {8, 8});
    const Vec2 to{from.x + way.x, from.y + way.y};
    const float radius = random.Chance(0.3f) ? 0.0f : random.Uniform(0.0f, 1.0f);
    const Visibility seen = *world->TestVisibility(from, to, radius);
    const double step = Distance(from, to.x, to.y) / 2000;
    const auto near = [&](double slack) {
      return std::any_of(sides.begin(), sides.end(),
                         [&](const Side& side) { return ComesWithin(side, from, to, radius, slack); });
    };
    if (seen.visible) {
      ++visible;
      EXPECT_FALSE(near(-1e-6)) << i;
      EXPECT_EQ(seen.obstacle, kInvalidId);
    } else {
      ++hidden;
      EXPECT_TRUE(world->GetObstacle(seen.obstacle).ok());
      if (!near(step)) {  // then it begins where nobody can stand
        EXPECT_FALSE(world->TestVisibility(from, from, 0)->visible) << i;
      }
    }
  }
  EXPECT_GT(visible, 20);
  EXPECT_GT(hidden, 20);
}

TEST(Query, NamesTheObstacleThatIsMetFirst) {
  const auto world = EmptyWorld();
  const ObstacleId far = Add(*world, ObstacleKind::kWall, {{8, -5}, {8, 5}});
  const ObstacleId near = Add(*world, ObstacleKind::kSolid, {{4, -1}, {5, -1}, {5, 1}, {4, 1}});
  EXPECT_EQ(world->TestVisibility({0, 0}, {10, 0}, 0.2f)->obstacle, near);
  EXPECT_EQ(world->TestVisibility({0, 2}, {10, 2}, 0.2f)->obstacle, far);
  EXPECT_TRUE(world->TestVisibility({0, 1.5f}, {7, 1.5f}, 0.4f)->visible);
  EXPECT_FALSE(world->TestVisibility({0, 1.5f}, {7, 1.5f}, 0.5f)->visible);   // touches
  EXPECT_EQ(world->TestVisibility({4.5f, 0}, {4.5f, 0}, 0)->obstacle, near);  // within the solid
  const ObstacleId fence = Add(*world, ObstacleKind::kEnclosure, {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}});
  EXPECT_EQ(world->TestVisibility({20, 0}, {30, 0}, 0)->obstacle, fence);  // outside
  EXPECT_EQ(world->TestVisibility({0, 8}, {0, 20}, 0)->obstacle, fence);
}

TEST(Query, CastsRays) {
  const auto world = EmptyWorld();
  const ObstacleId wall = Add(*world, ObstacleKind::kWall, {{8, -5}, {8, 5}});
  const AgentId first = Put(*world, {4, 0}, 1), second = Put(*world, {6, 0.5f}, 1);
  RayHit hit = *world->CastRay({0, 0}, {10, 0});
  EXPECT_TRUE(hit.hit);
  EXPECT_EQ(hit.agent, first);
  EXPECT_EQ(hit.obstacle, kInvalidId);
  EXPECT_NEAR(hit.distance, 3, 1e-6f);
  EXPECT_NEAR(hit.fraction, 0.3f, 1e-6f);
  EXPECT_NEAR(hit.point.x, 3, 1e-6f);
  EXPECT_EQ(hit.normal, (Vec2{-1, 0}));
  RayQuery query;
  query.ignored = first;
  EXPECT_EQ(world->CastRay({0, 0}, {10, 0}, query)->agent, second);
  query.agents = false;
  hit = *world->CastRay({0, 0}, {10, 0}, query);
  EXPECT_EQ(hit.obstacle, wall);
  EXPECT_EQ(hit.point, (Vec2{8, 0}));
  EXPECT_EQ(hit.normal, (Vec2{-1, 0}));
  EXPECT_EQ(world->CastRay({10, 0}, {0, 0}, query)->normal, (Vec2{1, 0}));  // from either side
  query.obstacles = false;
  hit = *world->CastRay({0, 0}, {10, 0}, query);
  EXPECT_FALSE(hit.hit);
  EXPECT_EQ(hit.fraction, 1.0f);
  EXPECT_EQ(hit.point, (Vec2{10, 0}));
  hit = *world->CastRay({4.5f, 0}, {10, 0});  // from within the disc
  EXPECT_EQ(hit.agent, first);
  EXPECT_EQ(hit.fraction, 0.0f);
  EXPECT_EQ(hit.normal, (Vec2{1, 0}));
  // Of equally far ones the obstacle.
  Add(*world, ObstacleKind::kWall, {{3, -5}, {3, 5}});
  EXPECT_NE(world->CastRay({0, 0}, {10, 0})->obstacle, kInvalidId);
}

// Each obstacle and agent by itself, with the intersections solved anew.
TEST(Query, HitsWhatIsNearestOnTheRay) {
  const auto world = MakeWorld(testing::RandomCrowd(testing::Shape::kObstacles, 200, 9));
  Random random(21);
  int hits = 0;
  for (const bool stepped : {false, true}) {
    if (stepped) {
      ASSERT_TRUE(world->Step().ok());
    }
    const std::vector<Side> sides = AllSides(*world);
    const std::vector<AgentState> agents = AllAgents(*world);
    for (int i = 0; i < 300; ++i) {
      const Vec2 from = random.InBox({-20, -20}, {20, 20}), to = random.InBox({-300, -200}, {200, 300});
      const double wx = double{to.x} - from.x, wy = double{to.y} - from.y;
      double first = 2.0;
      for (const Side& side : sides) {
        const double ex = double{side.end.x} - side.start.x, ey = double{side.end.y} - side.start.y;
        const double det = wx * ey - wy * ex, sx = side.start.x - double{from.x}, sy = side.start.y - double{from.y};
        const double t = (sx * ey - sy * ex) / det, s = (sx * wy - sy * wx) / det;
        if (t >= 0 && t <= 1 && s >= 0 && s <= 1) first = std::min(first, t);
      }
      for (const AgentState& agent : agents) {
        const double x = from.x - double{agent.position.x}, y = from.y - double{agent.position.y};
        const double r = agent.params.radius, a = wx * wx + wy * wy, b = x * wx + y * wy, c = x * x + y * y - r * r;
        if (c <= 0) first = 0;
        if (c > 0 && b < 0 && b * b >= a * c) {
          const double t = (-b - std::sqrt(b * b - a * c)) / a;
          if (t <= 1) first = std::min(first, t);
        }
      }
      const RayHit hit = *world->CastRay(from, to);
      EXPECT_EQ(hit.hit, first <= 1.0) << i;
      if (!hit.hit) continue;
      ++hits;
      EXPECT_NEAR(hit.fraction, first, 1e-6) << i;
      EXPECT_NEAR(Distance(hit.point, from.x, from.y), hit.distance, 1e-3) << i;
      if (hit.fraction > 0) {
        EXPECT_LE(hit.normal.x * wx + hit.normal.y * wy, 1e-3) << i;
      }
      EXPECT_NEAR(std::hypot(hit.normal.x, hit.normal.y), 1.0, 1e-6) << i;
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(Query, LooksAtThoseThatPassTheFilter) {
  const auto world = EmptyWorld();
  const auto put = [&](Vec2 position, std::uint32_t layer, float z) {
    AgentSpec spec;
    spec.position = position;
    spec.params.layer = layer;
    spec.params.z = z;
    spec.params.height = 2.0f;
    return world->AddAgent(spec).value();
  };
  const AgentId guard = put({1, 0}, 2, 0), above = put({2, 0}, 1, 10), ghost = put({3, 0}, 0, 0);
  const auto found = [&](const SightFilter& filter) {
    std::vector<AgentId> ids;
    const auto answer = world->FindInDisc({0, 0}, 10, 10, filter);
    for (const FoundAgent& agent : answer->agents) ids.push_back(agent.id);
    NearestQuery nearest;
    nearest.count = 10;
    nearest.filter = filter;
    EXPECT_EQ(world->FindNearest({0, 0}, nearest)->size(), ids.size());
    EXPECT_EQ(world->FindInBox({-9, -9}, {9, 9}, 10, filter)->agents.size(), ids.size());
    RayQuery ray;
    ray.filter = filter;
    EXPECT_EQ(world->CastRay({0, 0}, {9, 0}, ray)->agent, ids.empty() ? kInvalidId : ids[0]);
    return ids;
  };
  for (const bool stepped : {false, true}) {
    if (stepped) {
      ASSERT_TRUE(world->Step().ok());
    }
    EXPECT_EQ(found({}), (std::vector<AgentId>{guard, above, ghost}));
    EXPECT_EQ(found({.avoids = 1u, .band = {}}), (std::vector<AgentId>{above}));
    EXPECT_EQ(found({.avoids = 0xffffffffu, .band = {}}), (std::vector<AgentId>{guard, above}));
    EXPECT_EQ(found({.avoids = {}, .band = HeightBand{1, 1}}), (std::vector<AgentId>{guard, ghost}));
    EXPECT_TRUE(found({.avoids = 2u, .band = HeightBand{5, 1}}).empty());
  }
  EXPECT_TRUE(
      absl::IsInvalidArgument(world->FindInDisc({0, 0}, 1, 1, {.avoids = {}, .band = HeightBand{0, -1}}).status()));
}

TEST(Query, RefusesWhatIsOutOfRange) {
  const auto world = EmptyWorld();
  const float nan = std::nanf("");
  const auto field = [](const absl::Status& status) {
    const auto violation = GetViolation(status);
    return violation && absl::IsInvalidArgument(status) ? violation->field : status.ToString();
  };
  EXPECT_EQ(field(world->FindNearest({nan, 0}).status()), "point.x");
  EXPECT_EQ(field(world->FindNearest({0, 2e6f}).status()), "point.y");
  EXPECT_EQ(field(world->FindNearest({0, 0}, {.count = 0, .max_distance = {}, .filter = {}}).status()), "count");
  EXPECT_EQ(field(world->FindNearest({0, 0}, {.count = 10'001, .max_distance = {}, .filter = {}}).status()), "count");
  EXPECT_EQ(field(world->FindNearest({0, 0}, {.count = 1, .max_distance = -1.0f, .filter = {}}).status()),
            "max_distance");
  EXPECT_EQ(field(world->FindInDisc({nan, 0}, 1).status()), "center.x");
  EXPECT_EQ(field(world->FindInDisc({0, 0}, nan).status()), "radius");
  EXPECT_EQ(field(world->FindInDisc({0, 0}, 1, 0).status()), "limit");
  EXPECT_EQ(field(world->FindInBox({0, 0}, {-1, 1}).status()), "max.x");
  EXPECT_EQ(field(world->FindInBox({0, 2}, {1, 1}).status()), "max.y");
  EXPECT_EQ(field(world->FindInBox({0, -INFINITY}, {1, 1}).status()), "min.y");
  EXPECT_EQ(field(world->TestVisibility({0, 0}, {0, nan}, 1).status()), "to.y");
  EXPECT_EQ(field(world->TestVisibility({0, 0}, {0, 0}, 1001).status()), "radius");
  EXPECT_EQ(field(world->CastRay({0, INFINITY}, {0, 0}).status()), "from.y");
}

TEST(Query, IsRefusedInTheMidstOfAStep) {
  const auto world = MakeWorld(testing::Crossing({.agents = 100}));
  ASSERT_TRUE(world->BeginStep().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(world->FindNearest({0, 0}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(world->FindInDisc({0, 0}, 1).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(world->FindInBox({0, 0}, {1, 1}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(world->TestVisibility({0, 0}, {1, 1}, 0).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(world->CastRay({0, 0}, {1, 1}).status()));
  while (world->Advance(1000) != Phase::kIdle) {
  }
  EXPECT_TRUE(world->FindNearest({0, 0}).ok());
}

}  // namespace
}  // namespace throng
