#include "solve/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/vec2.h"
#include "store/obstacle_edge.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"

namespace throng {
namespace {

class Edges {
 public:
  void Add(ObstacleKind kind, const std::vector<Vec2>& vertices) {
    AppendEdges(++count_, MakeOutline(kind, vertices), edges_);
  }
  std::vector<const ObstacleEdge*> all() const {
    std::vector<const ObstacleEdge*> all;
    for (const ObstacleEdge& edge : edges_) all.push_back(&edge);
    return all;
  }
  CutResult Cut(Vec2 from, Vec2 to) const { return CutMove(from, to, 0.5f, all()); }

 private:
  ObstacleId count_ = 0;
  std::vector<ObstacleEdge> edges_;
};

Edges Wall(const std::vector<Vec2>& vertices) {
  Edges edges;
  edges.Add(ObstacleKind::kWall, vertices);
  return edges;
}

Edges Block() {
  Edges edges;
  edges.Add(ObstacleKind::kSolid, {{0, 0}, {10, 0}, {10, 10}, {0, 10}});
  return edges;
}

TEST(CutMove, LeavesAloneWhatMeetsNothing) {
  for (const Vec2 to : {Vec2{-5, 20}, Vec2{-0.5f, 0}, Vec2{-1, -20}}) {
    const CutResult result = Block().Cut({-1, 5}, to);
    EXPECT_FALSE(result.cut);
    EXPECT_EQ(result.position, to);
  }
}

TEST(CutMove, StopsBeforeAnEdgeAndSlidesAlongIt) {
  const CutResult straight = Block().Cut({-1, 5}, {3, 5});
  EXPECT_TRUE(straight.cut);
  EXPECT_NEAR(straight.position.x, 0, 1e-5f);
  EXPECT_LT(straight.position.x, 0);
  EXPECT_EQ(straight.position.y, 5);

  const CutResult aslant = Block().Cut({-1, 5}, {3, 7});
  EXPECT_NEAR(aslant.position.x, 0, 1e-5f);
  EXPECT_LT(aslant.position.x, 0);
  EXPECT_NEAR(aslant.position.y, 7, 1e-5f) << "all of the way along the edge is made";
}

TEST(CutMove, StopsInACorner) {
  Edges room;
  room.Add(ObstacleKind::kEnclosure, {{0, 0}, {10, 0}, {10, 10}, {0, 10}});
  const CutResult result = room.Cut({5, 6}, {30, 20});
  EXPECT_NEAR(result.position.x, 10, 3e-5f);
  EXPECT_NEAR(result.position.y, 10, 3e-5f);
  EXPECT_LT(result.position.x, 10);
  EXPECT_LT(result.position.y, 10);
}

TEST(CutMove, AWallHoldsFromBothSidesAndAtItsEnds) {
  const Edges wall = Wall({{0, 0}, {10, 0}});
  EXPECT_GT(wall.Cut({5, 1}, {5, -1}).position.y, 0);
  EXPECT_LT(wall.Cut({5, -1}, {5, 1}).position.y, 0);
  EXPECT_LT(wall.Cut({-1, 0}, {5, 0}).position.x, 0) << "no way into it lengthwise";
  EXPECT_GT(wall.Cut({11, 0}, {5, 0}).position.x, 10);
  EXPECT_FALSE(wall.Cut({-1, 1}, {-0.1f, -1}).cut) << "round its end";
}

TEST(CutMove, WhoIsBehindMayLeave) { EXPECT_FALSE(Block().Cut({5, 5}, {15, 5}).cut); }

TEST(CutMove, ASlideDoesNotStopWhereEdgesOfALineMeet) {
  const Edges wall = Wall({{0, 0}, {1, 0.1f}, {2, 0.2f}, {3, 0.3f}, {4, 0.4f}, {5, 0.5f}});
  Vec2 at{0.5f, 1};
  for (int step = 0; step < 100; ++step) at = wall.Cut(at, {at.x + 0.05f, at.y - 0.1f}).position;
  EXPECT_GT(at.x, 4);
}

// As Crosses() of tests/differential/contain_test.cc: exact, with products of differences of floats.
using Exact = __float128;
Exact Turn(Vec2 a, Vec2 b, Vec2 c) {
  return (Exact{b.x} - a.x) * (Exact{c.y} - a.y) - (Exact{b.y} - a.y) * (Exact{c.x} - a.x);
}
bool Crosses(Vec2 p, Vec2 q, const ObstacleEdge& edge) {
  if (Turn(edge.start, edge.end, p) >= 0 || Turn(edge.start, edge.end, q) < 0) return false;
  const Exact a = Turn(p, q, edge.start), b = Turn(p, q, edge.end);
  return (a <= 0 && b >= 0) || (a >= 0 && b <= 0);
}

// A walker that is thrown about between obstacles, over ways of all lengths, often along edges and into vertices.
TEST(CutMove, NeverCrosses) {
  std::uint64_t cut = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    testing::Random random(seed);
    const float extent = std::vector<float>{1e-3f, 1, 10, 300}[seed % 4];
    const Vec2 center = std::vector<Vec2>{{0, 0}, {1e6f, -1e6f}, {100, 3}}[seed % 3];
    if (center.x > 1e5f && extent < 100) continue;  // floats have no such places there
    Edges edges;
    const std::size_t count = 1 + random.Below(6);
    for (std::size_t i = 0; i < count; ++i) {
      const ObstacleSpec spec = testing::RandomObstacle(random, center, extent);
      edges.Add(spec.kind, spec.vertices);
      if (random.Chance(0.2f)) edges.Add(ObstacleKind::kWall, {spec.vertices[1], spec.vertices[0]});
    }
    const float radius = 0.01f * extent;
    const std::vector<const ObstacleEdge*> all = edges.all();
    const auto anywhere = [&] {
      return random.InBox({center.x - extent, center.y - extent}, {center.x + extent, center.y + extent});
    };
    Vec2 at = anywhere(), way;
    for (int move = 0; move < 3'000; ++move) {
      if (random.Chance(0.02f)) at = anywhere();
      const ObstacleEdge& edge = *all[random.Below(all.size())];
      const float length = extent * std::vector<float>{1, 0.1f, 1e-2f, 1e-4f}[random.Below(4)];
      if (random.Chance(0.5f)) {
        way = length * random.UnitVector();
      } else if (random.Chance(0.5f)) {
        way = (random.Chance(0.5f) ? length : -length) * edge.direction;
      } else {
        way = random.Uniform(0.5f, 1.5f) * ((random.Chance(0.5f) ? edge.start : edge.end) - at);
      }
      const Vec2 to = at + way;
      const CutResult result = CutMove(at, to, radius, all);
      for (const ObstacleEdge* const other : all) {
        ASSERT_FALSE(Crosses(at, result.position, *other))
            << "seed " << seed << " move " << move << " from " << at.x << " " << at.y << " to " << to.x << " " << to.y;
      }
      if (result.cut) {
        ++cut;
        const float reach = std::abs(to.x - at.x) + std::abs(to.y - at.y);
        stuck += result.position == at ? 1 : 0;
        EXPECT_LE(std::sqrt(AbsSq(result.position - at)), 1.001f * std::sqrt(AbsSq(way)) + 5e-6f * (extent + center.x));
        const bool near = std::any_of(all.begin(), all.end(), [&](const ObstacleEdge* other) {
          const float box = CutReach(std::max(std::abs(at.x), std::abs(at.y)) + reach + radius);
          return std::max(at.x, to.x) >= std::min(other->start.x, other->end.x) - box &&
                 std::min(at.x, to.x) <= std::max(other->start.x, other->end.x) + box &&
                 std::max(at.y, to.y) >= std::min(other->start.y, other->end.y) - box &&
                 std::min(at.y, to.y) <= std::max(other->start.y, other->end.y) + box;
        });
        ASSERT_TRUE(near) << "a filter by boxes would have missed it";
      }
      at = result.position;
    }
  }
  EXPECT_GT(cut, 50'000u);
  EXPECT_LT(stuck, cut / 5);
}

}  // namespace
}  // namespace throng
