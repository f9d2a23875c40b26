// Pacer: when the ticks of a real-time world are due. Pure; the time comes in by argument.
#pragma once

#include <algorithm>

#include "server/host/clock.h"

namespace throng::server {

class Pacer {
 public:
  // A world that is behind by more ticks than this gives them up, and slows down instead.
  static constexpr int kMaxCatchUp = 4;

  struct Outcome {
    Duration lateness{0};  // from when the tick was due to its begin
    bool missed = false;   // it ended after the next one was due
  };

  Pacer(Duration period, Time first_due) : period_(period), due_(first_due) {}

  Time due() const { return due_; }
  Duration period() const { return period_; }
  // From the next tick on, counted from the last one.
  void SetPeriod(Duration period) {
    due_ += period - period_;
    period_ = period;
  }
  // Time that passed while the world was paused is not caught up.
  void Resume(Time now) { due_ = std::max(due_, now); }

  // A tick was done. Precondition: due() <= began <= ended.
  Outcome Finish(Time began, Time ended) {
    const Outcome outcome{began - due_, ended > due_ + period_};
    due_ += period_;
    if (ended - due_ > kMaxCatchUp * period_) due_ = ended;
    return outcome;
  }

 private:
  Duration period_;
  Time due_;
};

}  // namespace throng::server
