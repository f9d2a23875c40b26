// LoadMeter: what a world costs and how well it keeps its rate, over the last one to two seconds.
#pragma once

#include <algorithm>

#include "server/host/clock.h"
#include "server/host/pacer.h"
#include "server/host/world_info.h"

namespace throng::server {

class LoadMeter {
 public:
  explicit LoadMeter(Time now) { current_.begin = now; }

  void Count(Time now, Duration cost, const Pacer::Outcome& outcome) {
    Roll(now);
    ++current_.ticks;
    current_.cost += cost;
    current_.lateness += outcome.lateness;
    current_.lateness_max = std::max(current_.lateness_max, outcome.lateness);
    missed_ += outcome.missed ? 1 : 0;
  }

  WorldLoad Load(Time now) const {
    LoadMeter rolled = *this;
    rolled.Roll(now);
    const Window& a = rolled.previous_;
    const Window& b = rolled.current_;
    WorldLoad load;
    load.missed_deadlines = missed_;
    const double ticks = static_cast<double>(a.ticks + b.ticks);
    const double elapsed = ToSeconds(rolled.previous_length_ + (now - b.begin));
    if (ticks == 0.0 || elapsed <= 0.0) return load;
    load.tick_rate = ticks / elapsed;
    load.tick_cost = ToSeconds(a.cost + b.cost) / ticks;
    load.lateness_mean = ToSeconds(a.lateness + b.lateness) / ticks;
    load.lateness_max = ToSeconds(std::max(a.lateness_max, b.lateness_max));
    return load;
  }

 private:
  static constexpr Duration kWindow = std::chrono::seconds(1);

  struct Window {
    Time begin{0};
    std::uint64_t ticks = 0;
    Duration cost{0};
    Duration lateness{0};
    Duration lateness_max{0};
  };

  void Roll(Time now) {
    const Duration length = now - current_.begin;
    if (length < kWindow) return;
    const bool silent = length >= 2 * kWindow;  // nothing was counted for a whole window
    previous_ = silent ? Window{} : current_;
    previous_length_ = silent ? kWindow : length;
    current_ = Window{};
    current_.begin = now;
  }

  Window previous_;
  Duration previous_length_{0};
  Window current_;
  std::uint64_t missed_ = 0;
};

}  // namespace throng::server
