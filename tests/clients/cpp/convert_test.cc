// That the client's words have every field of the wire's, by the schema's own list.
#include "clients/cpp/src/convert.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

namespace throng::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// Each field to something that is not its default; of repeated fields, two elements.
void Fill(Message& message, int depth = 0) {
  ASSERT_LT(depth, 5);
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.is_repeated() || field.real_containing_oneof() != nullptr) continue;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_FLOAT:
        reflection.SetFloat(&message, &field, 0.25f + static_cast<float>(i));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        reflection.SetDouble(&message, &field, 0.5 + i);
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection.SetUInt32(&message, &field, static_cast<std::uint32_t>(7 + i));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection.SetUInt64(&message, &field, static_cast<std::uint64_t>(9 + i));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&message, &field, true);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(&message, &field, 2);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(&message, &field, "x");
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Fill(*reflection.MutableMessage(&message, &field), depth + 1);
        break;
      default:
        FAIL() << field.full_name();
    }
  }
}

TEST(ConvertTest, EveryWorldSettingGoesBothWays) {
  v1::World world;
  Fill(*world.mutable_settings());
  v1::WorldSettings back;
  ToProto(FromProto(world).settings, back);
  EXPECT_TRUE(MessageDifferencer::Equals(world.settings(), back)) << back.DebugString();
  v1::WorldSettings nothing;
  ToProto(WorldSettings{}, nothing);
  EXPECT_EQ(nothing.ByteSizeLong(), 0u);
}

TEST(ConvertTest, EveryFieldOfAnAgentToAddGoesOut) {
  v1::Agent agent;
  Fill(agent);
  const Agent read = FromProto(agent);
  v1::AgentSpec spec;
  ToProto(AgentSpec{.id = read.id, .position = read.position, .velocity = read.velocity, .params = read.params}, spec);
  EXPECT_TRUE(MessageDifferencer::Equals(agent.params(), spec.params())) << spec.params().DebugString();
}

TEST(ConvertTest, EveryFieldOfAnObstacleGoesBothWays) {
  v1::Obstacle obstacle;
  Fill(obstacle);
  for (const float vertex : {1.0f, 2.0f}) {
    obstacle.add_x(vertex);
    obstacle.add_y(-vertex);
  }
  const Obstacle read = FromProto(obstacle);
  v1::ObstacleSpec spec;
  ToProto(ObstacleSpec{.id = read.id,
                       .kind = read.kind,
                       .vertices = read.vertices,
                       .layer = read.layer,
                       .z = read.z,
                       .height = read.height,
                       .radius = read.radius,
                       .velocity = read.velocity},
          spec);
  v1::ObstacleSpec expected;  // its fields have the numbers of those of an Obstacle
  ASSERT_TRUE(expected.ParseFromString(obstacle.SerializeAsString()));
  expected.DiscardUnknownFields();
  EXPECT_TRUE(MessageDifferencer::Equals(expected, spec)) << spec.DebugString();
  EXPECT_EQ(read.area, obstacle.area());
  EXPECT_EQ(read.bounds_max.y, obstacle.bounds_max().y());
  v1::ObstacleSpec nothing;
  ToProto(ObstacleSpec{}, nothing);
  EXPECT_FALSE(nothing.has_layer() || nothing.has_z() || nothing.has_height());
}

}  // namespace
}  // namespace throng::client
