#include "server/host/agent_events.h"

#include <gtest/gtest.h>

namespace throng::server {
namespace {

constexpr std::uint8_t kArrived = 1;
constexpr std::uint8_t kStalled = 2;
constexpr std::uint8_t kFreed = 3;

TEST(AgentEventsTest, OneMessageHoldsEachKindOnceAndOfStalledAndFreedTheLater) {
  const AgentEvents earlier{1, {{1, kArrived}, {1, kStalled}, {2, kFreed}, {4, kStalled}}};
  const AgentEvents later{2, {{1, kArrived}, {1, kFreed}, {2, kStalled}, {3, kAgentRemoved}}};
  const auto merged = Merge(earlier, later);
  EXPECT_EQ(merged->tick, 2u);
  EXPECT_FALSE(merged->truncated);
  EXPECT_EQ(merged->entries, (std::vector<AgentEventEntry>{
                                 {1, kArrived}, {1, kFreed}, {2, kStalled}, {3, kAgentRemoved}, {4, kStalled}}));
}

TEST(AgentEventsTest, NothingHappenedIsNull) {
  const auto world = *World::Create({});
  EXPECT_EQ(GatherAgentEvents(*world, true, {}), nullptr);
}

TEST(AgentEventsTest, WhatIsTooMuchForOneMessageIsCutAndSaid) {
  const auto world = *World::Create({});
  std::vector<AgentId> removed;
  for (AgentId id = kMaxAgentEvents + 5; id > 0; --id) removed.push_back(id);
  const auto events = GatherAgentEvents(*world, false, removed);
  EXPECT_TRUE(events->truncated);
  ASSERT_EQ(events->entries.size(), kMaxAgentEvents);
  EXPECT_EQ(events->entries.front().id, 1u);
  EXPECT_EQ(events->entries.back().id, kMaxAgentEvents);
}

}  // namespace
}  // namespace throng::server
