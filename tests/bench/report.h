// Rows as text and as JSON, see README.md for the keys.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/bench/measure.h"

namespace throng::bench {

using Json = nlohmann::ordered_json;
// Words that are the same for a whole run, such as machine and commit. They stand in every row.
using Context = std::map<std::string, std::string>;

Json ToJson(const Row& row, const Context& context);
Json ToJson(const BuildRow& row, const Context& context);

void PrintHeader();
void Print(const Row& row);
void Print(const BuildRow& row);

// False if the file cannot be written.
bool Write(const std::string& path, const Json& rows);

}  // namespace throng::bench
