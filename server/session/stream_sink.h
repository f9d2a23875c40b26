// The stream interface: what a session or watcher writes to. Behind it stands a gRPC reactor, or a test.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "server/host/frame.h"

namespace throng::server {

// The slices of one ConnectResponse or WatchResponse; joined in this order they parse as that message. They stay as
// they are until OnWriteDone, and longer for whoever holds the pointers.
struct OutgoingMessage {
  SharedBuffer frame;       // shared with other streams; null: none
  SharedBuffer membership;  // shared with other streams; null: none
  std::string tail;         // the stream's own; may be empty
};

// Write and Finish are called by one thread at a time, without a lock held: at most one Write until the stream's
// OnWriteDone answers it, Finish once, with no Write outstanding and nothing after it. An OnWriteDone from within Write
// is fine.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void Write(OutgoingMessage message) = 0;
  virtual void Finish(absl::Status status) = 0;
  // Breaks the call off, so that a Write that hangs ends with OnWriteDone(false). May come at any time, from any
  // thread, also after Finish, when it is to do nothing.
  virtual void Cancel() = 0;
};

}  // namespace throng::server
