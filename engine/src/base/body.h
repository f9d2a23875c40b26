// What others see of an agent: one 16-byte record, so that a look at a neighbour touches one cache line.
#pragma once

#include <limits>

namespace throng {

struct Body {
  float x, y;    // [m]
  float vx, vy;  // [m/s]
};
static_assert(sizeof(Body) == 16);

// Stands where nobody looks.
inline constexpr Body kNobody{std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(), 0.0f,
                              0.0f};

}  // namespace throng
