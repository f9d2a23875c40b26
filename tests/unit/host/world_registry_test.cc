#include "server/host/world_registry.h"

#include <gtest/gtest.h>

#include "server/base/reason.h"
#include "server/host/limit_error.h"
#include "tests/support/serving.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

using std::chrono::seconds;

TEST(WorldRegistryTest, MakesFindsAndDeletes) {
  ManualServing serving;
  const absl::StatusOr<WorldInfo> made = serving.worlds.Create("plaza", {});
  ASSERT_TRUE(made.ok());
  EXPECT_NE(made->uid, 0u);
  EXPECT_EQ(made->settings.world.max_agents, serving.worlds.limits().max_agents_per_world);
  EXPECT_EQ(serving.worlds.Get("plaza")->uid, made->uid);
  EXPECT_TRUE(absl::IsAlreadyExists(serving.worlds.Create("plaza", {}).status()));
  EXPECT_EQ(GetReason(serving.worlds.Get("street").status()), "WORLD_NOT_FOUND");
  EXPECT_EQ(serving.metrics.worlds.value(), 1);

  absl::StatusOr<std::uint64_t> deleted;
  serving.worlds.Delete("plaza", made->uid + 1, [&](auto result) { deleted = result; });
  EXPECT_TRUE(absl::IsFailedPrecondition(deleted.status()));
  serving.worlds.Delete("plaza", made->uid, [&](auto result) { deleted = result; });
  serving.Pump();
  EXPECT_TRUE(deleted.ok());
  EXPECT_EQ(serving.worlds.world_count(), 0u);
  EXPECT_NE(serving.worlds.Create("plaza", {})->uid, made->uid);
}

TEST(WorldRegistryTest, WorldsRunAtTheLevelThatTheServerForces) {
  ManualServing serving;
  EXPECT_EQ(serving.worlds.Create("any", {})->settings.world.simd_level, std::nullopt);
  HostEnvironment environment = serving.environment();
  environment.simd_level = SimdLevel::kScalar;
  WorldRegistry forced({}, environment);
  EXPECT_EQ(forced.Create("plaza", {})->settings.world.simd_level, SimdLevel::kScalar);
}

TEST(WorldRegistryTest, RefusesByFieldAndLimit) {
  Limits limits;
  limits.max_worlds = 1;
  limits.max_agents_per_world = 100;
  ManualServing serving(limits);
  EXPECT_EQ(GetViolation(serving.worlds.Create("No", {}).status())->field, "name");
  HostSettings settings;
  settings.world.time_step = 7.0f;
  EXPECT_EQ(GetViolation(serving.worlds.Create("a", settings).status())->field, "settings.time_step");
  settings = {};
  settings.max_agents = 101;
  EXPECT_EQ(GetExceededLimit(serving.worlds.Create("a", settings).status())->flag, "--max-agents-per-world");
  ASSERT_TRUE(serving.worlds.Create("a", {}).ok());
  const auto exceeded = GetExceededLimit(serving.worlds.Create("b", {}).status());
  ASSERT_TRUE(exceeded.has_value());
  EXPECT_EQ(exceeded->limit, "max_worlds");
  EXPECT_EQ(exceeded->value, "1");
  EXPECT_EQ(exceeded->flag, "--max-worlds");
}

TEST(WorldRegistryTest, ARepeatedCreationGetsTheFirstAnswer) {
  ManualServing serving;
  const auto first = serving.worlds.Create("plaza", {}, "r");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(serving.worlds.Create("plaza", {}, "r")->uid, first->uid);
  EXPECT_EQ(GetReason(serving.worlds.Create("street", {}, "r").status()), "REQUEST_ID_REUSED");
  serving.worlds.Delete("plaza", 0, [](auto) {});
  serving.Pump();
  EXPECT_EQ(serving.worlds.Create("plaza", {}, "r")->uid, first->uid);
  EXPECT_EQ(serving.worlds.world_count(), 0u);
}

TEST(WorldRegistryTest, ListsByPagesAndPrefix) {
  ManualServing serving;
  for (const char* name : {"b1", "a", "b3", "c", "b2"}) ASSERT_TRUE(serving.worlds.Create(name, Paused()).ok());
  const auto first = serving.worlds.List("b", 2, "");
  ASSERT_EQ(first->worlds.size(), 2u);
  EXPECT_EQ(first->worlds[1].name, "b2");
  const auto second = serving.worlds.List("b", 2, first->next_page_token);
  ASSERT_EQ(second->worlds.size(), 1u);
  EXPECT_EQ(second->worlds[0].name, "b3");
  EXPECT_EQ(second->next_page_token, "");
  EXPECT_EQ(serving.worlds.List("", 0, "")->worlds.size(), 5u);
  EXPECT_EQ(GetViolation(serving.worlds.List("", 1001, "").status())->field, "page_size");
  EXPECT_EQ(GetViolation(serving.worlds.List("", 1, "x").status())->field, "page_token");
}

TEST(WorldRegistryTest, IdleWorldsAreDeleted) {
  ManualServing serving;
  HostSettings settings;
  settings.idle_time_to_live = 60.0;
  const auto world = serving.Create("plaza", settings);
  serving.Create("lasting");
  serving.clock.Advance(seconds(50));
  EXPECT_TRUE(serving.worlds.Get("plaza").ok());  // a use
  serving.clock.Advance(seconds(50));
  serving.worlds.Sweep(serving.clock.Now());
  EXPECT_EQ(serving.worlds.world_count(), 2u);
  world->CountStream(1);
  serving.clock.Advance(seconds(500));
  serving.worlds.Sweep(serving.clock.Now());
  EXPECT_EQ(serving.worlds.world_count(), 2u);
  world->CountStream(-1);
  serving.clock.Advance(seconds(61));
  serving.worlds.Sweep(serving.clock.Now());
  serving.Pump();
  EXPECT_EQ(serving.worlds.world_count(), 1u);
  EXPECT_TRUE(world->deleted());
}

TEST(WorldRegistryTest, ADrainingServerMakesNoWorlds) {
  ManualServing serving;
  serving.worlds.Drain();
  EXPECT_TRUE(absl::IsUnavailable(serving.worlds.Create("plaza", {}).status()));
}

}  // namespace
}  // namespace throng::server
