// throng_bench: nanoseconds per agent and step of the engine and of its textbook twin, in one run.
// Exit code: 0 measured, 1 two that must agree came to different states, 2 bad usage or a file that cannot be written.
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/report.h"

namespace {

using throng::SimdLevel;
using throng::bench::Case;
using throng::bench::Json;
using throng::bench::Subject;

constexpr char kUsage[] =
    "usage: throng_bench [--list] [--scene NAME]... [--agents N] [--level NAME] [--threads N] [--steps N] [--repeats "
    "N]\n"
    "                    [--json FILE] [--context KEY=VALUE]...\n"
    "Without options: all rows of tests/bench/README.md, on the machine's fastest SIMD level. --scene takes the rows "
    "of\n"
    "a scene; with --agents or --threads one row of that many (crossing-25 if no scene is given). --level measures on\n"
    "one level. --context adds words to each row of the file. --list says what would be measured. Scenes:\n";

struct Options {
  bool list = false;
  std::vector<std::string> scenes;
  std::optional<int> agents;
  std::optional<SimdLevel> level;
  std::optional<int> threads;
  std::optional<int> steps;
  std::optional<int> repeats;
  std::string json;
  throng::bench::Context context;
};

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

bool IsBuild(const std::string& scene) { return Contains(throng::bench::BuildSceneNames(), scene); }

bool ParseText(std::string_view name, const std::string& value, Options& options) {
  if (name == "--json") {
    options.json = value;
    return !value.empty();
  }
  if (name == "--scene") {
    options.scenes.push_back(value);
    return Contains(throng::bench::SceneNames(), value) || IsBuild(value);
  }
  if (name == "--level") {
    options.level = throng::SimdLevelOf(value);
    return options.level && throng::IsAvailable(*options.level);
  }
  const std::pair<std::string, std::string> pair = absl::StrSplit(value, absl::MaxSplits('=', 1));
  options.context.insert(pair);
  return name == "--context" && !pair.first.empty();
}

bool ParseOption(std::string_view name, const std::string& value, Options& options) {
  const std::pair<std::string_view, std::optional<int>*> counts[] = {{"--agents", &options.agents},
                                                                     {"--threads", &options.threads},
                                                                     {"--steps", &options.steps},
                                                                     {"--repeats", &options.repeats}};
  for (const auto& [known, count] : counts) {
    if (name != known) continue;
    int parsed = 0;
    if (!absl::SimpleAtoi(value, &parsed) || parsed <= 0) return false;
    *count = parsed;
    return true;
  }
  return ParseText(name, value, options);
}

std::optional<Options> Parse(int argc, char** argv) {
  Options options;
  options.list = argc > 1 && argv[1] == std::string_view("--list");
  for (int i = options.list ? 2 : 1; i < argc; i += 2) {
    if (i + 1 == argc || !ParseOption(argv[i], argv[i + 1], options)) {
      absl::FPrintF(stderr, "throng_bench: cannot take %s; see --help\n", argv[i]);
      return std::nullopt;
    }
  }
  return options;
}

// Rows of default cases whose scene is asked for, or one of each such scene where its size is.
std::vector<Case> Cases(const Options& options) {
  std::vector<Case> cases;
  if (options.agents || options.threads) {
    std::vector<std::string> scenes = options.scenes;
    if (scenes.empty()) scenes.push_back("crossing-25");
    for (const std::string& scene : scenes) {
      if (IsBuild(scene)) continue;
      const std::size_t usual = throng::bench::DefaultAgents(scene);
      const Subject subject{scene, options.agents ? static_cast<std::size_t>(*options.agents) : usual,
                            options.level.value_or(throng::BestSimdLevel()), options.threads.value_or(1)};
      cases.push_back(throng::bench::CaseOf(subject));
    }
  } else {
    for (const Case& measured : throng::bench::DefaultCases(options.level)) {
      if (options.scenes.empty() || Contains(options.scenes, measured.subject.scene)) cases.push_back(measured);
    }
  }
  for (Case& measured : cases) {
    if (options.repeats) measured.repeats = *options.repeats;
    if (!options.steps) continue;
    measured.steps = *options.steps;
    if (measured.base) measured.base->steps = *options.steps;
  }
  return cases;
}

std::vector<std::string> Builds(const Options& options) {
  std::vector<std::string> builds;
  if (options.scenes.empty() && (options.agents || options.threads)) return builds;
  for (const std::string& scene : throng::bench::BuildSceneNames()) {
    if (options.scenes.empty() || Contains(options.scenes, scene)) builds.push_back(scene);
  }
  return builds;
}

// A line for each row: scene, agents, threads, level, and what it is compared with.
void List(const Options& options) {
  for (const Case& measured : Cases(options)) {
    const Subject& subject = measured.subject;
    absl::PrintF("%-21s %8d %3d  %-7s %s\n", subject.scene, subject.agents, subject.threads,
                 throng::Name(subject.level), measured.base ? measured.base->what : "");
  }
  for (const std::string& scene : Builds(options)) {
    absl::PrintF("%-21s %8d %3d  %s\n", scene, 1, 1, throng::Name(options.level.value_or(throng::BestSimdLevel())));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    absl::PrintF("%s  %s\n  %s\n", kUsage, absl::StrJoin(throng::bench::SceneNames(), " "),
                 absl::StrJoin(throng::bench::BuildSceneNames(), " "));
    return 0;
  }
  const std::optional<Options> options = Parse(argc, argv);
  if (!options) return 2;
  if (options->list) {
    List(*options);
    return 0;
  }

  int result = 0;
  Json rows = Json::array();
  throng::bench::PrintHeader();
  for (const Case& measured : Cases(*options)) {
    const throng::bench::Row row = throng::bench::Measure(measured);
    rows.push_back(ToJson(row, options->context));
    Print(row);
    if (row.fault.empty()) continue;
    absl::FPrintF(stderr, "throng_bench: %s: %s\n", measured.subject.scene, row.fault);
    result = 1;
  }
  for (const std::string& scene : Builds(*options)) {
    const SimdLevel level = options->level.value_or(throng::BestSimdLevel());
    const throng::bench::BuildRow row = throng::bench::MeasureBuild(scene, level, options->repeats.value_or(7));
    rows.push_back(ToJson(row, options->context));
    Print(row);
  }
  if (!options->json.empty() && !throng::bench::Write(options->json, rows)) {
    absl::FPrintF(stderr, "throng_bench: cannot write %s\n", options->json);
    return 2;
  }
  return result;
}
