// A goal that many share: those who arrive first stand there, the others rest around them and stay still.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;

constexpr Vec2 kGoal{3.0f, -2.0f};

struct Crowd {
  std::unique_ptr<World> world;
  std::vector<AgentId> ids;
};

Crowd Gather(int number, bool jam_relief) {
  WorldSettings settings;
  settings.motion.jam_relief = jam_relief;
  Crowd crowd{*World::Create(settings), {}};
  Random random(5);
  for (int i = 0; i < number; ++i) {
    AgentSpec spec;
    spec.position = random.InBox({-20, -20}, {20, 20});
    spec.goal = kGoal;
    crowd.ids.push_back(*crowd.world->AddAgent(spec));
  }
  for (int tick = 0; tick < 900; ++tick) EXPECT_TRUE(crowd.world->Step().ok());
  return crowd;
}

int Resting(const Crowd& crowd) {
  int resting = 0;
  for (const AgentId id : crowd.ids) {
    const AgentState agent = *crowd.world->GetAgent(id);
    resting += agent.status == AgentStatus::kArrived && agent.velocity == Vec2{} ? 1 : 0;
  }
  return resting;
}

TEST(CrowdedGoal, AllRestAroundIt) {
  const Crowd crowd = Gather(40, true);
  EXPECT_EQ(Resting(crowd), 40);
  std::vector<Vec2> places;
  for (const AgentId id : crowd.ids) places.push_back(crowd.world->GetAgent(id)->position);
  for (int tick = 0; tick < 200; ++tick) ASSERT_TRUE(crowd.world->Step().ok());
  EXPECT_EQ(Resting(crowd), 40);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(crowd.world->GetAgent(crowd.ids[i])->position, places[i]) << crowd.ids[i];
  }
}

TEST(CrowdedGoal, SaysWhoStandsAtItAndWhoAroundIt) {
  const Crowd crowd = Gather(40, true);
  int around = 0;
  for (const AgentId id : crowd.ids) {
    const AgentState agent = *crowd.world->GetAgent(id);
    const double distance = std::hypot(agent.position.x - kGoal.x, agent.position.y - kGoal.y);
    if (agent.reason == StatusReason::kAtGoal) {
      EXPECT_LE(distance, 2.0 * agent.params.arrival_radius + agent.params.radius + 1e-5);
    } else {
      ++around;
      EXPECT_EQ(agent.reason, StatusReason::kGoalCrowded);
      EXPECT_GT(distance, agent.params.arrival_radius);
    }
  }
  EXPECT_GE(around, 36);
}

TEST(CrowdedGoal, WithoutReliefTheyPushOn) { EXPECT_LT(Resting(Gather(40, false)), 20); }

TEST(CrowdedGoal, AnotherGoalIsGoneFor) {
  Crowd crowd = Gather(12, true);
  ASSERT_EQ(Resting(crowd), 12);
  const AgentId id = crowd.ids.back();
  std::vector<InputRejection> rejected;
  ASSERT_EQ(*crowd.world->SetGoals({{id}}, {{40.0f}}, {{0.0f}}, rejected), 1u);
  ASSERT_TRUE(crowd.world->Step().ok());
  EXPECT_EQ(crowd.world->GetAgent(id)->status, AgentStatus::kMoving);
  EXPECT_EQ(crowd.world->GetAgent(id)->reason, StatusReason::kNone);
}

// Those who rest at a goal are no crowd for who is bound for another one behind them.
TEST(CrowdedGoal, IsOfThoseWhoShareIt) {
  Crowd crowd = Gather(12, true);
  AgentSpec spec;
  spec.position = {kGoal.x - 15, kGoal.y};
  spec.goal = Vec2{kGoal.x + 15, kGoal.y};
  const AgentId passer = *crowd.world->AddAgent(spec);
  for (int tick = 0; tick < 900; ++tick) {
    ASSERT_TRUE(crowd.world->Step().ok());
    ASSERT_NE(crowd.world->GetAgent(passer)->reason, StatusReason::kGoalCrowded) << tick;
  }
  EXPECT_EQ(crowd.world->GetAgent(passer)->reason, StatusReason::kAtGoal);
}

}  // namespace
}  // namespace throng
