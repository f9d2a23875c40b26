// throng: worlds of a throngd from the command line.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "clients/cpp/cli/commands.h"

namespace throng::cli {
namespace {

constexpr char kAbout[] =
    "throng: make, watch and rule the worlds of a throngd, a crowd-movement server.\n"
    "Start here: throng demo";
constexpr char kExitCodes[] = "Exit codes: 0 done, 1 the server refused or was not reached, 2 wrong usage.";

// Commands are run after all options are read, since those of the program may follow the command.
using Action = std::function<int(const Context&)>;

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
  add("--time-scale", settings.time_scale, "FACTOR", "of a realtime clock, [0.01, 100], default 1");
  add("--seed", settings.seed, "NUMBER", "of all that is drawn, default 0");
  add("--max-agents", settings.max_agents, "COUNT", "at once; default and bound are the server's");
  add("--idle-ttl", settings.idle_time_to_live, "SECONDS", "unused after which it is deleted; 0, the default: never");
  app.add_flag_callback(
      "--paused", [&settings] { settings.start_paused = true; }, "wait for `throng world resume`");
  const char* const kMotion = "Its motion, beyond plain ORCA (default: as the preset says)";
  auto& motion = settings.motion;
  add("--symmetry-breaking", motion.symmetry_breaking, "BOOL", "who is kept steps aside a little")->group(kMotion);
  add("--symmetry-bias", motion.symmetry_bias, "PART", "of the speed wanted, [0, 0.5], default 0.1")->group(kMotion);
  add("--rest", motion.rest, "BOOL", "who wants nothing stands still")->group(kMotion);
  add("--separation-speed", motion.separation_speed, "PART", "of max speed, of overlaps, (0, 1], default 0.5")
      ->group(kMotion);
  add("--rest-speed", motion.rest_speed, "PART", "of max speed below which it does, [0, 0.5], default 0.02")
      ->group(kMotion);
  add("--containment", motion.containment, "BOOL", "no centre crosses an obstacle's edge")->group(kMotion);
  add("--stall-detection", motion.stall_detection, "BOOL", "tell who makes no way")->group(kMotion);
  auto& agent = settings.agent_defaults;
  const char* const kGroup = "Defaults of its agents";
  add("--radius", agent.radius, "METRES", "(0, 1000], default 0.5")->group(kGroup);
  add("--max-speed", agent.max_speed, "M/S", "[0, 1000], default 2")->group(kGroup);
  add("--neighbor-distance", agent.neighbor_distance, "METRES",
      "within which others are avoided, [0, 1000], default 10")
      ->group(kGroup);
  add("--max-neighbors", agent.max_neighbors, "COUNT", "that are avoided, the nearest, [0, 64], default 10")
      ->group(kGroup);
  add("--time-horizon", agent.time_horizon, "SECONDS", "ahead, towards agents, [0.01, 100], default 5")->group(kGroup);
  add("--responsibility", agent.responsibility, "WEIGHT", "in a pair, [0, 1000], default 1")->group(kGroup);
  add("--layer", agent.layer, "BITS", "what it is, for others to see, default 1")->group(kGroup);
  add("--avoids", agent.avoids, "BITS", "layers that it sees, default all")->group(kGroup);
  add("--z", agent.z, "METRES", "of its height band, default 0")->group(kGroup);
  add("--height", agent.height, "METRES", "of its height band, default 0")->group(kGroup);
  add("--preferred-speed", agent.preferred_speed, "M/S", "to a goal, [0, 1000], default 1.5")->group(kGroup);
  add("--arrival-radius", agent.arrival_radius, "METRES", "of a goal, (0, 1000], default 0.1")->group(kGroup);
  add("--slow-down-distance", agent.slow_down_distance, "METRES", "before a goal, 0: none, [0, 1000], default 0.5")
      ->group(kGroup);
  add("--smoothing-time", agent.smoothing_time, "SECONDS", "lag of what it wants, [0, 100], default 0")->group(kGroup);
  add("--max-acceleration", agent.max_acceleration, "M/S2", "0: no limit, [0, 1e6], default 0")->group(kGroup);
  add("--max-turn-rate", agent.max_turn_rate, "RAD/S", "0: no limit, [0, 1000], default 0")->group(kGroup);
  add("--time-horizon-obstacles", agent.time_horizon_obstacles, "SECONDS", "towards obstacles, [0.01, 100], default 2")
      ->group(kGroup);
}

struct Arguments {
  Context context;
  std::string name;
  std::string prefix;
  std::string service;
  std::uint32_t agent = 0;
  client::WorldSettings settings;
  WatchArgs watch;
  DemoArgs demo;
  Action action;
};

CLI::App* AddCommand(CLI::App& app, Arguments& args, const char* name, const char* text, Action action) {
  CLI::App* command = app.add_subcommand(name, text)->fallthrough();
  command->callback([&args, action = std::move(action)] { args.action = action; });
  return command;
}

void AddWorldCommands(CLI::App& app, Arguments& args) {
  CLI::App* world = app.add_subcommand("world", "Make, list, show, pause, resume and delete worlds")->fallthrough();
  world->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, auto function) {
    CLI::App* command =
        AddCommand(*world, args, name, text, [&args, function](const Context& c) { return function(c, args.name); });
    command->add_option("NAME", args.name, "of the world")->required()->type_name("");
    return command;
  };
  CLI::App* create =
      add("create", "Make a world that ticks at once",
          [&args](const Context& c, const std::string& name) { return CreateWorld(c, name, args.settings); });
  AddSettings(*create, args.settings);
  AddCommand(*world, args, "list", "List worlds with their state and load",
             [&args](const Context& c) { return ListWorlds(c, args.prefix); })
      ->add_option("--prefix", args.prefix, "only names that begin with it")
      ->type_name("TEXT");
  add("show", "Show all of a world: state, load, settings", ShowWorld);
  add("pause", "Stop a world's ticks; edits still apply", PauseWorld);
  add("resume", "Let a paused world tick on", ResumeWorld);
  add("delete", "End a world", DeleteWorld);
}

