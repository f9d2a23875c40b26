// What holds an agent back, as a table.
#include <cmath>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/render.h"

namespace throng::cli {
namespace {

using client::Explanation;
using client::HalfPlane;
using client::Vector2;
using Json = nlohmann::ordered_json;

const char* Name(client::SolveOutcome outcome) {
  switch (outcome) {
    case client::SolveOutcome::kFree:
      return "free";
    case client::SolveOutcome::kConstrained:
      return "constrained";
    case client::SolveOutcome::kRelaxed:
      return "relaxed";
    case client::SolveOutcome::kKinematic:
      return "kinematic";
    case client::SolveOutcome::kUnknown:
      break;
  }
  return "unknown";
}

const char* Meaning(client::SolveOutcome outcome) {
  switch (outcome) {
    case client::SolveOutcome::kFree:
      return "what it prefers is permitted";
    case client::SolveOutcome::kConstrained:
      return "the nearest permitted velocity";
    case client::SolveOutcome::kRelaxed:
      return "nothing is permitted, agents' half-planes are relaxed evenly";
    case client::SolveOutcome::kKinematic:
      return "it moves as it is told";
    case client::SolveOutcome::kUnknown:
      break;
  }
  return "of a newer server";
}

const char* Name(client::HalfPlaneSource source) {
  switch (source) {
    case client::HalfPlaneSource::kAgent:
      return "agent";
    case client::HalfPlaneSource::kObstacle:
      return "obstacle";
    case client::HalfPlaneSource::kBounds:
      return "bounds";
    case client::HalfPlaneSource::kDrive:
      return "drive";
    case client::HalfPlaneSource::kUnknown:
      break;
  }
  return "unknown";
}

std::string Text(const Vector2& v) { return absl::StrFormat("(%.4g, %.4g)", v.x, v.y); }

std::string Velocity(const char* name, const Vector2& v, const char* meaning) {
  return absl::StrFormat("%-11s%-22s%8.4g m/s  %s\n", name, Text(v), std::hypot(v.x, v.y), meaning);
}

std::string Effects(const Explanation& why) {
  std::string effects;
  const auto add = [&](bool is, const char* text) {
    if (is) absl::StrAppend(&effects, effects.empty() ? "" : ", ", text);
  };
  add(why.recovered, "put on free ground first");
  add(why.stepped_aside, "pushed aside by symmetry breaking");
  add(why.rested, "stopped by rest");
  add(why.cut, "cut short by containment");
  return effects.empty() ? "none" : effects;
}

std::string ToText(const Explanation& why) {
  std::string text =
      absl::StrFormat("agent      %d at %s after tick %d\n", why.agent.id, Text(why.agent.position), why.tick);
  text += Velocity("wanted", why.wanted_velocity, "by input, goal or path");
  text += Velocity("preferred", why.preferred_velocity, "given to the program");
  text += Velocity("solved", why.solved_velocity, Meaning(why.outcome));
  text += Velocity("limited", why.limited_velocity, "after the extensions");
  text += Velocity("velocity", why.velocity, "after the next step");
  absl::StrAppend(&text, "outcome    ", Name(why.outcome), "\n", "effects    ", Effects(why), "\n");
  absl::StrAppend(&text, "neighbours ", why.neighbors.size(), why.truncated ? ", there may be more in range" : "",
                  "\n");
  if (why.half_planes.empty()) return text;
  text += absl::StrFormat("\n%-9s%11s  %-20s  %-20s%6s%11s\n", "HALVES", "ID", "POINT", "NORMAL", "SHARE", "VIOLATION");
  for (const HalfPlane& line : why.half_planes) {
    text += absl::StrFormat("%-9s%11d  %-20s  %-20s%6.3g%11.3g%s\n", Name(line.source), line.id, Text(line.point),
                            Text(line.normal), line.share, line.violation, line.binding ? "  <- holds it" : "");
  }
  return text;
}

Json ToJson(const Vector2& v) { return Json::array({v.x, v.y}); }

Json ToJson(const Explanation& why) {
  Json neighbors = Json::array(), half_planes = Json::array();
  for (const auto& neighbor : why.neighbors) {
    neighbors.push_back(
        {{"id", neighbor.id}, {"position", ToJson(neighbor.position)}, {"distance", neighbor.distance}});
  }
  for (const HalfPlane& line : why.half_planes) {
    half_planes.push_back({{"point", ToJson(line.point)},
                           {"normal", ToJson(line.normal)},
                           {"source", Name(line.source)},
                           {"id", line.id},
                           {"share", line.share},
                           {"hard", line.hard},
                           {"violation", line.violation},
                           {"binding", line.binding}});
  }
  return {{"tick", why.tick},
          {"agent", why.agent.id},
          {"agent_position", ToJson(why.agent.position)},
          {"wanted_velocity", ToJson(why.wanted_velocity)},
          {"preferred_velocity", ToJson(why.preferred_velocity)},
          {"solved_velocity", ToJson(why.solved_velocity)},
          {"limited_velocity", ToJson(why.limited_velocity)},
          {"velocity", ToJson(why.velocity)},
          {"position", ToJson(why.position)},
          {"outcome", Name(why.outcome)},
          {"stepped_aside", why.stepped_aside},
          {"rested", why.rested},
          {"recovered", why.recovered},
          {"cut", why.cut},
          {"truncated", why.truncated},
          {"neighbors", std::move(neighbors)},
          {"half_planes", std::move(half_planes)}};
}

}  // namespace

int Explain(const Context& context, const std::string& world, std::uint32_t agent) {
  const auto why = context.Connect().GetWorld(world).Explain(agent);
  if (!why.ok()) return Fail(why.status());
  std::cout << (context.json ? ToJson(*why).dump(2) + "\n" : ToText(*why));
  return kOk;
}

}  // namespace throng::cli
