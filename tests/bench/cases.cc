#include "tests/bench/cases.h"

#include <algorithm>
#include <thread>

#include "tests/support/speed_scenes.h"

namespace throng::bench {
namespace {

using testing::Scene;

constexpr std::size_t kWorldAgents = 100;  // of a world of "worlds-1000"
constexpr std::size_t kMany = 100'000;     // agents of a pathological scene

bool IsCrossing(std::string_view scene) {
  return scene == "crossing-25" || scene == "crossing-60" || scene == "crossing-5";
}
// DEFAULT in the place of BASE.
bool IsDefault(std::string_view scene) { return scene.starts_with("default-"); }
bool IsBesideEdges(std::string_view scene) { return scene.starts_with("crossing-25-edges-"); }
bool IsPathological(std::string_view scene) {
  return scene == "one-point" || scene == "line" || scene == "clusters-200" || scene.starts_with("far-pair");
}

Scene MakeScene(std::string_view name, std::size_t agents) {
  if (IsDefault(name)) {
    Scene scene = MakeScene(name == "default-town" ? "town" : "crossing-25", agents);
    scene.settings.preset = Preset::kDefault;
    return scene;
  }
  if (name == "crossing-60") return testing::Crossing({.agents = agents, .cover = 0.60f, .shuffle_ids = true});
  if (name == "crossing-5") return testing::Crossing({.agents = agents, .cover = 0.05f, .shuffle_ids = true});
  if (name == "crossing-25-edges-4k") return testing::CrossingBesideEdges(agents, 4'000);
  if (name == "crossing-25-edges-40k") return testing::CrossingBesideEdges(agents, 40'000);
  if (name == "town") return testing::StreetTown(agents);
  if (name == "one-point") return testing::OnePoint(agents);
  if (name == "line") return testing::Line(agents);
  if (name == "clusters-200") return testing::TightClusters(agents, 200);
  if (name.starts_with("far-pair")) return testing::FarPair(agents);
  return testing::Crossing({.agents = agents, .cover = 0.25f, .shuffle_ids = true});
}

// Crossing has one target for its ratio at each size and cover, on AVX-512 and one thread.
std::optional<double> RatioTarget(const Subject& subject) {
  if (subject.level != SimdLevel::kAvx512 || subject.threads != 1) return std::nullopt;
  if (subject.scene == "crossing-25" && subject.agents == 1'000) return 11.0;
  if (subject.agents != 10'000) return std::nullopt;
  if (subject.scene == "crossing-25") return 12.0;
  if (subject.scene == "crossing-60") return 13.0;
  if (subject.scene == "crossing-5") return 5.5;
  return std::nullopt;
}

// Of one crowd of many agents, or of the same one at a higher level or with fewer threads.
void CompareCrossing(Case& measured) {
  const Subject& subject = measured.subject;
  if (subject.level != BestSimdLevel()) {
    Subject best = subject;
    best.level = BestSimdLevel();
    measured.base = Base{best, std::string(Name(best.level)), true};
    if (subject.level == SimdLevel::kAvx2) measured.relative_target = 1.0 / 0.75;
  } else if (subject.agents >= 100'000) {
    Subject small = subject;
    small.agents = 10'000;
    measured.base = Base{small, "10,000 agents"};
    measured.relative_target = subject.agents >= 1'000'000 ? 1.4 : 1.2;
  }
}

void Compare(Case& measured) {
  const Subject& subject = measured.subject;
  const Subject even{"crossing-25", 10'000, subject.level, subject.threads};
  if (subject.threads > 1) {
    Subject alone = subject;
    alone.threads = 1;
    measured.base = Base{alone, "one thread", true};
    if (subject.threads == 2 && subject.agents >= 10'000) measured.relative_target = 1.0 / 1.85;
  } else if (IsDefault(subject.scene)) {
    Subject plain = subject;
    plain.scene = subject.scene == "default-town" ? "town" : "crossing-25";
    measured.base = Base{plain, "BASE"};
    measured.relative_target = 1.15;
  } else if (IsCrossing(subject.scene)) {
    CompareCrossing(measured);
  } else if (IsPathological(subject.scene)) {
    Subject crowd = even;
    if (subject.agents > 2) crowd.agents = subject.agents;
    measured.base = Base{crowd, "crossing-25"};
    measured.relative_target = 4.0;
  } else if (subject.scene == "worlds-1000") {
    measured.base = Base{even, "crossing-25 in one world"};
    measured.relative_target = 1.3;
  } else {
    Subject open = subject;
    open.edges = false;
    measured.base = Base{open, "without edges", IsBesideEdges(subject.scene)};
    measured.relative_target = subject.scene == "town" ? 1.6 : 1.1;
  }
}

// How long: enough for several sorts, and for a default run of minutes.
void SetLength(Case& measured) {
  const Subject& subject = measured.subject;
  const std::string_view scene = subject.scene;
  if (subject.agents >= 100'000) measured.steps = 60;
  if (subject.agents >= 1'000'000) measured.steps = 40;
  // Cheap, and quotients near one or of wall clocks.
  if (measured.base && subject.agents <= 10'000 && subject.level != SimdLevel::kScalar) measured.repeats = 15;
  if (measured.base || subject.agents >= 100'000) measured.twin_repeats = subject.agents >= 100'000 ? 1 : 3;
  measured.twin_steps = subject.agents >= 1'000'000 ? 4 : measured.steps;
  if (subject.threads > 1) measured.twin_repeats = 1;
  // The twin goes through all edges for each agent.
  if (scene == "town" || scene == "default-town" || IsBesideEdges(scene)) {
    measured.twin_repeats = scene == "crossing-25-edges-40k" ? 0 : 1;
    measured.twin_steps = 4;
  }
  // The worst is at the start. The twin goes through all who stand in reach, which are all of a point's.
  if (IsPathological(scene)) {
    measured.warm_up = 1;
    measured.steps = 40;
    measured.twin_repeats = scene == "one-point" ? 0 : 1;
    measured.twin_steps = 2;
  }
}

}  // namespace

const std::vector<std::string>& SceneNames() {
  static const std::vector<std::string> names = {
      "crossing-25",          "crossing-60",           "crossing-5", "worlds-1000",  "town",     "one-point",
      "crossing-25-edges-4k", "crossing-25-edges-40k", "line",       "clusters-200", "far-pair", "far-pair-crowd",
      "default-25",           "default-town"};
  return names;
}

const std::vector<std::string>& BuildSceneNames() {
  static const std::vector<std::string> names = {"build-40k", "build-400k"};
  return names;
}

std::size_t EdgesOf(std::string_view build_scene) { return build_scene == "build-400k" ? 400'000 : 40'000; }

double BuildTargetMs(std::string_view build_scene) { return build_scene == "build-400k" ? 80.0 : 5.0; }

std::size_t DefaultAgents(std::string_view scene) {
  if (scene == "far-pair") return 2;
  return IsPathological(scene) || scene == "worlds-1000" ? kMany : 10'000;
}

std::vector<Scene> MakeScenes(const Subject& subject) {
  std::vector<Scene> scenes;
  if (subject.scene == "worlds-1000") {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, subject.agents / kWorldAgents); ++i) {
      scenes.push_back(testing::Crossing({.agents = kWorldAgents, .cover = 0.25f, .shuffle_ids = true, .seed = 1 + i}));
    }
  } else {
    scenes.push_back(MakeScene(subject.scene, subject.agents));
  }
  for (Scene& scene : scenes) {
    scene.settings.simd_level = subject.level;
    if (!subject.edges) scene.obstacles.clear();
  }
  return scenes;
}

Case CaseOf(const Subject& subject) {
  Case measured;
  measured.subject = subject;
  measured.ratio_target = RatioTarget(subject);
  if (subject.scene == "crossing-25" && subject.agents >= 1'000'000) measured.bytes_target = 160.0;
  Compare(measured);
  SetLength(measured);
  if (measured.base) measured.base->steps = measured.steps;
  // A step of two agents is shorter than a look at the clock.
  if (subject.agents <= 2) {
    measured.steps = measured.twin_steps = 20'000;
    measured.base->steps = 200;
  }
  return measured;
}

std::vector<Case> DefaultCases(std::optional<SimdLevel> level) {
  const SimdLevel chosen = level.value_or(BestSimdLevel());
  std::vector<Subject> subjects = {{"crossing-25", 10'000, chosen},  {"crossing-60", 10'000, chosen},
                                   {"crossing-5", 10'000, chosen},   {"crossing-25", 1'000, chosen},
                                   {"crossing-25", 100'000, chosen}, {"crossing-25", 1'000'000, chosen},
                                   {"worlds-1000", kMany, chosen}};
  if (std::thread::hardware_concurrency() >= 2) {
    subjects.push_back({"crossing-25", 10'000, chosen, 2});
    subjects.push_back({"crossing-25", 100'000, chosen, 2});
    subjects.push_back({"worlds-1000", kMany, chosen, 2});
  }
  if (!level) {
    for (const SimdLevel other : AvailableSimdLevels()) {
      if (other != chosen) subjects.push_back({"crossing-25", 10'000, other});
    }
  }
  for (const char* scene : {"crossing-25-edges-4k", "crossing-25-edges-40k", "town", "one-point", "line",
                            "clusters-200", "far-pair", "far-pair-crowd", "default-25", "default-town"}) {
    subjects.push_back({scene, DefaultAgents(scene), chosen});
  }
  std::vector<Case> cases;
  for (const Subject& subject : subjects) cases.push_back(CaseOf(subject));
  return cases;
}

}  // namespace throng::bench
