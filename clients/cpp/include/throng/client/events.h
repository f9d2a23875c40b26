// What happens to agents, as streams tell it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "throng/client/types.h"

namespace throng::client {

// Numbers of the wire.
enum class AgentEventKind : std::uint8_t {
  kUnknown = 0,
  kArrived = 1,    // came to its goal, or to the end of its path
  kStalled = 2,    // wants to move, and made next to no way for a second: plan anew
  kFreed = 3,      // is no longer stalled: makes its way, or wants to no more
  kRecovered = 4,  // was moved out of an obstacle, or into the bounds
  kRemoved = 5,    // by a command; the id may have come back since
};

struct AgentEvent {
  AgentId id = 0;
  AgentEventKind kind = AgentEventKind::kUnknown;
  StatusReason reason = StatusReason::kNone;
  friend bool operator==(const AgentEvent&, const AgentEvent&) = default;
};

// What happened since those handed out before; at first, since the stream's first frame. They come before the frame of
// their tick. Who is behind gets one of these for all that was missed: of an agent each kind once, and of kStalled and
// kFreed the later alone. What happens while a broken stream is taken up again is not told: look at Frame::status().
struct AgentEvents {
  std::uint64_t tick = 0;            // ticks finished when the last of them happened
  std::vector<AgentEvent> events{};  // in ascending (id, kind)
  bool truncated = false;            // more happened than fit: Frame::status() tells the rest
};

using AgentEventsCallback = std::function<void(const AgentEvents&)>;

}  // namespace throng::client
