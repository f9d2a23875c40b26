#include "store/by_slot.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

struct Record {
  Index slot = kNoIndex;
  int value = 0;
};

TEST(BySlot, HoldsWhatAMapHolds) {
  testing::Random random(3);
  BySlot<Record> records;
  std::map<Index, int> expected;
  for (int i = 0; i < 20'000; ++i) {
    const auto slot = static_cast<Index>(random.Below(300));
    if (random.Chance(0.5f)) {
      records.Put(slot).value = i;
      expected[slot] = i;
    } else {
      records.Drop(slot);
      expected.erase(slot);
    }
    ASSERT_EQ(records.size(), expected.size());
    const Record* const found = records.Find(slot);
    ASSERT_EQ(found != nullptr, expected.contains(slot));
    ASSERT_TRUE(found == nullptr || found->value == i);
  }
  std::map<Index, int> all;
  for (const Record& record : records.all()) all[record.slot] = record.value;
  EXPECT_EQ(all, expected);
}

TEST(BySlot, FollowsNewSlots) {
  testing::Random random(4);
  BySlot<Record> records;
  std::vector<Index> slots(50);
  for (Index& slot : slots) slot = static_cast<Index>(2 * (&slot - slots.data()) + 1);
  random.Shuffle(slots);
  for (std::size_t i = 0; i < slots.size(); i += 2) records.Put(slots[i]).value = static_cast<int>(slots[i]);
  records.Renumber(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Record* const found = records.Find(static_cast<Index>(i));
    ASSERT_EQ(found != nullptr, i % 2 == 0);
    if (found == nullptr) continue;
    EXPECT_EQ(found->value, static_cast<int>(slots[i]));
    EXPECT_EQ(found->slot, i);
  }
}

TEST(BySlot, HoldsNothingOnceItIsEmpty) {
  BySlot<Record> records;
  for (Index slot = 0; slot < 5'000; ++slot) records.Put(slot);
  for (Index slot = 0; slot < 5'000; ++slot) records.Drop(slot);
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(records.memory_bytes(), 0u);
}

}  // namespace
}  // namespace throng
