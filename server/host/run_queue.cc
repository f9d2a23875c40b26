#include "server/host/run_queue.h"

#include <tuple>
#include <utility>

namespace throng::server {

bool RunQueue::Order::operator()(const Entry* a, const Entry* b) const {
  return std::tie(a->time, a->order) < std::tie(b->time, b->order);
}

void RunQueue::Add(std::shared_ptr<Runnable> runnable, Time now) {
  Entry& entry = entries_[runnable.get()];
  entry.runnable = std::move(runnable);
  Insert(entry, State::kReady, now);
}

void RunQueue::Wake(const Runnable* runnable, Time now) {
  const auto found = entries_.find(runnable);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  switch (entry.state) {
    case State::kRunning:
      entry.woken = true;
      return;
    case State::kAsleep:
      break;
    case State::kTimer:
      timers_.erase(&entry);
      break;
    case State::kReady:
      // One that runs only when nothing else is due has something to do now; others are urgent enough.
      if (entry.time != kNever) return;
      ready_.erase(&entry);
      break;
  }
  Insert(entry, State::kReady, now);
}

std::shared_ptr<Runnable> RunQueue::Pick(Time now) {
  MakeDue(now);
  if (ready_.empty()) return nullptr;
  Entry* const entry = *ready_.begin();
  ready_.erase(ready_.begin());
  entry->state = State::kRunning;
  entry->woken = false;
  return entry->runnable;
}

void RunQueue::Done(const Runnable* runnable, const RunNext& next, Time now) {
  const auto found = entries_.find(runnable);
  Entry& entry = found->second;
  if (next.kind == RunNext::Kind::kGone) {
    entries_.erase(found);
  } else if (next.kind == RunNext::Kind::kDeadline) {
    Insert(entry, State::kReady, entry.woken && next.time == kNever ? now : next.time);
  } else if (entry.woken) {
    Insert(entry, State::kReady, now);
  } else if (next.kind == RunNext::Kind::kTimer) {
    Insert(entry, State::kTimer, next.time);
  } else {
    entry.state = State::kAsleep;
  }
}

std::size_t RunQueue::ReadyCount(Time now) {
  MakeDue(now);
  return ready_.size();
}

Time RunQueue::NextTimer() const { return timers_.empty() ? kNever : (*timers_.begin())->time; }

void RunQueue::Insert(Entry& entry, State state, Time time) {
  entry.state = state;
  entry.time = time;
  entry.order = arrivals_++;
  (state == State::kReady ? ready_ : timers_).insert(&entry);
}

void RunQueue::MakeDue(Time now) {
  while (!timers_.empty() && (*timers_.begin())->time <= now) {
    Entry* const entry = *timers_.begin();
    timers_.erase(timers_.begin());
    Insert(*entry, State::kReady, entry->time);
  }
}

}  // namespace throng::server
