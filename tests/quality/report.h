// Results against what is to be reached, as a table and as JSON. README.md has the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/quality/run.h"

namespace throng::quality {

using Json = nlohmann::ordered_json;

struct Finding {
  std::string what;  // "last_over_free 2.31 > 2"
  bool ok = false;
};

// Every bound of the scene against what was reached with extensions on; `off` is the same scene without.
std::vector<Finding> Judge(const Result& off, const Result& on);

// `results` as RunAll gives them: off, on, off, on, ...
Json ToJson(const std::vector<Result>& results);
void PrintTable(const std::vector<Result>& results);
bool AllMet(const std::vector<Result>& results);

bool Write(const std::string& path, const std::string& text);  // false if it cannot be written

}  // namespace throng::quality
