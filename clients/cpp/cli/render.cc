#include "clients/cpp/cli/render.h"

#include <cstdio>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace throng::cli {
namespace {

using client::AgentParams;
using client::ServerInfo;
using client::WorldInfo;
using client::WorldSettings;
using Json = nlohmann::ordered_json;
using Lines = std::vector<std::pair<std::string, std::string>>;

const char* Name(client::WorldState state) {
  switch (state) {
    case client::WorldState::kRunning:
      return "running";
    case client::WorldState::kPaused:
      return "paused";
    case client::WorldState::kFaulted:
      return "faulted";
    case client::WorldState::kUnknown:
      break;
  }
  return "unknown";
}

const char* Name(client::Clock clock) {
  switch (clock) {
    case client::Clock::kRealtime:
      return "realtime";
    case client::Clock::kLockstep:
      return "lockstep";
    case client::Clock::kFree:
      break;
  }
  return "free";
}

const char* Name(client::Preset preset) { return preset == client::Preset::kBase ? "base" : "default"; }

const char* Name(client::StaleInputPolicy policy) {
  switch (policy) {
    case client::StaleInputPolicy::kHold:
      return "hold";
    case client::StaleInputPolicy::kDecay:
      return "decay";
    case client::StaleInputPolicy::kStop:
      break;
  }
  return "stop";
}

Json ToJson(const client::MotionSettings& motion) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::optional<bool>& value) {
    if (value) json[name] = *value;
  };
  add("symmetry_breaking", motion.symmetry_breaking);
  add("jam_relief", motion.jam_relief);
  add("rest", motion.rest);
  add("containment", motion.containment);
  add("stall_detection", motion.stall_detection);
  if (motion.symmetry_bias) json["symmetry_bias"] = Short(*motion.symmetry_bias);
  if (motion.separation_speed) json["separation_speed"] = Short(*motion.separation_speed);
  if (motion.rest_speed) json["rest_speed"] = Short(*motion.rest_speed);
  return json;
}

Json ToJson(const client::Warning& warning) {
  Json json = {{"field", warning.field}, {"message", warning.message}};
  if (warning.agent != 0) json["agent"] = warning.agent;
  if (warning.obstacle != 0) json["obstacle"] = warning.obstacle;
  return json;
}

Json ToJson(const WorldSettings& settings) {
  Json json = Json::object();
  if (settings.time_step) json["time_step"] = Short(*settings.time_step);
  if (settings.seed) json["seed"] = absl::StrCat(*settings.seed);
  if (settings.preset) json["preset"] = Name(*settings.preset);
  if (settings.origin_x) json["origin"] = {*settings.origin_x, settings.origin_y.value_or(0.0)};
  if (settings.bounds) {
    const auto& [min, max] = *settings.bounds;
    json["bounds"] = {{Short(min.x), Short(min.y)}, {Short(max.x), Short(max.y)}};
  }
  if (settings.clock) json["clock"] = Name(*settings.clock);
  if (settings.stale_input) json["stale_input"] = Name(*settings.stale_input);
  if (settings.stale_input_timeout_ticks) json["stale_input_timeout_ticks"] = *settings.stale_input_timeout_ticks;
  if (settings.stale_input_decay_time) json["stale_input_decay_time"] = Short(*settings.stale_input_decay_time);
  if (settings.time_scale) json["time_scale"] = *settings.time_scale;
  if (settings.max_agents) json["max_agents"] = *settings.max_agents;
  if (settings.idle_time_to_live) json["idle_time_to_live"] = *settings.idle_time_to_live;
  json["motion"] = ToJson(settings.motion);
  json["agent_defaults"] = cli::ToJson(settings.agent_defaults);
  return json;
}

std::string Join(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [key, value] : lines) width = std::max(width, key.size());
  std::string text;
  for (const auto& [key, value] : lines)
    absl::StrAppendFormat(&text, "%-*s  %s\n", static_cast<int>(width), key, value);
  return text;
}

std::string MotionText(const client::MotionSettings& motion) {
  const auto word = [](const char* name, const std::optional<bool>& value) {
    return absl::StrFormat("%s %s", name, value.value_or(false) ? "on" : "off");
  };
  return absl::StrJoin({word("symmetry breaking", motion.symmetry_breaking), word("jam relief", motion.jam_relief),
                        word("rest", motion.rest), word("containment", motion.containment),
                        word("stall detection", motion.stall_detection)},
                       ", ");
}

std::string Rate(const WorldInfo& world) { return absl::StrFormat("%.1f", world.load.tick_rate); }

}  // namespace

