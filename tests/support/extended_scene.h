// A crowd with every extension on at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/scenes.h"

namespace throng::testing {

// The default preset in bounds: a town block with a courtyard, a wall and solids that only some see; agents of several
// sizes, weights, layers and heights, with inputs that go stale, goals and paths, limits of motion and differential
// drives, and kinematic ones that walk through all of it. Most of what can happen to an agent does to one of them.
Scene AllExtensions(std::size_t agents, std::uint64_t seed);

// The same with capsules that move and stand, of which not all are seen by everyone.
Scene Everything(std::size_t agents, std::uint64_t seed);

}  // namespace throng::testing
