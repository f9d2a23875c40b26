#include "index/obstacle_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "store/obstacle_edge.h"
#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

struct Segment {
  Vec2 start, end;
  bool there = true;
};

// Lengths and places at every scale.
Segment RandomSegment(Random& random) {
  const float spread = random.Chance(0.8f) ? 100.0f : 1e6f;
  const Vec2 start = random.InBox({-spread, -spread}, {spread, spread});
  const float length = std::exp2(random.Uniform(-10.0f, random.Chance(0.1f) ? 19.0f : 6.0f));
  const Vec2 unit = random.UnitVector();
  const auto inside = [](float v) { return std::min(1048576.0f, std::max(-1048576.0f, v)); };
  return {start, {inside(start.x + length * unit.x), inside(start.y + length * unit.y)}};
}

float DistanceTo(const Segment& segment, Vec2 point) {
  return DistanceSquared(MakeEdges(1, {segment.start, segment.end})[0], point);
}

void ExpectComplete(const ObstacleIndex& index, const std::vector<Segment>& segments, Vec2 point, float range) {
  std::set<EdgeHandle> visited;
  const Bounds box = Bounds::Of(point.x, point.y).Widened(range);
  index.Search(box, [&](EdgeHandle edge) {
    EXPECT_TRUE(visited.insert(edge).second) << "visited twice";
    EXPECT_TRUE(segments[edge].there);
  });
  for (EdgeHandle edge = 0; edge < segments.size(); ++edge) {
    if (!segments[edge].there || !(DistanceTo(segments[edge], point) < range * range)) continue;
    EXPECT_TRUE(visited.contains(edge)) << edge;
  }
  EXPECT_EQ(index.AnyIn(box), !visited.empty());
}

TEST(ObstacleIndex, MissesNothingThroughAddsAndRemoves) {
  Random random(11);
  ObstacleIndex index;
  std::vector<Segment> segments;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 60; ++i) {
      segments.push_back(RandomSegment(random));
      index.Insert(static_cast<EdgeHandle>(segments.size() - 1), segments.back().start, segments.back().end);
    }
    for (int i = 0; i < 50; ++i) {
      const std::size_t edge = random.Below(segments.size());
      Segment& segment = segments[edge];
      if (segment.there) {
        index.Remove(static_cast<EdgeHandle>(edge), segment.start, segment.end);
      } else {
        index.Insert(static_cast<EdgeHandle>(edge), segment.start, segment.end);
      }
      segment.there = !segment.there;
    }
    for (int i = 0; i < 20; ++i) {
      const Vec2 near = segments[random.Below(segments.size())].start;
      const Vec2 point = random.Chance(0.5f) ? random.InBox({-120, -120}, {120, 120}) : near;
      ExpectComplete(index, segments, point, std::exp2(random.Uniform(-6.0f, 17.0f)));
    }
  }
  for (EdgeHandle edge = 0; edge < segments.size(); ++edge) {
    if (segments[edge].there) index.Remove(edge, segments[edge].start, segments[edge].end);
  }
  EXPECT_TRUE(index.empty());
  EXPECT_LT(index.memory_bytes(), 1000u);
}

TEST(ObstacleIndex, FindsEdgesUnderTheirNewHandles) {
  Random random(12);
  ObstacleIndex index;
  std::vector<Segment> segments;
  for (EdgeHandle edge = 0; edge < 500; ++edge) {
    segments.push_back(RandomSegment(random));
    index.Insert(edge, segments[edge].start, segments[edge].end);
  }
  const std::size_t peak = index.memory_bytes();
  // The last one takes the place of one that goes.
  while (segments.size() > 20) {
    const auto to = static_cast<EdgeHandle>(random.Below(segments.size()));
    const auto from = static_cast<EdgeHandle>(segments.size() - 1);
    index.Remove(to, segments[to].start, segments[to].end);
    if (to != from) index.Rename(from, to, segments[from].start, segments[from].end);
    segments[to] = segments[from];
    segments.pop_back();
    for (int i = 0; i < 3; ++i) {
      ExpectComplete(index, segments, segments[random.Below(segments.size())].start, random.Uniform(0.0f, 200.0f));
    }
  }
  EXPECT_LT(index.memory_bytes(), peak);
}

TEST(ObstacleIndex, VisitsFewWhereFewAreNear) {
  ObstacleIndex index;
  // A town of 10,000 rectangles 20 m apart, crossed by one edge as long as the world.
  EdgeHandle edges = 0;
  for (int row = 0; row < 100; ++row) {
    for (int column = 0; column < 100; ++column) {
      const Vec2 at{static_cast<float>(column) * 20.0f, static_cast<float>(row) * 20.0f};
      const std::vector<Vec2> corners = {at, {at.x + 8, at.y}, {at.x + 8, at.y + 8}, {at.x, at.y + 8}};
      for (std::size_t i = 0; i < 4; ++i) index.Insert(edges++, corners[i], corners[(i + 1) % 4]);
    }
  }
  index.Insert(edges++, {-1e6f, 5}, {1e6f, 6});
  std::size_t visited = 0;
  index.Search(Bounds::Of(1014, 1014).Widened(4.5f), [&](EdgeHandle) { ++visited; });
  EXPECT_GE(visited, 1u);
  EXPECT_LE(visited, 20u);
  EXPECT_LT(index.memory_bytes(), 64 * static_cast<std::size_t>(edges));
  EXPECT_FALSE(ObstacleIndex().AnyIn({-1e6f, -1e6f, 1e6f, 1e6f}));
}

}  // namespace
}  // namespace throng
