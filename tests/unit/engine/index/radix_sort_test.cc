#include "index/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

template <class Key>
void ExpectSorts(std::size_t size, int bits, std::size_t distinct, std::uint64_t seed) {
  testing::Random random(seed);
  RadixSort<Key> sort;
  std::vector<std::uint32_t> indices(sort.Room(size));
  std::vector<Key> keys(sort.Room(size));
  sort.Reset(size, bits, bits, indices.data(), keys.data());
  std::vector<std::pair<Key, std::uint32_t>> expected;
  const Key mask = bits == 0 ? 0 : static_cast<Key>(~std::uint64_t{0} >> (64 - bits));
  std::vector<Key> choice(distinct);
  for (Key& key : choice) key = static_cast<Key>(random.Next()) & mask;
  for (std::uint32_t i = 0; i < size; ++i) {
    const Key key = choice[random.Below(distinct)];
    sort.keys()[i] = key;
    sort.indices()[i] = i;
    expected.emplace_back(key, i);
  }
  while (!sort.done()) {
    // In any order: here from the last block to the first.
    for (std::size_t block = sort.blocks(); block-- > 0;) sort.RunBlock(block);
    sort.FinishPass();
  }
  std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (std::uint32_t i = 0; i < size; ++i) {
    ASSERT_EQ(sort.keys()[i], expected[i].first) << i;
    ASSERT_EQ(sort.indices()[i], expected[i].second) << i;
  }
}

TEST(RadixSort, IsStableForAnySizeAndWidth) {
  for (const std::size_t size : {0, 1, 2, 100, 8191, 8192, 8193, 30000}) {
    for (const int bits : {0, 1, 5, 11, 12, 17, 23, 32}) {
      ExpectSorts<std::uint32_t>(size, bits, 1 + size, size + static_cast<std::size_t>(bits));
      ExpectSorts<std::uint32_t>(size, bits, 3, size);
    }
    for (const int bits : {40, 64}) ExpectSorts<std::uint64_t>(size, bits, 1 + size, size);
    ExpectSorts<std::uint64_t>(size, 64, 1, size);
  }
}

TEST(RadixSort, CanBeUsedAgainAndShrinks) {
  RadixSort<std::uint32_t> sort;
  std::vector<std::uint32_t> indices(sort.Room(500'000)), keys(sort.Room(500'000));
  sort.Reset(500'000, 20, 20, indices.data(), keys.data());
  const std::size_t peak = sort.memory_bytes();
  sort.Reset(100, 7, 7, indices.data(), keys.data());
  EXPECT_LT(sort.memory_bytes(), peak / 10);
}

}  // namespace
}  // namespace throng
