// Engine against twin, bit for bit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/scenes.h"
#include "tests/support/twin.h"
#include "throng/world.h"

namespace throng::testing {

std::unique_ptr<World> MakeWorld(const Scene& scene);
// The same scene once for every SIMD level of this machine, the slowest first.
std::vector<std::unique_ptr<World>> MakeWorldsOfEachLevel(Scene scene);
twin::Twin MakeTwin(const Scene& scene);

// How an engine takes a step.
struct StepMode {
  int threads = 1;
  std::size_t slice = 0;  // agents an Advance; 0: Step() in one go
};
std::string ToString(const StepMode& mode);
std::string LevelOf(const World& world);

// One tick in an arena of mode.threads threads.
void StepIn(World& world, const StepMode& mode);

// The first field, by ascending id, in which both differ, with both values and their bits; nothing if they are the same
// in all that can be read: membership, state, parameters, preferred velocity in force, counters of the last step.
std::optional<std::string> FirstDifference(const World& world, const twin::Twin& twin);

}  // namespace throng::testing
