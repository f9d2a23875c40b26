#include "tests/conformance/replay.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>

namespace throng::testing {
namespace {

constexpr double kStepTolerance = 1e-4;
constexpr double kTrajectoryTolerance = 0.005;
constexpr std::size_t kMostExamples = 10;

AgentId IdOf(std::size_t index) { return static_cast<AgentId>(index + 1); }

double Distance(Vec2 a, Vec2 b) {
  const double dx = double{a.x} - double{b.x};
  const double dy = double{a.y} - double{b.y};
  return std::sqrt(dx * dx + dy * dy);
}

std::unique_ptr<Crowd> MakeScene(const ConformanceRecord& record, CrowdKind kind) {
  WorldSettings settings;
  settings.time_step = record.time_step;
  settings.preset = Preset::kBase;
  settings.stale_input.policy = StaleInputPolicy::kHold;
  auto crowd = MakeCrowd(kind, settings);
  for (std::size_t i = 0; i < record.obstacles.size(); ++i) {
    crowd->AddObstacle({static_cast<ObstacleId>(i + 1), record.obstacles[i].kind, record.obstacles[i].vertices});
  }
  for (std::size_t i = 0; i < record.agents.size(); ++i) {
    const ConformanceAgent& agent = record.agents[i];
    AgentSpec spec;
    spec.id = IdOf(i);
    spec.position = agent.position;
    spec.velocity = agent.velocity;
    spec.preferred_velocity = agent.preferred_velocity;
    spec.params.radius = agent.params.radius;
    spec.params.max_speed = agent.params.max_speed;
    spec.params.neighbor_distance = agent.params.neighbor_distance;
    spec.params.max_neighbors = agent.params.max_neighbors;
    spec.params.time_horizon = agent.params.time_horizon;
    spec.params.time_horizon_obstacles = agent.params.time_horizon_obstacles;
    crowd->AddAgent(spec);
  }
  return crowd;
}

// Straight to the goal, at goal_speed unless it is nearer than that.
Vec2 Preferred(const ConformanceAgent& agent, Vec2 position) {
  const float dx = agent.goal.x - position.x;
  const float dy = agent.goal.y - position.y;
  const float length = std::sqrt(dx * dx + dy * dy);
  if (length <= agent.goal_speed) return {dx, dy};
  const float scale = agent.goal_speed / length;
  return {dx * scale, dy * scale};
}

void Mismatch(ReplayReport& report, std::string what) {
  ++report.mismatched;
  if (report.examples.size() < kMostExamples) report.examples.push_back(std::move(what));
}

// Compares one record; a NaN is a mismatch. Returns the error.
double Compare(ReplayReport& report, const std::string& where, const AgentState& state, Vec2 position, Vec2 velocity,
               double unit, double tolerance) {
  ++report.checked;
  const double error = std::max(Distance(state.position, position), Distance(state.velocity, velocity)) / unit;
  if (!(error <= tolerance)) {
    Mismatch(report, absl::StrFormat("%s agent %d: position (%.9g, %.9g) expected (%.9g, %.9g), velocity (%.9g, %.9g) "
                                     "expected (%.9g, %.9g)",
                                     where, state.id - 1, state.position.x, state.position.y, position.x, position.y,
                                     state.velocity.x, state.velocity.y, velocity.x, velocity.y));
  }
  return error;
}

void CompareNeighbors(ReplayReport& report, const ConformanceRecord& record, const Crowd& crowd) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < record.agents.size(); ++i) {
    total += record.expected[i].neighbors;
    const auto count = crowd.NeighborCountOf(IdOf(i));
    if (count && *count != record.expected[i].neighbors) {
      Mismatch(report, absl::StrFormat("%s agent %d: %d neighbours, expected %d", record.name, i, *count,
                                       record.expected[i].neighbors));
    }
  }
  if (crowd.NeighborCount() != total) {
    Mismatch(report,
             absl::StrFormat("%s: %d neighbours in all, expected %d", record.name, crowd.NeighborCount(), total));
  }
}

void ReplayOneStep(ReplayReport& report, const ConformanceRecord& record, Crowd& crowd) {
  crowd.Step();
  for (std::size_t i = 0; i < record.agents.size(); ++i) {
    const ExpectedAgent& expected = record.expected[i];
    if (expected.skip) {
      ++report.skipped;
      continue;
    }
    const double unit = std::max(1.0, double{record.agents[i].params.max_speed});
    const double error =
        Compare(report, record.name, crowd.Agent(IdOf(i)), expected.position, expected.velocity, unit, kStepTolerance);
    report.largest_step_error = std::max(report.largest_step_error, error);
  }
  CompareNeighbors(report, record, crowd);
}

void ReplayTrajectory(ReplayReport& report, const ConformanceRecord& record, Crowd& crowd) {
  std::uint32_t step = 0;
  for (const ExpectedState& state : record.states) {
    if (state.step > record.compare_until) {
      report.skipped += record.agents.size();
      continue;
    }
    for (; step < state.step; ++step) {
      for (std::size_t i = 0; i < record.agents.size(); ++i) {
        crowd.SetPreferredVelocity(IdOf(i), Preferred(record.agents[i], crowd.Agent(IdOf(i)).position));
      }
      crowd.Step();
    }
    for (std::size_t i = 0; i < record.agents.size(); ++i) {
      const double error = Compare(report, absl::StrFormat("%s step %d", record.name, step), crowd.Agent(IdOf(i)),
                                   state.positions[i], state.velocities[i], /*unit=*/1.0, kTrajectoryTolerance);
      report.largest_trajectory_error = std::max(report.largest_trajectory_error, error);
    }
  }
}

}  // namespace

ReplayReport Replay(const std::vector<ConformanceRecord>& records, CrowdKind kind) {
  ReplayReport report;
  for (const ConformanceRecord& record : records) {
    ++report.scenes;
    const auto crowd = MakeScene(record, kind);
    if (record.states.empty()) {
      ReplayOneStep(report, record, *crowd);
    } else {
      ReplayTrajectory(report, record, *crowd);
    }
  }
  return report;
}

}  // namespace throng::testing
