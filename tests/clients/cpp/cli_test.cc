// The CLI against a real throngd: exit codes, what it prints, and that its JSON is JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/clients/cpp/process.h"
#include "throng/client.h"

namespace throng::client {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class CliTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new Throngd(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void TearDown() override { Throng({"world", "delete", "w"}); }
  static Finished Throng(const std::vector<std::string>& args) { return RunThrong(server_->address(), args); }
  static nlohmann::json Json(const Finished& finished) {
    EXPECT_EQ(finished.code, 0) << finished.err;
    return nlohmann::json::parse(finished.out);
  }
  static Throngd* server_;
};
Throngd* CliTest::server_ = nullptr;

TEST_F(CliTest, WorldsFromCreationToDeletion) {
  const auto made = Throng({"world", "create", "w", "--time-step", "0.05", "--clock", "lockstep", "--radius", "0.3"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, StartsWith("name                  w\n"));
  EXPECT_THAT(made.out, HasSubstr("lockstep, time step 0.05 s"));
  EXPECT_THAT(made.out, HasSubstr("radius 0.3 m"));
  const auto list = Throng({"world", "list"});
  EXPECT_THAT(list.out, MatchesRegex("NAME  STATE    CLOCK           TICK  TICKS/S   AGENTS OBSTACLES  STREAMS\n"
                                     "w     running  lockstep           0      0\\.0        0         0        0\n"));
  EXPECT_THAT(Throng({"world", "pause", "w"}).out, HasSubstr("paused"));
  EXPECT_THAT(Throng({"world", "resume", "w"}).out, HasSubstr("running"));
  EXPECT_EQ(Throng({"world", "delete", "w"}).out, "deleted w after 0 ticks\n");
  EXPECT_EQ(Throng({"world", "list", "--json"}).out, "{\n  \"worlds\": []\n}\n");
}

TEST_F(CliTest, JsonIsForScripts) {
  const auto made = Json(Throng({"world", "create", "w", "--time-step", "0.1", "--paused", "--json"}));
  EXPECT_EQ(made["name"], "w");
  EXPECT_EQ(made["state"], "paused");
  EXPECT_EQ(made["settings"]["time_step"], 0.1);
  EXPECT_TRUE(made["uid"].is_string());
  EXPECT_EQ(Json(Throng({"--json", "world", "show", "w"}))["uid"], made["uid"]);
  EXPECT_EQ(Json(Throng({"world", "list", "--json"}))["worlds"].size(), 1u);
  EXPECT_EQ(Json(Throng({"info", "--json"}))["limits"]["max_worlds"], 1000);
  EXPECT_EQ(Json(Throng({"health", "--json"}))["serving"], true);
  EXPECT_EQ(Json(Throng({"watch", "w", "--frames", "1", "--json"}))["agents"], 0);
}

TEST_F(CliTest, FailuresNameFieldValueAndRange) {
  const auto bad = Throng({"world", "create", "w", "--time-step", "7"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, "");
  EXPECT_THAT(bad.err, HasSubstr("settings.time_step: 7 is not valid; expected [0.001, 1]"));
  const auto missing = Throng({"world", "show", "none"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, StartsWith("throng: NOT_FOUND: "));
}

TEST_F(CliTest, WrongUsageIsExitCodeTwo) {
  for (const auto& args : std::vector<std::vector<std::string>>{{},
                                                                {"nonsense"},
                                                                {"world"},
                                                                {"world", "create"},
                                                                {"demo", "--agents", "x"},
                                                                {"world", "create", "w", "--clock", "x"}}) {
    const auto finished = Throng(args);
    EXPECT_EQ(finished.code, 2) << ::testing::PrintToString(args);
    EXPECT_THAT(finished.err, HasSubstr("--help"));
  }
  for (const auto& args :
       std::vector<std::vector<std::string>>{{"--help"}, {"demo", "--help"}, {"world", "create", "--help"}}) {
    EXPECT_EQ(Throng(args).code, 0);
    EXPECT_THAT(Throng(args).out, HasSubstr("Exit codes:"));
  }
}

TEST_F(CliTest, ExplainsAnAgent) {
  Client client(server_->address());
  World world = client.CreateWorld("w", {.start_paused = true}).value();
  const std::vector<AgentSpec> agents = {
      {.id = 1, .position = {-3, 0}, .velocity = {1, 0}, .preferred_velocity = Vector2{1, 0}},
      {.id = 2, .position = {3, 0.1f}, .velocity = {-1, 0}, .preferred_velocity = Vector2{-1, 0}}};
  ASSERT_TRUE(world.AddAgents(agents)->FirstError().ok());
  const auto why = Throng({"explain", "w", "1"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_THAT(why.out, StartsWith("agent      1 at (-3, 0) after tick 0\nwanted     (1, 0)"));
  EXPECT_THAT(why.out, HasSubstr("constrained"));
  EXPECT_THAT(why.out, ::testing::ContainsRegex("agent +2 .*<- holds it"));
  const auto json = Json(Throng({"explain", "w", "1", "--json"}));
  EXPECT_EQ(json["half_planes"][0]["id"], 2);
  EXPECT_EQ(json["outcome"], "constrained");
  EXPECT_EQ(Throng({"explain", "w", "9"}).code, 1);
  EXPECT_EQ(Throng({"explain", "w"}).code, 2);
}

TEST_F(CliTest, EveryParameterAndSettingIsAnOption) {
  const std::vector<std::string> create = {"world",
                                           "create",
                                           "w",
                                           "--paused",
                                           "--json",
                                           "--symmetry-breaking=false",
                                           "--symmetry-bias=0.25",
                                           "--jam-relief=false",
                                           "--rest=false",
                                           "--rest-speed=0.25",
                                           "--separation-speed=0.25",
                                           "--containment=false",
                                           "--stall-detection=false",
                                           "--stale-input=decay",
                                           "--stale-input-timeout-ticks=7",
                                           "--stale-input-decay-time=0.25",
                                           "--origin",
                                           "1000000",
                                           "-2.5"};
  const std::map<std::string, nlohmann::json> params = {{"radius", 0.25},
                                                        {"max_speed", 3},
                                                        {"neighbor_distance", 30},
                                                        {"max_neighbors", 7},
                                                        {"time_horizon", 4},
                                                        {"time_horizon_obstacles", 3},
                                                        {"responsibility", 2},
                                                        {"layer", 6},
                                                        {"avoids", 5},
                                                        {"z", -2.5},
                                                        {"height", 2.5},
                                                        {"preferred_speed", 1.25},
                                                        {"arrival_radius", 0.75},
                                                        {"slow_down_distance", 1.75},
                                                        {"smoothing_time", 0.5},
                                                        {"max_acceleration", 8},
                                                        {"max_turn_rate", 9},
                                                        {"tracking_error", 0.125}};
  const auto with_params = [&](std::vector<std::string> args) {
    for (const auto& [name, value] : params) {
      std::string flag = name;
      std::replace(flag.begin(), flag.end(), '_', '-');
      args.push_back("--" + flag + "=" + value.dump());
    }
    args.push_back("--drive=differential");
    return args;
  };
  const auto expect_params = [&](const nlohmann::json& json) {
    EXPECT_EQ(json.size(), params.size() + 1) << "an option is missing here, or in the CLI: " << json;
    for (const auto& [name, value] : params) EXPECT_EQ(json[name], value) << name;
    EXPECT_EQ(json["drive"], "differential");
  };
  const auto made = Json(Throng(with_params(create)));
  expect_params(made["settings"]["agent_defaults"]);
  for (const auto& [name, value] : made["settings"]["motion"].items()) {
    EXPECT_EQ(value, value.is_boolean() ? nlohmann::json(false) : nlohmann::json(0.25)) << name;
  }
  EXPECT_EQ(made["settings"]["motion"].size(), 8u);
  EXPECT_EQ(made["resolution"], 0.0625);
  EXPECT_EQ(made["settings"]["stale_input"], "decay");
  EXPECT_EQ(made["settings"]["stale_input_timeout_ticks"], 7);
  EXPECT_EQ(made["settings"]["stale_input_decay_time"], 0.25);
  EXPECT_EQ(made["settings"]["origin"], nlohmann::json::parse("[1000000.0, -2.5]"));
  ASSERT_EQ(Throng({"world", "delete", "w"}).code, 0);
  ASSERT_EQ(Throng({"world", "create", "w", "--paused"}).code, 0);
  const auto changed = Json(
      Throng(with_params({"world", "set", "w", "--json", "--time-scale=2", "--idle-ttl=60", "--stale-input=stop"})));
  expect_params(changed["settings"]["agent_defaults"]);
  EXPECT_EQ(changed["settings"]["time_scale"], 2);
  EXPECT_EQ(changed["settings"]["idle_time_to_live"], 60);
  EXPECT_EQ(changed["settings"]["stale_input"], "stop");
  EXPECT_EQ(changed["settings"]["stale_input_timeout_ticks"], 30) << "what is not told stays";
  EXPECT_EQ(Throng({"world", "set", "w", "--time-step=1"}).code, 2) << "it is fixed";
  EXPECT_EQ(Throng({"world", "set", "w", "--stale-input=guess"}).code, 2);
  ASSERT_EQ(Throng({"world", "delete", "w"}).code, 0);
  const auto bounded = Json(Throng({"world", "create", "w", "--paused", "--bounds", "-9", "-2", "9.5", "2", "--json"}));
  EXPECT_EQ(bounded["settings"]["bounds"], nlohmann::json::parse("[[-9, -2], [9.5, 2]]"));
  expect_params(Json(Throng(with_params({"agent", "add", "w", "0", "0", "--json"})))["params"]);
  EXPECT_EQ(Throng({"world", "create", "v", "--drive", "hover"}).code, 2);
  EXPECT_EQ(Throng({"world", "create", "v", "--bounds", "0", "0", "1"}).code, 2);
  const auto inside_out = Throng({"world", "create", "v", "--bounds", "0", "0", "1", "-1"});
  EXPECT_EQ(inside_out.code, 1);
  EXPECT_THAT(inside_out.err, HasSubstr("settings.bounds.max.y: -1 is not valid; expected (0, 1048576]"));
}

TEST_F(CliTest, AgentsFromAddingToRemoving) {
  ASSERT_EQ(Throng({"world", "create", "w", "--paused"}).code, 0);
  const auto added = Json(Throng({"agent", "add", "w", "-3", "1.5", "--id", "7", "--goal", "10", "-2", "--json"}));
  EXPECT_EQ(added["id"], 7);
  EXPECT_EQ(added["position"], nlohmann::json::array({-3, 1.5}));
  EXPECT_EQ(added["goal"], nlohmann::json::array({10, -2}));
  EXPECT_EQ(added["kinematic"], false);
  const auto cart = Json(Throng({"agent", "add", "w", "20", "0", "--id", "8", "--kinematic", "--velocity", "0", "1",
                                 "--heading", "-1", "--json"}));
  EXPECT_EQ(cart["kinematic"], true);
  EXPECT_NEAR(cart["heading"].get<double>(), -1.0, 1e-5);
  const auto told = Json(Throng({"agent", "set", "w", "8", "--move-to", "30", "5", "--move-ticks", "90", "--json"}));
  EXPECT_EQ(told["move_to"]["position"], nlohmann::json::array({30, 5}));
  EXPECT_EQ(told["move_to"]["ticks"], 90);
  const auto sent = Json(Throng({"agent", "set", "w", "7", "--path", "0", "0", "-8", "4", "--max-speed=3", "--json"}));
  EXPECT_EQ(sent["path"]["points"], nlohmann::json::parse("[[0, 0], [-8, 4]]"));
  EXPECT_EQ(sent["params"]["max_speed"], 3);
  const auto list = Throng({"agent", "list", "w"});
  EXPECT_THAT(list.out, HasSubstr("(-3, 1.5)"));
  EXPECT_THAT(list.out, HasSubstr("path, 2 of 2 points to go"));
  EXPECT_THAT(list.out, HasSubstr("told place (30, 5) in 90 ticks"));
  EXPECT_EQ(Json(Throng({"agent", "list", "w", "--json"}))["agents"].size(), 2u);
  const auto refused = Throng({"agent", "set", "w", "7", "--move-to", "0", "0"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("not kinematic"));
  const auto bad = Throng({"agent", "add", "w", "0", "0", "--radius=0"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("params.radius: 0 is not valid; expected (0, 1000]"));
  const auto warned = Throng({"agent", "add", "w", "50", "0", "--max-neighbors=0"});
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, StartsWith("warning: "));
  EXPECT_EQ(Throng({"agent", "set", "w", "8", "--move-ticks", "3"}).code, 2);
  const auto taken = Throng({"agent", "add", "w", "-3", "1.5", "--placement", "reject"});
  EXPECT_EQ(taken.code, 1);
  EXPECT_THAT(taken.err, HasSubstr("agent 7"));
  const auto nudged = Json(
      Throng({"agent", "add", "w", "-3", "1.5", "--id=9", "--placement", "nudge", "--nudge-distance", "2", "--json"}));
  EXPECT_NE(nudged["position"], nlohmann::json::array({-3, 1.5}));
  EXPECT_EQ(Throng({"agent", "remove", "w", "7", "8", "9"}).code, 0);
  EXPECT_EQ(Json(Throng({"agent", "list", "w", "--json"}))["agents"].size(), 1u);
  EXPECT_EQ(Throng({"agent", "remove", "w", "7"}).code, 1);
}

TEST_F(CliTest, ObstaclesFromAddingToRemoving) {
  ASSERT_EQ(Throng({"world", "create", "w", "--paused"}).code, 0);
  EXPECT_EQ(Throng({"obstacle", "add", "w", "wall", "0", "-5", "0", "5", "--id", "7"}).out, "7\n");
  EXPECT_EQ(Json(Throng({"obstacle", "add", "w", "solid", "2", "0", "3", "0", "3", "1", "--id=8", "--layer=6", "--z=-1",
                         "--height=2.5", "--json"}))["id"],
            8);
  const auto list = Json(Throng({"obstacle", "list", "w", "--json"}))["obstacles"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["kind"], "wall");
  EXPECT_EQ(list[0]["layer"], 1);
  EXPECT_FALSE(list[0].contains("z"));
  EXPECT_EQ(list[1]["vertices"].size(), 3u);
  EXPECT_EQ(list[1]["layer"], 6);
  EXPECT_EQ(list[1]["z"], -1);
  EXPECT_EQ(list[1]["height"], 2.5);
  EXPECT_THAT(Throng({"obstacle", "list", "w"}).out, HasSubstr("-1 to 1.5 m"));
  const auto bad = Throng({"obstacle", "add", "w", "solid", "0", "0", "1", "0"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("vertices"));
  EXPECT_EQ(Throng({"obstacle", "add", "w", "fence", "0", "0", "1", "0"}).code, 2);
  EXPECT_EQ(Throng({"obstacle", "add", "w", "wall", "0", "0", "1"}).code, 2);
  EXPECT_EQ(Throng({"obstacle", "add", "w", "capsule", "20", "0", "24", "0", "--id=9", "--radius=1.5", "--velocity",
                    "-2", "0.5"})
                .code,
            0);
  EXPECT_EQ(Throng({"obstacle", "move", "w", "9", "--velocity", "0", "1", "--translation", "-0.5", "0"}).code, 0);
  const auto capsule = Json(Throng({"obstacle", "list", "w", "--json"}))["obstacles"][2];
  EXPECT_EQ(capsule["kind"], "capsule");
  EXPECT_EQ(capsule["radius"], 1.5);
  EXPECT_EQ(capsule["velocity"], nlohmann::json::array({0, 1}));
  EXPECT_EQ(capsule["vertices"], nlohmann::json::parse("[[19.5, 0], [23.5, 0]]"));
  EXPECT_THAT(Throng({"obstacle", "list", "w"}).out, HasSubstr("all             (0, 1)\n"));
  EXPECT_EQ(Throng({"obstacle", "move", "w", "7", "--velocity", "0", "1"}).code, 1);
  EXPECT_EQ(Throng({"obstacle", "remove", "w", "7", "8", "9"}).code, 0);
  EXPECT_EQ(Throng({"obstacle", "remove", "w", "7"}).code, 1);
}

TEST_F(CliTest, HealthIsForContainers) {
  EXPECT_EQ(Throng({"health"}).out, "SERVING\n");
  EXPECT_EQ(Throng({"health", "--service", "throng.v1.WatchService"}).code, 0);
  EXPECT_EQ(Throng({"health", "--service", "nonsense"}).code, 1);
  const auto nobody = RunThrong("127.0.0.1:1", {"health", "--timeout", "5"});
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("Does throngd run there?"));
}

TEST_F(CliTest, TheDemonstrationDrivesAWorldOfItsOwn) {
  const auto demo = Throng({"demo", "--agents", "50", "--ticks", "20", "--world", "w", "--keep"});
  EXPECT_EQ(demo.code, 0) << demo.err;
  EXPECT_THAT(demo.out, HasSubstr("agents=50"));
  EXPECT_THAT(demo.out, HasSubstr("50 agents walked for"));
  const auto again = Throng({"demo", "--world", "w"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("--world"));
  const auto watch = Throng({"watch", "w", "--frames", "3"});
  EXPECT_EQ(watch.code, 0) << watch.err;
  EXPECT_THAT(watch.out, StartsWith("world=w tick="));
  EXPECT_EQ(Throng({"world", "delete", "w"}).code, 0);
  EXPECT_EQ(Throng({"demo", "--ticks", "1", "--world", "w"}).code, 0);
  EXPECT_EQ(Throng({"world", "show", "w"}).code, 1);  // it leaves nothing behind
}

}  // namespace
}  // namespace throng::client
