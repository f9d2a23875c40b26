#include "base/angle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

double Between(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random.Next() >> 11) * 0x1p-53);
}

TEST(Angle, SineAndCosineAreThoseOfTheLibrary) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double angle = Between(random, -1.0, 1.0) * (i % 3 == 0 ? 1e4 : i % 3 == 1 ? 7.0 : 1e-3);
    const SineCosine at = SineCosineOf(angle);
    ASSERT_NEAR(at.sine, std::sin(angle), 1e-14) << angle;
    ASSERT_NEAR(at.cosine, std::cos(angle), 1e-14) << angle;
  }
}

TEST(Angle, SmallSinesArePreciseInProportion) {
  for (double angle = 1e-30; angle < 0.1; angle *= 1.7) {
    ASSERT_NEAR(SineCosineOf(angle).sine / std::sin(angle), 1.0, 1e-14) << angle;
  }
}

TEST(Angle, QuarterTurns) {
  EXPECT_EQ(DirectionAt(0.0), (Vec2{1.0f, 0.0f}));
  for (int quarters = -6366; quarters <= 6366; ++quarters) {
    const SineCosine at = SineCosineOf(quarters * (kPi / 2.0));
    const int turn = quarters & 3;
    ASSERT_NEAR(at.cosine, turn == 0 ? 1.0 : turn == 2 ? -1.0 : 0.0, 2e-12) << quarters;
    ASSERT_NEAR(at.sine, turn == 1 ? 1.0 : turn == 3 ? -1.0 : 0.0, 2e-12) << quarters;
  }
}

TEST(Angle, IsSymmetric) {
  Random random(2);
  for (int i = 0; i < 10'000; ++i) {
    const double angle = Between(random, 0.0, 100.0);
    EXPECT_EQ(SineCosineOf(-angle).sine, -SineCosineOf(angle).sine);
    EXPECT_EQ(SineCosineOf(-angle).cosine, SineCosineOf(angle).cosine);
  }
}

TEST(Angle, OfAVectorIsThatOfTheLibrary) {
  Random random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double scale = i % 2 == 0 ? 1.0 : 1e-20;
    const double x = scale * Between(random, -1.0, 1.0), y = Between(random, -1.0, 1.0) * (i % 5 == 0 ? 1e-3 : 1.0);
    ASSERT_NEAR(AngleOf(x, y), std::atan2(y, x), 1e-14) << x << ' ' << y;
  }
  EXPECT_EQ(AngleOf(0.0, 0.0), 0.0);
  EXPECT_EQ(AngleOf(1.0, 0.0), 0.0);
  EXPECT_EQ(AngleOf(-1.0, 0.0), kPi);
  EXPECT_EQ(AngleOf(0.0, 1.0), kPi / 2.0);
  EXPECT_EQ(AngleOf(0.0, -1.0), -kPi / 2.0);
}

TEST(Angle, BackAndForth) {
  for (double angle = -3.14; angle < 3.14; angle += 0.001) {
    const SineCosine at = SineCosineOf(angle);
    ASSERT_NEAR(AngleOf(at.cosine, at.sine), angle, 1e-14);
  }
}

}  // namespace
}  // namespace throng
