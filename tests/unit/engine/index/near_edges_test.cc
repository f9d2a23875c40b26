#include "index/near_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernels.h"
#include "tests/support/random.h"
#include "throng/simd.h"

namespace throng {
namespace {

using testing::Random;

struct Ground {
  ObstacleStore obstacles;
  ObstacleIndex index;
  ObstacleId next_id = 1;

  void Add(ObstacleKind kind, const std::vector<Vec2>& vertices, const Sight& sight = kPlainObstacle) {
    for (const std::uint32_t place : obstacles.Add(next_id++, kind, vertices, sight).edges) {
      index.Insert(place, obstacles.edge(place).start, obstacles.edge(place).end);
    }
  }
};

void AddAgent(AgentStore& agents, Vec2 position, Random& random) {
  const Index place = agents.Add(static_cast<AgentId>(agents.size() + 1));
  agents.body[place] = {position.x, position.y, 0.0f, 0.0f};
  agents.radius[place] = random.Uniform(0.1f, 1.0f);
  agents.max_speed[place] = random.Uniform(0.0f, 3.0f);
  agents.time_horizon_obstacles[place] = random.Uniform(0.5f, 3.0f);
}

void Find(NearEdges& near, const AgentStore& agents, const Ground& ground, SimdLevel level, float margin) {
  near.Begin(agents, ground.obstacles, ground.index, KernelsOf(level).keep_edges, 0.0f, margin);
  for (std::size_t block = 0; block < near.blocks(); ++block) near.RunBlock(block);
  near.Finish();
}

struct Found {
  bool many = false;
  std::vector<std::uint32_t> places;
};

Found FoundFor(const NearEdges& near, std::size_t group) {
  const std::uint32_t* const data = near.data() + group * (1 + kNearEdges);
  if (data[0] == kManyEdges) return {true, {}};
  return {false, std::vector<std::uint32_t>(data + 1, data + 1 + data[0])};
}

void ExpectOrdered(const Ground& ground, const std::vector<std::uint32_t>& places) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    const ObstacleEdge &before = ground.obstacles.edge(places[i - 1]), &edge = ground.obstacles.edge(places[i]);
    EXPECT_LT(std::pair(before.obstacle, before.index), std::pair(edge.obstacle, edge.index));
  }
}

// Everything that an agent of the group has to consider is among what was found.
void ExpectComplete(const AgentStore& agents, const Ground& ground, std::size_t group, const Found& found) {
  if (found.many) return;
  const std::set<std::uint32_t> places(found.places.begin(), found.places.end());
  for (std::size_t i = group * kGroup; i < std::min(agents.size(), (group + 1) * kGroup); ++i) {
    const Vec2 position{agents.body[i].x, agents.body[i].y};
    const float range = ObstacleRange(agents, i);
    for (const auto& [id, obstacle] : ground.obstacles.all()) {
      for (const std::uint32_t place : obstacle.edges) {
        const ObstacleEdge& edge = ground.obstacles.edge(place);
        if (!Faces(edge, position) || !(DistanceSquared(edge, position) < range * range)) continue;
        EXPECT_TRUE(places.contains(place)) << "agent " << i << " edge " << edge.index << " of " << id;
      }
    }
  }
}

// By less than `way`, also where coordinates are rounded.
void MoveAll(AgentStore& agents, float way, Random& random) {
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const Vec2 unit = random.UnitVector();
    const Vec2 before{agents.body[i].x, agents.body[i].y};
    const Vec2 after{before.x + 0.99f * way * unit.x, before.y + 0.99f * way * unit.y};
    if (!(AbsSq(after - before) < way * way)) continue;
    agents.body[i].x = after.x;
    agents.body[i].y = after.y;
  }
}

Ground RandomGround(Vec2 center, Random& random) {
  Ground ground;
  const auto at = [&](float extent) {
    return random.InBox({center.x - extent, center.y - extent}, {center.x + extent, center.y + extent});
  };
  for (int i = 0; i < 40; ++i) {
    const Vec2 low = at(60.0f);
    const float size = std::exp2(random.Uniform(-12.0f, 4.0f));
    ground.Add(ObstacleKind::kSolid, {low, {low.x + size, low.y}, {low.x + size, low.y + size}, {low.x, low.y + size}});
  }
  for (int i = 0; i < 10; ++i) ground.Add(ObstacleKind::kWall, {at(60.0f), at(60.0f), at(60.0f)});
  ground.Add(ObstacleKind::kWall, {{-1048576.0f, center.y}, {1048576.0f, center.y + 3.0f}});
  // Whose squares underflow.
  ground.Add(ObstacleKind::kWall, {{0.0f, 0.0f}, {1e-25f, 1e-30f}, {0.0f, 1.0f}});
  return ground;
}

