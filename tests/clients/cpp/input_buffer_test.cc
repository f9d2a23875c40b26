#include "clients/cpp/src/input_buffer.h"

#include <gtest/gtest.h>

#include <map>

namespace throng::client {
namespace {

constexpr std::uint64_t kStride = InputBuffer::kStride;

std::shared_ptr<const Membership> Members(std::uint64_t version, std::vector<AgentId> ids) {
  return std::make_shared<Membership>(Membership{version, std::move(ids)});
}

// What a server that applies the messages in turn has in the end. `members`: for messages without ids.
std::map<AgentId, float> Applied(const std::vector<v1::Input>& messages, const Membership& members) {
  std::map<AgentId, float> vx;
  std::uint64_t last = 0;
  for (const auto& message : messages) {
    EXPECT_GT(message.sequence(), last);
    last = message.sequence();
    for (int i = 0; i < message.preferred_velocity_x_size(); ++i) {
      const auto rank = message.first_index() + static_cast<std::uint32_t>(i);
      vx[message.ids().empty() ? members.ids.at(rank) : message.ids(i)] = message.preferred_velocity_x(i);
    }
  }
  return vx;
}

TEST(InputBuffer, GoalsAndVelocitiesReplaceEachOther) {
  InputBuffer buffer;
  const std::vector<AgentId> first{1, 2}, second{2, 3};
  const std::vector<float> x{1, 2}, y{3, 4};
  buffer.PutAgents(kStride, first, x, y);
  buffer.PutAgents(2 * kStride, second, x, y, WishKind::kGoal);
  const auto messages = buffer.ToMessages(0);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_LT(messages[0].sequence(), messages[1].sequence());
  EXPECT_EQ(messages[1].sequence(), buffer.sequence());
  ASSERT_EQ(messages[0].ids_size(), 1);
  EXPECT_EQ(messages[0].ids(0), 1u);
  EXPECT_EQ(messages[0].preferred_velocity_x_size(), 1);
  EXPECT_EQ(messages[0].goal_x_size(), 0);
  EXPECT_EQ(messages[1].ids_size(), 2);
  EXPECT_EQ(messages[1].goal_x_size(), 2);
  EXPECT_EQ(messages[1].preferred_velocity_y_size(), 0);
}

TEST(InputBuffer, ColumnsReplaceEarlierOnesOfTheirAgents) {
  InputBuffer buffer;
  const auto members = Members(3, {1, 2});
  buffer.PutColumns(kStride, members, {1, 2}, {0, 0});
  buffer.PutAgents(2 * kStride, std::vector<AgentId>{2, 9}, std::vector<float>{5, 9}, std::vector<float>{0, 0});
  buffer.PutColumns(3 * kStride, members, {3, 4}, {0, 0});
  EXPECT_EQ(Applied(buffer.ToMessages(3), *members), (std::map<AgentId, float>{{1, 3}, {2, 4}, {9, 9}}));
  EXPECT_EQ(buffer.sequence(), 3 * kStride);
}

TEST(InputBuffer, SingleAgentsGoOverEarlierColumns) {
  InputBuffer buffer;
  const auto members = Members(3, {1, 2});
  buffer.PutColumns(kStride, members, {1, 2}, {0, 0});
  buffer.PutAgents(2 * kStride, std::vector<AgentId>{2}, std::vector<float>{5}, std::vector<float>{0});
  EXPECT_EQ(Applied(buffer.ToMessages(3), *members), (std::map<AgentId, float>{{1, 1}, {2, 5}}));
}

TEST(InputBuffer, AgentsThatTheNextMembershipLacksKeepTheirs) {
  InputBuffer buffer;
  buffer.PutColumns(kStride, Members(4, {1, 2, 3}), {1, 2, 3}, {0, 0, 0});
  const auto older = Members(3, {1, 2});
  buffer.PutColumns(2 * kStride, older, {7, 8}, {0, 0});
  EXPECT_EQ(Applied(buffer.ToMessages(3), *older), (std::map<AgentId, float>{{1, 7}, {2, 8}, {3, 3}}));
}

TEST(InputBuffer, ColumnsOfAnOldMembershipGoById) {
  InputBuffer buffer;
  buffer.PutColumns(kStride, Members(3, {1, 2}), {1, 2}, {3, 4});
  const auto messages = buffer.ToMessages(4);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].ids_size(), 2);
  EXPECT_EQ(messages[0].preferred_velocity_y(1), 4.0f);
}

TEST(InputBuffer, LargeInputsGoInPiecesThatFitIntoAMessage) {
  constexpr std::size_t kAgents = InputBuffer::kMaxAgentsPerMessage * 2 + 1;
  std::vector<AgentId> ids(kAgents);
  for (std::size_t i = 0; i < kAgents; ++i) ids[i] = static_cast<AgentId>(i + 1);
  const auto members = Members(1, ids);
  InputBuffer buffer;
  buffer.PutColumns(kStride, members, std::vector<float>(kAgents, 1.0f), std::vector<float>(kAgents, 2.0f));
  for (const std::uint64_t current : {1u, 2u}) {
    const auto messages = buffer.ToMessages(current);
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages.back().sequence(), kStride);
    EXPECT_EQ(Applied(messages, *members).size(), kAgents);
    for (const auto& message : messages) EXPECT_LT(message.ByteSizeLong(), 4u << 20);
  }
}

TEST(InputBuffer, WhatIsPutOverKeepsTheNewerOfBoth) {
  const auto members = Members(3, {1, 2});
  InputBuffer sent, pending;
  sent.PutColumns(kStride, members, {1, 2}, {0, 0});
  pending.PutAgents(2 * kStride, std::vector<AgentId>{1}, std::vector<float>{5}, std::vector<float>{0});
  sent.Put(pending);
  EXPECT_EQ(Applied(sent.ToMessages(3), *members), (std::map<AgentId, float>{{1, 5}, {2, 2}}));
  InputBuffer later;
  later.PutColumns(3 * kStride, members, {6, 7}, {0, 0});
  sent.Put(later);
  EXPECT_EQ(Applied(sent.ToMessages(3), *members), (std::map<AgentId, float>{{1, 6}, {2, 7}}));
  EXPECT_EQ(sent.sequence(), 3 * kStride);
}

}  // namespace
}  // namespace throng::client
