#include "clients/cpp/cli/render_crowd.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cpp/cli/render.h"

namespace throng::cli {
namespace {

using client::Agent;
using client::AgentStatus;
using client::Obstacle;
using client::StatusReason;
using client::Vector2;
using Json = nlohmann::ordered_json;

const char* Name(AgentStatus status) {
  switch (status) {
    case AgentStatus::kMoving:
      return "moving";
    case AgentStatus::kArrived:
      return "arrived";
    case AgentStatus::kStalled:
      return "stalled";
    case AgentStatus::kNoInput:
      return "no input";
    case AgentStatus::kStaleInput:
      return "stale input";
    case AgentStatus::kRecovered:
      return "recovered";
    case AgentStatus::kUnknown:
      break;
  }
  return "unknown";
}

// Empty where the status says it all.
const char* Name(StatusReason reason) {
  switch (reason) {
    case StatusReason::kNone:
      break;
    case StatusReason::kAtGoal:
      return "at goal";
    case StatusReason::kGoalCrowded:
      return "goal crowded";
    case StatusReason::kAgents:
      return "agents";
    case StatusReason::kObstacles:
      return "obstacles";
    case StatusReason::kInSolid:
      return "in solid";
    case StatusReason::kOutOfEnclosure:
      return "out of enclosure";
    case StatusReason::kOutOfBounds:
      return "out of bounds";
    case StatusReason::kNoFreeGround:
      return "no free ground";
  }
  return "";
}

const char* Name(client::ObstacleKind kind) {
  switch (kind) {
    case client::ObstacleKind::kSolid:
      return "solid";
    case client::ObstacleKind::kEnclosure:
      return "enclosure";
    case client::ObstacleKind::kWall:
      return "wall";
    case client::ObstacleKind::kCapsule:
      break;
  }
  return "capsule";
}

std::string Text(const Vector2& v) { return absl::StrFormat("(%.6g, %.6g)", v.x, v.y); }

std::string GoesBy(const Agent& agent) {
  if (agent.goal) return absl::StrCat("goal ", Text(*agent.goal));
  if (agent.path)
    return absl::StrFormat("path, %d of %d points to go", agent.path->points.size() - agent.path->next,
                           agent.path->points.size());
  if (agent.move_to)
    return absl::StrFormat("told place %s in %d ticks", Text(agent.move_to->position), agent.move_to->ticks);
  if (agent.preferred_velocity) return absl::StrCat("velocity ", Text(*agent.preferred_velocity));
  return "nothing";
}

}  // namespace

Json ToJson(const Vector2& vector) { return Json::array({Short(vector.x), Short(vector.y)}); }

Json ToJson(const Agent& agent) {
  Json json = {{"id", agent.id}, {"position", ToJson(agent.position)}, {"velocity", ToJson(agent.velocity)}};
  if (agent.preferred_velocity) json["preferred_velocity"] = ToJson(*agent.preferred_velocity);
  if (agent.goal) json["goal"] = ToJson(*agent.goal);
  if (agent.path) {
    Json points = Json::array();
    for (const Vector2& point : agent.path->points) points.push_back(ToJson(point));
    json["path"] = {{"points", std::move(points)}, {"next", agent.path->next}};
    if (agent.path->pass_radius) json["path"]["pass_radius"] = Short(*agent.path->pass_radius);
  }
  if (agent.move_to) {
    json["move_to"] = {{"position", ToJson(agent.move_to->position)}, {"ticks", agent.move_to->ticks}};
  }
  json["kinematic"] = agent.kinematic;
  json["heading"] = Short(agent.heading);
  json["status"] = Name(agent.status);
  if (agent.status_reason != StatusReason::kNone) json["status_reason"] = Name(agent.status_reason);
  json["params"] = ToJson(agent.params);
  return json;
}

std::string ToTable(const std::vector<Agent>& agents) {
  std::string text = absl::StrFormat("%10s  %-24s%-24s%-26s%s\n", "AGENT", "POSITION", "VELOCITY", "STATUS", "GOES BY");
  for (const Agent& agent : agents) {
    std::string status = agent.kinematic ? "kinematic" : Name(agent.status);
    if (*Name(agent.status_reason) != '\0') absl::StrAppend(&status, ": ", Name(agent.status_reason));
    absl::StrAppendFormat(&text, "%10d  %-24s%-24s%-26s%s\n", agent.id, Text(agent.position), Text(agent.velocity),
                          status, GoesBy(agent));
  }
  return text;
}

Json ToJson(const Obstacle& obstacle) {
  Json vertices = Json::array();
  for (const Vector2& vertex : obstacle.vertices) vertices.push_back(ToJson(vertex));
  Json json = {{"id", obstacle.id}, {"kind", Name(obstacle.kind)}, {"vertices", std::move(vertices)}};
  json["area"] = Short(obstacle.area);
  json["layer"] = obstacle.layer;
  if (obstacle.z) json["z"] = Short(*obstacle.z);
  if (obstacle.height) json["height"] = Short(*obstacle.height);
  if (obstacle.radius) json["radius"] = Short(*obstacle.radius);
  if (obstacle.velocity) json["velocity"] = ToJson(*obstacle.velocity);
  return json;
}

std::string ToTable(const std::vector<Obstacle>& obstacles) {
  std::string text = absl::StrFormat("%10s  %-10s%9s  %-24s%-24s%6s  %-16s%s\n", "OBSTACLE", "KIND", "VERTICES", "FROM",
                                     "TO", "LAYER", "BAND", "VELOCITY");
  for (const Obstacle& obstacle : obstacles) {
    const std::string band =
        obstacle.z ? absl::StrFormat("%.6g to %.6g m", *obstacle.z, *obstacle.z + obstacle.height.value_or(0.0f))
                   : "all";
    absl::StrAppendFormat(&text, "%10d  %-10s%9d  %-24s%-24s%6d  %-16s%s\n", obstacle.id, Name(obstacle.kind),
                          obstacle.vertices.size(), Text(obstacle.bounds_min), Text(obstacle.bounds_max),
                          obstacle.layer, band, obstacle.velocity ? Text(*obstacle.velocity) : "-");
  }
  return text;
}

}  // namespace throng::cli
