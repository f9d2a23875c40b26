#include "clients/cpp/src/event_slot.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace throng::client {
namespace {

bool Before(const AgentEvent& a, const AgentEvent& b) { return a.id != b.id ? a.id < b.id : a.kind < b.kind; }

// Whether `later` says of a stalled agent that it is freed, or the other way round.
bool TakenBack(const AgentEvent& event, const std::vector<AgentEvent>& later) {
  if (event.kind != AgentEventKind::kStalled && event.kind != AgentEventKind::kFreed) return false;
  const bool stalled = event.kind == AgentEventKind::kStalled;
  const AgentEvent other{event.id, stalled ? AgentEventKind::kFreed : AgentEventKind::kStalled};
  return std::binary_search(later.begin(), later.end(), other, Before);
}

AgentEvents Merge(const AgentEvents& earlier, AgentEvents later) {
  std::vector<AgentEvent> all;
  all.reserve(earlier.events.size() + later.events.size());
  // Of equals the one of `later`, which is the first range.
  std::vector<AgentEvent> left;
  std::copy_if(earlier.events.begin(), earlier.events.end(), std::back_inserter(left),
               [&](const AgentEvent& event) { return !TakenBack(event, later.events); });
  std::set_union(later.events.begin(), later.events.end(), left.begin(), left.end(), std::back_inserter(all), Before);
  later.truncated = later.truncated || earlier.truncated || all.size() > EventSlot::kMaxEvents;
  all.resize(std::min(all.size(), EventSlot::kMaxEvents));
  later.events = std::move(all);
  return later;
}

}  // namespace

AgentEvents FromProto(const v1::AgentEvents& events) {
  AgentEvents out;
  out.tick = events.tick();
  out.truncated = events.truncated();
  const int count = std::min(events.ids_size(), events.kinds_size());
  out.events.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const auto reason = i < events.reasons_size() ? static_cast<StatusReason>(events.reasons(i)) : StatusReason::kNone;
    out.events.push_back({events.ids(i), static_cast<AgentEventKind>(events.kinds(i)), reason});
  }
  return out;
}

void EventSlot::Offer(AgentEvents events) {
  std::unique_lock lock(mutex_);
  // A callback may just be taking those that waited; order is kept by waiting for it.
  changed_.wait(lock, [&] { return delivering_ == std::thread::id(); });
  if (callback_ != nullptr) return Deliver(lock, events);
  waiting_ = waiting_ ? Merge(*waiting_, std::move(events)) : std::move(events);
  changed_.notify_all();
}

void EventSlot::End(absl::Status status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(status);
  changed_.notify_all();
}

absl::StatusOr<AgentEvents> EventSlot::Next(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (delivering_ == std::this_thread::get_id()) {
    return absl::FailedPreconditionError("the callback for events must not wait for events");
  }
  const bool ready = changed_.wait_until(lock, deadline, [&] { return waiting_ || !status_.ok(); });
  if (!ready) return absl::DeadlineExceededError("nothing happened in time");
  if (!waiting_) return status_;
  return *std::exchange(waiting_, std::nullopt);
}

void EventSlot::SetCallback(AgentEventsCallback callback) {
  std::unique_lock lock(mutex_);
  WaitForCallbackLocked(lock);
  callback_ = callback ? std::make_shared<const AgentEventsCallback>(std::move(callback)) : nullptr;
  if (callback_ != nullptr && waiting_ && delivering_ == std::thread::id()) {
    Deliver(lock, *std::exchange(waiting_, std::nullopt));
  }
}

void EventSlot::Deliver(std::unique_lock<std::mutex>& lock, const AgentEvents& events) {
  const auto callback = callback_;
  delivering_ = std::this_thread::get_id();
  lock.unlock();
  (*callback)(events);
  lock.lock();
  delivering_ = std::thread::id();
  changed_.notify_all();
}

bool EventSlot::InCallback() const {
  const std::lock_guard lock(mutex_);
  return delivering_ == std::this_thread::get_id();
}

void EventSlot::WaitForCallback() {
  std::unique_lock lock(mutex_);
  WaitForCallbackLocked(lock);
}

void EventSlot::WaitForCallbackLocked(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return delivering_ == std::thread::id() || delivering_ == std::this_thread::get_id(); });
}

}  // namespace throng::client
