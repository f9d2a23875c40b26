// Half-planes of obstacle edges, made for a group of agents at every SIMD level, against those that plain code makes of
// the edges in order of (distance, obstacle, index), bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "solve/obstacle_lines.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/unit/engine/kernel/bits.h"
#include "tests/unit/engine/kernel/probes.h"
#include "tests/unit/engine/kernel/solved_crowd.h"
#include "throng/limits.h"

namespace throng {
namespace {

using testing::Random;
using testing::SolvedCrowd;

std::vector<Vec2> Rectangle(Vec2 low, Vec2 high) { return {low, {high.x, low.y}, high, {low.x, high.y}}; }

// Edges in a pool whose places are not in the order of their ids, and all of them near the one group of agents.
class Surroundings {
 public:
  explicit Surroundings(Random& random) : random_(random) {}

  // False if there is no room for it.
  bool Add(ObstacleId id, ObstacleKind kind, const std::vector<Vec2>& vertices) {
    const std::vector<ObstacleEdge> edges = MakeEdges(id, MakeOutline(kind, vertices));
    if (pool_.size() + edges.size() > kNearEdges) return false;
    pool_.insert(pool_.end(), edges.begin(), edges.end());
    return true;
  }

  void Finish() {
    random_.Shuffle(pool_);
    near_.assign(1 + kNearEdges, 0);
    near_[0] = static_cast<std::uint32_t>(pool_.size());
    for (std::uint32_t i = 0; i < pool_.size(); ++i) near_[1 + i] = i;
    std::sort(near_.begin() + 1, near_.begin() + 1 + static_cast<std::ptrdiff_t>(pool_.size()),
              [&](std::uint32_t a, std::uint32_t b) { return Order(pool_[a]) < Order(pool_[b]); });
  }
  // Every agent is to search by itself.
  void ForgetNear() { near_[0] = kManyEdges; }

  const std::vector<ObstacleEdge>& pool() const { return pool_; }
  const std::uint32_t* near() const { return near_.data(); }

  // As a step's plain code makes them. considered: how many edges are in range.
  std::vector<HalfPlane> PlainLines(const Disc& agent, float range, float horizon, std::size_t& considered) const {
    std::vector<std::pair<float, const ObstacleEdge*>> edges;
    for (const ObstacleEdge& edge : pool_) {
      const float squared = DistanceSquared(edge, agent.position);
      if (Faces(edge, agent.position) && squared < range * range) edges.emplace_back(squared, &edge);
    }
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, Order(*a.second)) < std::pair(b.first, Order(*b.second));
    });
    considered += edges.size();
    std::vector<HalfPlane> lines;
    for (const auto& [squared, edge] : edges) AddObstacleHalfPlane(agent, *edge, 1.0f / horizon, lines);
    return lines;
  }

 private:
  static std::pair<ObstacleId, std::uint32_t> Order(const ObstacleEdge& edge) { return {edge.obstacle, edge.index}; }

  Random& random_;
  std::vector<ObstacleEdge> pool_;
  std::vector<std::uint32_t> near_;
};

struct Seen {
  std::size_t considered = 0, lines = 0, contacts = 0;
};

class KernelEdgeLines : public ::testing::TestWithParam<SimdLevel> {
 protected:
  // One group of agents among edges that have been finished.
  void Expect(const std::vector<AgentSpec>& agents, const Surroundings& around, Seen* seen = nullptr) {
    SolvedCrowd crowd;
    AgentParams alone;
    alone.max_neighbors = 0;
    crowd.Add(agents, alone);
    crowd.Sort();
    std::vector<std::vector<HalfPlane>> plain;
    std::size_t considered = 0;
    for (std::size_t place = 0; place < crowd.store.size(); ++place) {
      const float horizon = crowd.store.time_horizon_obstacles[place];
      const float range = horizon * crowd.store.max_speed[place] + crowd.store.radius[place];
      plain.push_back(around.PlainLines(crowd.At(place), range, horizon, considered));
    }
    SolveView view = crowd.View();
    view.near_edges = around.near();
    view.edges = around.pool().data();
    view.context = &plain;
    view.find_nearest = [](const void*, std::uint32_t, std::uint32_t*) { return std::uint32_t{0}; };
    view.obstacle_lines = [](const void* lines, void*, std::uint32_t self, float, const HalfPlane** found) {
      const auto& of_agent = (*static_cast<const decltype(plain)*>(lines))[self];
      *found = of_agent.data();
      return of_agent.size();
    };
    SolveCounts counts;
    const auto lines = testing::Solve(view, GetParam(), counts);
    for (std::size_t place = 0; place < lines.size(); ++place) {
      ASSERT_TRUE(testing::SameLines(lines[place], plain[place])) << Describe(crowd, place);
    }
    const bool searched = around.near()[0] == kManyEdges;
    ASSERT_EQ(counts.obstacle_edges, searched ? 0 : considered);
    if (seen == nullptr) return;
    seen->considered += considered;
    for (const auto& of_agent : plain) {
      seen->lines += of_agent.size();
      for (const HalfPlane& line : of_agent) seen->contacts += line.point == Vec2{};
    }
  }

