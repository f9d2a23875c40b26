#include "tests/support/twin_progress.h"

#include <cmath>
#include <cstddef>
#include <numeric>

#include "tests/support/twin_math.h"

namespace throng::twin {

void Standing::Note(const Stride& stride) {
  const float max_speed = stride.max_speed;
  const float speed = std::sqrt(LengthSquared(stride.wanted));
  const bool was_stalled = stalled_;
  if (speed > 0.1f * max_speed && !(max_speed < 1e-15f)) {
    const float made = Dot(stride.way, stride.wanted) * (1.0f / stride.time_step);  // times speed
    const float tenth = 0.1f * (speed * Min(max_speed, speed));
    const float surplus = carry_ + (made - tenth) * (100.0f / (speed * max_speed));
    const float whole = std::nearbyint(std::fmin(std::fmax(surplus, -127.0f), 127.0f));
    carry_ = std::fmin(std::fmax(surplus - whole, -1.0f), 1.0f);
    surpluses_.push_back(static_cast<std::int32_t>(whole));
    const auto second = static_cast<std::size_t>(std::ceil(1.0 / double{stride.time_step} - 1e-3));
    if (surpluses_.size() > second) surpluses_.pop_front();
    stalled_ = surpluses_.size() == second && std::accumulate(surpluses_.begin(), surpluses_.end(), 0) < 0;
  } else {
    *this = {};
  }
  changed_ = stalled_ != was_stalled;
}

}  // namespace throng::twin
