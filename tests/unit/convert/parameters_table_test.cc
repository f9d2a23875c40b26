// Holds the tables of proto/README.md to the schema (a row for each field), to the engine's limits (ranges, as an error
// tells them) and to the defaults.
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "server/convert/command_convert.h"
#include "server/convert/settings_convert.h"
#include "server/convert/status.h"
#include "server/convert/world_info_convert.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct Row {
  std::string range;
  std::string default_value;
};

// The rows of the table under a heading, by name.
std::map<std::string, Row> TableOf(const std::string& heading) {
  std::ifstream file(THRONG_PARAMETERS);
  EXPECT_TRUE(file) << THRONG_PARAMETERS;
  std::map<std::string, Row> rows;
  bool in_section = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) in_section = line.find(heading) != std::string::npos;
    if (!in_section || !line.starts_with("| `")) continue;
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    EXPECT_EQ(cells.size(), 7u) << line;
    for (std::string& cell : cells) cell = std::string(absl::StripAsciiWhitespace(cell));
    rows[cells[1].substr(1, cells[1].size() - 2)] = {cells[3], cells[4]};
  }
  return rows;
}

std::string Print(const Message& message, const FieldDescriptor& field) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      return absl::StrCat(reflection.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "on" : "off";
    case FieldDescriptor::CPPTYPE_ENUM:
      return absl::StrCat("`", reflection.GetEnum(message, &field)->name(), "`");
    default:
      return "";
  }
}

// Sets a number to what no range holds.
void SpoilNumber(Message& message, const FieldDescriptor& field) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    message.GetReflection()->SetFloat(&message, &field, std::numeric_limits<float>::quiet_NaN());
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    message.GetReflection()->SetUInt32(&message, &field, std::numeric_limits<std::uint32_t>::max());
  }
}

TEST(ParametersTable, OfAgentsAgreesWithSchemaAndLimits) {
  const std::map<std::string, Row> rows = TableOf("`AgentParams`");
  const auto& type = *v1::AgentParams::descriptor();
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(type.field_count()));
  v1::AgentParams defaults;
  ToProto(AgentParams{}, &defaults);
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    ASSERT_TRUE(rows.contains(field.name())) << field.name() << " has no row";
    const Row& row = rows.at(field.name());
    EXPECT_EQ(row.default_value, Print(defaults, field)) << field.name();
    v1::AgentParams spoiled;
    SpoilNumber(spoiled, field);
    const auto violation = GetViolation(Validate(FromProto(spoiled)));
    if (violation) {
      EXPECT_EQ(row.range, violation->range) << field.name();
    } else if (field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM) {
      EXPECT_EQ(row.range, "any 32 bits") << field.name();
    }
  }
}

TEST(ParametersTable, OfMotionAgreesWithSchemaAndLimits) {
  const std::map<std::string, Row> rows = TableOf("`MotionSettings`");
  const auto& type = *v1::MotionSettings::descriptor();
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(type.field_count()));
  v1::WorldSettings base;
  base.set_preset(v1::PRESET_BASE);
  const v1::MotionSettings off = ToProto(*SettingsFromProto(base)).motion();
  const v1::MotionSettings on = ToProto(*SettingsFromProto({})).motion();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    ASSERT_TRUE(rows.contains(field.name())) << field.name() << " has no row";
    const Row& row = rows.at(field.name());
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      EXPECT_EQ(row.range, "off, on") << field.name();
      EXPECT_EQ(row.default_value, absl::StrCat(Print(off, field), " / ", Print(on, field))) << field.name();
      continue;
    }
    EXPECT_EQ(row.default_value, Print(on, field)) << field.name();
    v1::WorldSettings spoiled;
    SpoilNumber(*spoiled.mutable_motion(), field);
    const std::vector<Violation> violations = GetViolations(SettingsFromProto(spoiled).status());
    ASSERT_EQ(violations.size(), 1u) << field.name();
    EXPECT_EQ(row.range, violations[0].range) << field.name();
  }
}

