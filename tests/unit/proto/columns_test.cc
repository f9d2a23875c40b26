// Keeps throng.columns.v1 the twin of throng.v1: same messages, numbers, names and types, but `bytes` for columns, and
// the same bytes on the wire.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "throng/columns/v1/columns.pb.h"
#include "throng/v1/frame.pb.h"
#include "throng/v1/session_service.pb.h"
#include "throng/v1/watch_service.pb.h"

namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

const FileDescriptor& TwinFile() { return *throng::columns::v1::Frame::descriptor()->file(); }

const Descriptor* TypedOf(const Descriptor& twin) {
  return DescriptorPool::generated_pool()->FindMessageTypeByName("throng.v1." + twin.name());
}

bool IsColumn(const FieldDescriptor& field) {
  return field.is_packed() &&
         (field.type() == FieldDescriptor::TYPE_FLOAT || field.type() == FieldDescriptor::TYPE_FIXED32);
}

// Whether a message has a column, itself or in a field. Outlines of obstacles and paths are none: they are few and
// short.
bool HoldsColumns(const Descriptor& message) {
  if (message.name() == "ObstacleSpec" || message.name() == "Obstacle" || message.name() == "Path") return false;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (IsColumn(field)) return true;
    if (field.message_type() != nullptr && HoldsColumns(*field.message_type())) return true;
  }
  return false;
}

// A little-endian image of the values, as both forms of a column have it on the wire.
template <typename T>
std::string Image(const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little, "the columns below are copied as they stand in memory");
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void ExpectSameField(const FieldDescriptor& typed, const FieldDescriptor& twin) {
  SCOPED_TRACE(typed.full_name());
  EXPECT_EQ(twin.name(), typed.name());
  EXPECT_EQ(twin.has_presence() && !IsColumn(typed), typed.has_presence());
  ASSERT_EQ(twin.real_containing_oneof() == nullptr, typed.real_containing_oneof() == nullptr);
  if (typed.real_containing_oneof() != nullptr) {
    EXPECT_EQ(twin.real_containing_oneof()->name(), typed.real_containing_oneof()->name());
  }
  if (IsColumn(typed)) {
    EXPECT_EQ(twin.type(), FieldDescriptor::TYPE_BYTES);
    EXPECT_FALSE(twin.is_repeated());
    return;
  }
  EXPECT_EQ(twin.type(), typed.type());
  EXPECT_EQ(twin.is_repeated(), typed.is_repeated());
  if (typed.message_type() == nullptr) return;
  if (HoldsColumns(*typed.message_type())) {
    EXPECT_EQ(twin.message_type()->full_name(), "throng.columns.v1." + typed.message_type()->name());
  } else {
    EXPECT_EQ(twin.message_type(), typed.message_type());
  }
}

TEST(Columns, EachTwinHasTheFieldsOfItsMessage) {
  ASSERT_GT(TwinFile().message_type_count(), 0);
  for (int m = 0; m < TwinFile().message_type_count(); ++m) {
    const Descriptor& twin = *TwinFile().message_type(m);
    const Descriptor* typed = TypedOf(twin);
    ASSERT_NE(typed, nullptr) << twin.full_name() << " has no message of that name in throng.v1";
    EXPECT_TRUE(HoldsColumns(*typed)) << typed->full_name() << " has no column, so it needs no twin";
    EXPECT_EQ(twin.field_count(), typed->field_count()) << twin.full_name();
    for (int i = 0; i < typed->field_count(); ++i) {
      const FieldDescriptor* other = twin.FindFieldByNumber(typed->field(i)->number());
      ASSERT_NE(other, nullptr) << typed->field(i)->full_name() << " is missing in the twin";
      ExpectSameField(*typed->field(i), *other);
    }
    ASSERT_EQ(twin.reserved_range_count(), typed->reserved_range_count()) << twin.full_name();
    for (int i = 0; i < typed->reserved_range_count(); ++i) {
      EXPECT_EQ(twin.reserved_range(i)->start, typed->reserved_range(i)->start) << twin.full_name();
      EXPECT_EQ(twin.reserved_range(i)->end, typed->reserved_range(i)->end) << twin.full_name();
    }
  }
}

TEST(Columns, EachStreamedMessageWithColumnsHasATwin) {
  for (const FileDescriptor* file :
       {throng::v1::Frame::descriptor()->file(), throng::v1::ConnectResponse::descriptor()->file(),
        throng::v1::WatchResponse::descriptor()->file()}) {
    for (int m = 0; m < file->message_type_count(); ++m) {
      const Descriptor& typed = *file->message_type(m);
      if (!HoldsColumns(typed)) continue;
      EXPECT_NE(TwinFile().FindMessageTypeByName(typed.name()), nullptr) << typed.full_name() << " has no twin";
    }
  }
}

TEST(Columns, ResponseKeepsItsBytes) {
  const std::vector<float> x = {1.5f, -2.25f, 0.0f};
  const std::vector<std::uint32_t> ids = {1, 7, 0x80000001u};
  throng::v1::ConnectResponse typed;
  throng::v1::Frame& frame = *typed.mutable_frame();
  frame.set_world_uid(42);
  frame.set_tick(9);
  frame.set_parts(1);
  frame.set_agents(3);
  frame.set_state_hash(0);
  frame.mutable_position_x()->Assign(x.begin(), x.end());
  frame.mutable_preferred_velocity_y()->Assign(x.rbegin(), x.rend());
  typed.mutable_membership()->mutable_ids()->Assign(ids.begin(), ids.end());
  typed.set_last_input_applied(5);
  typed.mutable_closing()->set_message("the end");
  const std::string bytes = typed.SerializeAsString();

  throng::columns::v1::ConnectResponse twin;
  ASSERT_TRUE(twin.ParseFromString(bytes));
  EXPECT_EQ(twin.frame().position_x(), Image(x));
  EXPECT_EQ(twin.membership().ids(), Image(ids));
  EXPECT_TRUE(twin.frame().has_state_hash());
  EXPECT_EQ(twin.closing().message(), "the end");
  EXPECT_EQ(twin.SerializeAsString(), bytes);

  throng::columns::v1::WatchResponse watched;
  throng::v1::WatchResponse typed_watched;
  ASSERT_TRUE(watched.ParseFromString(bytes));
  ASSERT_TRUE(typed_watched.ParseFromString(bytes));
  EXPECT_EQ(watched.SerializeAsString(), typed_watched.SerializeAsString());
  EXPECT_EQ(watched.SerializeAsString(), bytes);
}

TEST(Columns, InputKeepsItsBytes) {
  const std::vector<float> v = {0.5f, 1e-40f};
  throng::columns::v1::SendInputRequest twin;
  twin.set_world("plaza");
  twin.mutable_input()->set_sequence(3);
  twin.mutable_input()->set_ids(Image(std::vector<std::uint32_t>{4, 5}));
  twin.mutable_input()->set_preferred_velocity_x(Image(v));
  twin.mutable_input()->set_preferred_velocity_y(Image(v));
  const std::string bytes = twin.SerializeAsString();

  throng::v1::SendInputRequest typed;
  ASSERT_TRUE(typed.ParseFromString(bytes));
  ASSERT_EQ(typed.input().ids_size(), 2);
  EXPECT_EQ(typed.input().ids(1), 5u);
  EXPECT_EQ(typed.input().preferred_velocity_x(1), 1e-40f);
  EXPECT_EQ(typed.SerializeAsString(), bytes);
}

}  // namespace