void AddViewCommands(CLI::App& app, Arguments& args) {
  CLI::App* demo =
      AddCommand(app, args, "demo", "Show a crowd that walks both ways through a hall, in a world of its own",
                 [&args](const Context& c) { return Demo(c, args.demo); });
  demo->add_option("--agents", args.demo.agents, "size of the crowd; the hall grows with it")
      ->type_name("COUNT")
      ->check(CLI::Range(2, 100'000).description(""))
      ->capture_default_str();
  demo->add_option("--seconds", args.demo.seconds, "end after so long; else Ctrl-C ends it")->type_name("SECONDS");
  demo->add_option("--ticks", args.demo.ticks, "end after so many ticks")->type_name("COUNT");
  demo->add_option("--world", args.demo.world, "name of the world that is made for it")
      ->type_name("NAME")
      ->capture_default_str();
  demo->add_flag_callback(
      "--no-view", [&args] { args.demo.view = false; }, "no picture, a line a second");
  demo->add_flag("--keep", args.demo.keep, "leave the world behind");

  CLI::App* watch =
      AddCommand(app, args, "watch", "Show a world as it moves: a picture in a terminal, else a line a second",
                 [&args](const Context& c) { return Watch(c, args.watch); });
  watch->add_option("NAME", args.watch.world, "of the world")->required()->type_name("");
  watch->add_option("--frames", args.watch.frames, "end after so many frames; else Ctrl-C ends it")->type_name("COUNT");
  watch->add_flag_callback(
      "--no-view", [&args] { args.watch.view = false; }, "no picture, a line a second");
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, "throng");
  Arguments args;
  app.footer(kExitCodes);
  app.require_subcommand(1);
  app.add_option("--address", args.context.address, "of throngd")
      ->type_name("HOST:PORT")
      ->envname("THRONG_SERVER")  // not THRONG_ADDRESS, which is throngd's and has no port
      ->default_val("127.0.0.1:50051");
  app.add_option("--timeout", args.context.timeout, "of each call to the server")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber.description(""))
      ->default_val(10.0);
  app.add_flag("--json", args.context.json, "print JSON, for scripts");
  AddViewCommands(app, args);
  AddWorldCommands(app, args);
  CLI::App* explain = AddCommand(app, args, "explain", "Show why an agent moves as it does: what holds it back",
                                 [&args](const Context& c) { return Explain(c, args.name, args.agent); });
  explain->add_option("WORLD", args.name, "its name")->required()->type_name("");
  explain->add_option("AGENT", args.agent, "its id")->required()->type_name("");
  AddCommand(app, args, "info", "Show the server: version, use, limits", Info);
  AddCommand(app, args, "health", "Ask whether the server serves (exit code 0) or not (1)",
             [&args](const Context& c) { return Health(c, args.service); })
      ->add_option("--service", args.service, "such as throng.v1.WorldService; default: the server as a whole")
      ->type_name("NAME");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  return args.action(args.context);
}

}  // namespace
}  // namespace throng::cli

int main(int argc, char** argv) { return throng::cli::Main(argc, argv); }
