#include "server/host/frame_encoder.h"

#include <gtest/gtest.h>

#include <string>

#include "throng/v1/session_service.pb.h"
#include "throng/v1/watch_service.pb.h"

namespace throng::server {
namespace {

// Agents 3, 6, 9, ... each with values of its own.
std::unique_ptr<World> MakeWorld(std::uint32_t agents) {
  auto world = World::Create({}).value();
  for (std::uint32_t i = 0; i < agents; ++i) {
    AgentSpec spec;
    spec.id = 3 * (i + 1);
    const auto value = static_cast<float>(i);
    spec.position = Vec2{value, -value};
    spec.velocity = {0.001f * value, 1.0f};
    if (i % 2 == 0) spec.preferred_velocity = Vec2{1.0f, 0.002f * value};
    spec.params.radius = 0.25f + static_cast<float>(i % 8);
    EXPECT_TRUE(world->AddAgent(spec).ok());
  }
  return world;
}

FrameHead HeadOf(const World& world) {
  return {.world_uid = 0x1122334455667788,
          .tick = world.tick(),
          .simulation_time = 1.5,
          .server_time = 1.7e9,
          .time_scale = 2.0,
          .membership_version = world.membership()->version,
          .agents = static_cast<std::uint32_t>(world.agent_count()),
          .revision = 3,
          .state_hash = world.StateHash()};
}

std::string Joined(const SharedBuffer& frame, const SharedBuffer& membership) {
  return std::string(frame->view()) + std::string(membership->view());
}

void ExpectColumn(const World& world, Column column, std::uint32_t first,
                  const google::protobuf::RepeatedField<float>& values, bool wanted, std::uint32_t count) {
  ASSERT_EQ(values.size(), wanted ? static_cast<int>(count) : 0);
  std::vector<float> expected(static_cast<std::size_t>(values.size()));
  world.Read(column, first, expected);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin()));
}

void ExpectFrame(std::uint32_t agents, FrameColumns columns, std::uint32_t parts) {
  const auto world = MakeWorld(agents);
  const FrameHead head = HeadOf(*world);
  const auto membership = world->membership();
  const Partition partition = Partition::Of(agents, columns);
  ASSERT_EQ(partition.parts(), parts);
  BufferPool pool;
  std::uint32_t first = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const SharedBuffer frame_bytes = EncodeFramePart(*world, head, columns, partition, part, pool);
    const SharedBuffer ids_bytes = EncodeMembershipPart(*membership, partition, part, pool);
    EXPECT_LE(frame_bytes->size(), kMaxPartBytes);
    v1::WatchResponse watch;
    ASSERT_TRUE(watch.ParseFromString(Joined(frame_bytes, ids_bytes)));
    v1::ConnectResponse response;
    ASSERT_TRUE(response.ParseFromString(Joined(frame_bytes, ids_bytes)));
    EXPECT_EQ(watch.SerializeAsString(), response.SerializeAsString());
    EXPECT_EQ(response.SerializeAsString(), Joined(frame_bytes, ids_bytes)) << "not as protobuf writes it";

    const v1::Frame& frame = response.frame();
    const std::uint32_t count = partition.count(part);
    EXPECT_EQ(frame.world_uid(), head.world_uid);
    EXPECT_EQ(frame.tick(), head.tick);
    EXPECT_EQ(frame.simulation_time(), head.simulation_time);
    EXPECT_EQ(frame.server_time(), head.server_time);
    EXPECT_EQ(frame.time_scale(), head.time_scale);
    EXPECT_EQ(frame.membership_version(), head.membership_version);
    EXPECT_EQ(frame.part(), part);
    EXPECT_EQ(frame.parts(), parts);
    EXPECT_EQ(frame.first_index(), first);
    EXPECT_EQ(frame.agents(), agents);
    EXPECT_EQ(frame.revision(), 3u);
    EXPECT_EQ(frame.has_state_hash(), columns.state_hash);
    EXPECT_EQ(frame.state_hash(), columns.state_hash ? head.state_hash : 0);
    ExpectColumn(*world, Column::kPositionX, first, frame.position_x(), columns.position, count);
    ExpectColumn(*world, Column::kPositionY, first, frame.position_y(), columns.position, count);
    ExpectColumn(*world, Column::kVelocityX, first, frame.velocity_x(), columns.velocity, count);
    ExpectColumn(*world, Column::kVelocityY, first, frame.velocity_y(), columns.velocity, count);
    ExpectColumn(*world, Column::kPreferredVelocityX, first, frame.preferred_velocity_x(), columns.preferred_velocity,
                 count);
    ExpectColumn(*world, Column::kPreferredVelocityY, first, frame.preferred_velocity_y(), columns.preferred_velocity,
                 count);
    ExpectColumn(*world, Column::kRadius, first, frame.radius(), columns.radius, count);
    std::string status(columns.status ? count : 0, '\0');
    world->ReadStatus(first, {reinterpret_cast<std::uint8_t*>(status.data()), status.size()});
    EXPECT_EQ(frame.status(), status);

    EXPECT_EQ(response.membership().version(), membership->version);
    EXPECT_EQ(response.membership().first_index(), first);
    ASSERT_EQ(response.membership().ids_size(), static_cast<int>(count));
    EXPECT_TRUE(std::equal(response.membership().ids().begin(), response.membership().ids().end(),
                           membership->ids.begin() + first));
    first += count;
  }
  EXPECT_EQ(first, agents);
}

constexpr FrameColumns kUsual{.position = true, .velocity = true};
constexpr FrameColumns kAll{
    .position = true, .velocity = true, .preferred_velocity = true, .radius = true, .state_hash = true, .status = true};

TEST(FrameEncoderTest, NoAgents) {
  ExpectFrame(0, kUsual, 1);
  ExpectFrame(0, kAll, 1);
}

TEST(FrameEncoderTest, FewAgents) {
  ExpectFrame(1, kUsual, 1);
  ExpectFrame(1, kAll, 1);
  ExpectFrame(5'000, kAll, 1);
}

TEST(FrameEncoderTest, ExactlyOnePartAndOneAgentMore) {
  const std::uint32_t most = Partition::Of(0, kUsual).agents_per_part;
  EXPECT_GT(most, 65'000u);
  ExpectFrame(most, kUsual, 1);
  ExpectFrame(most + 1, kUsual, 2);
}

TEST(FrameEncoderTest, ManyAgents) {
  ExpectFrame(100'000, kUsual, 2);
  ExpectFrame(300'000, kAll, 9);
}

TEST(FrameEncoderTest, TheStatusAlone) { ExpectFrame(1'000, FrameColumns{.status = true}, 1); }

TEST(FrameEncoderTest, TheStateHashAlone) { ExpectFrame(1'000, FrameColumns{.state_hash = true}, 1); }

}  // namespace
}  // namespace throng::server
