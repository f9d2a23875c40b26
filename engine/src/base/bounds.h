// A box along the axes.
#pragma once

#include <algorithm>

#include "throng/types.h"

namespace throng {

struct Bounds {
  float min_x = 0.0f, min_y = 0.0f, max_x = 0.0f, max_y = 0.0f;  // [m]

  static Bounds Of(float x, float y) { return {x, y, x, y}; }
  void Include(float x, float y) {
    min_x = std::min(min_x, x);
    min_y = std::min(min_y, y);
    max_x = std::max(max_x, x);
    max_y = std::max(max_y, y);
  }
  void Include(const Bounds& box) {
    Include(box.min_x, box.min_y);
    Include(box.max_x, box.max_y);
  }
  Bounds Widened(float by) const { return {min_x - by, min_y - by, max_x + by, max_y + by}; }
};

}  // namespace throng
