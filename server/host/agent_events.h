// What happened to agents, as streams are told of it: what the engine saw in a step, and the agents that commands
// removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "throng/world.h"

namespace throng::server {

// Of one message, and of what waits for one stream.
inline constexpr std::size_t kMaxAgentEvents = 65'536;
// Beside the engine's kinds; numbers of the wire.
inline constexpr std::uint8_t kAgentRemoved = 5;

struct AgentEventEntry {
  AgentId id = kInvalidId;
  std::uint8_t kind = 0;    // AgentEventKind of the wire
  std::uint8_t reason = 0;  // AgentStatusReason of the wire
  friend bool operator==(const AgentEventEntry&, const AgentEventEntry&) = default;
};

struct AgentEvents {
  std::uint64_t tick = 0;                  // ticks finished when the last of them happened
  std::vector<AgentEventEntry> entries{};  // in ascending (id, kind), each once
  bool truncated = false;                  // more happened in one tick than kMaxAgentEvents
};

// Null where nothing happened. `of_step`: the last step's own events are among them. `removed`: in any order.
std::shared_ptr<const AgentEvents> GatherAgentEvents(const World& world, bool of_step, std::vector<AgentId> removed);

// Both as one, of the tick of `later`. May have more than kMaxAgentEvents.
std::shared_ptr<const AgentEvents> Merge(const AgentEvents& earlier, const AgentEvents& later);

}  // namespace throng::server