class NearEdgesTest : public ::testing::TestWithParam<SimdLevel> {};

TEST_P(NearEdgesTest, MissNothingWhileAgentsMoveLessThanTheMargin) {
  Random random(5);
  for (const Vec2 center : {Vec2{0, 0}, Vec2{-30000.0f, 900000.0f}}) {
    for (int round = 0; round < 20; ++round) {
      const Ground ground = RandomGround(center, random);
      AgentStore agents;
      // Runs of neighbours, so that groups are tight, stretched, or in two places.
      while (agents.size() < 100) {
        const Vec2 at = random.InBox({center.x - 80, center.y - 80}, {center.x + 80, center.y + 80});
        for (std::size_t i = random.Below(20) + 1; i > 0; --i) {
          AddAgent(agents, random.InBox({at.x - 3, at.y - 3}, {at.x + 3, at.y + 3}), random);
        }
      }
      const float margin = random.Uniform(0.05f, 2.0f);
      NearEdges near;
      Find(near, agents, ground, GetParam(), margin);
      MoveAll(agents, margin, random);
      for (std::size_t group = 0; group * kGroup < agents.size(); ++group) {
        const Found found = FoundFor(near, group);
        ExpectOrdered(ground, found.places);
        ExpectComplete(agents, ground, group, found);
      }
    }
  }
}

TEST_P(NearEdgesTest, LeaveOutWhatNobodyCanSee) {
  Random random(3);
  Ground ground;
  ground.Add(ObstacleKind::kSolid, {{0, 0}, {10, 0}, {10, 10}, {0, 10}});    // first edge: the side of the agents
  ground.Add(ObstacleKind::kSolid, {{0, 90}, {10, 90}, {10, 95}, {0, 95}});  // far from them
  AgentStore agents;
  for (int i = 0; i < 16; ++i) {
    AddAgent(agents, {1.0f + 0.5f * static_cast<float>(i), -2.0f}, random);
    agents.max_speed[static_cast<std::size_t>(i)] = 2.0f;
    agents.time_horizon_obstacles[static_cast<std::size_t>(i)] = 2.0f;
  }
  NearEdges near;
  Find(near, agents, ground, GetParam(), 0.1f);
  const std::vector<std::uint32_t>& edges = ground.obstacles.Find(1)->edges;
  EXPECT_EQ(FoundFor(near, 0).places, (std::vector<std::uint32_t>{edges[0]}));
}

TEST_P(NearEdgesTest, AGroupInTwoPlacesHasTheEdgesOfBoth) {
  Random random(4);
  Ground ground;
  // Far more edges between them than are kept for a group.
  for (int i = 0; i < 400; ++i) {
    const float x = 5.0f * static_cast<float>(i);
    ground.Add(ObstacleKind::kWall, {{x, 0}, {x + 4, 0}});
  }
  AgentStore agents;
  for (int i = 0; i < 16; ++i) {
    AddAgent(agents, {i < 7 ? 2.0f : 1997.0f, 0.5f}, random);
    agents.max_speed[static_cast<std::size_t>(i)] = 1.0f;
    agents.time_horizon_obstacles[static_cast<std::size_t>(i)] = 1.0f;
  }
  NearEdges near;
  Find(near, agents, ground, GetParam(), 0.1f);
  std::vector<std::uint32_t> expected;
  for (const ObstacleId id : {1, 2, 400, 399}) {
    for (const std::uint32_t place : ground.obstacles.Find(id)->edges) expected.push_back(place);
  }
  const Found found = FoundFor(near, 0);
  ASSERT_FALSE(found.many);
  EXPECT_GE(found.places.size(), 2u);
  EXPECT_LE(found.places.size(), 8u);
  for (const std::uint32_t place : found.places) {
    EXPECT_TRUE(std::find(expected.begin(), expected.end(), place) != expected.end());
  }
  ExpectComplete(agents, ground, 0, found);
}

