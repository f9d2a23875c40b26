// What stands in a world, for people and for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "throng/client.h"

namespace throng::cli {

nlohmann::ordered_json ToJson(const client::Vector2& vector);
nlohmann::ordered_json ToJson(const client::Agent& agent);
nlohmann::ordered_json ToJson(const client::Obstacle& obstacle);

// A table with a line an agent, or an obstacle.
std::string ToTable(const std::vector<client::Agent>& agents);
std::string ToTable(const std::vector<client::Obstacle>& obstacles);

}  // namespace throng::cli
