// Bounds, engine against twin: the same bits for every shape of crowd, through edits, on every SIMD level, in any
// threads and slices, whatever stands outside of them or in solids that reach across.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/differential/follow.h"
#include "throng/limits.h"

namespace throng::testing {
namespace {

// In the middle of where agents are, so that some begin outside, and editors put others there.
Rectangle MiddleOf(const Scene& scene, float part) {
  Vec2 low = *scene.agents[0].position, high = low;
  for (const AgentSpec& agent : scene.agents) {
    low = {std::min(low.x, agent.position->x), std::min(low.y, agent.position->y)};
    high = {std::max(high.x, agent.position->x), std::max(high.y, agent.position->y)};
  }
  const auto at = [](float a, float b, float where) { return a + where * (b - a); };
  // Longer sides have more edges than the twin looks through in a test's time.
  constexpr float kWidest = 2'000.0f;
  part = std::min(part, kWidest / std::max({kWidest, high.x - low.x, high.y - low.y}));
  const float from = 0.5f * (1.0f - part), to = 1.0f - from;
  return {{at(low.x, high.x, from), at(low.y, high.y, from)}, {at(low.x, high.x, to), at(low.y, high.y, to)}};
}

Scene BoundedCrowd(Shape shape, std::size_t agents, std::uint64_t seed, float part) {
  Scene scene = RandomCrowd(shape, agents, seed);
  scene.settings.seed = seed;
  scene.settings.parallel_grain = 1;
  scene.settings.motion.containment = true;
  scene.settings.bounds = MiddleOf(scene, part);
  // At the end of the coordinate range less than a few roundings of floats would be refused.
  for (; !Validate(scene.settings).ok(); part *= 2.0f) scene.settings.bounds = MiddleOf(scene, part);
  return scene;
}

class BoundsTest : public ::testing::TestWithParam<Shape> {};

TEST_P(BoundsTest, GiveTheSameBits) { Follow(BoundedCrowd(GetParam(), 150, 91, 0.6f), 91, 60, 0.0f); }

TEST_P(BoundsTest, GiveTheSameBitsThroughEdits) {
  for (std::uint64_t seed = 92; seed <= 94; ++seed) Follow(BoundedCrowd(GetParam(), 120, seed, 0.7f), seed, 100, 0.3f);
}

// Narrower than many discs, some of which grow and shrink.
TEST_P(BoundsTest, GiveTheSameBitsWhereDiscsDoNotFit) { Follow(BoundedCrowd(GetParam(), 80, 95, 0.02f), 95, 60, 0.5f); }

TEST_P(BoundsTest, GiveTheSameBitsBesideAllElse) {
  Scene scene = BoundedCrowd(GetParam(), 120, 96, 0.7f);
  scene.settings.preset = Preset::kDefault;
  Follow(scene, 96, 100, 0.3f, {.weights = true, .kinematics = true, .sights = true, .limits = true});
}

INSTANTIATE_TEST_SUITE_P(Shapes, BoundsTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

}  // namespace
}  // namespace throng::testing
