#include "server/convert/settings_convert.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/convert/status.h"
#include "server/convert/world_info_convert.h"

namespace throng::server {
namespace {

std::vector<std::string> Fields(const absl::Status& status) {
  std::vector<std::string> fields;
  for (const Violation& violation : GetViolations(status)) fields.push_back(violation.field);
  return fields;
}

TEST(SettingsConvert, NothingSaidGivesTheDefaults) {
  const auto settings = SettingsFromProto({});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->world.time_step, WorldSettings{}.time_step);
  EXPECT_EQ(settings->world.agent_defaults, AgentParams{});
  EXPECT_EQ(settings->clock, WorldClock::kRealtime);
  EXPECT_EQ(settings->world.preset, Preset::kDefault);
  EXPECT_EQ(settings->world.stale_input.policy, StaleInputPolicy::kHold);
  EXPECT_FALSE(settings->max_agents);
  EXPECT_FALSE(settings->start_paused);
}

TEST(SettingsConvert, WhatIsSaidComesBack) {
  v1::WorldSettings said;
  said.set_time_step(0.05f);
  said.set_seed(42);
  said.set_preset(v1::PRESET_BASE);
  said.mutable_origin()->set_x(1e6);
  said.mutable_origin()->set_y(-2.5);
  said.mutable_motion()->set_containment(true);
  said.mutable_bounds()->mutable_min()->set_x(-20.0f);
  said.mutable_bounds()->mutable_max()->set_y(10.0f);
  said.mutable_agent_defaults()->set_radius(0.25f);
  said.mutable_agent_defaults()->set_max_neighbors(0);
  said.set_clock(v1::WORLD_CLOCK_FREE);
  said.mutable_stale_input()->set_policy(v1::STALE_INPUT_POLICY_STOP);
  said.mutable_stale_input()->set_timeout_ticks(9);
  said.mutable_stale_input()->set_decay_time(2.0f);
  said.set_time_scale(2.0);
  said.set_idle_time_to_live(60.0);
  said.set_start_paused(true);
  const auto settings = SettingsFromProto(said);
  ASSERT_TRUE(settings.ok()) << settings.status();
  const v1::WorldSettings shown = ToProto(*settings);
  EXPECT_EQ(shown.time_step(), 0.05f);
  EXPECT_EQ(shown.seed(), 42u);
  EXPECT_EQ(shown.preset(), v1::PRESET_BASE);
  EXPECT_EQ(shown.origin().x(), 1e6);
  EXPECT_EQ(shown.origin().y(), -2.5);
  EXPECT_EQ(shown.bounds().min().x(), -20.0f);
  EXPECT_EQ(shown.bounds().min().y(), 0.0f);
  EXPECT_EQ(shown.bounds().max().y(), 10.0f);
  EXPECT_EQ(shown.agent_defaults().radius(), 0.25f);
  EXPECT_EQ(shown.agent_defaults().max_neighbors(), 0u) << "zero is not unset";
  EXPECT_EQ(shown.agent_defaults().max_speed(), 2.0f);
  EXPECT_EQ(shown.clock(), v1::WORLD_CLOCK_FREE);
  EXPECT_EQ(shown.stale_input().policy(), v1::STALE_INPUT_POLICY_STOP);
  EXPECT_EQ(shown.stale_input().timeout_ticks(), 9u);
  EXPECT_EQ(shown.stale_input().decay_time(), 2.0f);
  EXPECT_EQ(shown.time_scale(), 2.0);
  EXPECT_EQ(shown.idle_time_to_live(), 60.0);
}

TEST(SettingsConvert, EveryUnknownEnumIsNamedAtOnce) {
  v1::WorldSettings said;
  said.set_preset(static_cast<v1::Preset>(9));
  said.set_clock(static_cast<v1::WorldClock>(-1));
  said.mutable_stale_input()->set_policy(static_cast<v1::StaleInputPolicy>(4));
  said.mutable_agent_defaults()->set_radius(-1.0f);
  said.mutable_agent_defaults()->set_drive(static_cast<v1::Drive>(257));
  const absl::Status status = SettingsFromProto(said).status();
  EXPECT_EQ(Fields(status),
            (std::vector<std::string>{"settings.preset", "settings.clock", "settings.agent_defaults.drive",
                                      "settings.stale_input.policy", "settings.agent_defaults.radius"}));
  EXPECT_EQ(GetViolations(status)[2].value, "257");
}

TEST(SettingsConvert, APatchChangesOnlyWhatItSays) {
  v1::WorldSettings said;
  said.mutable_agent_defaults()->set_max_speed(3.0f);
  said.mutable_stale_input()->set_timeout_ticks(5);
  const auto patch = SettingsPatchFromProto(said, HostSettings{});
  ASSERT_TRUE(patch.ok()) << patch.status();
  HostSettings settings;
  settings.world.agent_defaults.radius = 0.1f;
  settings.world.stale_input.policy = StaleInputPolicy::kStop;
  Apply(*patch, settings);
  EXPECT_EQ(settings.world.agent_defaults.max_speed, 3.0f);
  EXPECT_EQ(settings.world.agent_defaults.radius, 0.1f);
  EXPECT_EQ(settings.world.stale_input.timeout_ticks, 5u);
  EXPECT_EQ(settings.world.stale_input.policy, StaleInputPolicy::kStop);
}

TEST(SettingsConvert, WhatIsFixedMayBeRepeatedButNotChanged) {
  HostSettings in_force;
  in_force.world.seed = 7;
  in_force.world.origin_x = 3.0;
  in_force.max_agents = static_cast<std::uint32_t>(in_force.world.max_agents);
  EXPECT_TRUE(SettingsPatchFromProto(ToProto(in_force), in_force).ok());
  v1::WorldSettings said = ToProto(in_force);
  said.set_time_step(0.5f);
  said.set_seed(8);
  said.set_preset(v1::PRESET_BASE);
  said.mutable_origin()->set_x(std::numeric_limits<double>::quiet_NaN());
  said.set_clock(v1::WORLD_CLOCK_FREE);
  said.set_max_agents(1);
  EXPECT_EQ(Fields(SettingsPatchFromProto(said, in_force).status()),
            (std::vector<std::string>{"settings.time_step", "settings.seed", "settings.preset", "settings.origin.x",
                                      "settings.clock", "settings.max_agents"}));
}

v1::WorldSettings Bounded(float min_x, float min_y, float max_x, float max_y) {
  v1::WorldSettings said;
  said.mutable_bounds()->mutable_min()->set_x(min_x);
  said.mutable_bounds()->mutable_min()->set_y(min_y);
  said.mutable_bounds()->mutable_max()->set_x(max_x);
  said.mutable_bounds()->mutable_max()->set_y(max_y);
  return said;
}

TEST(SettingsConvert, BadBoundsAreNamed) {
  const auto fields = [](const v1::WorldSettings& said) { return Fields(SettingsFromProto(said).status()); };
  EXPECT_EQ(fields(Bounded(1, 0, 1, 5)), (std::vector<std::string>{"settings.bounds.max.x"}));
  EXPECT_EQ(fields(Bounded(0, 2e6f, 1, 3e6f)), (std::vector<std::string>{"settings.bounds.min.y"}));
  v1::WorldSettings half;
  half.mutable_bounds()->mutable_max()->set_x(1);
  EXPECT_EQ(fields(half), (std::vector<std::string>{"settings.bounds.min"}));
  half.mutable_bounds()->clear_max();
  EXPECT_EQ(fields(half), (std::vector<std::string>{"settings.bounds.min", "settings.bounds.max"}));
  v1::WorldSettings loose = Bounded(0, 0, 5, 5);
  loose.mutable_motion()->set_containment(false);
  EXPECT_EQ(fields(loose), (std::vector<std::string>{"settings.bounds"}));
}

TEST(SettingsConvert, BoundsAreFixed) {
  const HostSettings bounded = *SettingsFromProto(Bounded(0, 0, 5, 5)), open = *SettingsFromProto({});
  EXPECT_TRUE(SettingsPatchFromProto(ToProto(bounded), bounded).ok());
  EXPECT_TRUE(SettingsPatchFromProto({}, bounded).ok());
  EXPECT_EQ(Fields(SettingsPatchFromProto(Bounded(0, 0, 6, 5), bounded).status()),
            (std::vector<std::string>{"settings.bounds.max.x"}));
  EXPECT_EQ(Fields(SettingsPatchFromProto(Bounded(0, 0, 5, 5), open).status()),
            (std::vector<std::string>{"settings.bounds"}));
}

TEST(SettingsConvert, AWorldIsNoCoarserThanItsBoundsReach) {
  WorldInfo info;
  EXPECT_EQ(ToProto(info).resolution(), 0.0625);
  info.settings.world.bounds = Rectangle{{-100, -1}, {50, 60}};
  EXPECT_EQ(ToProto(info).resolution(), 0x1p-17);
  info.settings.world.bounds = Rectangle{{1, 1}, {2, 40'000}};
  EXPECT_EQ(ToProto(info).resolution(), 0x1p-8);
}

TEST(SettingsConvert, APatchIsCheckedForRanges) {
  v1::WorldSettings said;
  said.set_time_scale(1000.0);
  EXPECT_EQ(Fields(SettingsPatchFromProto(said, HostSettings{}).status()),
            (std::vector<std::string>{"settings.time_scale"}));
}

}  // namespace
}  // namespace throng::server
