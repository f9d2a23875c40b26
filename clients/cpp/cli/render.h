// Worlds and servers for people and for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "throng/client.h"

namespace throng::cli {

// 64-bit numbers that programs may not hold exactly as doubles (uid, versions, seed) are strings, as in protobuf's
// JSON.
nlohmann::ordered_json ToJson(const client::WorldInfo& world);
nlohmann::ordered_json ToJson(const client::ServerInfo& info);
nlohmann::ordered_json ToJson(const client::AgentParams& params);

// A float by its shortest decimal: 0.1 and not 0.10000000149.
double Short(float value);

// A table with a line a world.
std::string ToTable(const std::vector<client::WorldInfo>& worlds);
// A line a property.
std::string ToText(const client::WorldInfo& world);
std::string ToText(const client::ServerInfo& info, const std::string& address);

}  // namespace throng::cli
