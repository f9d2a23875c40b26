// The commands, each behind the options that main.cc reads. They return an exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/cli/context.h"

namespace throng::cli {

int CreateWorld(const Context& context, const std::string& name, const client::WorldSettings& settings);
int SetWorld(const Context& context, const std::string& name, const client::WorldSettings& settings);
int ListWorlds(const Context& context, const std::string& prefix);
int ShowWorld(const Context& context, const std::string& name);
int DeleteWorld(const Context& context, const std::string& name);
int PauseWorld(const Context& context, const std::string& name);
int ResumeWorld(const Context& context, const std::string& name);

// 0 if `service` says SERVING; "" is the server as a whole.
int Health(const Context& context, const std::string& service);
int Info(const Context& context);

int AddAgent(const Context& context, const std::string& world, const client::AgentSpec& agent);
int SetAgent(const Context& context, const std::string& world, const client::AgentUpdate& agent);
int RemoveAgents(const Context& context, const std::string& world, const std::vector<client::AgentId>& ids);
int ListAgents(const Context& context, const std::string& world);

int AddObstacle(const Context& context, const std::string& world, const client::ObstacleSpec& obstacle);
int MoveObstacle(const Context& context, const std::string& world, const client::ObstacleMove& move);
int RemoveObstacles(const Context& context, const std::string& world, const std::vector<client::ObstacleId>& ids);
int ListObstacles(const Context& context, const std::string& world);

// Why an agent moves as it does.
int Explain(const Context& context, const std::string& world, std::uint32_t agent);

struct WatchArgs {
  std::string world;
  std::uint64_t frames = 0;  // to end after; 0: never
  bool view = true;          // a picture, if standard output is a terminal
};
int Watch(const Context& context, const WatchArgs& args);

struct DemoArgs {
  std::string world = "demo";
  std::uint32_t agents = 300;
  double seconds = 0.0;     // to end after; 0: never
  std::uint64_t ticks = 0;  // to end after; 0: never
  bool view = true;
  bool keep = false;  // leave the world behind
};
int Demo(const Context& context, const DemoArgs& args);

}  // namespace throng::cli
