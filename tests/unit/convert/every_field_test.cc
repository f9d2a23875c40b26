// That no field is forgotten on its way: each parameter and each setting of the motion model, by the schema's own list,
// comes back as it was said, counts for a request's fingerprint, and, if it is fixed, is refused when it changes.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "server/convert/command_convert.h"
#include "server/convert/settings_convert.h"
#include "server/convert/status.h"
#include "server/convert/world_info_convert.h"
#include "server/host/fingerprint.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// Sets it to what is valid everywhere and nowhere the default.
void Set(Message& message, const FieldDescriptor& field) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.SetFloat(&message, &field, 0.375f);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(&message, &field, 6);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, true);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field, 2);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Set(*reflection.MutableMessage(&message, &field), *field.message_type()->field(0));
    default:
      ADD_FAILURE() << field.full_name() << " is of a type that this test does not know";
  }
}

template <class M>
void ForEachField(const std::function<void(const FieldDescriptor&)>& visit) {
  const Descriptor& type = *M::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    SCOPED_TRACE(type.field(i)->full_name());
    visit(*type.field(i));
  }
}

std::uint64_t FingerprintOf(const v1::AgentSpec& spec) {
  CommandBatch batch;
  batch.commands.push_back(ToAddAgent(spec));
  return Fingerprint(batch);
}

// With what the test of all fields at once would refuse.
v1::AgentParams AllParams() {
  v1::AgentParams all;
  ToProto(AgentParams{}, &all);
  return all;
}

TEST(EveryField, OfAgentParamsComesBackAndCounts) {
  ForEachField<v1::AgentParams>([](const FieldDescriptor& field) {
    EXPECT_TRUE(AllParams().GetReflection()->HasField(AllParams(), &field)) << "not echoed";
    v1::AgentSpec spec;
    spec.mutable_position();
    const std::uint64_t without = FingerprintOf(spec);
    Set(*spec.mutable_params(), field);
    EXPECT_NE(FingerprintOf(spec), without);
    v1::AgentParams expected = AllParams();
    EXPECT_FALSE(MessageDifferencer::Equals(expected, spec.params()));
    Set(expected, field);
    v1::AgentParams echoed;
    ToProto(Apply(AgentParams{}, FromProto(spec.params())), &echoed);
    EXPECT_TRUE(MessageDifferencer::Equals(echoed, expected)) << echoed.DebugString();
  });
}

TEST(EveryField, OfAnObstacleCounts) {
  const auto fingerprint = [](const v1::ObstacleSpec& spec) {
    CommandBatch batch;
    batch.commands.push_back(ToAddObstacle(spec));
    return Fingerprint(batch);
  };
  ForEachField<v1::ObstacleSpec>([&](const FieldDescriptor& field) {
    v1::ObstacleSpec without;
    without.set_kind(v1::OBSTACLE_KIND_WALL);
    without.set_z(1);
    without.add_x(1);
    without.add_y(1);
    v1::ObstacleSpec with = without;
    if (field.is_repeated()) {
      with.GetReflection()->SetRepeatedFloat(&with, &field, 0, 2.0f);
    } else {
      Set(with, field);
    }
    EXPECT_NE(fingerprint(with), fingerprint(without));
  });
}

TEST(EveryField, OfMotionSettingsComesBackCountsAndIsFixed) {
  ForEachField<v1::MotionSettings>([](const FieldDescriptor& field) {
    v1::WorldSettings said;
    said.set_preset(v1::PRESET_BASE);
    const auto before = SettingsFromProto(said);
    ASSERT_TRUE(before.ok());
    v1::MotionSettings expected = ToProto(*before).motion();
    EXPECT_TRUE(expected.GetReflection()->HasField(expected, &field)) << "not echoed";
    Set(*said.mutable_motion(), field);
    Set(expected, field);
    const auto after = SettingsFromProto(said);
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_TRUE(MessageDifferencer::Equals(ToProto(*after).motion(), expected));
    EXPECT_NE(Fingerprint("w", *after), Fingerprint("w", *before));
    v1::WorldSettings change;
    Set(*change.mutable_motion(), field);
    EXPECT_TRUE(SettingsPatchFromProto(change, *after).ok());
    const std::vector<Violation> refused = GetViolations(SettingsPatchFromProto(change, *before).status());
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].field, "settings.motion." + field.name());
  });
}

TEST(EveryField, OfMotionSettingsFollowsThePresetWhereUnset) {
  for (const v1::Preset preset : {v1::PRESET_DEFAULT, v1::PRESET_BASE}) {
    v1::WorldSettings said;
    said.set_preset(preset);
    const v1::MotionSettings motion = ToProto(*SettingsFromProto(said)).motion();
    ForEachField<v1::MotionSettings>([&](const FieldDescriptor& field) {
      if (field.cpp_type() != FieldDescriptor::CPPTYPE_BOOL) return;
      EXPECT_EQ(motion.GetReflection()->GetBool(motion, &field), preset == v1::PRESET_DEFAULT);
    });
  }
}

}  // namespace
}  // namespace throng::server
