#include "index/grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

// The memory for cells is taken once, for any spread of so many agents.
TEST(Grid, NeverHasMoreCellsThanSaid) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto agents = static_cast<std::size_t>(std::exp2(random.Uniform(0.0f, 20.0f)));
    // From a point over thin crowds of few rows to squares, at every scale.
    const float width = random.Chance(0.1f) ? 0.0f : std::exp2(random.Uniform(-30.0f, 21.0f));
    const float rows = random.Chance(0.5f) ? static_cast<float>(random.Below(4)) : random.Uniform(0.0f, 8.0f);
    const float thin = 4.0f * rows * width / static_cast<float>(agents);
    const float height = random.Chance(0.5f) ? thin : std::exp2(random.Uniform(-30.0f, 21.0f));
    const Bounds bounds = random.Chance(0.5f) ? Bounds{0, 0, width, height} : Bounds{-height, -width, 0, 0};
    Grid grid;
    grid.Fit(bounds, agents);
    ASSERT_LE(grid.cells(), Grid::MostCells(agents)) << agents << " agents on " << width << " x " << height;
  }
}

}  // namespace
}  // namespace throng
