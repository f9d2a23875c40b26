// What an agent made of the way that it wanted, over the last second. Kept where MotionSettings::stall_detection is in
// force, per agent in columns of AgentStore, and brought up to date by each step's move phase (kernel/progress-inl.h).
//
// A tick in which an agent wants to move at more than a tenth of its max_speed is a wanting one. Its surplus is
//   100 * (way made along what it wanted - a tenth of the way wanted) / (max_speed * time_step)
// in whole numbers; what is rounded off goes over to the next tick. So "made less than a tenth of the way wanted" is a
// negative sum of surpluses, and who walks freely at its max_speed has 90 a tick.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace throng {

// All that is asked of it but the history: one number an agent.
struct Progress {
  std::int32_t bits = 0;

  static constexpr std::int32_t kTicksMask = (1 << 10) - 1;
  static constexpr std::int32_t kStalled = 1 << 10;
  static constexpr std::int32_t kChanged = 1 << 11;
  static constexpr int kSurplusShift = 12;

  // Wanting ticks in a row up to now, a second's at most.
  std::int32_t ticks() const { return bits & kTicksMask; }
  // Sum over these ticks.
  std::int32_t surplus() const { return bits >> kSurplusShift; }
  // In the last step: for a second it wanted, and made less than a tenth of that way.
  bool stalled() const { return (bits & kStalled) != 0; }
  // Whether it was otherwise in the step before.
  bool changed() const { return (bits & kChanged) != 0; }
  // Of the way wanted, the part that was made, along what was wanted, of an agent that wants `wanted` times its
  // max_speed all the time. 0 if it has not wanted for a tick.
  float part_made(float wanted) const {
    if (ticks() == 0) return 0.0f;
    return 0.1f + static_cast<float>(surplus()) / (100.0f * wanted * static_cast<float>(ticks()));
  }
};

// Ticks of a second, rounded up. [1, 1000] for time steps in range.
inline std::size_t TicksOfSecond(float time_step) {
  return static_cast<std::size_t>(std::ceil(1.0 / static_cast<double>(time_step) - 1e-3));
}

}  // namespace throng
