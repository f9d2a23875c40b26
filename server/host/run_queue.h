// RunQueue: which world runs next. Pure data; the time comes in by argument.
//
// Earliest deadline first. A run says with its answer how urgent the next one is:
//   - a tick that has not begun has its due time as deadline, so it is later than nothing that was due before it;
//   - a tick under way has the deadline that its world gives (world_runner.cc), which lies ahead of now, so that due
//     worlds come in between its slices;
//   - equal deadlines go in the order of their arrival.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>

#include "server/host/clock.h"

namespace throng::server {

// What a run says about the next one.
struct RunNext {
  enum class Kind : std::uint8_t {
    kDeadline,  // ready now, to be done by `time`; kNever: when nothing else is due
    kTimer,     // due at `time`, which is its deadline then
    kWoken,     // when woken
    kGone,      // never again
  };
  Kind kind = Kind::kWoken;
  Time time{0};
};

class Runnable {
 public:
  virtual ~Runnable() = default;
  // Does work of about a millisecond at most.
  virtual RunNext Run(Time now) = 0;
};

class RunQueue {
 public:
  void Add(std::shared_ptr<Runnable> runnable, Time now);
  void Wake(const Runnable* runnable, Time now);
  // The most urgent one that is due, which counts as running until Done; null if there is none.
  std::shared_ptr<Runnable> Pick(Time now);
  void Done(const Runnable* runnable, const RunNext& next, Time now);

  // How many are due and not running.
  std::size_t ReadyCount(Time now);
  Time NextTimer() const;  // kNever if there is none

 private:
  enum class State : std::uint8_t { kReady, kTimer, kAsleep, kRunning };
  struct Entry;
  struct Order {
    bool operator()(const Entry* a, const Entry* b) const;
  };
  struct Entry {
    std::shared_ptr<Runnable> runnable;
    State state = State::kAsleep;
    Time time{0};             // deadline if ready, else when due
    std::uint64_t order = 0;  // of arrival in its set
    bool woken = false;       // while it ran
  };

  void Insert(Entry& entry, State state, Time time);
  void MakeDue(Time now);

  std::unordered_map<const Runnable*, Entry> entries_;
  std::set<Entry*, Order> ready_;
  std::set<Entry*, Order> timers_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace throng::server
