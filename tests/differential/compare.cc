#include "tests/differential/compare.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "throng/simd.h"

namespace throng::testing {
namespace {

std::optional<std::string> Differ(const std::string& what, float engine, float twin) {
  const auto engine_bits = std::bit_cast<std::uint32_t>(engine);
  const auto twin_bits = std::bit_cast<std::uint32_t>(twin);
  if (engine_bits == twin_bits) return std::nullopt;
  return absl::StrFormat("%s: engine %.9g (%08x), twin %.9g (%08x)", what, engine, engine_bits, twin, twin_bits);
}

std::optional<std::string> Differ(const std::string& what, std::uint64_t engine, std::uint64_t twin) {
  if (engine == twin) return std::nullopt;
  return absl::StrFormat("%s: engine %d (%x), twin %d (%x)", what, engine, engine, twin, twin);
}

std::optional<std::string> Differ(const std::string& what, Vec2 engine, Vec2 twin) {
  if (auto difference = Differ(what + ".x", engine.x, twin.x)) return difference;
  return Differ(what + ".y", engine.y, twin.y);
}

std::optional<std::string> Differ(const std::string& what, const AgentParams& engine, const AgentParams& twin) {
  if (engine == twin) return std::nullopt;
  return what + ": differs";
}

std::optional<std::string> DifferentMembership(const World& world, const twin::Twin& twin) {
  std::vector<AgentId> ids;
  for (const twin::Agent& agent : twin.agents()) ids.push_back(agent.id);
  std::sort(ids.begin(), ids.end());
  const auto membership = world.membership();
  if (membership->ids == ids) return std::nullopt;
  return absl::StrCat("membership: engine ", membership->ids.size(), " ids, twin ", ids.size(), " ids");
}

std::optional<std::string> DifferentWay(const std::string& name, const Steering& engine, const twin::Agent& twin) {
  const bool engine_has_way = std::holds_alternative<Goal>(engine) || std::holds_alternative<Path>(engine);
  if (engine_has_way != twin.way.has_value())
    return name + (twin.way ? "has a way in the twin only" : "has none there");
  if (const Goal* const goal = std::get_if<Goal>(&engine)) {
    if (!twin.way->is_goal) return name + "has a path in the twin";
    return Differ(name + "goal", goal->position, twin.way->points.back());
  }
  const Path* const path = std::get_if<Path>(&engine);
  if (path == nullptr) return std::nullopt;
  if (twin.way->is_goal || path->points != twin.way->points) return name + "path: differs";
  if (auto difference = Differ(name + "next waypoint", path->next, twin.way->next)) return difference;
  return Differ(name + "pass radius", *path->pass_radius, twin.way->pass_radius);
}

// The twin's angle comes of libm, so a last bit may differ.
std::optional<std::string> DifferentHeading(const std::string& name, const AgentState& engine,
                                            const twin::Agent& twin) {
  const bool moves = double{twin.velocity.x} * twin.velocity.x + double{twin.velocity.y} * twin.velocity.y > 1e-30;
  const Vec2 direction = moves ? twin.velocity : twin.heading;
  const double turn = engine.heading - std::atan2(double{direction.y}, double{direction.x});
  if (std::abs(std::remainder(turn, 2.0 * 3.14159265358979)) < 1e-6) return std::nullopt;
  return absl::StrFormat("%sheading: engine %.9g, twin along (%.9g, %.9g)", name, engine.heading, direction.x,
                         direction.y);
}

std::optional<std::string> DifferentAgent(const AgentState& engine, const twin::Agent& twin) {
  const std::string name = absl::StrCat("agent ", twin.id, " ");
  if (auto difference = Differ(name + "velocity", engine.velocity, twin.velocity)) return difference;
  if (auto difference = Differ(name + "position", engine.position, twin.position)) return difference;
  if (auto difference = Differ(name + "params", engine.params, twin.params)) return difference;
  if (auto difference = DifferentHeading(name, engine, twin)) return difference;
  if (engine.preferred_velocity.has_value() != twin.has_input) {
    return name + (twin.has_input ? "has input in the twin only" : "has input in the engine only");
  }
  if (engine.kinematic != twin.kinematic) return name + (twin.kinematic ? "should be kinematic" : "is kinematic");
  if (!twin.has_input) return std::nullopt;
  const MoveTo* const move_to = std::get_if<MoveTo>(&engine.steering);
  if ((move_to != nullptr) != twin.move_to.has_value() || (move_to != nullptr && *move_to != *twin.move_to)) {
    return name + "move_to: differs";
  }
  if (auto difference = DifferentWay(name, engine.steering, twin)) return difference;
  return Differ(name + "preferred velocity", *engine.preferred_velocity, twin.preferred_velocity);
}

std::optional<std::string> DifferentColumns(const World& world, const twin::Twin& twin) {
  const auto membership = world.membership();
  std::vector<float> x(membership->ids.size());
  std::vector<float> y(x.size());
  world.Read(Column::kPositionX, 0, x);
  world.Read(Column::kVelocityY, 0, y);
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const twin::Agent& agent = twin.agent(membership->ids[rank]);
    const std::string name = absl::StrCat("column of agent ", agent.id, " ");
    if (auto difference = Differ(name + "position.x", x[rank], agent.position.x)) return difference;
    if (auto difference = Differ(name + "velocity.y", y[rank], agent.velocity.y)) return difference;
  }
  return std::nullopt;
}

std::optional<std::string> DifferentStatus(const World& world, const twin::Twin& twin) {
  const auto membership = world.membership();
  std::vector<std::uint8_t> status(membership->ids.size());
  world.ReadStatus(0, status);
  std::vector<AgentEvent> happened;
  for (std::size_t rank = 0; rank < status.size(); ++rank) {
    const AgentId id = membership->ids[rank];
    const auto wanted = static_cast<std::uint64_t>(twin.status(id));
    if (auto difference = Differ(absl::StrCat("agent ", id, " status"), status[rank], wanted)) return difference;
    const twin::Agent& agent = twin.agent(id);
    const StatusReason reason = world.GetAgent(id)->reason;
    if (reason != twin.reason(id)) return absl::StrCat("agent ", id, " reason: ", static_cast<int>(reason));
    if (agent.just_arrived) {
      const bool crowded = agent.way->settled > 0.0f;
      happened.push_back({id, AgentEventKind::kArrived, crowded ? StatusReason::kGoalCrowded : StatusReason::kAtGoal});
    }
    if (twin.counters().stall_changes > 0 && agent.standing.changed()) {
      const bool stalled = agent.standing.stalled();
      happened.push_back({id, stalled ? AgentEventKind::kStalled : AgentEventKind::kFreed});
      if (stalled) happened.back().reason = twin::Twin::stall_reason(agent);
    }
    if (twin.counters().recovered > 0 && agent.recovered != StatusReason::kNone) {
      happened.push_back({id, AgentEventKind::kRecovered, agent.recovered});
    }
  }
  std::vector<AgentEvent> events;
  world.ReadEvents(events);
  if (auto difference = Differ("events", events.size(), happened.size())) return difference;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] != happened[i])
      return absl::StrCat("event ", i, ": of agent ", events[i].id, ", in the twin of ", happened[i].id);
  }
  return std::nullopt;
}

