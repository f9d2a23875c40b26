#include "store/motion_limits.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

const LargestTurn kTurn{0.5f, 0.75f};

MotionLimits Smoothing(float time) {
  MotionLimits limits;
  limits.smoothing_time = time;
  return limits;
}

TEST(LimitStore, HoldsNothingWhereNobodyHasLimits) {
  LimitStore store;
  store.SetLimits(1'000'000, MotionLimits{}, {}, {});
  store.Drop(5);
  EXPECT_TRUE(store.empty());
  EXPECT_EQ(store.memory_bytes(), 0u);
  EXPECT_EQ(store.Find(5), nullptr);
  EXPECT_EQ(store.limits(5), MotionLimits{});
}

TEST(LimitStore, GivesItsMemoryBack) {
  LimitStore store;
  for (Index slot = 0; slot < 5'000; ++slot) store.SetLimits(slot, Smoothing(1.0f), kTurn, {});
  const std::size_t full = store.memory_bytes();
  for (Index slot = 0; slot < 4'900; ++slot) store.Drop(slot);
  EXPECT_LT(store.memory_bytes(), full / 3);
  for (Index slot = 4'900; slot < 5'000; ++slot) store.SetLimits(slot, MotionLimits{}, {}, {});
  EXPECT_EQ(store.memory_bytes(), 0u);
}

TEST(LimitStore, SmoothingBeginsAtTheVelocity) {
  LimitStore store;
  store.SetLimits(3, Smoothing(1.0f), kTurn, {1, 2});
  EXPECT_EQ(store.Find(3)->smoothed, (Vec2{1, 2}));
  // It goes on where it was when only the time changes, and begins anew where it was off.
  store.SetLimits(3, Smoothing(2.0f), kTurn, {5, 6});
  EXPECT_EQ(store.Find(3)->smoothed, (Vec2{1, 2}));
  MotionLimits other;
  other.max_acceleration = 1.0f;
  store.SetLimits(3, other, kTurn, {5, 6});
  store.SetLimits(3, Smoothing(2.0f), kTurn, {7, 8});
  EXPECT_EQ(store.Find(3)->smoothed, (Vec2{7, 8}));
}

TEST(LimitStore, AHeadingThatWasToldIsKeptWithoutLimits) {
  LimitStore store;
  store.SetHeading(2, {0, 1}, {});
  store.SetLimits(2, Smoothing(1.0f), kTurn, {});
  store.SetLimits(2, MotionLimits{}, {}, {});
  ASSERT_NE(store.Find(2), nullptr);
  EXPECT_EQ(store.Find(2)->heading, (Vec2{0, 1}));
  store.Drop(2);
  EXPECT_EQ(store.Find(2), nullptr);
}

}  // namespace
}  // namespace throng
