// Hands frames from the stream that reads them to whoever takes them: a slot of one, where the newest wins.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cpp/src/frame_data.h"
#include "throng/client/session.h"

namespace throng::client {

// Thread safe. One thread offers.
class FrameSlot {
 public:
  using Clock = std::chrono::steady_clock;

  // Runs the callback if there is one, else puts the frame into the slot.
  void Offer(std::shared_ptr<FrameData> frame);
  // No frame comes after this; `status` says why and is not OK.
  void End(absl::Status status);

  absl::StatusOr<Frame> Next(Clock::time_point deadline);
  // Waits for the frame of `tick` or a later one, whether or not it was handed out, and counts it as handed out.
  absl::StatusOr<Frame> AtTick(std::uint64_t tick, Clock::time_point deadline);
  Frame Latest() const;
  bool has_latest() const;

  // As Session::OnFrame.
  void SetCallback(FrameCallback callback);
  // Whether the calling thread runs the callback now.
  bool InCallback() const;
  // Waits until no callback runs, unless called from within it.
  void WaitForCallback();
  absl::Status status() const;

 private:
  void Deliver(std::unique_lock<std::mutex>& lock, const Frame& frame);
  void WaitForCallbackLocked(std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Frame> waiting_;
  std::optional<Frame> latest_;
  absl::Status status_;
  std::shared_ptr<const FrameCallback> callback_;
  std::thread::id delivering_;  // the thread that runs the callback; none by default
};

}  // namespace throng::client
