#include "clients/cpp/src/event_slot.h"

#include <gtest/gtest.h>

namespace throng::client {
namespace {

constexpr auto kArrived = AgentEventKind::kArrived;
constexpr auto kRemoved = AgentEventKind::kRemoved;
const auto kNow = EventSlot::Clock::time_point();

TEST(EventSlotTest, WhatWaitsIsJoined) {
  EventSlot slot;
  slot.Offer({.tick = 1, .events = {{1, kArrived}, {2, kArrived}}});
  slot.Offer({.tick = 2, .events = {{1, kArrived}, {1, kRemoved}}});
  const auto events = slot.Next(kNow);
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(events->tick, 2u);
  EXPECT_EQ(events->events, (std::vector<AgentEvent>{{1, kArrived}, {1, kRemoved}, {2, kArrived}}));
  EXPECT_EQ(slot.Next(kNow).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(EventSlotTest, OfStalledAndFreedTheLaterIsLeft) {
  constexpr auto kStalled = AgentEventKind::kStalled;
  constexpr auto kFreed = AgentEventKind::kFreed;
  EventSlot slot;
  slot.Offer({.tick = 1, .events = {{1, kStalled}, {2, kFreed}, {3, kStalled}}});
  slot.Offer({.tick = 2, .events = {{1, kFreed}, {2, kStalled}}});
  EXPECT_EQ(slot.Next(kNow)->events, (std::vector<AgentEvent>{{1, kFreed}, {2, kStalled}, {3, kStalled}}));
}

TEST(EventSlotTest, WhatWaitsIsBounded) {
  EventSlot slot;
  AgentEvents many{.tick = 1};
  for (AgentId id = 1; id <= EventSlot::kMaxEvents; ++id) many.events.push_back({id, kArrived});
  slot.Offer(many);
  slot.Offer({.tick = 2, .events = {{70'000, kArrived}}});
  const auto events = slot.Next(kNow);
  ASSERT_TRUE(events.ok());
  EXPECT_TRUE(events->truncated);
  EXPECT_EQ(events->events, many.events);
}

TEST(EventSlotTest, ACallbackGetsWhatWaitsAndWhatComes) {
  EventSlot slot;
  slot.Offer({.tick = 1});
  std::vector<std::uint64_t> ticks;
  slot.SetCallback([&](const AgentEvents& events) {
    ticks.push_back(events.tick);
    EXPECT_TRUE(slot.InCallback());
    EXPECT_EQ(slot.Next(kNow).status().code(), absl::StatusCode::kFailedPrecondition);
  });
  slot.Offer({.tick = 2});
  slot.SetCallback(nullptr);
  slot.Offer({.tick = 3});
  EXPECT_EQ(ticks, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(slot.Next(kNow)->tick, 3u);
}

TEST(EventSlotTest, AfterTheLastComesTheReason) {
  EventSlot slot;
  slot.Offer({.tick = 1});
  slot.End(absl::NotFoundError("gone"));
  EXPECT_TRUE(slot.Next(kNow).ok());
  EXPECT_EQ(slot.Next(kNow).status().message(), "gone");
}

}  // namespace
}  // namespace throng::client
