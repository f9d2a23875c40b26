// The twin's progress: whether an agent is stalled, tick by tick over a second.
#pragma once

#include <cstdint>
#include <deque>

#include "throng/types.h"

namespace throng::twin {

struct Stride {
  float time_step = 0.0f;  // [s]
  float max_speed = 0.0f;
  Vec2 wanted;  // [m/s]
  Vec2 way;     // [m] made
};

// A tick in which an agent wants to move at more than a tenth of its max_speed gives a surplus: 100 * (way made along
// what it wanted - a tenth of the way wanted) / (way at max_speed), rounded, what is rounded off going over to the next
// tick. Stalled is who has had such ticks for a second, and whose surpluses sum to less than zero.
class Standing {
 public:
  void Note(const Stride& stride);
  bool stalled() const { return stalled_; }
  bool changed() const { return changed_; }  // with the last tick

 private:
  std::deque<std::int32_t> surpluses_;  // of the last second, oldest first
  float carry_ = 0.0f;
  bool stalled_ = false;
  bool changed_ = false;
};

}  // namespace throng::twin
