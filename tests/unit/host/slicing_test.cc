// Worlds in slices, on a clock that moves while they work: results do not depend on it, and worlds share the time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/serving.h"

namespace throng::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

CommandBatch Crowd(std::uint32_t agents, bool all_or_nothing) {
  CommandBatch batch;
  batch.all_or_nothing = all_or_nothing;
  for (std::uint32_t i = 0; i < agents; ++i) {
    AgentSpec spec;
    spec.id = i + 1;
    spec.position = Vec2{1.5f * static_cast<float>(i % 100), 1.5f * static_cast<float>(i / 100)};
    spec.preferred_velocity = Vec2{i % 2 == 0 ? 1.0f : -1.0f, 0.1f};
    spec.params.neighbor_distance = 3.0f;
    batch.commands.push_back(AddAgent{spec});
  }
  return batch;
}

class Keeper final : public Subscriber {
 public:
  void OnFrame(FrameOffer offer) override { last = std::move(offer.frame); }
  void OnAgentEvents(const std::shared_ptr<const AgentEvents>&) override {}
  void OnWorldChanged(const WorldInfo&) override {}
  void OnWorldDeleted() override {}
  std::string LastBytes() const {
    std::string bytes;
    for (const SharedBuffer& part : last->parts) bytes += part->view();
    return bytes;
  }

  std::shared_ptr<const EncodedFrame> last;
};

struct Result {
  std::uint64_t hash = 0;
  std::size_t slices = 0;
  std::string frame;
};

Result StepInSlices(Duration creep, bool all_or_nothing) {
  ManualServing serving;
  const auto world = serving.Create("arena", Lockstep());
  const auto keeper = std::make_shared<Keeper>();
  world->Subscribe({keeper, FrameColumns{.position = true, .velocity = true}, nullptr, 0});
  serving.clock.SetCreep(creep);
  EXPECT_TRUE(serving.Apply(*world, Crowd(3'000, all_or_nothing)).applied);
  Result result;
  world->Step({std::make_shared<SessionMemory>(), 5}, [&](auto outcome) { result.hash = outcome.value().state_hash; });
  while (serving.scheduler.RunOne()) ++result.slices;
  // All but the head, which tells the time.
  result.frame = keeper->LastBytes().substr(100);
  return result;
}

TEST(SlicingTest, ResultsDoNotDependOnTheSlices) {
  const Result whole = StepInSlices(Duration(0), false);
  EXPECT_LE(whole.slices, 7u);
  for (const bool all_or_nothing : {false, true}) {
    const Result sliced = StepInSlices(microseconds(300), all_or_nothing);
    EXPECT_GT(sliced.slices, 20u);
    EXPECT_EQ(sliced.hash, whole.hash);
    EXPECT_EQ(sliced.frame, whole.frame);
  }
}

TEST(SlicingTest, AFrameOfManyPartsIsEncodedInPieces) {
  ManualServing serving;
  const auto world = serving.Create("arena", Lockstep());
  serving.AddAgents(*world, 140'000);
  const auto keeper = std::make_shared<Keeper>();
  world->Subscribe({keeper, FrameColumns{.position = true, .velocity = true}, nullptr, 0});
  serving.clock.SetCreep(microseconds(400));
  std::size_t slices = 0;
  while (serving.scheduler.RunOne()) ++slices;
  EXPECT_EQ(keeper->last->parts.size(), 3u);
  EXPECT_GE(slices, 2u);
}

TEST(SlicingTest, AHeavyWorldDoesNotMakeALightOneLate) {
  ManualServing serving;
  HostSettings heavy_settings = SingleThreaded();
  heavy_settings.world.time_step = 0.002f;  // far less than its ticks take
  const auto heavy = serving.Create("heavy", heavy_settings);
  HostSettings light_settings;
  light_settings.world.time_step = 1.0f / 60.0f;
  const auto light = serving.Create("light", light_settings);
  serving.Apply(*heavy, Crowd(10'000, false));
  serving.clock.SetCreep(microseconds(150));
  const std::uint64_t heavy_before = heavy->Info().tick, light_before = light->Info().tick;
  const Time end = serving.clock.Now() + seconds(2);
  while (serving.clock.Now() < end) {
    if (!serving.scheduler.RunOne()) serving.clock.Advance(microseconds(100));
  }
  EXPECT_GT(light->Info().tick - light_before, 110u);
  EXPECT_LT(light->Info().load.lateness_max, 0.004);
  EXPECT_GT(heavy->Info().tick - heavy_before, 100u);
  EXPECT_LT(heavy->Info().tick - heavy_before, 900u);
  EXPECT_GT(heavy->Info().load.missed_deadlines, 0u);
}

}  // namespace
}  // namespace throng::server
