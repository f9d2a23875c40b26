#include "tests/support/twin_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scenes.h"

namespace throng::twin {
namespace {

using testing::RandomCrowd;
using testing::Scene;
using testing::Shape;

std::vector<Body> BodiesOf(const Scene& scene) {
  std::vector<Body> bodies;
  for (const AgentSpec& agent : scene.agents) {
    bodies.push_back({*agent.position, agent.velocity, 0.5f, *agent.id, static_cast<std::uint32_t>(bodies.size())});
  }
  return bodies;
}

class GridTest : public ::testing::TestWithParam<Shape> {};

TEST_P(GridTest, FindsWhatBruteForceFinds) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Scene scene = RandomCrowd(GetParam(), 300, seed);
    const std::vector<Body> bodies = BodiesOf(scene);
    for (const float distance : {0.0f, 1e-6f, 1.5f, 5.0f, 40.0f}) {
      Grid grid;
      grid.Build(bodies, 5.0f < distance ? distance : 5.0f);  // cells may be wider than this search
      for (std::size_t slot = 0; slot < bodies.size(); ++slot) {
        for (const std::uint32_t most : {0u, 1u, 7u, 64u}) {
          Nearest found;
          Nearest expected;
          found.Reset(distance, most);
          grid.Search(slot, distance, found);
          expected.Reset(distance, most);
          SearchBruteForce(grid.bodies(), slot, expected);
          ASSERT_TRUE(std::ranges::equal(found.list(), expected.list(), {}, &Neighbor::id, &Neighbor::id));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GridTest, ::testing::ValuesIn(testing::kAllShapes),
                         [](const auto& shape) { return testing::ToString(shape.param); });

TEST(NearestTest, TakesWhatIsStrictlyWithinRange) {
  Nearest nearest;
  nearest.Reset(3.0f, 3);
  nearest.Offer({9.0f, 1, 0});
  EXPECT_TRUE(nearest.list().empty());
  nearest.Offer({8.999f, 1, 0});
  EXPECT_EQ(nearest.list().size(), 1u);
}

TEST(NearestTest, KeepsTheNearestAndBreaksTiesById) {
  Nearest nearest;
  nearest.Reset(3.0f, 3);
  for (const Neighbor& neighbor : {Neighbor{4.0f, 9, 0}, {4.0f, 3, 1}, {9.0f, 1, 2}, {1.0f, 8, 3}, {4.0f, 5, 4}}) {
    nearest.Offer(neighbor);
  }
  std::vector<AgentId> ids;
  for (const Neighbor& neighbor : nearest.list()) ids.push_back(neighbor.id);
  EXPECT_EQ(ids, (std::vector<AgentId>{8, 3, 5}));
}

}  // namespace
}  // namespace throng::twin
