#include "server/host/frame_encoder.h"

#include <algorithm>
#include <array>
#include <span>

#include "server/host/wire.h"

namespace throng::server {
namespace {

// Field numbers of throng.v1.
constexpr std::uint32_t kFrame = 1;
constexpr std::uint32_t kMembership = 4;

// Room for what is not columns.
constexpr std::size_t kHeadBytes = 256;
// A column is gathered through a piece of the stack that stays in the cache: its place in the message is not aligned.
constexpr std::size_t kGather = 2048;

struct ColumnField {
  std::uint32_t number;
  Column column;
  bool FrameColumns::*wanted;
};
// Numbers of 16 and more: their tags take two bytes.
constexpr std::array<ColumnField, 8> kColumnFields = {{
    {16, Column::kPositionX, &FrameColumns::position},
    {17, Column::kPositionY, &FrameColumns::position},
    {18, Column::kVelocityX, &FrameColumns::velocity},
    {19, Column::kVelocityY, &FrameColumns::velocity},
    {20, Column::kPreferredVelocityX, &FrameColumns::preferred_velocity},
    {21, Column::kPreferredVelocityY, &FrameColumns::preferred_velocity},
    {23, Column::kRadius, &FrameColumns::radius},
    {24, Column::kHeading, &FrameColumns::heading},
}};

constexpr std::uint32_t kStatus = 22;
constexpr std::size_t kFieldsBeforeStatus = 6;
static_assert(kColumnFields[kFieldsBeforeStatus - 1].number < kStatus &&
              kColumnFields[kFieldsBeforeStatus].number > kStatus);

std::size_t ColumnCount(FrameColumns columns) {
  return 2u * (std::size_t{columns.position} + columns.velocity + columns.preferred_velocity) + columns.radius +
         columns.heading;
}

std::size_t BytesPerAgent(FrameColumns columns) { return sizeof(float) * ColumnCount(columns) + columns.status; }

// Fields 1 to 12 of Frame.
std::size_t WriteHead(const FrameHead& head, FrameColumns columns, const Partition& partition, std::uint32_t part,
                      char* out) {
  WireWriter writer(out);
  writer.Fixed64Field(1, head.world_uid);
  writer.Fixed64Field(2, head.tick);
  writer.DoubleField(3, head.simulation_time);
  writer.DoubleField(4, head.server_time);
  writer.DoubleField(5, head.time_scale);
  writer.Fixed64Field(6, head.membership_version);
  writer.VarintField(7, part);
  writer.VarintField(8, partition.parts());
  writer.VarintField(9, partition.first(part));
  writer.VarintField(10, partition.agents);
  if (columns.state_hash) writer.OptionalFixed64Field(11, head.state_hash);
  writer.VarintField(12, head.revision);
  return static_cast<std::size_t>(writer.position() - out);
}

void WriteColumn(const World& world, Column column, std::size_t first, std::size_t count, WireWriter& writer) {
  std::array<float, kGather> gathered;
  for (std::size_t done = 0; done < count; done += kGather) {
    const std::span<float> piece(gathered.data(), std::min(kGather, count - done));
    world.Read(column, first + done, piece);
    writer.Raw(piece.data(), piece.size_bytes());
  }
}

void WriteStatus(const World& world, std::size_t first, std::size_t count, WireWriter& writer) {
  std::array<std::uint8_t, kGather> gathered;
  for (std::size_t done = 0; done < count; done += kGather) {
    const std::span<std::uint8_t> piece(gathered.data(), std::min(kGather, count - done));
    world.ReadStatus(first + done, piece);
    writer.Raw(piece.data(), piece.size_bytes());
  }
}

// Of a field of so many bytes, with its tag; none if it is empty.
std::size_t FieldSize(std::size_t bytes) { return bytes == 0 ? 0 : 2 + VarintBytes(bytes) + bytes; }

}  // namespace

Partition Partition::Of(std::uint32_t agents, FrameColumns columns) {
  const std::size_t bytes_per_agent = std::max(BytesPerAgent(columns), sizeof(float));
  return {agents, static_cast<std::uint32_t>((kMaxPartBytes - kHeadBytes) / bytes_per_agent)};
}

SharedBuffer EncodeFramePart(const World& world, const FrameHead& head, FrameColumns columns,
                             const Partition& partition, std::uint32_t part, BufferPool& pool) {
  std::array<char, kHeadBytes> head_bytes;
  const std::size_t head_size = WriteHead(head, columns, partition, part, head_bytes.data());
  const std::size_t count = partition.count(part);
  const std::size_t column_bytes = count * sizeof(float);
  const std::size_t status_size = columns.status ? FieldSize(count) : 0;
  const std::size_t body = head_size + ColumnCount(columns) * FieldSize(column_bytes) + status_size;

  std::shared_ptr<Buffer> buffer = pool.Get(1 + VarintBytes(body) + body);
  WireWriter writer(buffer->data());
  writer.LengthHeader(kFrame, body);
  writer.Raw(head_bytes.data(), head_size);
  if (count == 0) return buffer;
  const auto write_columns = [&](auto fields) {
    for (const ColumnField& field : fields) {
      if (!(columns.*field.wanted)) continue;
      writer.LengthHeader(field.number, column_bytes);
      WriteColumn(world, field.column, partition.first(part), count, writer);
    }
  };
  // In the order of their numbers.
  constexpr std::span kFields(kColumnFields);
  write_columns(kFields.first(kFieldsBeforeStatus));
  if (columns.status) {
    writer.LengthHeader(kStatus, count);
    WriteStatus(world, partition.first(part), count, writer);
  }
  write_columns(kFields.subspan(kFieldsBeforeStatus));
  return buffer;
}

SharedBuffer EncodeMembershipPart(const Membership& membership, const Partition& partition, std::uint32_t part,
                                  BufferPool& pool) {
  std::array<char, kHeadBytes> head_bytes;
  WireWriter head(head_bytes.data());
  head.Fixed64Field(1, membership.version);
  head.VarintField(2, partition.first(part));
  const std::size_t ids_bytes = partition.count(part) * sizeof(AgentId);
  if (ids_bytes > 0) head.LengthHeader(3, ids_bytes);
  const auto head_size = static_cast<std::size_t>(head.position() - head_bytes.data());
  const std::size_t body = head_size + ids_bytes;

  std::shared_ptr<Buffer> buffer = pool.Get(1 + VarintBytes(body) + body);
  WireWriter writer(buffer->data());
  writer.LengthHeader(kMembership, body);
  writer.Raw(head_bytes.data(), head_size);
  if (ids_bytes > 0) writer.Raw(membership.ids.data() + partition.first(part), ids_bytes);
  return buffer;
}

}  // namespace throng::server
