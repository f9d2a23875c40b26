// What a world needs to know of a stream.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <memory>

#include "server/host/frame.h"

namespace throng::server {

struct FrameOffer {
  std::shared_ptr<const EncodedFrame> frame;
  std::uint64_t last_input_applied = 0;  // of the stream's session
  // The last tick of a step order of the stream's session: this frame must be sent.
  bool must_send = false;
};

// Called by the runner of one world, so never by two threads at once; must not block.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  virtual void OnFrame(FrameOffer offer) = 0;
  // The world is gone; nothing comes after it.
  virtual void OnWorldDeleted() = 0;
};

}  // namespace throng::server
