// A clock that a test turns by hand. Safe from any thread.
#pragma once

#include <atomic>

#include "server/host/clock.h"

namespace throng::server {

class ManualClock final : public Clock {
 public:
  Time Now() const override { return Time(now_.fetch_add(creep_.load())); }
  double WallSeconds() const override { return 1'000'000.0 + ToSeconds(Now()); }
  void Advance(Duration by) { now_ += by.count(); }
  // Every look at the clock moves it on by so much, as if what is done between two looks took that time.
  void SetCreep(Duration creep) { creep_ = creep.count(); }

 private:
  std::atomic<Duration::rep> creep_{0};
  mutable std::atomic<Time::rep> now_{std::chrono::nanoseconds(std::chrono::hours(1)).count()};
};

}  // namespace throng::server
