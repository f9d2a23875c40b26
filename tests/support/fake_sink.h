// StreamSinks for tests: they parse what is written, and answer it at once or when they are told to.
#pragma once

#include <absl/status/status.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/session/stream_sink.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {

// The bytes of a message as a gRPC transport would send them.
inline std::string Joined(const OutgoingMessage& message) {
  std::string bytes;
  if (message.frame != nullptr) bytes += message.frame->view();
  if (message.membership != nullptr) bytes += message.membership->view();
  return bytes + message.tail;
}

// Holds the contract of StreamSink against the stream: one write in flight, Finish once, nothing after it. Messages of
// both services parse as ConnectResponse. Safe from any thread.
class FakeSink final : public StreamSink {
 public:
  // `slow`: writes stay in flight until Answer.
  explicit FakeSink(bool slow = false) : slow_(slow) {}

  // Where answers go: the stream's OnWriteDone. Before the first write.
  void AnswerTo(std::function<void(bool)> on_write_done) { on_write_done_ = std::move(on_write_done); }

  void Write(OutgoingMessage message) override {
    v1::ConnectResponse response;
    EXPECT_TRUE(response.ParseFromString(Joined(message)));
    bool slow = false;
    {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(in_flight_);
      EXPECT_FALSE(finished_.has_value());
      in_flight_ = true;
      slow = slow_;
      messages_.push_back(std::move(response));
    }
    if (!slow) Answer(true);
  }
  void Finish(absl::Status status) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(in_flight_);
    EXPECT_FALSE(finished_.has_value());
    finished_ = std::move(status);
  }
  void Cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }

  // Ends the write in flight; false if there is none.
  bool Answer(bool ok) {
    {
      const std::lock_guard lock(mutex_);
      if (!in_flight_) return false;
      in_flight_ = false;
    }
    on_write_done_(ok);
    return true;
  }
  void SetSlow(bool slow) {
    const std::lock_guard lock(mutex_);
    slow_ = slow;
  }
  // From now on it takes everything, beginning with what is in flight.
  void Release() {
    SetSlow(false);
    Answer(true);
  }

  // What was written since the last call.
  std::vector<v1::ConnectResponse> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }
  bool cancelled() const {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }
  std::optional<absl::Status> finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }

 private:
  std::function<void(bool)> on_write_done_;
  mutable std::mutex mutex_;
  bool slow_;
  bool in_flight_ = false;
  bool cancelled_ = false;
  std::vector<v1::ConnectResponse> messages_;
  std::optional<absl::Status> finished_;
};

}  // namespace throng::server
