#include "base/room.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.h"

namespace throng {
namespace {

TEST(RoomFor, EndsAreWhereTheDiscTouchesTheSides) {
  const Bounds room = RoomFor({{0, -10}, {50, 40}}, 0.5f);
  EXPECT_EQ(room.min_x, 0.5f);
  EXPECT_EQ(room.max_x, 49.5f);
  EXPECT_EQ(room.min_y, -9.5f);
  EXPECT_EQ(room.max_y, 39.5f);
  EXPECT_TRUE(Holds(room, {0.5f, 39.5f}));
  EXPECT_FALSE(Holds(room, {std::nextafter(0.5f, 0.0f), 0}));
  EXPECT_EQ(Clamped(room, {-3, 100}), (Vec2{0.5f, 39.5f}));
  EXPECT_EQ(Clamped(room, {7, 8}), (Vec2{7, 8}));
}

TEST(RoomFor, ADiscWiderThanTheRectangleHasItsMiddle) {
  const Bounds room = RoomFor({{0, 0}, {50, 2}}, 3.0f);
  EXPECT_EQ(room.min_x, 3.0f);
  EXPECT_EQ(room.max_x, 47.0f);
  EXPECT_EQ(room.min_y, 1.0f);
  EXPECT_EQ(room.max_y, 1.0f);
}

// Products and sums of floats are exact in so many bits.
TEST(RoomFor, DiscsAtItsEndsAreInsideAndFurtherOutAreNot) {
  using Exact = __float128;
  testing::Random random(1);
  int tried = 0;
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    const float scale = std::ldexp(1.0f, static_cast<int>(random.Below(40)) - 20);
    const float min = random.Uniform(-scale, scale), max = random.Uniform(-scale, scale);
    const float radius = std::ldexp(random.Uniform(0.5f, 1.0f), static_cast<int>(random.Below(60)) - 50);
    if (!(min < max)) continue;
    const Bounds room = RoomFor({{min, min}, {max, max}}, radius);
    ASSERT_GT(room.min_x, min);
    ASSERT_LT(room.max_x, max);
    if (room.min_x == room.max_x) continue;
    ++tried;
    EXPECT_GE(Exact{room.min_x} - min, Exact{radius}) << min << " " << max << " " << radius;
    EXPECT_GE(Exact{max} - room.max_x, Exact{radius}) << min << " " << max << " " << radius;
    EXPECT_LT(Exact{std::nextafter(room.min_x, -2e6f)} - min, Exact{radius});
    EXPECT_LT(Exact{max} - std::nextafter(room.max_x, 2e6f), Exact{radius});
  }
  EXPECT_GT(tried, 5'000);
}

}  // namespace
}  // namespace throng
