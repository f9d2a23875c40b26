#include "index/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

struct Case {
  std::size_t candidates;
  std::uint32_t most;
  std::size_t distinct;  // distances
};

class NearestOf : public ::testing::TestWithParam<Case> {};

TEST_P(NearestOf, AllOrderedByDistanceThenId) {
  const Case test = GetParam();
  testing::Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> id(test.candidates);
    for (std::uint32_t i = 0; i < id.size(); ++i) id[i] = 1000 + i;
    random.Shuffle(id);
    std::vector<std::tuple<float, std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t i = 0; i < test.candidates; ++i) {
      const float distance = static_cast<float>(random.Below(test.distinct)) * 0.001f;
      expected.emplace_back(distance, id[i], i);
    }
    Nearest nearest;
    nearest.Reset(100.0f, test.most);
    for (const auto& [distance, agent, place] : expected) nearest.Offer(distance, agent, place);

    std::sort(expected.begin(), expected.end());
    expected.resize(std::min<std::size_t>(expected.size(), test.most));
    ASSERT_EQ(nearest.size(), expected.size());
    EXPECT_EQ(nearest.full(), expected.size() == test.most);
    for (std::uint32_t rank = 0; rank < expected.size(); ++rank) {
      EXPECT_EQ(nearest.place(rank), std::get<2>(expected[rank]));
      EXPECT_EQ(nearest.distance_squared(rank), std::get<0>(expected[rank]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nearest, NearestOf,
                         ::testing::Values(Case{0, 10, 1}, Case{1, 10, 5}, Case{9, 10, 1000}, Case{10, 10, 1000},
                                           Case{17, 10, 100000}, Case{48, 10, 1000000}, Case{49, 10, 1000000},
                                           Case{30, 10, 4}, Case{48, 64, 2}, Case{192, 64, 100000}, Case{192, 64, 3},
                                           Case{20, 0, 10}, Case{20, 1, 10}));

TEST(Nearest, TakesOnlyWhatIsStrictlyNearer) {
  Nearest nearest;
  nearest.Reset(3.0f, 4);
  nearest.Offer(9.0f, 1, 1);
  EXPECT_EQ(nearest.size(), 0u);
  nearest.Offer(8.99f, 2, 2);
  EXPECT_EQ(nearest.size(), 1u);
  nearest.Reset(0.0f, 4);
  nearest.Offer(0.0f, 1, 1);
  EXPECT_EQ(nearest.size(), 0u) << "who looks nowhere sees nobody, not even who stands on him";
}

}  // namespace
}  // namespace throng
