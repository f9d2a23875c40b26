// A world that runs out of memory: it is FAULTED, the others go on. In a program of its own, since it replaces
// operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "server/base/reason.h"
#include "tests/support/serving.h"

namespace {

// Allocations of this thread of more bytes fail.
thread_local std::size_t most_bytes = SIZE_MAX;

void* Allocate(std::size_t size, std::size_t alignment) {
  if (size > most_bytes) throw std::bad_alloc();
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(size)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size, 1); }
void* operator new[](std::size_t size) { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace throng::server {
namespace {

class Listener final : public Subscriber {
 public:
  void OnFrame(FrameOffer offer) override { without_frame += offer.frame == nullptr ? 1 : 0; }
  void OnAgentEvents(const std::shared_ptr<const AgentEvents>&) override {}
  void OnWorldChanged(const WorldInfo& info) override { state = info.state; }
  void OnWorldDeleted() override { deleted = true; }

  int without_frame = 0;
  WorldState state = WorldState::kRunning;
  bool deleted = false;
};

TEST(FaultTest, AWorldOutOfMemoryIsFaultedAndTheOthersGoOn) {
  ManualServing serving;
  const auto world = serving.Create("big", Lockstep());
  const auto other = serving.Create("other");
  serving.AddAgents(*world, 5'000);
  const auto listener = std::make_shared<Listener>();
  world->Subscribe({listener, std::nullopt, nullptr, 0});
  serving.Pump();

  absl::Status stepped;
  world->Step({std::make_shared<SessionMemory>(), 1}, [&](auto outcome) { stepped = outcome.status(); });
  most_bytes = 16 * 1024;
  serving.Pump();
  most_bytes = SIZE_MAX;
  EXPECT_EQ(GetReason(stepped), "WORLD_FAULTED");
  EXPECT_EQ(world->Info().state, WorldState::kFaulted);
  EXPECT_EQ(world->Info().fault, "out of memory");
  EXPECT_EQ(listener->state, WorldState::kFaulted);
  EXPECT_EQ(serving.metrics.world_faults.value(), 1u);

  absl::Status applied, read, paused;
  world->ApplyCommands({}, [&](auto result) { applied = result.status(); });
  world->Read([&](auto result) { read = result.status(); });
  world->Pause([&](auto result) { paused = result.status(); });
  const auto late = std::make_shared<Listener>();
  world->Subscribe({late, FrameColumns{.position = true}, nullptr, 0});
  serving.Advance(std::chrono::seconds(1));
  EXPECT_EQ(GetReason(applied), "WORLD_FAULTED");
  EXPECT_EQ(GetReason(read), "WORLD_FAULTED");
  EXPECT_EQ(GetReason(paused), "WORLD_FAULTED");
  EXPECT_EQ(late->without_frame, 1);
  EXPECT_GE(other->Info().tick, 29u);

  serving.worlds.Delete("big", 0, [](auto result) { EXPECT_TRUE(result.ok()); });
  serving.Pump();
  EXPECT_TRUE(listener->deleted);
}

}  // namespace
}  // namespace throng::server
