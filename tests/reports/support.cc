#include "tests/reports/support.h"

#include <absl/status/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "throng/limits.h"

namespace throng::reports {
namespace {

void Require(const absl::Status& status) {
  if (!status.ok()) ADD_FAILURE() << status;
}

AgentState StateOf(const World& world, AgentId id) {
  const auto state = world.GetAgent(id);
  Require(state.status());
  return state.value_or(AgentState{});
}

}  // namespace

WorldSettings ReportedSettings() {
  WorldSettings settings;
  settings.time_step = 0.1f;
  return settings;
}

std::unique_ptr<World> Make(const WorldSettings& settings) { return World::Create(settings).value(); }

AgentId Add(World& world, Vec2 position, std::optional<AgentId> id, const AgentParamsPatch& params) {
  AgentSpec spec;
  spec.id = id;
  spec.position = position;
  spec.params = params;
  return world.AddAgent(spec).value();
}

Vec2 PositionOf(const World& world, AgentId id) { return StateOf(world, id).position; }
Vec2 VelocityOf(const World& world, AgentId id) { return StateOf(world, id).velocity; }

float Distance(Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }

float LeastDistance(const World& world) {
  std::vector<float> x(world.agent_count()), y(world.agent_count());
  world.Read(Column::kPositionX, 0, x);
  world.Read(Column::kPositionY, 0, y);
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, Distance({x[i], y[i]}, {x[j], y[j]}));
  }
  return least;
}

void Head(World& world, AgentId id, Vec2 goal, float speed) {
  const Vec2 from = PositionOf(world, id);
  const float distance = Distance(from, goal);
  if (distance == 0.0f) return Want(world, id, {});
  const float part = std::min(speed, distance / world.settings().time_step) / distance;
  Want(world, id, {part * (goal.x - from.x), part * (goal.y - from.y)});
}

void Want(World& world, AgentId id, Vec2 velocity) {
  AgentUpdate update;
  update.preferred_velocity = velocity;
  Require(world.UpdateAgent(id, update));
}

void Step(World& world) { Require(world.Step()); }

void ExpectSound(const World& world) {
  for (const AgentId id : world.membership()->ids) {
    const AgentState state = StateOf(world, id);
    for (const float value : {state.position.x, state.position.y}) {
      ASSERT_LE(std::abs(value), kMaxCoordinate) << "agent " << id << " at tick " << world.tick();
    }
    ASSERT_LE(std::hypot(state.velocity.x, state.velocity.y), state.params.max_speed * 1.00001f)
        << "agent " << id << " at tick " << world.tick();
  }
}

}  // namespace throng::reports
