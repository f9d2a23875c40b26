// How far something has moved since it was put where it is.
#pragma once

#include "throng/types.h"

namespace throng {

// [m] In double, and of the whole: were each vertex moved by itself, rounding would bend a shape that moves by little
// many times, and hold fast what moves by less than half of a rounding.
struct Drift {
  double x = 0.0;
  double y = 0.0;
  Vec2 From(Vec2 home) const {
    return {static_cast<float>(double{home.x} + x), static_cast<float>(double{home.y} + y)};
  }
};

}  // namespace throng
