#include "clients/cpp/cli/options.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace throng::cli {
namespace {

void AddMotion(CLI::App& app, client::MotionSettings& motion) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    app.add_option(name, value, text)
        ->type_name(type)
        ->group("Its motion, beyond plain ORCA (default: as the preset says)");
  };
  add("--symmetry-breaking", motion.symmetry_breaking, "BOOL", "who is kept steps aside a little");
  add("--symmetry-bias", motion.symmetry_bias, "PART", "of the speed wanted, [0, 0.5], default 0.1");
  add("--jam-relief", motion.jam_relief, "BOOL", "who makes no way uses narrower gaps, and takes turns");
  add("--rest", motion.rest, "BOOL", "who wants nothing stands still");
  add("--rest-speed", motion.rest_speed, "PART", "of max speed below which it does, [0, 0.5], default 0.02");
  add("--separation-speed", motion.separation_speed, "PART", "of max speed, of overlaps, (0, 1], default 0.5");
  add("--containment", motion.containment, "BOOL", "no centre crosses an obstacle's edge");
  add("--stall-detection", motion.stall_detection, "BOOL", "tell who makes no way");
}

// What can change while a world runs, but for its agents' defaults.
void AddChangeable(CLI::App& app, client::WorldSettings& settings, bool defaults) {
  static const std::map<std::string, client::StaleInputPolicy> kPolicies = {{"hold", client::StaleInputPolicy::kHold},
                                                                            {"decay", client::StaleInputPolicy::kDecay},
                                                                            {"stop", client::StaleInputPolicy::kStop}};
  const auto add = [&](const char* name, auto& value, const char* type, const char* text, const char* standard) {
    return app.add_option(name, value, defaults ? absl::StrCat(text, ", default ", standard) : text)->type_name(type);
  };
  add("--time-scale", settings.time_scale, "FACTOR", "of a realtime clock, [0.01, 100]", "1");
  add("--idle-ttl", settings.idle_time_to_live, "SECONDS", "unused after which it is deleted, [1, 1e9], or 0: never",
      "0");
  add("--stale-input", settings.stale_input, "POLICY", "who is told nothing new: hold, decay or stop", "hold")
      ->transform(CLI::CheckedTransformer(kPolicies).description(""));
  add("--stale-input-timeout-ticks", settings.stale_input_timeout_ticks, "COUNT",
      "for which an input is fresh, [1, 2^31)", "30");
  add("--stale-input-decay-time", settings.stale_input_decay_time, "SECONDS", "of decay, [0.001, 1000]", "0.5");
}

// Any number of points.
template <class Points>
CLI::Option* AddPoints(CLI::App& app, const char* name, Points points, const char* text) {
  const auto set = [name, points](const std::vector<float>& numbers) {
    if (numbers.size() % 2 != 0) throw CLI::ValidationError(name, "takes x and y of each point");
    std::vector<client::Vector2>& told = points();
    told.clear();
    for (std::size_t i = 0; i < numbers.size(); i += 2) told.push_back({numbers[i], numbers[i + 1]});
  };
  return app.add_option_function<std::vector<float>>(name, set, text)->type_name("X Y");
}

// What both who is added and who is changed can be told. Of several things to go by, the server takes the last.
template <class Agent>
void AddSteering(CLI::App& app, Agent& agent) {
  AddVector(app, "--velocity", agent.velocity, "[m/s] that it has");
  AddVector(app, "--preferred-velocity", agent.preferred_velocity, "[m/s] to go by");
  AddVector(app, "--goal", agent.goal, "[m] to go to");
  const auto path = [&agent]() -> std::vector<client::Vector2>& { return agent.path.emplace().points; };
  AddPoints(app, "--path", path, "[m] waypoints to go by");
  app.add_option("--heading", agent.heading, "where it faces, counter-clockwise from +x")->type_name("RADIANS");
}

}  // namespace

