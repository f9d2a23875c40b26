// When a broken stream is tried again, and for how long.
#pragma once

#include <grpcpp/alarm.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace throng::client {

// Whether a stream that ended so may be taken up again: the server went away or a proxy between lost it. CANCELLED and
// INTERNAL are what proxies make of that; the caller knows whether the cancellation was its own.
inline bool IsBreak(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kCancelled ||
         (status.code() == absl::StatusCode::kInternal &&
          status.message().find("RST_STREAM") != absl::string_view::npos);
}

// Why a stream that is not taken up again ended. Never OK, and never DEADLINE_EXCEEDED, which a server says to a reader
// that stalls, but which NextFrame says where none came in time.
inline absl::Status EndOf(const absl::Status& status, const std::string& closing_message) {
  if (!status.ok() && status.code() != absl::StatusCode::kDeadlineExceeded) return status;
  if (!closing_message.empty()) return absl::AbortedError(closing_message);
  return absl::AbortedError(status.ok() ? "the server ended the stream" : status.message());
}

// Not thread safe; used under the lock of the stream's owner.
class Retry {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Retry(std::chrono::milliseconds limit) : limit_(limit) {}

  // The stream works: the next break has the whole time again.
  void Succeeded() {
    deadline_.reset();
    pause_ = kFirstPause;
  }
  // Calls `again` after a pause, on a thread of gRPC's, with false if cancelled. False if the time is over.
  bool Schedule(std::function<void(bool)> again) {
    const auto now = Clock::now();
    if (!deadline_) deadline_ = now + limit_;
    if (now >= *deadline_) return false;
    alarm_ = std::make_unique<grpc::Alarm>();
    alarm_->Set(std::chrono::system_clock::now() + pause_, std::move(again));
    pause_ = std::min(pause_ * 2, kLongestPause);
    return true;
  }
  void Cancel() {
    if (alarm_ != nullptr) alarm_->Cancel();
  }

 private:
  static constexpr std::chrono::milliseconds kFirstPause{50};
  static constexpr std::chrono::milliseconds kLongestPause{1'000};

  std::chrono::milliseconds limit_;
  std::chrono::milliseconds pause_ = kFirstPause;
  std::optional<Clock::time_point> deadline_;
  std::unique_ptr<grpc::Alarm> alarm_;
};

}  // namespace throng::client
