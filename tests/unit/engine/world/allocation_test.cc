// A warm step takes no memory: counted by replacing this program's operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "tests/support/scenes.h"
#include "throng/world.h"

namespace {

std::size_t allocations = 0;  // the steps tested here run on one thread

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined: the compiler would take what it then sees in a caller for a mismatch of new and free.
[[gnu::noinline]] void* operator new(std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace throng {
namespace {

std::unique_ptr<World> Make(testing::Scene scene) {
  scene.settings.parallel_grain = scene.agents.size() + 1;
  auto world = World::Create(scene.settings);
  for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
  return *std::move(world);
}

class WarmStep : public ::testing::TestWithParam<int> {
 protected:
  static testing::Scene SceneOf(int which) {
    switch (which) {
      case 0:
        return testing::Crossing({.agents = 2000});
      case 1:
        return testing::Town(500, 6, 1);
      case 2:
        return testing::RandomCrowd(testing::Shape::kCoincident, 1000, 1);
      default:
        return testing::RandomCrowd(testing::Shape::kClustered, 1000, 1);
    }
  }
};

TEST_P(WarmStep, DoesNotAllocate) {
  const auto world = Make(SceneOf(GetParam()));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(world->Step().ok());
  // A crowd that flows may need room it never needed before, if seldom: most steps must not.
  int steps_with = 0;
  for (int i = 0; i < 50; ++i) {
    const std::size_t before = allocations;
    ASSERT_TRUE(world->Step().ok());
    steps_with += allocations != before;
  }
  EXPECT_LE(steps_with, 2);
}

TEST_P(WarmStep, LeavesMemoryAsItIs) {
  const auto world = Make(SceneOf(GetParam()));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(world->Step().ok());
  const std::size_t before = world->memory_bytes();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_LE(world->memory_bytes(), before + before / 5);
}

INSTANTIATE_TEST_SUITE_P(Scenes, WarmStep, ::testing::Range(0, 4));

}  // namespace
}  // namespace throng
