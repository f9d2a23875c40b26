#include "server/host/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "server/host/random.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

std::string FieldOf(const absl::Status& status) {
  const auto violation = GetViolation(status);
  return violation ? violation->field : std::string(status.message());
}

std::string Refused(const std::function<void(HostSettings&)>& change) {
  HostSettings settings;
  change(settings);
  return FieldOf(Validate(settings));
}

TEST(SettingsTest, DefaultsAreValid) {
  EXPECT_TRUE(Validate(HostSettings()).ok());
  EXPECT_TRUE(Validate(HostSettingsPatch()).ok());
}

TEST(SettingsTest, NamesTheFieldAsTheWireNestsIt) {
  EXPECT_EQ(Refused([](auto& s) { s.world.time_step = 0.0f; }), "time_step");
  EXPECT_EQ(Refused([](auto& s) { s.world.origin_x = INFINITY; }), "origin.x");
  EXPECT_EQ(Refused([](auto& s) { s.world.agent_defaults.radius = -1.0f; }), "agent_defaults.radius");
  EXPECT_EQ(Refused([](auto& s) { s.world.stale_input.timeout_ticks = 0; }), "stale_input.timeout_ticks");
  EXPECT_EQ(Refused([](auto& s) { s.max_agents = 0; }), "max_agents");
  EXPECT_EQ(Refused([](auto& s) { s.time_scale = 100.5; }), "time_scale");
  EXPECT_EQ(Refused([](auto& s) { s.time_scale = std::nan(""); }), "time_scale");
  EXPECT_EQ(Refused([](auto& s) { s.idle_time_to_live = 0.5; }), "idle_time_to_live");
  EXPECT_EQ(Refused([](auto& s) { s.idle_time_to_live = -1.0; }), "idle_time_to_live");
}

TEST(SettingsTest, APatchIsCheckedAndApplied) {
  HostSettingsPatch patch;
  patch.agent_defaults.radius = 0.0f;
  EXPECT_EQ(FieldOf(Validate(patch)), "agent_defaults.radius");
  patch.agent_defaults.radius = 2.0f;
  patch.stale_input.decay_time = 0.0f;
  EXPECT_EQ(FieldOf(Validate(patch)), "stale_input.decay_time");
  patch.stale_input.decay_time = 3.0f;
  patch.time_scale = 4.0;
  EXPECT_TRUE(Validate(patch).ok());
  HostSettings settings;
  Apply(patch, settings);
  EXPECT_EQ(settings.world.agent_defaults.radius, 2.0f);
  EXPECT_EQ(settings.world.agent_defaults.max_speed, AgentParams().max_speed);
  EXPECT_EQ(settings.world.stale_input.decay_time, 3.0f);
  EXPECT_EQ(settings.world.stale_input.timeout_ticks, StaleInput().timeout_ticks);
  EXPECT_EQ(settings.Period(), FromSeconds(static_cast<double>(1.0f / 30.0f) / 4.0));
}

TEST(SettingsTest, WorldNames) {
  for (const char* name : {"a", "0", "plaza", "a.b_c-d"}) EXPECT_TRUE(ValidateWorldName(name).ok()) << name;
  EXPECT_TRUE(ValidateWorldName(std::string(128, 'x')).ok());
  for (const char* name : {"", "A", ".a", "-a", "a b", "ä", "a/b"}) EXPECT_FALSE(ValidateWorldName(name).ok()) << name;
  EXPECT_FALSE(ValidateWorldName(std::string(129, 'x')).ok());
}

TEST(RandomTest, TokensDifferAndCompare) {
  const std::string a = RandomToken(), b = RandomToken();
  EXPECT_EQ(a.size(), 32u);
  EXPECT_NE(a, b);
  EXPECT_TRUE(EqualSecrets(a, std::string(a)));
  EXPECT_FALSE(EqualSecrets(a, b));
  EXPECT_FALSE(EqualSecrets(a, a.substr(1)));
  EXPECT_NE(RandomUid(), RandomUid());
}

}  // namespace
}  // namespace throng::server
