// Whose turn it is in a jam, and that relief leaves alone who is not in one.
#include "world/relief.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/vec2.h"
#include "throng/world.h"

namespace throng {
namespace {

TEST(RightOfWayTest, TurnsGoToADirectionAndItsOpposite) {
  constexpr std::uint64_t kTicks = 30;  // of three seconds
  for (std::uint64_t turn = 0; turn < 200; turn += 2) {
    const Vec2 way = RightOfWay(7, turn * kTicks, 0.1f);
    EXPECT_NEAR(AbsSq(way), 1.0f, 1e-6f);
    EXPECT_EQ(RightOfWay(7, turn * kTicks + kTicks - 1, 0.1f), way);
    EXPECT_EQ(RightOfWay(7, (turn + 1) * kTicks, 0.1f), -way);
  }
}

// Whatever the line is on which two queues meet, soon a turn is along it.
TEST(RightOfWayTest, SoonADirectionIsNearEveryLine) {
  for (const Vec2 line : {Vec2{1.0f, 0.0f}, Vec2{0.0f, 1.0f}, Vec2{0.6f, 0.8f}, Vec2{-0.6f, 0.8f}}) {
    float nearest = 0.0f;
    for (std::uint64_t turn = 0; turn < 10; ++turn) {
      nearest = std::max(nearest, std::abs(Dot(RightOfWay(3, turn * 30, 0.1f), line)));
    }
    EXPECT_GT(nearest, 0.8f);
  }
}

TEST(RightOfWayTest, SeedsDiffer) { EXPECT_NE(RightOfWay(1, 0, 0.1f), RightOfWay(2, 0, 0.1f)); }

std::uint64_t HashOfCrossing(bool jam_relief, float gap) {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  settings.motion.jam_relief = jam_relief;
  const std::unique_ptr<World> world = *World::Create(settings);
  for (int i = 0; i < 20; ++i) {
    AgentSpec spec;
    spec.position = Vec2{i % 2 == 0 ? -8.0f : 8.0f, gap * static_cast<float>(i / 2)};
    spec.preferred_velocity = Vec2{i % 2 == 0 ? 1.5f : -1.5f, 0.0f};
    EXPECT_TRUE(world->AddAgent(spec).ok());
  }
  for (int tick = 0; tick < 300; ++tick) EXPECT_TRUE(world->Step().ok());
  return world->StateHash();
}

TEST(JamReliefTest, WhoIsNotJammedMovesAsWithoutIt) {
  EXPECT_EQ(HashOfCrossing(true, 5.0f), HashOfCrossing(false, 5.0f));
}

TEST(JamReliefTest, WhoIsJammedDoesNot) { EXPECT_NE(HashOfCrossing(true, 1.02f), HashOfCrossing(false, 1.02f)); }

}  // namespace
}  // namespace throng
