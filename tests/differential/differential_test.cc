// The engine against its textbook twin: the same bits after every tick, for every shape of crowd, whatever happens to
// it between ticks, however many threads take the step and however it is sliced.
#include <gtest/gtest.h>

#include <vector>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"

namespace throng::testing {
namespace {

constexpr std::size_t kWhole = 0;

class DifferentialTest : public ::testing::TestWithParam<Shape> {
 protected:
  // Work is shared among threads even where the crowd is small.
  static Scene MakeScene(std::size_t agents, std::uint64_t seed) {
    Scene scene = RandomCrowd(GetParam(), agents, seed);
    scene.settings.parallel_grain = 1;
    return scene;
  }
};

void ExpectSame(const World& world, const twin::Twin& twin, const std::string& where) {
  if (world.StateHash() == twin.StateHash()) return;
  FAIL() << where << ": " << FirstDifference(world, twin).value_or("only the hashes differ");
}

void ExpectSameInFull(const World& world, const twin::Twin& twin, const std::string& where) {
  const auto difference = FirstDifference(world, twin);
  ASSERT_FALSE(difference.has_value()) << where << ": " << *difference;
}

TEST_P(DifferentialTest, SameBitsOverHundredsOfSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Scene scene = MakeScene(seed == 1 ? 700 : 90, seed);
    const auto world = MakeWorld(scene);
    twin::Twin twin = MakeTwin(scene);
    for (int step = 1; step <= 250; ++step) {
      StepIn(*world, {});
      twin.Step();
      const std::string where = "seed " + std::to_string(seed) + " step " + std::to_string(step);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, where));
      if (step > 3 && step % 50 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectSameInFull(*world, twin, where));
    }
  }
}

TEST_P(DifferentialTest, SameBitsThroughEdits) {
  for (std::uint64_t seed = 11; seed <= 13; ++seed) {
    const Scene scene = MakeScene(120, seed);
    const auto world = MakeWorld(scene);
    twin::Twin twin = MakeTwin(scene);
    Editor editor(scene, seed);
    for (int step = 1; step <= 250; ++step) {
      const std::string where = "seed " + std::to_string(seed) + " step " + std::to_string(step);
      for (const Edit& edit : editor.Next()) {
        Apply(edit, *world);
        Apply(edit, twin);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, where + " after edits"));
      StepIn(*world, {});
      twin.Step();
      ASSERT_NO_FATAL_FAILURE(ExpectSameInFull(*world, twin, where));
    }
  }
}

TEST_P(DifferentialTest, SameBitsForAnyOrderOfUnrelatedEdits) {
  const Scene scene = MakeScene(100, 21);
  const auto forwards = MakeWorld(scene);
  const auto shuffled = MakeWorld(scene);
  Editor editor(scene, 21);
  Random random(22);
  for (int step = 1; step <= 200; ++step) {
    std::vector<Edit> edits = editor.Next();
    for (const Edit& edit : edits) Apply(edit, *forwards);
    random.Shuffle(edits);
    for (const Edit& edit : edits) Apply(edit, *shuffled);
    StepIn(*forwards, {});
    StepIn(*shuffled, {});
    ASSERT_EQ(forwards->StateHash(), shuffled->StateHash()) << "step " << step;
  }
}

TEST_P(DifferentialTest, SameBitsForAnyThreadsAndSlices) {
  const std::vector<StepMode> modes = {{1, kWhole}, {2, kWhole}, {4, kWhole}, {1, 1}, {1, 37}, {2, 256}, {4, 1000}};
  const Scene scene = MakeScene(1'500, 31);
  std::vector<std::unique_ptr<World>> worlds;
  for (std::size_t i = 0; i < modes.size(); ++i) worlds.push_back(MakeWorld(scene));
  twin::Twin twin = MakeTwin(scene);
  Editor editor(scene, 31);
  for (int step = 1; step <= 40; ++step) {
    for (const Edit& edit : editor.Next()) {
      for (const auto& world : worlds) Apply(edit, *world);
      Apply(edit, twin);
    }
    twin.Step();
    for (std::size_t i = 0; i < modes.size(); ++i) {
      StepIn(*worlds[i], modes[i]);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*worlds[i], twin, ToString(modes[i]) + " step " + std::to_string(step)));
    }
  }
  for (std::size_t i = 0; i < modes.size(); ++i) ExpectSameInFull(*worlds[i], twin, ToString(modes[i]));
}

// The slice may also change from one Advance to the next, and the threads from one tick to the next.
TEST_P(DifferentialTest, SameBitsForChangingSlices) {
  const Scene scene = MakeScene(600, 41);
  const auto world = MakeWorld(scene);
  twin::Twin twin = MakeTwin(scene);
  Random random(42);
  for (int step = 1; step <= 60; ++step) {
    StepIn(*world, {static_cast<int>(1 + random.Below(3)), 1 + random.Below(2'000)});
    twin.Step();
    ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, "step " + std::to_string(step)));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DifferentialTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

TEST(DifferentialSceneTest, SameBitsInTownRingAndCrossing) {
  const std::vector<std::pair<std::string, Scene>> scenes = {
      {"town", Town(400, 5, 1)},
      {"ring", Ring(60)},
      {"crossing", Crossing({.agents = 2'000, .shuffle_ids = true})},
      {"dense crossing", Crossing({.agents = 1'000, .cover = 0.7f})},
  };
  for (const auto& [name, scene] : scenes) {
    const auto world = MakeWorld(scene);
    twin::Twin twin = MakeTwin(scene);
    for (int step = 1; step <= 300; ++step) {
      StepIn(*world, {});
      twin.Step();
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, name + " step " + std::to_string(step)));
    }
    ExpectSameInFull(*world, twin, name);
  }
}

TEST(DifferentialSceneTest, WorldMadeIdsGiveTheSameBits) {
  Scene scene = RandomCrowd(Shape::kCoincident, 60, 51);
  auto world = World::Create(scene.settings);
  ASSERT_TRUE(world.ok());
  twin::Twin twin(scene.settings);
  for (AgentSpec agent : scene.agents) {
    agent.id.reset();
    const auto id = (*world)->AddAgent(agent);
    ASSERT_TRUE(id.ok()) << id.status();
    EXPECT_GE(*id, kFirstWorldMadeId);
    agent.id = *id;
    twin.AddAgent(agent);
  }
  for (int step = 1; step <= 100; ++step) {
    StepIn(**world, {});
    twin.Step();
    ASSERT_NO_FATAL_FAILURE(ExpectSame(**world, twin, "step " + std::to_string(step)));
  }
}

}  // namespace
}  // namespace throng::testing
