// Hands events of agents from the stream that reads them to whoever takes them. Those that nobody took yet are joined.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "throng/client/events.h"
#include "throng/v1/frame.pb.h"

namespace throng::client {

AgentEvents FromProto(const v1::AgentEvents& events);

// Thread safe. One thread offers.
class EventSlot {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxEvents = 65'536;  // that wait; those of the lowest ids stay

  // Runs the callback if there is one, else joins them to those that wait.
  void Offer(AgentEvents events);
  // None comes after this; `status` says why and is not OK.
  void End(absl::Status status);

  absl::StatusOr<AgentEvents> Next(Clock::time_point deadline);
  // As Session::OnAgentEvents.
  void SetCallback(AgentEventsCallback callback);
  // Whether the calling thread runs the callback now.
  bool InCallback() const;
  // Waits until no callback runs, unless called from within it.
  void WaitForCallback();

 private:
  void Deliver(std::unique_lock<std::mutex>& lock, const AgentEvents& events);
  void WaitForCallbackLocked(std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<AgentEvents> waiting_;
  absl::Status status_;
  std::shared_ptr<const AgentEventsCallback> callback_;
  std::thread::id delivering_;  // the thread that runs the callback; none by default
};

}  // namespace throng::client
