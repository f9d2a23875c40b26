#include "clients/cpp/src/frame_slot.h"

#include <utility>

namespace throng::client {

void FrameSlot::Offer(std::shared_ptr<FrameData> frame) {
  std::unique_lock lock(mutex_);
  // A callback may just be taking the frame that was in the slot; order is kept by waiting for it.
  changed_.wait(lock, [&] { return delivering_ == std::thread::id(); });
  if (waiting_) frame->ticks_skipped += waiting_->ticks_skipped() + 1;
  latest_ = Frame(std::move(frame));
  if (callback_ == nullptr) {
    waiting_ = latest_;
    changed_.notify_all();
    return;
  }
  changed_.notify_all();  // AtTick looks at latest_
  waiting_.reset();
  Deliver(lock, *latest_);
}

void FrameSlot::End(absl::Status status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(status);
  changed_.notify_all();
}

absl::StatusOr<Frame> FrameSlot::Next(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (delivering_ == std::this_thread::get_id()) {
    return absl::FailedPreconditionError("the frame callback must not wait for frames");
  }
  const bool ready = changed_.wait_until(lock, deadline, [&] { return waiting_ || !status_.ok(); });
  if (!ready) return absl::DeadlineExceededError("no frame came in time");
  if (!waiting_) return status_;
  return *std::exchange(waiting_, std::nullopt);
}

absl::StatusOr<Frame> FrameSlot::AtTick(std::uint64_t tick, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return latest_ && latest_->tick() >= tick; };
  if (!changed_.wait_until(lock, deadline, [&] { return there() || !status_.ok(); })) {
    return absl::DeadlineExceededError("the frame of the step did not come in time");
  }
  if (!there()) return status_;
  waiting_.reset();
  return *latest_;
}

Frame FrameSlot::Latest() const {
  const std::lock_guard lock(mutex_);
  return latest_.value_or(Frame());
}

bool FrameSlot::has_latest() const {
  const std::lock_guard lock(mutex_);
  return latest_.has_value();
}

void FrameSlot::SetCallback(FrameCallback callback) {
  std::unique_lock lock(mutex_);
  WaitForCallbackLocked(lock);
  callback_ = callback ? std::make_shared<const FrameCallback>(std::move(callback)) : nullptr;
  // A paused world sends no further frame, so the one that waits is handed over now. From within a callback it cannot
  // be, and none waits there.
  if (callback_ != nullptr && waiting_ && delivering_ == std::thread::id()) {
    const Frame frame = *std::exchange(waiting_, std::nullopt);
    Deliver(lock, frame);
  }
}

void FrameSlot::Deliver(std::unique_lock<std::mutex>& lock, const Frame& frame) {
  const auto callback = callback_;
  const Frame copy = frame;
  delivering_ = std::this_thread::get_id();
  lock.unlock();
  (*callback)(copy);
  lock.lock();
  delivering_ = std::thread::id();
  changed_.notify_all();
}

bool FrameSlot::InCallback() const {
  const std::lock_guard lock(mutex_);
  return delivering_ == std::this_thread::get_id();
}

void FrameSlot::WaitForCallback() {
  std::unique_lock lock(mutex_);
  WaitForCallbackLocked(lock);
}

void FrameSlot::WaitForCallbackLocked(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return delivering_ == std::thread::id() || delivering_ == std::this_thread::get_id(); });
}

absl::Status FrameSlot::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace throng::client
