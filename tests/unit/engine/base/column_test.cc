#include "base/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace throng {
namespace {

// All elements up to a whole vector past the end.
template <class T>
void ExpectPadded(const ColumnOf<T>& column, T pad) {
  const std::size_t end = (column.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = column.size(); i < end; ++i) EXPECT_EQ(column[i], pad) << i << " of " << column.size();
}

TEST(Column, PadsAfterEveryChangeOfSize) {
  ColumnOf<float> column(1.5f);
  for (std::size_t size : {1, 15, 16, 17, 100, 40, 33, 0, 3}) {
    column.Resize(size);
    for (std::size_t i = 0; i < size; ++i) column[i] = -1.0f;
    ExpectPadded(column, 1.5f);
  }
}

TEST(Column, GrownElementsHoldThePadding) {
  ColumnOf<int> column(7);
  column.PushBack(1);
  column.Resize(3);
  EXPECT_EQ(column[0], 1);
  EXPECT_EQ(column[1], 7);
  EXPECT_EQ(column[2], 7);
  column.PopBack();
  EXPECT_EQ(column.size(), 2u);
}

TEST(Column, IsAlignedToCacheLines) {
  ColumnOf<std::uint8_t> column;
  for (int i = 0; i < 200; ++i) {
    column.PushBack(static_cast<std::uint8_t>(i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.data()) % kColumnAlignment, 0u);
  }
  for (int i = 0; i < 200; ++i) EXPECT_EQ(column[static_cast<std::size_t>(i)], i);
}

TEST(Column, KeepsItsOwnPaddingWhenElementsAreSwapped) {
  ColumnOf<float> a(1.0f), b(2.0f);
  a.Resize(3);
  b.Resize(20);
  a[0] = 10.0f;
  b[0] = 20.0f;
  a.SwapElements(b);
  EXPECT_EQ(a.size(), 20u);
  EXPECT_EQ(a[0], 20.0f);
  EXPECT_EQ(b[0], 10.0f);
  ExpectPadded(a, 1.0f);
  ExpectPadded(b, 2.0f);
}

TEST(Column, GivesMemoryBackAfterAPeak) {
  ColumnOf<float> column;
  column.Resize(100'000);
  column[5] = 5.0f;
  const std::size_t peak = column.bytes();
  column.Resize(50'000);
  column.ShrinkIfSparse();
  EXPECT_EQ(column.bytes(), peak);
  column.Resize(100);
  column.ShrinkIfSparse();
  EXPECT_LT(column.bytes(), 1000u);
  EXPECT_EQ(column[5], 5.0f);
  column.Resize(0);
  column.Resize(50'000);
  column.Resize(0);
  column.ShrinkIfSparse();
  EXPECT_EQ(column.bytes(), 0u);
}

TEST(Column, MovesItsElements) {
  ColumnOf<int> a(3);
  a.PushBack(1);
  ColumnOf<int> b = std::move(a);
  EXPECT_EQ(b.size(), 1u);
  EXPECT_EQ(b[0], 1);
  ExpectPadded(b, 3);
}

}  // namespace
}  // namespace throng