void AddAgentOptions(CLI::App& app, client::AgentSpec& agent) {
  app.add_option("--id", agent.id, "[1, 2^31); default: the server makes one")->type_name("NUMBER");
  AddSteering(app, agent);
  app.add_flag("--kinematic", agent.kinematic, "moves exactly as told, and others make room");
  static const std::map<std::string, client::Placement> kPlacements = {{"allow", client::Placement::kAllow},
                                                                       {"reject", client::Placement::kReject},
                                                                       {"nudge", client::Placement::kNudge}};
  app.add_option("--placement", agent.placement,
                 "where its place is taken: allow (default), reject, or nudge it to a free one")
      ->type_name("POLICY")
      ->transform(CLI::CheckedTransformer(kPlacements).description(""));
  app.add_option("--nudge-distance", agent.nudge_distance, "at most, (0, 1000], default 8 radii")->type_name("METRES");
  AddParams(app, agent.params, "Its parameters (default: the world's)", false);
}

void AddAgentOptions(CLI::App& app, client::AgentUpdate& agent) {
  AddVector(app, "--position", agent.position, "[m] to be at, at once");
  AddSteering(app, agent);
  app.add_option_function<std::pair<float, float>>(
         "--move-to",
         [&agent](const std::pair<float, float>& place) {
           if (!agent.move_to) agent.move_to.emplace();
           agent.move_to->position = {place.first, place.second};
         },
         "[m] where a kinematic agent is to be after --move-ticks")
      ->type_name("X Y");
  app.add_option_function<std::uint32_t>(
         "--move-ticks",
         [&agent](std::uint32_t ticks) {
           if (!agent.move_to) agent.move_to.emplace();
           agent.move_to->ticks = ticks;
         },
         "[1, 10000], default 1")
      ->needs("--move-to")
      ->type_name("COUNT");
  app.add_option("--kinematic", agent.kinematic, "whether it moves exactly as told, and others make room")
      ->type_name("BOOL");
  AddParams(app, agent.params, "Its parameters (default: unchanged)", false);
}

void AddObstacleOptions(CLI::App& app, client::ObstacleSpec& obstacle) {
  const auto vertices = [&obstacle]() -> std::vector<client::Vector2>& { return obstacle.vertices; };
  AddPoints(app, "VERTICES", vertices, "[m] in either direction, the first not repeated at the end")->required();
  app.add_option("--id", obstacle.id, "[1, 2^31); default: the server makes one")->type_name("NUMBER");
  app.add_option("--layer", obstacle.layer, "what it is, for agents to see, default 1")->type_name("BITS");
  app.add_option("--z", obstacle.z, "of its height band; default: of every height")->type_name("METRES");
  app.add_option("--height", obstacle.height, "of its height band, default 0")->type_name("METRES")->needs("--z");
  app.add_option("--radius", obstacle.radius, "of a capsule, (0, 1000]")->type_name("METRES");
  AddVector(app, "--velocity", obstacle.velocity, "[m/s] of a capsule, default 0 0");
}

