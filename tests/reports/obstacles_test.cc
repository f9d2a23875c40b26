// Obstacles and bounds mean what was drawn, and hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/reports/support.h"
#include "throng/world.h"

namespace throng::reports {
namespace {

TEST(Reports, R019_APileAtTheMapsEdgeStaysInside) {
  WorldSettings settings = ReportedSettings();
  settings.bounds = Rectangle{{0, 0}, {50, 50}};
  const auto world = Make(settings);
  std::vector<AgentId> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(Add(*world, {30.0f + 2.0f * static_cast<float>(i % 10), 17.0f + 4.0f * static_cast<float>(i / 10)}));
  }
  for (int tick = 0; tick < 1'000; ++tick) {
    for (const AgentId id : ids) Head(*world, id, {49.8f, 25});
    Step(*world);
    for (const AgentId id : ids) {
      const Vec2 at = PositionOf(*world, id);
      ASSERT_TRUE(at.x >= 0.5f && at.x <= 49.5f && at.y >= 0.5f && at.y <= 49.5f)
          << "tick " << tick << ": agent " << id << " at " << at.x << " " << at.y;
    }
  }
  EXPECT_EQ(world->recoveries(), 0u);
  float nearest = 50.0f;
  for (const AgentId id : ids) nearest = std::min(nearest, Distance(PositionOf(*world, id), {49.8f, 25}));
  EXPECT_LT(nearest, 1.0f) << "they do pile up there";
}

}  // namespace
}  // namespace throng::reports
