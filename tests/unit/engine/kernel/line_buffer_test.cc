#include <gtest/gtest.h>

#include "kernel/kernels.h"

namespace throng {
namespace {

constexpr std::size_t kRow = kGroup * 4;  // floats

TEST(LineBuffer, KeepsWhatWasThereWhenItGrows) {
  LineBuffer buffer;
  EXPECT_EQ(buffer.bytes(), 0u);
  float* data = buffer.Rows(3);
  for (std::size_t i = 0; i < 3 * kRow; ++i) data[i] = static_cast<float>(i);
  data = buffer.Rows(1000);
  for (std::size_t i = 0; i < 3 * kRow; ++i) EXPECT_EQ(data[i], static_cast<float>(i));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
}

TEST(LineBuffer, FitsOnceForWhatItIsToldAndGivesBackFarMore) {
  LineBuffer buffer;
  buffer.Fit(57);
  EXPECT_EQ(buffer.bytes(), 57 * kRow * sizeof(float));
  const float* const data = buffer.Rows(57);
  buffer.Fit(20);
  EXPECT_EQ(buffer.Rows(57), data) << "what is little stays";
  buffer.Fit(2000);
  const std::size_t peak = buffer.bytes();
  buffer.Fit(600);
  EXPECT_EQ(buffer.bytes(), peak);
  buffer.Fit(10);
  EXPECT_EQ(buffer.bytes(), 10 * kRow * sizeof(float));
}

}  // namespace
}  // namespace throng
