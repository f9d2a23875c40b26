// A scene on every SIMD level beside the twin, step by step.
#pragma once

#include <cstdint>

#include "tests/differential/edits.h"
#include "tests/support/scenes.h"

namespace throng::testing {

// Fails the test where bits differ. Edits come at this part of the borders; some steps are taken in slices, some by
// threads. All that can be read is compared where hashes differ, and at every `compared`th step.
void Follow(const Scene& scene, std::uint64_t seed, int steps, float edits_at_a_border, const EditOptions& options = {},
            int compared = 50);

}  // namespace throng::testing
