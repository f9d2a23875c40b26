// throng_quality: plays scenes with extensions off and on and says how the motion is. tests/quality/README.md.
// Exit code: 0 measured, 1 a bound missed (with --check), 2 bad usage or a file that cannot be written.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tests/quality/picture.h"
#include "tests/quality/report.h"

namespace {

using throng::quality::Result;
using throng::quality::Scene;

constexpr char kUsage[] =
    "usage: throng_quality [--list] [--scene NAME]... [--seeds N] [--json FILE] [--picture DIR] [--check]\n"
    "Plays all scenes, or those named, with extensions off and on, and prints the worst of each measure.\n"
    "  --list         names the scenes and ends\n"
    "  --scene NAME   only this one; may be given again\n"
    "  --seeds N      runs at each pace of a scene (default 10), each with its own ids, rotation and offset\n"
    "  --json FILE    writes all measures\n"
    "  --picture DIR  draws the first run of each scene: DIR/NAME-off.svg, DIR/NAME-on.svg\n"
    "  --check        exit code 1 if a bound is missed\n"
    "Exit code: 0 measured, 1 see --check, 2 bad usage or a file that cannot be written.\n";

struct Options {
  bool list = false;
  bool check = false;
  std::vector<const Scene*> scenes;
  std::size_t seeds = 10;
  std::string json;
  std::string picture;
};

const Scene* Find(const std::string& name) {
  const std::vector<Scene>& scenes = throng::quality::Scenes();
  const auto found = std::ranges::find(scenes, name, &Scene::name);
  return found == scenes.end() ? nullptr : &*found;
}

bool TakeValue(std::string_view name, const std::string& value, Options& options) {
  if (name == "--scene") {
    options.scenes.push_back(Find(value));
    return options.scenes.back() != nullptr;
  }
  if (name == "--seeds") return absl::SimpleAtoi(value, &options.seeds) && options.seeds > 0 && options.seeds <= 10'000;
  if (name == "--json") options.json = value;
  if (name == "--picture") options.picture = value;
  return (name == "--json" || name == "--picture") && !value.empty();
}

std::optional<Options> Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--list" || name == "--check") {
      (name == "--list" ? options.list : options.check) = true;
      continue;
    }
    if (i + 1 == argc || !TakeValue(name, argv[i + 1], options)) {
      absl::FPrintF(stderr, "throng_quality: cannot take %s%s; see --help\n", name,
                    i + 1 == argc ? "" : absl::StrCat(" ", argv[i + 1]));
      return std::nullopt;
    }
    ++i;
  }
  if (options.scenes.empty()) {
    for (const Scene& scene : throng::quality::Scenes()) options.scenes.push_back(&scene);
  }
  return options;
}

bool Refuse(const std::string& path) {
  absl::FPrintF(stderr, "throng_quality: cannot write %s\n", path);
  return false;
}

bool WriteFiles(const Options& options, const std::vector<Result>& results) {
  if (!options.json.empty() && !throng::quality::Write(options.json, throng::quality::ToJson(results).dump(2) + "\n")) {
    return Refuse(options.json);
  }
  if (options.picture.empty()) return true;
  for (const Result& result : results) {
    const bool on = result.extensions == throng::quality::Extensions::kOn;
    const std::string path = absl::StrCat(options.picture, "/", result.scene->name, on ? "-on.svg" : "-off.svg");
    if (!throng::quality::Write(path, throng::quality::Draw(result))) return Refuse(path);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    absl::PrintF("%s", kUsage);
    return 0;
  }
  const std::optional<Options> options = Parse(argc, argv);
  if (!options) return 2;
  if (options->list) {
    for (const Scene* scene : options->scenes)
      absl::PrintF("%-13s %5d  %s\n", scene->name, scene->agents, scene->about);
    return 0;
  }
  if (!options->picture.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options->picture, error);
    if (error) return Refuse(options->picture), 2;
  }
  const std::vector<Result> results =
      throng::quality::RunAll(options->scenes, options->seeds, !options->picture.empty());
  throng::quality::PrintTable(results);
  if (!WriteFiles(*options, results)) return 2;
  return options->check && !throng::quality::AllMet(results) ? 1 : 0;
}
