#include "tests/support/crowd.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/support/twin.h"
#include "throng/world.h"

namespace throng::testing {
namespace {

class TwinCrowd final : public Crowd {
 public:
  explicit TwinCrowd(const WorldSettings& settings) : twin_(settings) {}

  void AddAgent(const AgentSpec& spec) override { twin_.AddAgent(spec); }
  void AddObstacle(const ObstacleSpec& spec) override { twin_.SetObstacle(spec.id.value(), spec); }
  void RemoveObstacle(ObstacleId id) override { twin_.RemoveObstacle(id); }
  void SetPreferredVelocity(AgentId id, Vec2 preferred_velocity) override {
    twin_.SetPreferredVelocity(id, preferred_velocity);
  }
  void Step() override { twin_.Step(); }

  AgentState Agent(AgentId id) const override {
    const twin::Agent& agent = twin_.agent(id);
    AgentState state;
    state.id = agent.id;
    state.position = agent.position;
    state.velocity = agent.velocity;
    state.params = agent.params;
    if (agent.has_input) state.preferred_velocity = agent.preferred_velocity;
    return state;
  }
  std::uint64_t StateHash() const override { return twin_.StateHash(); }
  std::uint64_t NeighborCount() const override { return twin_.counters().neighbors; }
  std::optional<std::uint32_t> NeighborCountOf(AgentId id) const override { return twin_.agent(id).neighbors; }
  std::uint64_t EdgeCount() const override { return twin_.counters().obstacle_edges; }
  std::size_t MemoryBytes() const override { return 0; }

 private:
  twin::Twin twin_;
};

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "The engine refused what the test holds valid: %s\n", status.ToString().c_str());
  std::abort();
}

class EngineCrowd final : public Crowd {
 public:
  explicit EngineCrowd(const WorldSettings& settings) {
    auto world = World::Create(settings);
    Require(world.status());
    world_ = *std::move(world);
  }

  void AddAgent(const AgentSpec& spec) override { Require(world_->AddAgent(spec).status()); }
  void AddObstacle(const ObstacleSpec& spec) override { Require(world_->AddObstacle(spec).status()); }
  void RemoveObstacle(ObstacleId id) override { Require(world_->RemoveObstacle(id)); }
  void SetPreferredVelocity(AgentId id, Vec2 preferred_velocity) override {
    std::vector<InputRejection> rejected;
    Require(world_->SetPreferredVelocities({&id, 1}, {&preferred_velocity.x, 1}, {&preferred_velocity.y, 1}, rejected)
                .status());
    if (!rejected.empty()) Require(rejected.front().status);
  }
  void Step() override { Require(world_->Step()); }

  AgentState Agent(AgentId id) const override {
    const auto state = world_->GetAgent(id);
    Require(state.status());
    return *state;
  }
  std::uint64_t StateHash() const override { return world_->StateHash(); }
  std::uint64_t NeighborCount() const override { return world_->stats().neighbors; }
  std::optional<std::uint32_t> NeighborCountOf(AgentId) const override { return std::nullopt; }
  std::uint64_t EdgeCount() const override { return world_->stats().obstacle_edges; }
  std::size_t MemoryBytes() const override { return world_->memory_bytes(); }

 private:
  std::unique_ptr<World> world_;
};

}  // namespace

std::unique_ptr<Crowd> MakeCrowd(CrowdKind kind, const WorldSettings& settings) {
  if (kind == CrowdKind::kEngine) return std::make_unique<EngineCrowd>(settings);
  return std::make_unique<TwinCrowd>(settings);
}

std::unique_ptr<Crowd> MakeCrowd(CrowdKind kind, const Scene& scene) {
  auto crowd = MakeCrowd(kind, scene.settings);
  for (const ObstacleSpec& obstacle : scene.obstacles) crowd->AddObstacle(obstacle);
  for (const AgentSpec& agent : scene.agents) crowd->AddAgent(agent);
  return crowd;
}

std::string ToString(CrowdKind kind) { return kind == CrowdKind::kEngine ? "engine" : "twin"; }

}  // namespace throng::testing
