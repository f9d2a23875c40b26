// Comparing floats by their bits: both zeros differ, and a NaN is what it is.
#pragma once

#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "solve/half_plane.h"

namespace throng::testing {

inline bool SameBits(Vec2 a, Vec2 b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool SameBits(const HalfPlane& a, const HalfPlane& b) {
  return SameBits(a.point, b.point) && SameBits(a.direction, b.direction);
}
inline std::string ToText(const HalfPlane& line) {
  return absl::StrFormat("point (%a, %a) direction (%a, %a)", line.point.x, line.point.y, line.direction.x,
                         line.direction.y);
}

inline ::testing::AssertionResult SameLines(std::span<const HalfPlane> kernel, std::span<const HalfPlane> plain) {
  for (std::size_t i = 0; i < kernel.size() && i < plain.size(); ++i) {
    if (SameBits(kernel[i], plain[i])) continue;
    return ::testing::AssertionFailure() << "line " << i << "\nkernel " << ToText(kernel[i]) << "\nplain  "
                                         << ToText(plain[i]);
  }
  if (kernel.size() == plain.size()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << kernel.size() << " lines from the kernel, " << plain.size()
                                       << " from plain code";
}

}  // namespace throng::testing
