#include "tests/support/conformance_data.h"

#include <absl/strings/str_cat.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tests/support/lines_of.h"

namespace throng::testing {
namespace {

using Json = nlohmann::json;

Vec2 ToVec2(const Json& json) { return {json.at(0).get<float>(), json.at(1).get<float>()}; }

std::vector<Vec2> ToVec2s(const Json& json) {
  std::vector<Vec2> result;
  result.reserve(json.size());
  for (const Json& item : json) result.push_back(ToVec2(item));
  return result;
}

bool IsClockwise(const std::vector<Vec2>& vertices) {
  double twice_area = 0.0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec2 a = vertices[i];
    const Vec2 b = vertices[(i + 1) % vertices.size()];
    twice_area += double{a.x} * double{b.y} - double{a.y} * double{b.x};
  }
  return twice_area < 0.0;
}

ConformanceObstacle ToObstacle(const Json& json) {
  ConformanceObstacle obstacle{ObstacleKind::kWall, ToVec2s(json)};
  if (obstacle.vertices.size() > 2) {
    obstacle.kind = IsClockwise(obstacle.vertices) ? ObstacleKind::kEnclosure : ObstacleKind::kSolid;
  }
  return obstacle;
}

ConformanceAgent ToAgent(const Json& json, bool has_goal) {
  ConformanceAgent agent;
  agent.position = ToVec2(json.at("position"));
  agent.velocity = ToVec2(json.at("velocity"));
  if (has_goal) {
    agent.goal = ToVec2(json.at("goal"));
    agent.goal_speed = json.at("goal_speed").get<float>();
  } else {
    agent.preferred_velocity = ToVec2(json.at("pref_velocity"));
  }
  agent.params.radius = json.at("radius").get<float>();
  agent.params.max_speed = json.at("max_speed").get<float>();
  agent.params.neighbor_distance = json.at("neighbor_dist").get<float>();
  agent.params.max_neighbors = json.at("max_neighbors").get<std::uint32_t>();
  agent.params.time_horizon = json.at("time_horizon").get<float>();
  agent.params.time_horizon_obstacles = json.at("time_horizon_obst").get<float>();
  return agent;
}

ExpectedAgent ToExpected(const Json& json) {
  ExpectedAgent expected;
  expected.position = ToVec2(json.at("position"));
  expected.velocity = ToVec2(json.at("velocity"));
  expected.neighbors = json.at("neighbors").get<std::uint32_t>();
  for (const char* flag : {"ill_conditioned", "edge_cut", "over_speed"}) {
    expected.skip = expected.skip || json.value(flag, false);
  }
  return expected;
}

ConformanceRecord ToRecord(const Json& json) {
  ConformanceRecord record;
  const bool is_trajectory = json.contains("states");
  record.name =
      is_trajectory ? json.at("name").get<std::string>() : absl::StrCat("scene ", json.at("id").get<std::int64_t>());
  record.time_step = json.at("time_step").get<float>();
  for (const Json& obstacle : json.at("obstacles")) record.obstacles.push_back(ToObstacle(obstacle));
  for (const Json& agent : json.at("agents")) record.agents.push_back(ToAgent(agent, is_trajectory));
  if (is_trajectory) {
    record.compare_until = json.at("compare_until").get<std::uint32_t>();
    for (const Json& state : json.at("states")) {
      record.states.push_back(
          {state.at("step").get<std::uint32_t>(), ToVec2s(state.at("position")), ToVec2s(state.at("velocity"))});
    }
  } else {
    for (const Json& expected : json.at("expected")) record.expected.push_back(ToExpected(expected));
  }
  return record;
}

// What a record says of itself that does not fit together.
std::optional<std::string> FindFault(const ConformanceRecord& record) {
  if (record.agents.empty()) return "no agents";
  if (record.states.empty() && record.expected.size() != record.agents.size()) {
    return "`expected` and `agents` differ in length";
  }
  std::uint32_t last_step = 0;
  for (const ExpectedState& state : record.states) {
    if (state.positions.size() != record.agents.size() || state.velocities.size() != record.agents.size()) {
      return "`states` and `agents` differ in length";
    }
    if (state.step <= last_step) return "steps of `states` do not ascend from 1";
    last_step = state.step;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<ConformanceRecord>> ReadConformanceFile(const std::string& path) {
  absl::StatusOr<std::vector<std::string>> lines = LinesOf(path);
  if (!lines.ok()) return lines.status();
  std::vector<ConformanceRecord> records;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    if ((*lines)[i].empty()) continue;
    const auto error = [&](const std::string& reason) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", i + 1, ": ", reason));
    };
    try {
      records.push_back(ToRecord(Json::parse((*lines)[i])));
    } catch (const Json::exception& exception) {
      return error(exception.what());
    }
    if (const auto fault = FindFault(records.back())) return error(*fault);
  }
  if (records.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": no records"));
  return records;
}

}  // namespace throng::testing