double Short(float value) {
  double result = 0.0;
  std::sscanf(absl::StrFormat("%.7g", value).c_str(), "%lf", &result);
  return result;
}

Json ToJson(const AgentParams& params) {
  Json json = Json::object();
  if (params.radius) json["radius"] = Short(*params.radius);
  if (params.max_speed) json["max_speed"] = Short(*params.max_speed);
  if (params.neighbor_distance) json["neighbor_distance"] = Short(*params.neighbor_distance);
  if (params.max_neighbors) json["max_neighbors"] = *params.max_neighbors;
  if (params.time_horizon) json["time_horizon"] = Short(*params.time_horizon);
  const auto number = [&](const char* name, const std::optional<float>& value) {
    if (value) json[name] = Short(*value);
  };
  number("responsibility", params.responsibility);
  if (params.layer) json["layer"] = *params.layer;
  if (params.avoids) json["avoids"] = *params.avoids;
  number("z", params.z);
  number("height", params.height);
  number("preferred_speed", params.preferred_speed);
  number("arrival_radius", params.arrival_radius);
  number("slow_down_distance", params.slow_down_distance);
  number("smoothing_time", params.smoothing_time);
  number("max_acceleration", params.max_acceleration);
  number("max_turn_rate", params.max_turn_rate);
  if (params.drive) json["drive"] = *params.drive == client::Drive::kOmni ? "omni" : "differential";
  number("tracking_error", params.tracking_error);
  if (params.time_horizon_obstacles) json["time_horizon_obstacles"] = Short(*params.time_horizon_obstacles);
  return json;
}

Json ToJson(const WorldInfo& world) {
  Json json;
  json["name"] = world.name;
  json["uid"] = absl::StrCat(world.uid);
  json["state"] = Name(world.state);
  if (!world.fault.empty()) json["fault"] = world.fault;
  json["tick"] = world.tick;
  json["simulation_time"] = world.simulation_time;
  json["agents"] = world.agents;
  json["obstacles"] = world.obstacles;
  json["obstacle_vertices"] = world.obstacle_vertices;
  json["sessions"] = world.sessions;
  json["streams"] = world.streams;
  json["membership_version"] = absl::StrCat(world.membership_version);
  json["obstacle_version"] = absl::StrCat(world.obstacle_version);
  json["load"] = {{"tick_rate", world.load.tick_rate},
                  {"tick_cost", world.load.tick_cost},
                  {"lateness_mean", world.load.lateness_mean},
                  {"lateness_max", world.load.lateness_max},
                  {"missed_deadlines", world.load.missed_deadlines}};
  json["resolution"] = world.resolution;
  json["recoveries"] = world.recoveries;
  json["cut_moves"] = world.cut_moves;
  json["stranded_agents"] = world.stranded_agents;
  json["stalled_agents"] = world.stalled_agents;
  json["warnings"] = Json::array();
  for (const auto& warning : world.warnings) json["warnings"].push_back(ToJson(warning));
  json["settings"] = ToJson(world.settings);
  return json;
}

Json ToJson(const ServerInfo& info) {
  Json json;
  json["version"] = info.version;
  json["commit"] = info.commit;
  json["start_time"] = info.start_time;
  json["server_time"] = info.server_time;
  json["workers"] = info.workers;
  json["worlds"] = info.worlds;
  json["agents"] = info.agents;
  json["sessions"] = info.sessions;
  json["streams"] = info.streams;
  json["draining"] = info.draining;
  json["http_address"] = info.http_address;
  json["min_keepalive_interval"] = info.min_keepalive_interval;
  json["limits"] = {{"max_worlds", info.max_worlds},
                    {"max_agents_per_world", info.max_agents_per_world},
                    {"max_obstacle_vertices_per_world", info.max_obstacle_vertices_per_world},
                    {"max_sessions", info.max_sessions},
                    {"max_streams", info.max_streams},
                    {"max_message_bytes", info.max_message_bytes},
                    {"max_batch_items", info.max_batch_items}};
  return json;
}

std::string ToTable(const std::vector<WorldInfo>& worlds) {
  std::size_t width = 4;
  for (const auto& world : worlds) width = std::max(width, world.name.size());
  const int name_width = static_cast<int>(width);
  std::string text = absl::StrFormat("%-*s  %-8s %-9s %10s %8s %8s %9s %8s\n", name_width, "NAME", "STATE", "CLOCK",
                                     "TICK", "TICKS/S", "AGENTS", "OBSTACLES", "STREAMS");
  for (const auto& world : worlds) {
    absl::StrAppendFormat(&text, "%-*s  %-8s %-9s %10d %8s %8d %9d %8d\n", name_width, world.name, Name(world.state),
                          Name(world.settings.clock.value_or(client::Clock::kRealtime)), world.tick, Rate(world),
                          world.agents, world.obstacles, world.streams);
  }
  return text;
}