 private:
  static std::string Describe(const SolvedCrowd& crowd, std::size_t place) {
    const Body& body = crowd.store.body[place];
    return absl::StrFormat("place %d at (%a, %a) velocity (%a, %a) radius %a", place, body.x, body.y, body.vx, body.vy,
                           crowd.store.radius[place]);
  }
};

constexpr float kExtent = 10.0f;

AgentSpec RandomAgent(Random& random, const Surroundings& around) {
  AgentSpec agent;
  agent.velocity = random.Chance(0.1f) ? Vec2{} : random.InBox({-2, -2}, {2, 2});
  agent.preferred_velocity = random.InBox({-2, -2}, {2, 2});
  agent.params.radius = random.Chance(0.1f) ? 1e-18f : random.Uniform(0.05f, 1.0f);
  agent.params.max_speed = random.Chance(0.1f) ? 0.0f : random.Uniform(0.5f, 4.0f);
  agent.params.time_horizon_obstacles = random.Chance(0.1f) ? 0.05f : random.Uniform(0.3f, 4.0f);
  agent.position = random.InBox({-kExtent, -kExtent}, {kExtent, kExtent});
  if (around.pool().empty() || random.Chance(0.4f)) return agent;
  // At an edge: on it, touching it, or beside one of its ends or their extension.
  const ObstacleEdge& edge = around.pool()[random.Below(around.pool().size())];
  const Vec2 outward = TurnedRight(edge.direction);
  const std::array<float, 6> kAlong = {0.0f, 1.0f, 0.5f, -0.1f, 1.1f, random.Uniform(0.0f, 1.0f)};
  const std::array<float, 5> kAway = {0.0f, *agent.params.radius, 1.001f * *agent.params.radius,
                                      0.5f * *agent.params.radius, random.Uniform(0.0f, 3.0f)};
  const float along = kAlong[random.Below(kAlong.size())], away = kAway[random.Below(kAway.size())];
  agent.position = edge.start + along * edge.vector + away * outward;
  if (random.Chance(0.3f)) {
    // Where legs, discs and the cut-off line of its velocity obstacle meet.
    const Vec2 end = random.Chance(0.5f) ? edge.start : edge.end;
    agent.velocity = (1.0f / *agent.params.time_horizon_obstacles) * (end - *agent.position);
  }
  if (random.Chance(0.1f)) agent.velocity = random.Uniform(-2.0f, 2.0f) * edge.direction;
  return agent;
}

std::vector<AgentSpec> RandomAgents(Random& random, const Surroundings& around) {
  std::vector<AgentSpec> agents(random.Chance(0.7f) ? kGroup : 1 + random.Below(kGroup));
  for (AgentSpec& agent : agents) agent = RandomAgent(random, around);
  return agents;
}

