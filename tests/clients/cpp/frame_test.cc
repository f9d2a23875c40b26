#include "throng/client/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/cpp/src/frame_data.h"
#include "throng/v1/session_service.pb.h"

namespace throng::client {
namespace {

using ::testing::ElementsAre;

v1::ConnectResponse Part(std::uint64_t tick, std::uint32_t part, std::uint32_t parts, std::uint32_t agents,
                         std::vector<float> x, std::vector<AgentId> ids = {}) {
  v1::ConnectResponse response;
  auto& frame = *response.mutable_frame();
  frame.set_tick(tick);
  frame.set_part(part);
  frame.set_parts(parts);
  frame.set_agents(agents);
  frame.set_membership_version(1);
  frame.mutable_position_x()->Add(x.begin(), x.end());
  frame.mutable_position_y()->Add(x.begin(), x.end());
  if (!ids.empty() || agents == 0) {
    response.mutable_membership()->set_version(1);
    response.mutable_membership()->mutable_ids()->Add(ids.begin(), ids.end());
  }
  return response;
}

TEST(FrameAssembler, JoinsPartsWithTheirIds) {
  FrameAssembler assembler;
  auto first = assembler.Add(Part(7, 0, 2, 3, {1, 2}, {4, 5}));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, nullptr);
  auto second = assembler.Add(Part(7, 1, 2, 3, {3}, {9}));
  ASSERT_TRUE(second.ok()) << second.status();
  const Frame frame(*second);
  EXPECT_EQ(frame.tick(), 7u);
  EXPECT_THAT(frame.ids(), ElementsAre(4, 5, 9));
  EXPECT_THAT(frame.x(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(frame.vx().empty());
  EXPECT_EQ(frame.IndexOf(5), 1u);
  EXPECT_EQ(frame.IndexOf(6), std::nullopt);
}

TEST(FrameAssembler, KeepsIdsForLaterFramesAndStreams) {
  FrameAssembler assembler;
  ASSERT_TRUE(assembler.Add(Part(1, 0, 1, 2, {1, 2}, {4, 5})).ok());
  assembler.Reset();
  const auto later = assembler.Add(Part(2, 0, 1, 2, {3, 4}));
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_THAT(Frame(*later).ids(), ElementsAre(4, 5));
}

TEST(FrameAssembler, TakesAWorldWithoutAgents) {
  FrameAssembler assembler;
  const auto frame = assembler.Add(Part(0, 0, 1, 0, {}));
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(Frame(*frame).size(), 0u);
}

TEST(FrameAssembler, RefusesPartsThatDoNotFit) {
  FrameAssembler missing_first;
  EXPECT_TRUE(absl::IsInternal(missing_first.Add(Part(1, 1, 2, 2, {1})).status()));
  FrameAssembler other_tick;
  ASSERT_TRUE(other_tick.Add(Part(1, 0, 2, 2, {1}, {1})).ok());
  EXPECT_TRUE(absl::IsInternal(other_tick.Add(Part(2, 1, 2, 2, {1})).status()));
  FrameAssembler no_ids;
  EXPECT_TRUE(absl::IsInternal(no_ids.Add(Part(1, 0, 1, 1, {1})).status()));
  FrameAssembler short_column;
  EXPECT_TRUE(absl::IsInternal(short_column.Add(Part(1, 0, 1, 2, {1}, {1, 2})).status()));
}

}  // namespace
}  // namespace throng::client
