// Options that several commands share: they say what is told to the server, which knows the defaults and checks ranges.
#pragma once

#include <CLI/CLI.hpp>
#include <utility>

#include "throng/client.h"

namespace throng::cli {

// Two numbers. `Value`: Vector2, or an optional of it.
template <class Value>
CLI::Option* AddVector(CLI::App& app, const char* name, Value& value, const char* text) {
  const auto set = [&value](const std::pair<float, float>& pair) { value = client::Vector2{pair.first, pair.second}; };
  return app.add_option_function<std::pair<float, float>>(name, set, text)->type_name("X Y");
}

// Of a world to create.
void AddSettings(CLI::App& app, client::WorldSettings& settings);
// Of a world that exists.
void AddSettingsChange(CLI::App& app, client::WorldSettings& settings);
// Of an agent to add, but for its place, and of one to change.
void AddAgentOptions(CLI::App& app, client::AgentSpec& agent);
void AddAgentOptions(CLI::App& app, client::AgentUpdate& agent);
// Of an obstacle to add, but for its kind.
void AddObstacleOptions(CLI::App& app, client::ObstacleSpec& obstacle);
// Parameters of an agent. `defaults`: whether texts name Throng's defaults; an agent that is added takes its world's.
void AddParams(CLI::App& app, client::AgentParams& params, const char* group, bool defaults);

}  // namespace throng::cli