TEST_P(KernelEdgeLines, AmongRandomObstacles) {
  Random random(1);
  Seen seen;
  for (int round = 0; round < 2'500; ++round) {
    Surroundings around(random);
    const std::size_t obstacles = random.Below(9);
    for (std::size_t i = 0; i < obstacles; ++i) {
      const ObstacleSpec spec = testing::RandomObstacle(random, {}, kExtent);
      around.Add(static_cast<ObstacleId>(1 + random.Below(1000) * 16 + i), spec.kind, spec.vertices);
    }
    around.Finish();
    if (round % 5 == 0) around.ForgetNear();
    ASSERT_NO_FATAL_FAILURE(Expect(RandomAgents(random, around), around, &seen)) << "round " << round;
  }
  EXPECT_GT(seen.lines, 20'000u);
  EXPECT_GT(seen.considered, seen.lines + 5'000) << "some edges are covered, some left to their neighbours";
  EXPECT_GT(seen.contacts, 2'000u);
}

// Equal distances everywhere: rooms and blocks of whole numbers, some twice, agents on whole numbers too.
TEST_P(KernelEdgeLines, WhereDistancesAreEqual) {
  Random random(2);
  Seen seen;
  const auto whole = [&](std::size_t most) { return static_cast<float>(random.Below(most)); };
  for (int round = 0; round < 2'500; ++round) {
    Surroundings around(random);
    for (ObstacleId id = 1; id <= 10; ++id) {
      const Vec2 low{whole(12) - 6.0f, whole(12) - 6.0f};
      const Vec2 high{low.x + 1.0f + whole(4), low.y + 1.0f + whole(4)};
      const ObstacleKind kind = random.Chance(0.5f) ? ObstacleKind::kSolid : ObstacleKind::kEnclosure;
      const ObstacleId shuffled = id * 7 % 11;
      if (random.Chance(0.2f)) {
        around.Add(shuffled, ObstacleKind::kWall, {low, {low.x, high.y}, high});
        continue;
      }
      around.Add(shuffled, kind, Rectangle(low, high));
      if (random.Chance(0.3f)) around.Add(shuffled + 50, kind, Rectangle(low, high));
    }
    around.Finish();
    std::vector<AgentSpec> agents(kGroup);
    for (AgentSpec& agent : agents) {
      agent.position = Vec2{0.5f * whole(24) - 6.0f, 0.5f * whole(24) - 6.0f};
      agent.velocity = {whole(3) - 1.0f, whole(3) - 1.0f};
      agent.params.radius = 0.5f;
      agent.params.max_speed = 2.0f;
      agent.params.time_horizon_obstacles = 1.0f + whole(2);
    }
    ASSERT_NO_FATAL_FAILURE(Expect(agents, around, &seen)) << "round " << round;
  }
  EXPECT_GT(seen.lines, 20'000u);
  EXPECT_GT(seen.contacts, 5'000u);
}

// Far from the origin, where coordinates are coarse, and in the small.
TEST_P(KernelEdgeLines, AtTheEndsOfTheRanges) {
  Random random(3);
  Seen seen;
  for (int round = 0; round < 1'500; ++round) {
    const bool far = random.Chance(0.5f);
    const float scale = far ? 1.0f : 0.01f;
    const Vec2 center = far ? Vec2{1.0e6f, -1.0e6f} : Vec2{};
    const auto placed = [&](Vec2 v) { return center + scale * v; };
    Surroundings around(random);
    for (ObstacleId id = 1; id <= 6; ++id) {
      const ObstacleSpec spec = testing::RandomObstacle(random, {}, kExtent);
      std::vector<Vec2> vertices;
      for (const Vec2 vertex : spec.vertices) vertices.push_back(placed(vertex));
      // What coarse coordinates have made one point is no edge.
      if (!Validate(ObstacleSpec{id, spec.kind, vertices}).ok()) continue;
      around.Add(id, spec.kind, vertices);
    }
    around.Finish();
    std::vector<AgentSpec> agents(kGroup);
    for (AgentSpec& agent : agents) {
      agent = RandomAgent(random, Surroundings(random));
      agent.position = placed(*agent.position);
      agent.params.radius = random.Chance(0.2f) ? 1e-30f : scale * *agent.params.radius;
      if (random.Chance(0.1f)) agent.velocity = {1e-30f, -1e-42f};
      if (random.Chance(0.1f)) agent.velocity = {1e6f, -1e6f};
    }
    ASSERT_NO_FATAL_FAILURE(Expect(agents, around, &seen)) << "round " << round;
  }
  EXPECT_GT(seen.lines, 5'000u);
}

TEST_P(KernelEdgeLines, AsManyEdgesAsAGroupKeeps) {
  Random random(4);
  Surroundings around(random);
  // A star of walls around the origin, of two edges each.
  for (ObstacleId id = 1; id <= 23; ++id) {
    const Vec2 outward = testing::AtTurns(static_cast<double>(id) / 23.0);
    ASSERT_TRUE(around.Add(id, ObstacleKind::kWall, {2.0f * outward, 3.0f * outward}));
  }
  around.Finish();
  for (int round = 0; round < 200; ++round) {
    std::vector<AgentSpec> agents(kGroup);
    for (AgentSpec& agent : agents) {
      agent = RandomAgent(random, Surroundings(random));
      agent.position = random.InBox({-4, -4}, {4, 4});
      agent.params.time_horizon_obstacles = 4.0f;
    }
    ASSERT_NO_FATAL_FAILURE(Expect(agents, around)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelEdgeLines, ::testing::ValuesIn(AvailableSimdLevels()),
                         [](const auto& level) { return std::string(Name(level.param)); });

}  // namespace
}  // namespace throng
