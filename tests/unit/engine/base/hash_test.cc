#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace throng {
namespace {

TEST(AgentHash, DependsOnEveryPart) {
  const Vec2 p{1.0f, 2.0f}, v{3.0f, 4.0f};
  const std::set<std::uint64_t> hashes = {AgentHash(1, p, v),
                                          AgentHash(2, p, v),
                                          AgentHash(1, {2.0f, 1.0f}, v),
                                          AgentHash(1, p, {4.0f, 3.0f}),
                                          AgentHash(1, v, p),
                                          AgentHash(1, {1.0f, -2.0f}, v),
                                          AgentHash(1, p, {3.0f, 4.0000005f})};
  EXPECT_EQ(hashes.size(), 7u);
}

TEST(AgentHash, TellsTheZerosApart) { EXPECT_NE(AgentHash(1, {0.0f, 0.0f}, {}), AgentHash(1, {-0.0f, 0.0f}, {})); }

// The definition is fixed: snapshots and golden values rest on it.
TEST(AgentHash, IsWhatItWas) {
  EXPECT_EQ(AgentHash(0, {}, {}), 0u);
  EXPECT_EQ(AgentHash(1, {}, {}), AgentHash(1, {}, {}));
  EXPECT_NE(AgentHash(1, {}, {}), 0u);
}

TEST(Draw, DependsOnEachOfItsArguments) {
  const std::set<std::uint64_t> drawn = {DrawBits(0, 0, Draw::kSide), DrawBits(1, 0, Draw::kSide),
                                         DrawBits(0, 1, Draw::kSide), DrawBits(0, 0, static_cast<Draw>(2))};
  EXPECT_EQ(drawn.size(), 4u);
}

TEST(Draw, SidesOfSeedsAreSpreadEvenly) {
  int left = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) left += (DrawBits(seed, 0, Draw::kSide) & 1) == 0 ? 1 : 0;
  EXPECT_NEAR(left, 5'000, 200);
}

}  // namespace
}  // namespace throng
