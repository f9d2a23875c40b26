// Agents that lock where nothing is in their way but each other's symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/reports/support.h"
#include "tests/support/random.h"
#include "throng/world.h"

namespace throng::reports {
namespace {

// Who walks, and to where, as a caller that heads for it in every tick.
struct Walk {
  Vec2 from, to;
};

struct Outcome {
  float farthest = 0.0f;  // [m] from its goal, of all when it ends
  float nearest = 1e9f;   // [m] of any two centres at any time
};

// For so long, or until all are there.
Outcome WalkAll(const std::vector<Walk>& walks, float speed, float seconds, const WorldSettings& settings,
                const AgentParamsPatch& params = {}, bool walking = false) {
  const auto world = Make(settings);
  for (std::size_t i = 0; i < walks.size(); ++i) {
    const auto id = static_cast<AgentId>(i + 1);
    Add(*world, walks[i].from, id, params);
    if (!walking) continue;
    const float way = Distance(walks[i].from, walks[i].to);
    AgentUpdate update;
    update.velocity =
        Vec2{speed * (walks[i].to.x - walks[i].from.x) / way, speed * (walks[i].to.y - walks[i].from.y) / way};
    EXPECT_TRUE(world->UpdateAgent(id, update).ok());
  }
  Outcome outcome;
  const auto ticks = static_cast<int>(std::ceil(seconds / settings.time_step));
  for (int tick = 0; tick < ticks; ++tick) {
    outcome.farthest = 0.0f;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      const auto id = static_cast<AgentId>(i + 1);
      Head(*world, id, walks[i].to, speed);
      outcome.farthest = std::max(outcome.farthest, Distance(PositionOf(*world, id), walks[i].to));
    }
    if (outcome.farthest < 0.4f) break;
    Step(*world);
    outcome.nearest = std::min(outcome.nearest, LeastDistance(*world));
  }
  return outcome;
}

TEST(Reports, R001_TwoOnOneAxisPass) {
  for (const float horizon : {1.0f, 5.0f, 10.0f}) {
    for (const float time_step : {0.1f, 1.0f / 60}) {
      for (const float apart : {4.0f, 20.0f}) {
        for (const bool walking : {false, true}) {
          SCOPED_TRACE("horizon " + std::to_string(horizon) + ", step " + std::to_string(time_step) + ", apart " +
                       std::to_string(apart) + (walking ? ", walking" : ""));
          WorldSettings settings = ReportedSettings();
          settings.time_step = time_step;
          AgentParamsPatch params;
          params.time_horizon = horizon;
          const float x = 0.5f * apart;
          const Outcome outcome =
              WalkAll({{{-x, 0}, {x, 0}}, {{x, 0}, {-x, 0}}}, 1.5f, 30.0f, settings, params, walking);
          EXPECT_LT(outcome.farthest, 0.5f);
          EXPECT_GE(outcome.nearest, 0.999f);
        }
      }
    }
  }
}

TEST(Reports, R004_RingsPassInThemselves) {
  constexpr float kCircle = 20.0f;  // [m]
  for (const int count : {2, 3, 4, 8, 16, 30}) {
    std::vector<Walk> walks;
    for (int i = 0; i < count; ++i) {
      const Vec2 way = testing::AtTurns(static_cast<double>(i) / count);
      walks.push_back({{kCircle * way.x, kCircle * way.y}, {-kCircle * way.x, -kCircle * way.y}});
    }
    for (const float time_step : {0.1f, 1.0f / 60, 0.005f}) {
      for (const float speed : {0.2f, 1.5f}) {
        SCOPED_TRACE(std::to_string(count) + " agents, step " + std::to_string(time_step) + ", speed " +
                     std::to_string(speed));
        WorldSettings settings = ReportedSettings();
        settings.time_step = time_step;
        const Outcome outcome = WalkAll(walks, speed, 4 * 2 * kCircle / speed, settings);
        EXPECT_LT(outcome.farthest, 1.0f);
        EXPECT_GE(outcome.nearest, 0.999f);
      }
    }
  }
}

}  // namespace
}  // namespace throng::reports
