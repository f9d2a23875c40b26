// Where the serving core gets its time from. Tests hand in a clock that they turn by hand.
#pragma once

#include <chrono>

namespace throng::server {

// Steady time since an arbitrary start, and differences of it.
using Time = std::chrono::nanoseconds;
using Duration = std::chrono::nanoseconds;

inline constexpr Time kNever = Time::max();

constexpr double ToSeconds(Duration duration) { return 1e-9 * static_cast<double>(duration.count()); }
// Precondition: |seconds| < 9e9.
constexpr Duration FromSeconds(double seconds) { return Duration(static_cast<Duration::rep>(seconds * 1e9)); }

// Safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual double WallSeconds() const = 0;  // [s] since 1970
};

class SystemClock final : public Clock {
 public:
  Time Now() const override {
    return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
  }
  double WallSeconds() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

}  // namespace throng::server