std::optional<std::string> DifferentCounters(const StepStats& engine, const twin::Counters& twin) {
  if (auto difference = Differ("neighbors", engine.neighbors, twin.neighbors)) return difference;
  if (auto difference = Differ("truncated", engine.truncated, twin.truncated)) return difference;
  if (auto difference = Differ("overlapping", engine.overlapping, twin.overlapping)) return difference;
  if (auto difference = Differ("arrived", engine.arrived, twin.arrived)) return difference;
  if (auto difference = Differ("stalled", engine.stalled, twin.stalled)) return difference;
  if (auto difference = Differ("stall changes", engine.stall_changes, twin.stall_changes)) return difference;
  if (auto difference = Differ("obstacle edges", engine.obstacle_edges, twin.obstacle_edges)) return difference;
  if (auto difference = Differ("cut", engine.cut, twin.cut)) return difference;
  if (auto difference = Differ("recovered", engine.recovered, twin.recovered)) return difference;
  if (auto difference = Differ("stranded", engine.stranded, twin.stranded)) return difference;
  return Differ("infeasible", engine.infeasible, twin.infeasible);
}

std::optional<std::string> DifferentCapsules(const World& world, const twin::Twin& twin) {
  for (const auto& [id, capsule] : twin.capsules()) {
    const auto state = world.GetObstacle(id);
    const std::string name = absl::StrCat("capsule ", id, " ");
    if (!state.ok() || state->kind != ObstacleKind::kCapsule) return name + "is none in the engine";
    if (auto difference = Differ(name + "start", state->vertices[0], capsule.a())) return difference;
    if (auto difference = Differ(name + "end", state->vertices[1], capsule.b())) return difference;
    if (auto difference = Differ(name + "velocity", *state->velocity, capsule.velocity)) return difference;
  }
  return Differ("obstacles", world.obstacle_count(),
                twin.capsules().size() + twin.outlines().size() - twin.outlines().count(kInvalidId));
}

}  // namespace