TEST(ParametersTable, OfObstaclesAgreesWithSchemaAndLimits) {
  const std::map<std::string, Row> rows = TableOf("`ObstacleSpec`");
  const auto& type = *v1::ObstacleSpec::descriptor();
  EXPECT_EQ(rows.size() + 1, static_cast<std::size_t>(type.field_count())) << "x and y share a row";
  for (int i = 0; i < type.field_count(); ++i) {
    const std::string& name = type.field(i)->name();
    EXPECT_TRUE(name == "x" || name == "y" || rows.contains(name)) << name << " has no row";
  }
  const auto range = [](const std::function<void(v1::ObstacleSpec&)>& spoil) {
    v1::ObstacleSpec spec;
    spec.set_kind(v1::OBSTACLE_KIND_CAPSULE);
    for (const float x : {0.0f, 1.0f}) {
      spec.add_x(x);
      spec.add_y(x);
    }
    spec.set_radius(1);
    EXPECT_TRUE(Validate(*FromProto(spec)).ok());
    spoil(spec);
    const auto read = FromProto(spec);
    return GetViolation(read.ok() ? Validate(*read) : read.status()).value_or(Violation{}).range;
  };
  EXPECT_EQ(rows.at("z").range, range([](auto& s) { s.set_z(2e6f); }));
  EXPECT_EQ(rows.at("height").range, range([](auto& s) {
              s.set_z(0);
              s.set_height(-1);
            }));
  EXPECT_EQ(rows.at("radius").range, range([](auto& s) { s.set_radius(0); }));
  EXPECT_EQ(rows.at("velocity").range, range([](auto& s) { s.mutable_velocity()->set_x(2e6f); }));
  EXPECT_TRUE(rows.at("x`, `y").range.starts_with(range([](auto& s) { s.set_x(0, 2e6f); })));
  EXPECT_EQ(rows.at("layer").default_value, std::to_string(ObstacleSpec{}.layer));
}

TEST(ParametersTable, OfWorldsAgreesWithSchemaAndLimits) {
  const std::map<std::string, Row> rows = TableOf("`WorldSettings`");
  const auto& type = *v1::WorldSettings::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const std::string& name = type.field(i)->name();
    if (name == "agent_defaults" || name == "motion") continue;  // tables of their own
    const auto row = rows.lower_bound(name);
    EXPECT_TRUE(row != rows.end() && row->first.starts_with(name)) << name << " has no row";
  }
  const auto range = [](const std::function<void(v1::WorldSettings&)>& spoil) {
    v1::WorldSettings settings;
    spoil(settings);
    const std::vector<Violation> violations = GetViolations(SettingsFromProto(settings).status());
    return violations.empty() ? "" : violations[0].range;
  };
  EXPECT_EQ(rows.at("time_step").range, range([](auto& s) { s.set_time_step(9); }));
  EXPECT_EQ(rows.at("time_scale").range, range([](auto& s) { s.set_time_scale(1e9); }));
  EXPECT_EQ(rows.at("idle_time_to_live").range, range([](auto& s) { s.set_idle_time_to_live(-1); }));
  EXPECT_EQ(rows.at("stale_input.decay_time").range,
            range([](auto& s) { s.mutable_stale_input()->set_decay_time(0); }));
  EXPECT_EQ(rows.at("stale_input.timeout_ticks").range,
            range([](auto& s) { s.mutable_stale_input()->set_timeout_ticks(0); }));
  const v1::WorldSettings defaults = ToProto(*SettingsFromProto({}));
  EXPECT_EQ(rows.at("time_step").default_value, absl::StrFormat("%.8g", defaults.time_step()));
  EXPECT_EQ(rows.at("time_scale").default_value, absl::StrCat(defaults.time_scale()));
  EXPECT_EQ(rows.at("stale_input.decay_time").default_value, absl::StrCat(defaults.stale_input().decay_time()));
  EXPECT_EQ(rows.at("stale_input.timeout_ticks").default_value, absl::StrCat(defaults.stale_input().timeout_ticks()));
}

}  // namespace
}  // namespace throng::server
