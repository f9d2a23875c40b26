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

}  // namespace
}  // namespace throng
