#include "server/host/agent_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace throng::server {
namespace {

bool Before(const AgentEventEntry& a, const AgentEventEntry& b) { return a.id != b.id ? a.id < b.id : a.kind < b.kind; }

// Whether `later` says of a stalled agent that it is freed, or the other way round.
bool TakenBack(const AgentEventEntry& entry, const std::vector<AgentEventEntry>& later) {
  constexpr auto kStalled = static_cast<std::uint8_t>(AgentEventKind::kStalled);
  constexpr auto kFreed = static_cast<std::uint8_t>(AgentEventKind::kFreed);
  if (entry.kind != kStalled && entry.kind != kFreed) return false;
  const AgentEventEntry other{entry.id, entry.kind == kStalled ? kFreed : kStalled};
  return std::binary_search(later.begin(), later.end(), other, Before);
}

}  // namespace

std::shared_ptr<const AgentEvents> GatherAgentEvents(const World& world, bool of_step, std::vector<AgentId> removed) {
  std::vector<AgentEvent> seen;
  if (of_step) world.ReadEvents(seen);
  if (seen.empty() && removed.empty()) return nullptr;
  auto events = std::make_shared<AgentEvents>();
  events->tick = world.tick();
  std::vector<AgentEventEntry>& entries = events->entries;
  entries.reserve(seen.size() + removed.size());
  for (const AgentEvent& event : seen) {
    entries.push_back({event.id, static_cast<std::uint8_t>(event.kind), static_cast<std::uint8_t>(event.reason)});
  }
  for (const AgentId id : removed) entries.push_back({id, kAgentRemoved});
  std::sort(entries.begin(), entries.end(), Before);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  events->truncated = entries.size() > kMaxAgentEvents;
  if (events->truncated) entries.resize(kMaxAgentEvents);
  return events;
}

std::shared_ptr<const AgentEvents> Merge(const AgentEvents& earlier, const AgentEvents& later) {
  auto merged = std::make_shared<AgentEvents>();
  merged->tick = later.tick;
  merged->truncated = earlier.truncated || later.truncated;
  merged->entries.reserve(earlier.entries.size() + later.entries.size());
  // Of equals the one of `later`, which is the first range.
  std::vector<AgentEventEntry> left;
  left.reserve(earlier.entries.size());
  std::copy_if(earlier.entries.begin(), earlier.entries.end(), std::back_inserter(left),
               [&](const AgentEventEntry& entry) { return !TakenBack(entry, later.entries); });
  std::set_union(later.entries.begin(), later.entries.end(), left.begin(), left.end(),
                 std::back_inserter(merged->entries), Before);
  return merged;
}

}  // namespace throng::server