std::unique_ptr<World> MakeWorld(const Scene& scene) {
  auto world = World::Create(scene.settings);
  EXPECT_TRUE(world.ok()) << world.status();
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    const auto id = (*world)->AddObstacle(obstacle);
    EXPECT_TRUE(id.ok()) << id.status();
  }
  for (const AgentSpec& agent : scene.agents) {
    const auto id = (*world)->AddAgent(agent);
    EXPECT_TRUE(id.ok()) << id.status();
  }
  return *std::move(world);
}

std::vector<std::unique_ptr<World>> MakeWorldsOfEachLevel(Scene scene) {
  std::vector<std::unique_ptr<World>> worlds;
  for (const SimdLevel level : AvailableSimdLevels()) {
    scene.settings.simd_level = level;
    worlds.push_back(MakeWorld(scene));
  }
  return worlds;
}

twin::Twin MakeTwin(const Scene& scene) {
  twin::Twin twin(scene.settings);
  for (const ObstacleSpec& obstacle : scene.obstacles) twin.SetObstacle(*obstacle.id, obstacle);
  for (const AgentSpec& agent : scene.agents) twin.AddAgent(agent);
  return twin;
}

std::string ToString(const StepMode& mode) {
  return absl::StrCat(mode.threads, " threads, ", mode.slice == 0 ? "whole" : absl::StrCat("slices of ", mode.slice));
}

std::string LevelOf(const World& world) {
  return std::string(Name(world.settings().simd_level.value_or(BestSimdLevel())));
}

void StepIn(World& world, const StepMode& mode) {
  // Else a machine of two processors would give every arena two threads at most.
  static const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(mode.threads);
  arena.execute([&] {
    if (mode.slice == 0) {
      const absl::Status status = world.Step();
      ASSERT_TRUE(status.ok()) << status;
      return;
    }
    const absl::Status status = world.BeginStep();
    ASSERT_TRUE(status.ok()) << status;
    while (world.Advance(mode.slice) != Phase::kIdle) {
    }
  });
}

std::optional<std::string> FirstDifference(const World& world, const twin::Twin& twin) {
  if (auto difference = Differ("tick", world.tick(), twin.tick())) return difference;
  if (auto difference = DifferentMembership(world, twin)) return difference;
  for (const AgentId id : world.membership()->ids) {
    const auto state = world.GetAgent(id);
    if (!state.ok()) return absl::StrCat("agent ", id, ": ", state.status().ToString());
    if (auto difference = DifferentAgent(*state, twin.agent(id))) return difference;
  }
  if (auto difference = DifferentColumns(world, twin)) return difference;
  if (auto difference = DifferentCapsules(world, twin)) return difference;
  if (auto difference = DifferentStatus(world, twin)) return difference;
  if (auto difference = DifferentCounters(world.stats(), twin.counters())) return difference;
  return Differ("state hash", world.StateHash(), twin.StateHash());
}

}  // namespace throng::testing