std::string ToText(const WorldInfo& world) {
  const auto& s = world.settings;
  Lines lines = {
      {"name", world.name},
      {"uid", absl::StrCat(world.uid)},
      {"state", world.fault.empty() ? Name(world.state) : absl::StrCat(Name(world.state), ": ", world.fault)},
      {"tick", absl::StrFormat("%d (%.2f s)", world.tick, world.simulation_time)},
      {"agents", absl::StrFormat("%d of %d", world.agents, s.max_agents.value_or(0))},
      {"obstacles", absl::StrFormat("%d with %d vertices", world.obstacles, world.obstacle_vertices)},
      {"in use by", absl::StrFormat("%d sessions, %d streams", world.sessions, world.streams)},
      {"clock",
       absl::StrFormat("%s, time step %.6g s, time scale %.6g", Name(s.clock.value_or(client::Clock::kRealtime)),
                       s.time_step.value_or(0.0f), s.time_scale.value_or(1.0))},
      {"load",
       absl::StrFormat("%.1f ticks/s, %.3f ms a tick, %.3f ms late at most, %d deadlines missed", world.load.tick_rate,
                       world.load.tick_cost * 1e3, world.load.lateness_max * 1e3, world.load.missed_deadlines)},
      {"motion", MotionText(s.motion)},
      {"moved by containment",
       absl::StrFormat("%d agents out of obstacles, %d moves cut short", world.recoveries, world.cut_moves)},
      {"not moving", absl::StrFormat("%d stalled, %d stranded", world.stalled_agents, world.stranded_agents)},
      {"preset", absl::StrCat(Name(s.preset.value_or(client::Preset::kDefault)), ", seed ", s.seed.value_or(0))},
      {"origin", absl::StrFormat("(%.9g, %.9g), places to %.3g m at worst", s.origin_x.value_or(0.0),
                                 s.origin_y.value_or(0.0), world.resolution)},
      {"bounds", s.bounds ? absl::StrFormat("(%.6g, %.6g) to (%.6g, %.6g)", s.bounds->min.x, s.bounds->min.y,
                                            s.bounds->max.x, s.bounds->max.y)
                          : "none"},
      {"stale input",
       absl::StrFormat("%s after %d ticks", Name(s.stale_input.value_or(client::StaleInputPolicy::kHold)),
                       s.stale_input_timeout_ticks.value_or(0))},
      {"idle time to live",
       s.idle_time_to_live.value_or(0.0) > 0 ? absl::StrFormat("%.6g s", *s.idle_time_to_live) : "for ever"},
  };
  const auto& a = s.agent_defaults;
  lines.push_back(
      {"agent defaults", absl::StrFormat("radius %.6g m, max speed %.6g m/s, %d neighbours within %.6g m, "
                                         "time horizon %.6g s (obstacles %.6g s)",
                                         a.radius.value_or(0.0f), a.max_speed.value_or(0.0f),
                                         a.max_neighbors.value_or(0), a.neighbor_distance.value_or(0.0f),
                                         a.time_horizon.value_or(0.0f), a.time_horizon_obstacles.value_or(0.0f))});
  for (const auto& warning : world.warnings) lines.push_back({"warning", warning.message});
  return Join(lines);
}

std::string ToText(const ServerInfo& info, const std::string& address) {
  return Join({
      {"server", absl::StrFormat("throngd %s (%s) at %s%s", info.version, info.commit, address,
                                 info.draining ? ", draining" : "")},
      {"up", absl::StrFormat("%.0f s", info.server_time - info.start_time)},
      {"workers", absl::StrCat(info.workers)},
      {"worlds", absl::StrFormat("%d of %d", info.worlds, info.max_worlds)},
      {"agents", absl::StrFormat("%d, at most %d a world", info.agents, info.max_agents_per_world)},
      {"sessions", absl::StrFormat("%d of %d", info.sessions, info.max_sessions)},
      {"streams", absl::StrFormat("%d of %d", info.streams, info.max_streams)},
      {"messages",
       absl::StrFormat("%d bytes and %d batch items at most", info.max_message_bytes, info.max_batch_items)},
      {"http", info.http_address.empty() ? "off" : info.http_address},
  });
}

}  // namespace throng::cli
