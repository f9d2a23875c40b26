#include "store/capsules.h"

#include <gtest/gtest.h>

#include "throng/limits.h"

namespace throng {
namespace {

ObstacleSpec Spec(Vec2 start, Vec2 end, float radius, std::optional<Vec2> velocity = std::nullopt) {
  ObstacleSpec spec;
  spec.kind = ObstacleKind::kCapsule;
  spec.vertices = {start, end};
  spec.radius = radius;
  spec.velocity = velocity;
  return spec;
}

TEST(CapsuleStore, KeepsThemInOrderOfIds) {
  CapsuleStore store;
  for (const ObstacleId id : {5u, 2u, 9u, 7u}) store.Add(id, Spec({0, 0}, {1, 0}, static_cast<float>(id)));
  store.Remove(7);
  ASSERT_EQ(store.size(), 3u);
  EXPECT_EQ(store.all()[0].id, 2u);
  EXPECT_EQ(store.all()[1].id, 5u);
  EXPECT_EQ(store.all()[2].id, 9u);
  EXPECT_EQ(store.Find(5)->radius, 5.0f);
  EXPECT_EQ(store.Find(7), nullptr);
  EXPECT_FALSE(store.Contains(1));
  for (const ObstacleId id : {5u, 2u, 9u}) store.Remove(id);
  EXPECT_EQ(store.memory_bytes(), 0u);
}

// By itself each end would be rounded in its own way: the far one not at all by this little.
TEST(CapsuleStore, MovesBothEndsAlike) {
  CapsuleStore store;
  const float step = 0x1p-9f;
  store.Add(1, Spec({1000.0f, 3.0f}, {100'000.0f, 3.0f}, 1, Vec2{step, 0}));
  for (int tick = 0; tick < 4096; ++tick) store.Move(1.0f);
  EXPECT_EQ(store.Find(1)->start, (Vec2{1008.0f, 3.0f}));
  EXPECT_EQ(store.Find(1)->end, (Vec2{100'008.0f, 3.0f}));
}

TEST(CapsuleStore, StopsAtTheEndOfTheRange) {
  CapsuleStore store;
  store.Add(1, Spec({kMaxCoordinate - 10, 0}, {kMaxCoordinate - 5, 7}, 2, Vec2{3, 1}));
  store.Add(2, Spec({0, 4 - kMaxCoordinate}, {0, 4 - kMaxCoordinate}, 2, Vec2{0, -4}));
  for (int tick = 0; tick < 3; ++tick) store.Move(1.0f);
  EXPECT_EQ(store.Find(1)->end.x, kMaxCoordinate);
  EXPECT_EQ(store.Find(1)->start.x, kMaxCoordinate - 5);
  EXPECT_EQ(store.Find(1)->velocity, Vec2{});
  EXPECT_EQ(store.Find(2)->start.y, -kMaxCoordinate);
  const Vec2 there = store.Find(1)->start;
  store.Move(1.0f);
  EXPECT_EQ(store.Find(1)->start, there);
  store.SetVelocity(1, {-1, 0});
  store.Move(1.0f);
  EXPECT_EQ(store.Find(1)->end.x, kMaxCoordinate - 1);
}

TEST(CapsuleStore, DescribesThem) {
  CapsuleStore store;
  ObstacleSpec spec = Spec({1, 2}, {4, 6}, 2, Vec2{1, -1});
  spec.layer = 8;
  spec.band = HeightBand{1, 2};
  store.Add(3, spec);
  EXPECT_TRUE(store.keeps_sights());
  const ObstacleState state = store.Describe(*store.Find(3));
  EXPECT_EQ(state.id, 3u);
  EXPECT_EQ(state.kind, ObstacleKind::kCapsule);
  EXPECT_EQ(state.vertices, spec.vertices);
  EXPECT_NEAR(state.area, 4 * 3.14159265 + 20, 1e-4);
  EXPECT_EQ(state.bounds_min, (Vec2{-1, 0}));
  EXPECT_EQ(state.bounds_max, (Vec2{6, 8}));
  EXPECT_EQ(state.layer, 8u);
  EXPECT_EQ(state.band, spec.band);
  EXPECT_EQ(state.radius, 2.0f);
  EXPECT_EQ(state.velocity, (Vec2{1, -1}));
  store.Remove(3);
  EXPECT_FALSE(store.keeps_sights());
}

}  // namespace
}  // namespace throng
