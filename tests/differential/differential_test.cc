// The engine against its textbook twin: the same bits after every tick, for every shape of crowd, whatever happens to
// it between ticks, on every SIMD level, however many threads take the step and however it is sliced.
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

using Worlds = std::vector<std::unique_ptr<World>>;

void ExpectSame(const World& world, const twin::Twin& twin, const std::string& where) {
  if (world.StateHash() == twin.StateHash()) return;
  FAIL() << LevelOf(world) << ", " << where << ": " << FirstDifference(world, twin).value_or("only the hashes differ");
}

void ExpectSameInFull(const World& world, const twin::Twin& twin, const std::string& where) {
  const auto difference = FirstDifference(world, twin);
  if (difference) FAIL() << LevelOf(world) << ", " << where << ": " << *difference;
}

// One step of all, compared; now and then in every field.
void StepAll(const Worlds& worlds, twin::Twin& twin, const std::string& where, bool in_full) {
  twin.Step();
  for (const auto& world : worlds) {
    StepIn(*world, {});
    ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, where));
    if (!in_full) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectSameInFull(*world, twin, where));
  }
}

std::string Where(std::uint64_t seed, int step) {
  return "seed " + std::to_string(seed) + " step " + std::to_string(step);
}

TEST_P(DifferentialTest, SameBitsOverHundredsOfSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Scene scene = MakeScene(seed == 1 ? 700 : 90, seed);
    const Worlds worlds = MakeWorldsOfEachLevel(scene);
    twin::Twin twin = MakeTwin(scene);
    for (int step = 1; step <= 250; ++step) {
      ASSERT_NO_FATAL_FAILURE(StepAll(worlds, twin, Where(seed, step), step <= 3 || step % 50 == 0));
    }
  }
}

TEST_P(DifferentialTest, SameBitsThroughEdits) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    const Scene scene = MakeScene(seed == 14 ? 1'000 : 120, seed);
    const Worlds worlds = MakeWorldsOfEachLevel(scene);
    twin::Twin twin = MakeTwin(scene);
    Editor editor(scene, seed);
    for (int step = 1; step <= 250; ++step) {
      for (const Edit& edit : editor.Next()) {
        for (const auto& world : worlds) Apply(edit, *world);
        Apply(edit, twin);
      }
      for (const auto& world : worlds) {
        ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, Where(seed, step) + " after edits"));
      }
      ASSERT_NO_FATAL_FAILURE(StepAll(worlds, twin, Where(seed, step), seed != 14 || step % 10 == 0));
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
  std::vector<Worlds> worlds;  // by mode, then by level
  for (std::size_t i = 0; i < modes.size(); ++i) worlds.push_back(MakeWorldsOfEachLevel(scene));
  twin::Twin twin = MakeTwin(scene);
  Editor editor(scene, 31);
  for (int step = 1; step <= 40; ++step) {
    const std::vector<Edit> edits = editor.Next();
    for (const Edit& edit : edits) Apply(edit, twin);
    twin.Step();
    for (std::size_t i = 0; i < modes.size(); ++i) {
      for (const auto& world : worlds[i]) {
        for (const Edit& edit : edits) Apply(edit, *world);
        StepIn(*world, modes[i]);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, ToString(modes[i]) + " step " + std::to_string(step)));
      }
    }
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (const auto& world : worlds[i]) ExpectSameInFull(*world, twin, ToString(modes[i]));
  }
}

// The slice may also change from one Advance to the next, and the threads from one tick to the next.
TEST_P(DifferentialTest, SameBitsForChangingSlices) {
  const Scene scene = MakeScene(600, 41);
  const Worlds worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  Random random(42);
  for (int step = 1; step <= 60; ++step) {
    twin.Step();
    for (const auto& world : worlds) {
      StepIn(*world, {static_cast<int>(1 + random.Below(3)), 1 + random.Below(2'000)});
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*world, twin, "step " + std::to_string(step)));
    }
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
    const Worlds worlds = MakeWorldsOfEachLevel(scene);
    twin::Twin twin = MakeTwin(scene);
    for (int step = 1; step <= 300; ++step) {
      ASSERT_NO_FATAL_FAILURE(StepAll(worlds, twin, name + " step " + std::to_string(step), step % 100 == 0));
    }
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
