// Plays scenes on the engine and measures them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/quality/measure.h"
#include "tests/quality/scene.h"

namespace throng::quality {

// Off: plain ORCA (Preset::kBase). On: what a world gets when nothing is said (Preset::kDefault).
enum class Extensions { kOff, kOn };

// Where all agents were, some times a second, for a picture.
struct Recording {
  Play play;
  std::vector<std::vector<Vec2>> ways;  // of each agent, until it left
};

struct RunResult {
  Measures measures;
  double free_time = 0.0;  // [s]
  double seconds = 0.0;    // simulated
  double packing = 0.0;    // radius of the disc around the scene's centre that holds all, over the closest packing's
  std::uint64_t hash = 0;  // of the state after kHashTick ticks, or after the last one
};
inline constexpr std::uint64_t kHashTick = 200;

// `recording` is filled if it is given. `most_ticks`: ends then at the latest.
RunResult PlayRun(const Scene& scene, const Pace& pace, std::uint64_t run, Extensions extensions,
                  Recording* recording = nullptr, std::optional<std::uint64_t> most_ticks = std::nullopt);

// The worst of each measure over all paces and runs.
struct Result {
  const Scene* scene = nullptr;
  Extensions extensions = Extensions::kOff;
  std::size_t runs = 0;
  Measures worst;
  std::optional<double> last_over_free;
  double packing = 0.0;
  std::size_t arrived_in_all = 0;  // runs in which all arrived
  std::uint64_t hash = 0;          // of run 0 at the first pace
  Recording recording;             // of that run, if it was asked for
};

// For each scene its results with extensions off and on, over `seeds` runs at every pace, side by side in the arena of
// the caller.
std::vector<Result> RunAll(const std::vector<const Scene*>& scenes, std::size_t seeds, bool record);

}  // namespace throng::quality
