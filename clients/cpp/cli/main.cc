// throng: worlds of a throngd from the command line.
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/options.h"

namespace throng::cli {
namespace {

constexpr char kAbout[] =
    "throng: make, watch and rule the worlds of a throngd, a crowd-movement server.\n"
    "Start here: throng demo";
constexpr char kExitCodes[] = "Exit codes: 0 done, 1 the server refused or was not reached, 2 wrong usage.";

// Commands are run after all options are read, since those of the program may follow the command.
using Action = std::function<int(const Context&)>;

struct Arguments {
  Context context;
  std::string name;
  std::string prefix;
  std::string service;
  std::uint32_t agent = 0;
  std::vector<std::uint32_t> ids;
  client::WorldSettings settings;
  client::WorldSettings settings_change;
  client::AgentSpec added;
  client::AgentUpdate changed;
  client::ObstacleSpec obstacle;
  client::ObstacleMove move;
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
  CLI::App* world =
      app.add_subcommand("world", "Make, change, list, show, pause, resume and delete worlds")->fallthrough();
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
  CLI::App* set = add("set", "Change a world's settings", [&args](const Context& c, const std::string& name) {
    return SetWorld(c, name, args.settings_change);
  });
  AddSettingsChange(*set, args.settings_change);
  AddCommand(*world, args, "list", "List worlds with their state and load",
             [&args](const Context& c) { return ListWorlds(c, args.prefix); })
      ->add_option("--prefix", args.prefix, "only names that begin with it")
      ->type_name("TEXT");
  add("show", "Show all of a world: state, load, settings", ShowWorld);
  add("pause", "Stop a world's ticks; edits still apply", PauseWorld);
  add("resume", "Let a paused world tick on", ResumeWorld);
  add("delete", "End a world", DeleteWorld);
}

void AddAgentCommands(CLI::App& app, Arguments& args) {
  CLI::App* agent = app.add_subcommand("agent", "Add, change, list and remove agents of a world")->fallthrough();
  agent->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, Action action) {
    CLI::App* command = AddCommand(*agent, args, name, text, std::move(action));
    command->add_option("WORLD", args.name, "its name")->required()->type_name("");
    return command;
  };
  CLI::App* added = add("add", "Add an agent; prints it with its id",
                        [&args](const Context& c) { return AddAgent(c, args.name, args.added); });
  added->add_option("X", args.added.position.x, "[m] its place")->required()->type_name("");
  added->add_option("Y", args.added.position.y, "[m]")->required()->type_name("");
  AddAgentOptions(*added, args.added);
  CLI::App* set = add("set", "Change an agent: what it goes by, its parameters, its place",
                      [&args](const Context& c) { return SetAgent(c, args.name, args.changed); });
  set->add_option("AGENT", args.changed.id, "its id")->required()->type_name("");
  AddAgentOptions(*set, args.changed);
  add("list", "List agents: where they are, what they do and go by",
      [&args](const Context& c) { return ListAgents(c, args.name); });
  add("remove", "Remove agents", [&args](const Context& c) { return RemoveAgents(c, args.name, args.ids); })
      ->add_option("AGENT", args.ids, "ids")
      ->required()
      ->type_name("");
}

void AddObstacleCommands(CLI::App& app, Arguments& args) {
  static const std::map<std::string, client::ObstacleKind> kKinds = {{"solid", client::ObstacleKind::kSolid},
                                                                     {"enclosure", client::ObstacleKind::kEnclosure},
                                                                     {"wall", client::ObstacleKind::kWall},
                                                                     {"capsule", client::ObstacleKind::kCapsule}};
  CLI::App* obstacle = app.add_subcommand("obstacle", "Add, move, list and remove obstacles of a world")->fallthrough();
  obstacle->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, Action action) {
    CLI::App* command = AddCommand(*obstacle, args, name, text, std::move(action));
    command->add_option("WORLD", args.name, "its name")->required()->type_name("");
    return command;
  };
  CLI::App* added = add("add", "Add an obstacle; prints its id",
                        [&args](const Context& c) { return AddObstacle(c, args.name, args.obstacle); });
  added->add_option("KIND", args.obstacle.kind, "solid, enclosure, wall or capsule")
      ->required()
      ->type_name("")
      ->transform(CLI::CheckedTransformer(kKinds).description(""));
  AddObstacleOptions(*added, args.obstacle);
  CLI::App* move = add("move", "Give a capsule another velocity, or put an obstacle elsewhere",
                       [&args](const Context& c) { return MoveObstacle(c, args.name, args.move); });
  move->add_option("OBSTACLE", args.move.id, "its id")->required()->type_name("");
  AddVector(*move, "--velocity", args.move.velocity, "[m/s] of a capsule");
  AddVector(*move, "--translation", args.move.translation, "[m] by which all of it goes at once");
  add("list", "List obstacles", [&args](const Context& c) { return ListObstacles(c, args.name); });
  add("remove", "Remove obstacles", [&args](const Context& c) { return RemoveObstacles(c, args.name, args.ids); })
      ->add_option("OBSTACLE", args.ids, "ids")
      ->required()
      ->type_name("");
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
  AddAgentCommands(app, args);
  AddObstacleCommands(app, args);
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
