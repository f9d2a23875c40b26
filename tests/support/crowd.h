// One face for both engines, so that replay and golden tests are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/scenes.h"
#include "throng/types.h"

namespace throng::testing {

class Crowd {
 public:
  virtual ~Crowd() = default;

  // Everything is valid and carries ids given by the caller; a test that breaks this ends with a message.
  virtual void AddAgent(const AgentSpec& spec) = 0;
  virtual void AddObstacle(const ObstacleSpec& spec) = 0;
  virtual void RemoveObstacle(ObstacleId id) = 0;
  virtual void SetPreferredVelocity(AgentId id, Vec2 preferred_velocity) = 0;
  virtual void Step() = 0;

  virtual AgentState Agent(AgentId id) const = 0;
  virtual std::uint64_t StateHash() const = 0;
  // Agent neighbours considered in the last step, in all.
  virtual std::uint64_t NeighborCount() const = 0;
  // The same of one agent, where the engine can tell.
  virtual std::optional<std::uint32_t> NeighborCountOf(AgentId id) const = 0;
  // Obstacle edges considered in the last step, in all.
  virtual std::uint64_t EdgeCount() const = 0;
  // Held by the engine; 0 for the twin, which does not count.
  virtual std::size_t MemoryBytes() const = 0;
};

enum class CrowdKind { kEngine, kTwin };

std::unique_ptr<Crowd> MakeCrowd(CrowdKind kind, const WorldSettings& settings);
std::unique_ptr<Crowd> MakeCrowd(CrowdKind kind, const Scene& scene);  // with all that is in the scene
std::string ToString(CrowdKind kind);

}  // namespace throng::testing
