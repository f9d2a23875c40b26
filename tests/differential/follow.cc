#include "tests/differential/follow.h"

#include <gtest/gtest.h>

#include "tests/differential/compare.h"
#include "tests/differential/foretold.h"

namespace throng::testing {

void Follow(const Scene& scene, std::uint64_t seed, int steps, float edits_at_a_border, const EditOptions& options,
            int compared) {
  const auto worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  Editor editor(scene, seed, options);
  Random random(seed);
  for (int step = 1; step <= steps; ++step) {
    if (random.Chance(edits_at_a_border)) {
      for (const Edit& edit : editor.Next()) {
        for (const auto& world : worlds) Apply(edit, *world);
        Apply(edit, twin);
      }
    }
    const World& explained = *worlds[random.Below(worlds.size())];
    const Foretold foretold(explained, 3, random);
    twin.Step();
    for (const auto& world : worlds) {
      const int threads = random.Chance(0.2f) ? 3 : 1;
      StepIn(*world, {threads, random.Chance(0.2f) ? 1 + random.Below(2'000) : 0});
      if (world->StateHash() == twin.StateHash() && step % compared != 0) continue;
      const auto difference = FirstDifference(*world, twin);
      ASSERT_FALSE(difference.has_value()) << LevelOf(*world) << ", step " << step << ": " << *difference;
    }
    foretold.Expect(explained);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "explained before step " << step;
  }
}

}  // namespace throng::testing
