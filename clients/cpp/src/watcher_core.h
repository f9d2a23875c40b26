// What stands behind a Watcher. Threads and locks as in session_core.h.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/event_slot.h"
#include "clients/cpp/src/frame_slot.h"
#include "clients/cpp/src/retry.h"
#include "throng/client/session.h"
#include "throng/v1/watch_service.grpc.pb.h"

namespace throng::client {

class Watcher::Core : public std::enable_shared_from_this<Watcher::Core> {
 public:
  static std::shared_ptr<Core> Open(std::shared_ptr<Channel> channel, const std::string& world,
                                    const WatchOptions& options);
  Core(std::shared_ptr<Channel> channel, const WatchOptions& options);
  ~Core();

  void Close();
  FrameSlot& frames() { return frames_; }
  EventSlot& events() { return events_; }
  WorldInfo world() const;
  std::uint64_t resumptions() const;

 private:
  class Stream;
  friend class Stream;

  void Received(const v1::WatchResponse& response);
  void Ended(const absl::Status& status);
  void ConnectLocked();
  void EndLocked(absl::Status status);

  const std::shared_ptr<Channel> channel_;
  const bool may_resume_;
  v1::WatchRequest request_;  // fixed once open
  FrameSlot frames_;
  EventSlot events_;
  FrameAssembler assembler_;  // touched by reactions only, one stream at a time

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Stream> stream_;
  WorldInfo world_;
  bool began_ = false;   // a frame has come
  bool broken_ = false;  // and none since the last break
  bool closing_ = false;
  bool done_ = false;  // no stream, and none to come
  std::optional<v1::Closing> closing_event_;
  absl::Status end_;
  Retry retry_;
  std::uint64_t resumptions_ = 0;
};

}  // namespace throng::client
