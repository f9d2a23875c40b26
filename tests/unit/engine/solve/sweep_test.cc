#include "solve/sweep.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace throng {
namespace {

TEST(Sweep, MeetsAnEdgeFromEitherSide) {
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {4, 0}}, {2, -1}, {2, 1}), 0.5);
  EXPECT_EQ(FirstTouch(Sweep{{4, 0}, {-4, 0}}, {2, -1}, {2, 1}), 0.5);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {4, 0}, 0.5}, {2, -1}, {2, 1}), 0.375);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {1, 0}}, {2, -1}, {2, 1}), std::nullopt);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {2, 0}}, {2, -1}, {2, 1}), 1.0);  // just reaches it
  EXPECT_EQ(FirstTouch(Sweep{{0, 2}, {4, 0}}, {2, -1}, {2, 1}), std::nullopt);
  EXPECT_EQ(FirstTouch(Sweep{{0, 2}, {4, 0}, 1}, {2, -1}, {2, 1}), 0.5);  // at its end
}

TEST(Sweep, MeetsWhatItStandsOn) {
  EXPECT_EQ(FirstTouch(Sweep{{2, 0}, {4, 0}}, {2, -1}, {2, 1}), 0.0);
  EXPECT_EQ(FirstTouch(Sweep{{2, 0}, {0, 0}}, {2, -1}, {2, 1}), 0.0);
  EXPECT_EQ(FirstTouch(Sweep{{1, 0}, {0, 0}}, {2, -1}, {2, 1}), std::nullopt);
  EXPECT_EQ(FirstTouch(Sweep{{1, 0}, {0, 0}, 1}, {2, -1}, {2, 1}), 0.0);
  EXPECT_EQ(FirstTouch(Sweep{{1, 0}, {-3, 0}, 1.5}, {2, -1}, {2, 1}), 0.0);  // even if it leaves
}

TEST(Sweep, MeetsEdgesOnItsLine) {
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {8, 0}}, {6, 0}, {4, 0}), 0.5);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {8, 0}}, {-2, 0}, {4, 0}), 0.0);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {8, 0}}, {9, 0}, {12, 0}), std::nullopt);
}

TEST(Sweep, MeetsDiscs) {
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {8, 0}}, {6, 0}, 2.0), 0.5);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {8, 0}, 1}, {6, 0}, 1.0), 0.5);
  EXPECT_EQ(FirstTouch(Sweep{{5, 0}, {8, 0}}, {6, 0}, 2.0), 0.0);
  EXPECT_EQ(FirstTouch(Sweep{{0, 0}, {-8, 0}}, {6, 0}, 2.0), std::nullopt);
  EXPECT_EQ(FirstTouch(Sweep{{0, 3}, {8, 0}}, {6, 0}, 2.0), std::nullopt);
}

TEST(Sweep, DoesNotSlipThroughWhereEdgesMeet) {
  testing::Random random(4);
  for (int i = 0; i < 100'000; ++i) {
    const auto place = [&](float size) {
      const Vec2 at = random.InBox({-size, -size}, {size, size});
      return Vec2d{at.x, at.y};
    };
    // Through the corner of a chain that has both ends on one side each of the way.
    const Vec2d from = place(10), corner = place(3);
    const double beyond = random.Uniform(1.0f, 3.0f);
    const Sweep sweep{from, {beyond * (corner.x - from.x), beyond * (corner.y - from.y)}};
    const Vec2d left{corner.x - sweep.way.y, corner.y + sweep.way.x};
    const Vec2d right{corner.x + sweep.way.y, corner.y - sweep.way.x};
    EXPECT_TRUE(FirstTouch(sweep, left, corner) || FirstTouch(sweep, corner, right)) << i;
  }
}

}  // namespace
}  // namespace throng