void AddParams(CLI::App& app, client::AgentParams& params, const char* group, bool defaults) {
  static const std::map<std::string, client::Drive> kDrives = {{"omni", client::Drive::kOmni},
                                                               {"differential", client::Drive::kDifferential}};
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text, const char* standard) {
    return app.add_option(name, value, defaults ? absl::StrCat(text, ", default ", standard) : text)
        ->type_name(type)
        ->group(group);
  };
  add("--radius", params.radius, "METRES", "(0, 1000]", "0.5");
  add("--max-speed", params.max_speed, "M/S", "[0, 1000]", "2");
  add("--neighbor-distance", params.neighbor_distance, "METRES", "within which others are avoided, [0, 1000]", "10");
  add("--max-neighbors", params.max_neighbors, "COUNT", "that are avoided, the nearest, [0, 64]", "10");
  add("--time-horizon", params.time_horizon, "SECONDS", "ahead, towards agents, [0.01, 100]", "5");
  add("--time-horizon-obstacles", params.time_horizon_obstacles, "SECONDS", "towards obstacles, [0.01, 100]", "2");
  add("--responsibility", params.responsibility, "WEIGHT", "in a pair, [0, 1000]", "1");
  add("--layer", params.layer, "BITS", "what it is, for others to see", "1");
  add("--avoids", params.avoids, "BITS", "layers that it sees", "all");
  add("--z", params.z, "METRES", "of its height band", "0");
  add("--height", params.height, "METRES", "of its height band", "0");
  add("--preferred-speed", params.preferred_speed, "M/S", "to a goal, [0, 1000]", "1.5");
  add("--arrival-radius", params.arrival_radius, "METRES", "of a goal, (0, 1000]", "0.1");
  add("--slow-down-distance", params.slow_down_distance, "METRES", "before a goal, 0: none, [0, 1000]", "0.5");
  add("--smoothing-time", params.smoothing_time, "SECONDS", "lag of what it wants, [0, 100]", "0");
  add("--max-acceleration", params.max_acceleration, "M/S2", "0: no limit, [0, 1e6]", "0");
  add("--max-turn-rate", params.max_turn_rate, "RAD/S", "0: no limit, [0, 1000]", "0");
  add("--drive", params.drive, "DRIVE", "omni, or differential: forward only, needs --max-turn-rate", "omni")
      ->transform(CLI::CheckedTransformer(kDrives).description(""));
  add("--tracking-error", params.tracking_error, "METRES", "of differential, while it turns, (0, 100]", "0.1");
}

void AddSettings(CLI::App& app, client::WorldSettings& settings) {
  static const std::map<std::string, client::Clock> kClocks = {
      {"realtime", client::Clock::kRealtime}, {"lockstep", client::Clock::kLockstep}, {"free", client::Clock::kFree}};
  static const std::map<std::string, client::Preset> kPresets = {{"default", client::Preset::kDefault},
                                                                 {"base", client::Preset::kBase}};
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return app.add_option(name, value, text)->type_name(type);
  };
  add("--clock", settings.clock, "CLOCK",
      "realtime (default), lockstep: ticks on a client's order, free: as fast as it goes")
      ->transform(CLI::CheckedTransformer(kClocks).description(""));
  add("--preset", settings.preset, "PRESET", "default, or base: plain ORCA as published")
      ->transform(CLI::CheckedTransformer(kPresets).description(""));
  add("--time-step", settings.time_step, "SECONDS", "of a tick, [0.001, 1], default 1/30");
  add("--seed", settings.seed, "NUMBER", "of all that is drawn, default 0");
  add("--max-agents", settings.max_agents, "COUNT", "at once; default and bound are the server's");
  AddChangeable(app, settings, true);
  app.add_option_function<std::pair<double, double>>(
         "--origin",
         [&settings](const std::pair<double, double>& origin) {
           settings.origin_x = origin.first;
           settings.origin_y = origin.second;
         },
         "[m] where its (0, 0) lies for you, default 0 0")
      ->type_name("X Y");
  app.add_option_function<std::vector<float>>(
         "--bounds",
         [&settings](const std::vector<float>& ends) {
           settings.bounds = {{ends[0], ends[1]}, {ends[2], ends[3]}};
         },
         "[m] lowest and highest corner; discs stay inside")
      ->type_name("X Y X Y")
      ->expected(4);
  app.add_flag_callback(
      "--paused", [&settings] { settings.start_paused = true; }, "wait for `throng world resume`");
  AddMotion(app, settings.motion);
  AddParams(app, settings.agent_defaults, "Defaults of its agents", true);
}

void AddSettingsChange(CLI::App& app, client::WorldSettings& settings) {
  AddChangeable(app, settings, false);
  AddParams(app, settings.agent_defaults, "Defaults of agents that are added from now on", false);
}

}  // namespace throng::cli
