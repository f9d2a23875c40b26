// throng_bench: nanoseconds per agent and step of the engine and of its textbook twin, in one run.
// Exit code: 0 measured, 1 engine and twin came to different states, 2 bad usage or a file that cannot be written.
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/bench/measure.h"

namespace {

using throng::SimdLevel;
using throng::bench::Case;
using throng::bench::Row;
using Json = nlohmann::ordered_json;

constexpr char kUsage[] =
    "usage: throng_bench [--scene NAME] [--agents N] [--level NAME] [--threads N] [--steps N] [--repeats N]\n"
    "                    [--json FILE] [--context KEY=VALUE]...\n"
    "Without --scene and --agents: crossing-25 with 1,000, 10,000 and 100,000 agents, crossing-60 and crossing-5 with\n"
    "10,000, on the machine's fastest SIMD level, and crossing-25 with 10,000 on its others; --level measures all on "
    "one.\n"
    "20 steps to warm up, then 200 measured (60 of 100,000 agents); median of 5 repeats (3 of 100,000).\n"
    "Times are of the thread's CPU, or of the wall clock with more threads than one. --context adds words to the "
    "file.\n";

struct Options {
  std::optional<std::string> scene;
  std::optional<int> agents;
  std::optional<SimdLevel> level;
  int threads = 1;
  std::optional<int> steps;
  std::optional<int> repeats;
  std::string json;
  std::map<std::string, std::string> context;
};

bool ParseCount(const std::string& text, int& value) { return absl::SimpleAtoi(text, &value) && value > 0; }

bool ParseOption(std::string_view name, const std::string& value, Options& options) {
  int count = 0;
  if (name == "--json") {
    options.json = value;
    return true;
  }
  if (name == "--scene") {
    options.scene = value;
    return std::ranges::count(throng::bench::SceneNames(), value) > 0;
  }
  if (name == "--level") {
    options.level = throng::SimdLevelOf(value);
    return options.level && throng::IsAvailable(*options.level);
  }
  if (name == "--context") {
    const std::pair<std::string, std::string> pair = absl::StrSplit(value, absl::MaxSplits('=', 1));
    options.context.insert(pair);
    return true;
  }
  if (!ParseCount(value, count)) return false;
  if (name == "--agents") options.agents = count;
  if (name == "--threads") options.threads = count;
  if (name == "--steps") options.steps = count;
  if (name == "--repeats") options.repeats = count;
  return name == "--agents" || name == "--threads" || name == "--steps" || name == "--repeats";
}

std::optional<Options> Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !ParseOption(argv[i], argv[i + 1], options)) {
      absl::FPrintF(stderr, "throng_bench: cannot take %s\n%s", argv[i], kUsage);
      return std::nullopt;
    }
  }
  return options;
}

std::vector<Case> Cases(const Options& options) {
  const SimdLevel level = options.level.value_or(throng::BestSimdLevel());
  std::vector<Case> cases = {{"crossing-25", 1'000, level},
                             {"crossing-25", 10'000, level},
                             {"crossing-25", 100'000, level, 1, 60, 3},
                             {"crossing-60", 10'000, level},
                             {"crossing-5", 10'000, level}};
  if (!options.level) {
    for (const SimdLevel other : throng::AvailableSimdLevels()) {
      if (other != level) cases.push_back({"crossing-25", 10'000, other});
    }
  }
  if (options.scene || options.agents) {
    cases = {{options.scene.value_or("crossing-25"), static_cast<std::size_t>(options.agents.value_or(10'000)), level}};
  }
  for (Case& measured : cases) {
    measured.threads = options.threads;
    measured.steps = options.steps.value_or(measured.steps);
    measured.repeats = options.repeats.value_or(measured.repeats);
  }
  return cases;
}

double Rounded(double value, double steps) { return std::round(value * steps) / steps; }

Json ToJson(const Row& row) {
  return {{"scene", row.measured.scene},
          {"agents", row.measured.agents},
          {"threads", row.measured.threads},
          {"level", throng::Name(row.measured.level)},
          {"engine_ns", Rounded(row.engine_ns, 10)},
          {"twin_ns", Rounded(row.twin_ns, 10)},
          {"ratio", Rounded(row.twin_ns / row.engine_ns, 100)},
          {"steps", row.measured.steps},
          {"repeats", row.measured.repeats},
          {"clock", row.clock},
          {"state_hash", absl::StrFormat("%016x", row.engine_hash)}};
}

bool Write(const std::string& path, const Options& options, const Json& rows) {
  Json document = Json::object();
  for (const auto& [key, value] : options.context) document[key] = value;
  document["rows"] = rows;
  std::ofstream file(path);
  file << document.dump(2) << "\n";
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    absl::PrintF("%s", kUsage);
    return 0;
  }
  const std::optional<Options> options = Parse(argc, argv);
  if (!options) return 2;

  int result = 0;
  Json rows = Json::array();
  absl::PrintF("ns per agent and step\n");
  absl::PrintF("%-12s %8s %8s %8s %8s %8s %7s  %s\n", "scene", "agents", "threads", "level", "engine", "twin", "ratio",
               "state hash");
  for (const Case& measured : Cases(*options)) {
    const Row row = throng::bench::Measure(measured);
    rows.push_back(ToJson(row));
    absl::PrintF("%-12s %8d %8d %8s %8.1f %8.1f %7.2f  %016x\n", measured.scene, measured.agents, measured.threads,
                 throng::Name(measured.level), row.engine_ns, row.twin_ns, row.twin_ns / row.engine_ns,
                 row.engine_hash);
    std::fflush(stdout);
    if (row.engine_hash != row.twin_hash) {
      absl::FPrintF(stderr, "throng_bench: the twin came to another state, %016x\n", row.twin_hash);
      result = 1;
    }
  }
  if (!options->json.empty() && !Write(options->json, *options, rows)) {
    absl::FPrintF(stderr, "throng_bench: cannot write %s\n", options->json);
    return 2;
  }
  return result;
}