TEST_P(NearEdgesTest, TellWhereThereAreTooMany) {
  Random random(4);
  Ground ground;
  for (int i = 0; i < 400; ++i) {
    const float y = 0.01f * static_cast<float>(i);
    ground.Add(ObstacleKind::kWall, {{0, y}, {4, y}});
  }
  AgentStore agents;
  for (int i = 0; i < 40; ++i) AddAgent(agents, {i < 16 ? 1.0f : 100.0f, 1.0f}, random);
  NearEdges near;
  Find(near, agents, ground, GetParam(), 0.1f);
  EXPECT_TRUE(FoundFor(near, 0).many);
  EXPECT_FALSE(FoundFor(near, 1).many);
  EXPECT_TRUE(FoundFor(near, 1).places.empty());
}

// Who sees which edge is exact, and what nobody of a group sees is not there at all.
TEST_P(NearEdgesTest, TellWhoSeesThem) {
  Random random(9);
  Ground ground;
  for (std::uint32_t layer = 1; layer <= 8; layer *= 2) {
    const float y = static_cast<float>(layer);
    ground.Add(ObstacleKind::kWall, {{0, y}, {4, y}}, ObstacleSight(layer, std::nullopt));
  }
  AgentStore agents;
  for (int i = 0; i < 48; ++i) AddAgent(agents, {2.0f, 0.1f * static_cast<float>(i % 16)}, random);
  NearEdges near;
  Find(near, agents, ground, GetParam(), 20.0f);
  ASSERT_NE(near.lanes(), nullptr) << "agents are alike, obstacles are not";
  for (Index i = 0; i < 48; ++i) {
    Regard regard = agents.RegardOf(i);
    regard.sight.avoids = i < 16 ? 1 + i % 2 : i < 32 ? 16 : 4 + i;
    agents.SetRegard(i, regard);
  }
  Find(near, agents, ground, GetParam(), 20.0f);
  EXPECT_EQ(FoundFor(near, 0).places.size(), 4u) << "layers 1 and 2, from both sides";
  EXPECT_TRUE(FoundFor(near, 1).places.empty());
  for (std::size_t group = 0; group < 3; ++group) {
    const Found found = FoundFor(near, group);
    for (std::size_t k = 0; k < found.places.size(); ++k) {
      for (std::size_t lane = 0; lane < kGroup; ++lane) {
        const Sight sight = agents.SightOf(static_cast<Index>(group * kGroup + lane));
        const bool told = (near.lanes()[group * kNearEdges + k] >> lane & 1) != 0;
        EXPECT_EQ(told, Sees(sight, ground.obstacles.sight(found.places[k]))) << group << " " << lane << " " << k;
      }
    }
  }
}

TEST_P(NearEdgesTest, KeepNothingOfWhoSeesThemWhereAllDo) {
  Random random(10);
  Ground ground;
  ground.Add(ObstacleKind::kWall, {{0, 0}, {4, 0}});
  AgentStore agents;
  AddAgent(agents, {1, 1}, random);
  NearEdges near;
  Find(near, agents, ground, GetParam(), 0.5f);
  EXPECT_EQ(near.lanes(), nullptr);
  EXPECT_EQ(FoundFor(near, 0).places.size(), 1u) << "the side that it faces";
}

TEST_P(NearEdgesTest, HoldUntilAgentsHaveMovedTheMargin) {
  Random random(4);
  Ground ground;
  ground.Add(ObstacleKind::kWall, {{0, 0}, {4, 0}});
  AgentStore agents;
  AddAgent(agents, {1, 1}, random);
  NearEdges near;
  EXPECT_FALSE(near.Holds(0.0f));
  Find(near, agents, ground, GetParam(), 0.5f);
  EXPECT_TRUE(near.Holds(0.5f));
  EXPECT_FALSE(near.Holds(0.6f));
  near.Invalidate();
  EXPECT_FALSE(near.Holds(0.0f));
}

INSTANTIATE_TEST_SUITE_P(Levels, NearEdgesTest, ::testing::ValuesIn(AvailableSimdLevels()),
                         [](const auto& level) { return std::string(Name(level.param)); });

}  // namespace
}  // namespace throng
