// A warm step takes no memory: every allocation of the process is counted, on all threads, by standing in for the C
// library's functions. So operator new, Highway's aligned memory and whatever else ends there are seen alike.
// oneTBB takes memory for its own tasks and threads, which it may start late, and the loader for what is local to a new
// thread; what these ask for is told apart by who calls.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "kernel/kernels.h"
#include "tests/support/extended_scene.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/world.h"

// glibc's own, under names that stay when a program brings its own malloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}

namespace {

// Code of oneTBB's libraries and the loader; filled once before anything is counted.
struct Range {
  std::uintptr_t begin, end;
};
std::array<Range, 16> tbb_code;
std::size_t tbb_ranges = 0;

int NoteTbb(dl_phdr_info* library, std::size_t, void*) {
  const char* const name = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  if (std::strstr(name, "libtbb") == nullptr && std::strstr(name, "ld-linux") == nullptr) return 0;
  for (int i = 0; i < library->dlpi_phnum && tbb_ranges < tbb_code.size(); ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    tbb_code[tbb_ranges++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

bool OfTbb(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < tbb_ranges; ++i) {
    if (at >= tbb_code[i].begin && at < tbb_code[i].end) return true;
  }
  return false;
}

std::atomic<bool> counting = false;
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> tbb_allocations = 0;

void Count(const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  (OfTbb(caller) ? tbb_allocations : allocations).fetch_add(1, std::memory_order_relaxed);
}

void* New(std::size_t size, std::size_t alignment) {
  void* const memory = alignment <= alignof(std::max_align_t) ? __libc_malloc(size) : __libc_memalign(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  Count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  Count(__builtin_return_address(0));
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  Count(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  Count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  Count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  Count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) { __libc_free(memory); }
}

// Replaced too, so that the caller is who asks and not the C++ library. Not inlined: the compiler would take what it
// then sees in a caller for a mismatch of new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  Count(__builtin_return_address(0));
  return New(size, 1);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  Count(__builtin_return_address(0));
  return New(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { __libc_free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { __libc_free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { __libc_free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { __libc_free(memory); }

namespace throng {
namespace {

using testing::Random;
using testing::Scene;
using testing::Shape;

struct Case {
  std::string name;
  Scene (*make)();
  int warm_up = 40;  // steps: two sorts of a crowd that moves as usual
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// A crowd that walks out of a corner: the extent of the grid grows all the time.
Scene Spreading() {
  Scene scene = testing::RandomCrowd(Shape::kUniform, 3'000, 2);
  Random random(3);
  for (AgentSpec& agent : scene.agents) {
    const float speed = random.Uniform(0.0f, 2.0f);
    agent.preferred_velocity = Vec2{agent.position->x > 0 ? speed : -0.2f * speed, 0.3f * speed};
  }
  return scene;
}

// Everyone goes to one point, until most stand in a heap. Warm once the index has taken to the tree.
Scene Gathering() {
  Scene scene = testing::RandomCrowd(Shape::kUniform, 2'000, 4);
  for (AgentSpec& agent : scene.agents) {
    agent.preferred_velocity = Vec2{-0.2f * agent.position->x, -0.2f * agent.position->y};
    agent.params.radius = 0.02f;
  }
  return scene;
}

Scene WithManyNeighbors() {
  Scene scene = testing::Crossing({.agents = 1'500, .cover = 0.6f});
  for (std::size_t i = 0; i < scene.agents.size(); i += 3) scene.agents[i].params.max_neighbors = i % 2 == 0 ? 64 : 15;
  return scene;
}

// More edges near every agent than are kept for its group.
Scene AmongManyEdges() {
  Scene scene = testing::Crossing({.agents = 600, .cover = 0.05f});
  Random random(5);
  for (ObstacleId id = 1; id <= 400; ++id) {
    ObstacleSpec obstacle = testing::RandomObstacle(random, {60.0f, 60.0f}, 60.0f);
    if (obstacle.kind == ObstacleKind::kEnclosure) obstacle.kind = ObstacleKind::kSolid;
    obstacle.id = id;
    for (Vec2& vertex : obstacle.vertices) {  // shrunk about its first corner
      vertex.x = obstacle.vertices[0].x + 0.1f * (vertex.x - obstacle.vertices[0].x);
      vertex.y = obstacle.vertices[0].y + 0.1f * (vertex.y - obstacle.vertices[0].y);
    }
    scene.obstacles.push_back(obstacle);
  }
  return scene;
}

// Everyone presses against the bounds, and some against each other there.
Scene AtTheBounds() {
  Scene scene = testing::Crossing({.agents = 1'000});
  scene.settings.motion.containment = true;
  scene.settings.bounds = Rectangle{{-5.0f, -5.0f}, {40.0f, 40.0f}};
  return scene;
}

// Capsules that come and go between agents, of which some are not seen by all, and walls that few see.
Scene AmongCapsules() {
  Scene scene = testing::Crossing({.agents = 2'000});
  Random random(6);
  for (ObstacleId id = 1; id <= 40; ++id) {
    ObstacleSpec obstacle = testing::RandomCapsule(random, {20.0f, 20.0f}, 20.0f);
    if (id % 4 == 0) obstacle = testing::RandomObstacle(random, {20.0f, 20.0f}, 20.0f);
    obstacle.id = id;
    obstacle.layer = id % 3;
    scene.obstacles.push_back(obstacle);
  }
  for (std::size_t i = 0; i < scene.agents.size(); i += 5) scene.agents[i].params.avoids = 1;
  return scene;
}

Scene StaleInputs() {
  Scene scene = testing::Crossing({.agents = 2'000});
  scene.settings.stale_input = {StaleInputPolicy::kDecay, 20, 5.0f};
  return scene;
}

const std::array kCases = {
    Case{"crossing", [] { return testing::Crossing({.agents = 9'000, .shuffle_ids = true}); }},
    Case{"dense_crossing", [] { return testing::Crossing({.agents = 2'000, .cover = 0.7f}); }},
    Case{"town", [] { return testing::Town(800, 6, 1); }},
    Case{"many_edges", AmongManyEdges},
    Case{"capsules", AmongCapsules},
    Case{"many_neighbors", WithManyNeighbors},
    Case{"coincident", [] { return testing::RandomCrowd(Shape::kCoincident, 1'500, 1); }},
    Case{"clustered", [] { return testing::RandomCrowd(Shape::kClustered, 3'000, 1); }},
    Case{"obstacles", [] { return testing::RandomCrowd(Shape::kObstacles, 1'000, 1); }},
    Case{"mixed", [] { return testing::RandomCrowd(Shape::kMixed, 1'000, 1); }},
    Case{"sparse", [] { return testing::RandomCrowd(Shape::kSparse, 1'000, 1); }},
    Case{"spreading", Spreading},
    Case{"gathering", Gathering, 80},
    Case{"stale_inputs", StaleInputs},
    Case{"bounds", AtTheBounds},
    Case{"all_extensions", [] { return testing::AllExtensions(1'200, 1); }},
    Case{"everything", [] { return testing::Everything(1'200, 2); }},
};

// Half of those who are kinematic to a place, where some come before the steps that are counted and some in them.
void SendKinematics(const Scene& scene, World& world) {
  bool send = false;
  std::uint32_t ticks = 30;
  for (const AgentSpec& agent : scene.agents) {
    if (!agent.kinematic || (send = !send)) continue;
    AgentUpdate update;
    update.move_to = MoveTo{{20, 20}, ticks += 20};
    EXPECT_TRUE(world.UpdateAgent(*agent.id, update).ok());
  }
}

class WarmStep : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr int kSteps = 150;

  static std::unique_ptr<World> Make(SimdLevel level, int threads) {
    Scene scene = GetParam().make();
    scene.settings.parallel_grain = threads > 1 ? 1 : scene.agents.size() + 1;
    scene.settings.simd_level = level;
    auto world = World::Create(scene.settings);
    for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
    for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
    SendKinematics(scene, **world);
    return *std::move(world);
  }

  static void ExpectNoAllocation(SimdLevel level, int threads) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    const auto world = Make(level, threads);
    arena.execute([&] {
      for (int i = 0; i < GetParam().warm_up; ++i) ASSERT_TRUE(world->Step().ok());
      tbb_ranges = 0;
      dl_iterate_phdr(NoteTbb, nullptr);
      ASSERT_GT(tbb_ranges, 0u);
      for (int step = 1; step <= kSteps; ++step) {
        allocations = 0;
        counting = true;
        const absl::Status status = world->Step();
        counting = false;
        ASSERT_TRUE(status.ok());
        EXPECT_EQ(allocations.load(), 0u) << "step " << step << ", " << Name(level) << ", " << threads << " threads";
      }
    });
  }
};

TEST(CountingAllocations, SeesThoseOfEveryKind) {
  const auto counted = [](auto&& allocate) {
    allocations = 0;
    counting = true;
    void* const memory = allocate();
    counting = false;
    std::free(memory);
    return allocations.load();
  };
  EXPECT_EQ(counted([] { return std::malloc(100); }), 1u);
  EXPECT_EQ(counted([] { return std::aligned_alloc(64, 128); }), 1u);
  EXPECT_EQ(counted([]() -> void* { return ::operator new(64); }), 1u);
  EXPECT_EQ(counted([]() -> void* { return ::operator new (64, std::align_val_t{64}); }), 1u);
  allocations = 0;
  counting = true;
  LineBuffer buffer;  // of Highway's memory
  buffer.Fit(10);
  counting = false;
  EXPECT_EQ(allocations.load(), 1u);
}

TEST_P(WarmStep, DoesNotAllocateOnOneThread) {
  for (const SimdLevel level : AvailableSimdLevels()) ExpectNoAllocation(level, 1);
}

TEST_P(WarmStep, DoesNotAllocateOnSeveralThreads) { ExpectNoAllocation(BestSimdLevel(), 4); }

TEST_P(WarmStep, LeavesMemoryAsItIs) {
  const auto world = Make(BestSimdLevel(), 1);
  for (int i = 0; i < GetParam().warm_up; ++i) ASSERT_TRUE(world->Step().ok());
  const std::size_t before = world->memory_bytes();
  for (int i = 0; i < kSteps; ++i) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->memory_bytes(), before);
}

INSTANTIATE_TEST_SUITE_P(Scenes, WarmStep, ::testing::ValuesIn(kCases),
                         [](const auto& scene) { return scene.param.name; });

}  // namespace
}  // namespace throng
