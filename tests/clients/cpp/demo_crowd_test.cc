#include "clients/cpp/cli/demo_crowd.h"

#include <gtest/gtest.h>

#include <cmath>

namespace throng::cli {
namespace {

TEST(DemoCrowd, BeginsWithoutOverlapsForAnySize) {
  for (const std::uint32_t count : {2u, 61u, 300u, 3000u}) {
    const DemoCrowd crowd(count);
    const auto& agents = crowd.agents();
    ASSERT_EQ(agents.size(), count);
    const float least = 2.0f * *crowd.Settings().agent_defaults.radius;
    for (std::size_t i = 0; i < agents.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto& a = agents[i].position;
        const auto& b = agents[j].position;
        ASSERT_GE(std::hypot(a.x - b.x, a.y - b.y), least) << count << " agents: " << i << " and " << j;
      }
    }
  }
}

TEST(DemoCrowd, HalfWalksEachWay) {
  const DemoCrowd crowd(301);
  int east = 0;
  for (const auto& agent : crowd.agents()) east += agent.preferred_velocity->x > 0;
  EXPECT_EQ(east, 151);
}

}  // namespace
}  // namespace throng::cli
