// A frame as it goes over the wire: encoded once per distinct subscription and shared by its streams.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "server/host/buffer.h"

namespace throng::server {

// Which columns a stream gets.
struct FrameColumns {
  bool position = false;
  bool velocity = false;
  bool preferred_velocity = false;
  bool radius = false;
  bool state_hash = false;
  bool status = false;
  bool heading = false;

  bool any() const { return position || velocity || preferred_velocity || radius || status || heading; }

  friend bool operator==(const FrameColumns&, const FrameColumns&) = default;
};

using SharedBuffer = std::shared_ptr<const Buffer>;

// Ids of a membership version, cut as a frame's parts are: part i is the bytes of field 4 (`membership`) of a
// ConnectResponse or WatchResponse for part i of the frame.
struct EncodedMembership {
  std::uint64_t version = 0;
  std::vector<SharedBuffer> parts;
};

struct EncodedFrame {
  std::uint64_t tick = 0;
  // Part i is the bytes of field 1 (`frame`) of a ConnectResponse or WatchResponse. At least one part.
  std::vector<SharedBuffer> parts;
  std::shared_ptr<const EncodedMembership> membership;  // with as many parts
};

}  // namespace throng::server
