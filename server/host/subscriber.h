// What a world needs to know of a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/host/agent_events.h"
#include "server/host/frame.h"
#include "server/host/session_memory.h"
#include "server/host/world_info.h"

namespace throng::server {

struct FrameOffer {
  std::shared_ptr<const EncodedFrame> frame{};  // null: the world is FAULTED, and has nothing to show
  std::uint64_t last_input_applied = 0;         // of the stream's session
  std::uint64_t subscription = 0;               // as the stream said when it subscribed
  // The last tick of a step order of the stream's session: this frame must be sent.
  bool must_send = false;
  // A tick of such an order before its last: if it is not sent, it does not count as skipped.
  bool in_between = false;
};

// Called by the runner of one world, so never by two threads at once; must not block.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  virtual void OnFrame(FrameOffer offer) = 0;
  // Before the frame of their tick. Only where the stream asked for them.
  virtual void OnAgentEvents(const std::shared_ptr<const AgentEvents>& events) = 0;
  // The world's state or settings changed.
  virtual void OnWorldChanged(const WorldInfo& info) = 0;
  // The world is gone; nothing comes after it.
  virtual void OnWorldDeleted() = 0;
};

// What a stream asks its world for.
struct Subscription {
  std::shared_ptr<Subscriber> subscriber;
  std::optional<FrameColumns> columns;           // unset: no frames, only what else there is to tell
  std::shared_ptr<const SessionMemory> session;  // whose inputs and orders it is told of; may be null
  std::uint64_t number = 0;                      // comes back with its frames
  bool agent_events = false;                     // with or without frames
};

}  // namespace throng::server
