#include "tests/determinism/golden.h"

#include <algorithm>
#include <vector>

#include "tests/support/extended_scene.h"
#include "tests/support/random.h"

namespace throng::testing {
namespace {

template <Shape kShape>
Scene Random700() {
  return RandomCrowd(kShape, 700, 1);
}

Scene Crossing5() { return Crossing({.agents = 2'000, .cover = 0.05f}); }
Scene Crossing25() { return Crossing({.agents = 3'000, .cover = 0.25f}); }
Scene Crossing25Shuffled() { return Crossing({.agents = 3'000, .cover = 0.25f, .shuffle_ids = true}); }
Scene Crossing60() { return Crossing({.agents = 1'500, .cover = 0.6f}); }
Scene Ring100() { return Ring(100); }
Scene Town25() { return Town(600, 5, 1); }
Scene AllExtensions600() { return AllExtensions(600, 1); }

// With all extensions, among obstacles that some see, and capsules.
Scene Capsules() {
  Scene scene = RandomCrowd(Shape::kObstacles, 700, 2);
  scene.settings.preset = Preset::kDefault;
  Random random(2);
  ObstacleId id = 0;
  for (ObstacleSpec& obstacle : scene.obstacles) {
    obstacle.layer = 1 + id % 2;
    id = std::max(id, *obstacle.id);
  }
  for (int i = 0; i < 20; ++i) {
    ObstacleSpec capsule = RandomCapsule(random, *scene.agents[static_cast<std::size_t>(i)].position, 20.0f);
    capsule.id = ++id;
    scene.obstacles.push_back(capsule);
  }
  for (std::size_t i = 0; i < scene.agents.size(); i += 3) scene.agents[i].params.avoids = 1;
  return scene;
}

}  // namespace

std::span<const Golden> GoldenTable() {
  static const std::vector<Golden> table = {
      {"Crossing5", Crossing5, 200, 0xd50edff2eac4019c},
      {"Crossing25", Crossing25, 200, 0x73ab77d3a2b54b36},
      {"Crossing25Shuffled", Crossing25Shuffled, 200, 0x7476853dcde40af6},
      {"Crossing60", Crossing60, 200, 0x35773cdea8d835ac},
      {"Ring100", Ring100, 300, 0x858be202d75327f9},
      {"Town25", Town25, 200, 0x5f5f74adb55cb497},
      {"Uniform", Random700<Shape::kUniform>, 200, 0x77c262ad11dc9df4},
      {"Clustered", Random700<Shape::kClustered>, 200, 0xf7152887cffb0010},
      {"Coincident", Random700<Shape::kCoincident>, 200, 0x5b1909a8a4f9109f},
      {"Lattice", Random700<Shape::kLattice>, 200, 0x163499503d2a3b3a},
      {"Far", Random700<Shape::kFar>, 200, 0x8f48264f976cc86f},
      {"Sparse", Random700<Shape::kSparse>, 200, 0xa9a365d2f6fe3523},
      {"Mixed", Random700<Shape::kMixed>, 200, 0x7ed6855d035f663c},
      {"Obstacles", Random700<Shape::kObstacles>, 200, 0x0bd5be18349d80c9},
      {"Capsules", Capsules, 200, 0x0fde09604becd313},
      {"Tiny", Random700<Shape::kTiny>, 200, 0x1f0b50157cf73e6c},
      {"AllExtensions", AllExtensions600, 400, 0xa8ab5f7ef6990bdd},
  };
  return table;
}

}  // namespace throng::testing
