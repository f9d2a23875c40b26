#include "world/step.h"

#include <algorithm>

#include "base/hash.h"
#include "solve/agent_lines.h"
#include "solve/linear_program.h"
#include "solve/obstacle_lines.h"
#include "throng/limits.h"
#include "world/parallel.h"

namespace throng {
namespace {

constexpr std::size_t kSolveBlock = 256;   // agents
constexpr std::size_t kLightBlock = 4096;  // agents of a stage that does little with each
// Agents that stand together are asked together whether any obstacle is near.
constexpr std::size_t kGroup = 32;

std::size_t BlocksOf(std::size_t size, std::size_t block) { return (size + block - 1) / block; }

float ClampedCoordinate(float value) {
  const float from_above = value < kMaxCoordinate ? value : kMaxCoordinate;
  return from_above > -kMaxCoordinate ? from_above : -kMaxCoordinate;
}

void AddTo(StepStats& sum, const StepStats& part) {
  sum.infeasible += part.infeasible;
  sum.neighbors += part.neighbors;
  sum.truncated += part.truncated;
  sum.overlapping += part.overlapping;
  sum.obstacle_edges += part.obstacle_edges;
}

Disc DiscAt(const AgentStore& agents, std::size_t place) {
  return {agents.id[place],
          {agents.position_x[place], agents.position_y[place]},
          {agents.velocity_x[place], agents.velocity_y[place]},
          agents.radius[place]};
}

// [m] Edges strictly nearer than this are considered: what the agent can cover within its horizon, and its radius.
float ObstacleRange(const AgentStore& agents, std::size_t place) {
  return agents.time_horizon_obstacles[place] * agents.max_speed[place] + agents.radius[place];
}

}  // namespace

void Stepper::Begin(const StepInput& input) {
  in_ = input;
  inverse_time_step_ = 1.0f / input.settings->time_step;
  for (Worker& worker : workers_) {
    worker.stats = {};
    worker.hash = 0;
  }
  next_block_ = 0;
  phase_ = Phase::kApply;
}

Phase Stepper::Advance(std::size_t agents) {
  const Phase phase = phase_;
  const bool threads = in_.agents->size() >= in_.settings->parallel_grain;
  const std::size_t workers = threads ? MaxWorkers() : 1;
  if (workers_.size() < workers) workers_.resize(workers);
  for (bool started = false; phase_ == phase;) {
    if (next_block_ == blocks()) {
      FinishStage();
      continue;
    }
    std::size_t count = agents / block_cost();
    if (count == 0) {
      if (started) break;
      count = 1;
    }
    started = true;
    count = std::min(count, blocks() - next_block_);
    RunBlocks(next_block_, next_block_ + count, threads,
              [&](std::size_t block, std::size_t worker) { RunBlock(block, workers_[worker]); });
    next_block_ += count;
    agents -= std::min(agents, count * block_cost());
    if (next_block_ == blocks()) FinishStage();
  }
  return phase_;
}

std::size_t Stepper::blocks() const {
  switch (phase_) {
    case Phase::kIdle:
      return 0;
    case Phase::kApply:
      return in_.agents->keeps_input_ticks() ? BlocksOf(in_.agents->size(), kLightBlock) : 0;
    case Phase::kIndex:
      return index_.blocks();
    case Phase::kSolve:
      return BlocksOf(in_.agents->size(), kSolveBlock);
    case Phase::kMove:
      return BlocksOf(in_.agents->size(), kLightBlock);
  }
  return 0;
}

std::size_t Stepper::block_cost() const {
  if (phase_ == Phase::kSolve) return kSolveBlock;
  return phase_ == Phase::kIndex ? index_.block_cost() : kLightBlock / 64;
}

void Stepper::RunBlock(std::size_t block, Worker& worker) {
  const std::size_t size = in_.agents->size();
  switch (phase_) {
    case Phase::kIdle:
      return;
    case Phase::kApply:
      return ApplyStaleInput(block * kLightBlock, std::min(size, (block + 1) * kLightBlock));
    case Phase::kIndex:
      return index_.RunBlock(block);
    case Phase::kSolve:
      return Solve(block * kSolveBlock, std::min(size, (block + 1) * kSolveBlock), worker);
    case Phase::kMove:
      return Move(block * kLightBlock, std::min(size, (block + 1) * kLightBlock), worker);
  }
}

void Stepper::FinishStage() {
  next_block_ = 0;
  switch (phase_) {
    case Phase::kIdle:
      return;
    case Phase::kApply:
      index_.Begin(*in_.agents);
      phase_ = Phase::kIndex;
      return;
    case Phase::kIndex:
      index_.FinishStage();
      if (index_.done()) phase_ = Phase::kSolve;
      return;
    case Phase::kSolve:
      phase_ = Phase::kMove;
      return;
    case Phase::kMove:
      FinishStep();
      phase_ = Phase::kIdle;
      return;
  }
}

void Stepper::FinishStep() {
  in_.agents->velocity_x.SwapElements(in_.agents->next_velocity_x);
  in_.agents->velocity_y.SwapElements(in_.agents->next_velocity_y);
  stats_ = {};
  state_hash_ = 0;
  for (const Worker& worker : workers_) {
    AddTo(stats_, worker.stats);
    state_hash_ += worker.hash;
  }
}

// An input is fresh in as many steps after it came as the policy says.
void Stepper::ApplyStaleInput(std::size_t begin, std::size_t end) {
  AgentStore& agents = *in_.agents;
  const StaleInput& stale = in_.settings->stale_input;
  const float factor = stale.decay_time / (stale.decay_time + in_.settings->time_step);
  for (std::size_t i = begin; i < end; ++i) {
    if (agents.has_input[i] == 0 || in_.tick - agents.last_input_tick[i] < stale.timeout_ticks) continue;
    if (stale.policy == StaleInputPolicy::kStop) {
      agents.preferred_x[i] = agents.preferred_y[i] = 0.0f;
    } else {
      agents.preferred_x[i] = factor * agents.preferred_x[i];
      agents.preferred_y[i] = factor * agents.preferred_y[i];
    }
  }
}

void Stepper::Solve(std::size_t begin, std::size_t end, Worker& worker) {
  for (std::size_t group = begin; group < end; group += kGroup) {
    const std::size_t group_end = std::min(end, group + kGroup);
    const bool edges_near = !in_.obstacle_index->empty() && AnyEdgeNear(group, group_end);
    for (std::size_t i = group; i < group_end; ++i) SolveAgent(i, edges_near, worker);
  }
}

bool Stepper::AnyEdgeNear(std::size_t begin, std::size_t end) const {
  const AgentStore& agents = *in_.agents;
  float range = 0.0f;
  Bounds box = Bounds::Of(agents.position_x[begin], agents.position_y[begin]);
  for (std::size_t i = begin; i < end; ++i) {
    range = std::max(range, ObstacleRange(agents, i));
    box.Include(agents.position_x[i], agents.position_y[i]);
  }
  return in_.obstacle_index->AnyIn(box.Widened(range));
}

void Stepper::SolveAgent(std::size_t self, bool edges_near, Worker& worker) {
  AgentStore& agents = *in_.agents;
  worker.lines.clear();
  if (edges_near) AddObstacleLines(self, worker);
  const std::size_t hard = worker.lines.size();
  AddAgentLines(self, worker);
  const ProgramResult result = SolveVelocity(worker.lines, hard, agents.max_speed[self],
                                             {agents.preferred_x[self], agents.preferred_y[self]}, worker.relaxed);
  worker.stats.infeasible += result.infeasible;
  agents.next_velocity_x[self] = result.velocity.x;
  agents.next_velocity_y[self] = result.velocity.y;
}

void Stepper::AddObstacleLines(std::size_t self, Worker& worker) {
  const AgentStore& agents = *in_.agents;
  const ObstacleStore& obstacles = *in_.obstacles;
  const Disc disc = DiscAt(agents, self);
  const float range = ObstacleRange(agents, self);
  worker.edges.clear();
  const Bounds box = Bounds::Of(disc.position.x, disc.position.y).Widened(range);
  in_.obstacle_index->Search(box, [&](EdgeHandle handle) {
    const ObstacleEdge& edge = obstacles.edge(handle);
    if (!Faces(edge, disc.position)) return;
    const float distance_squared = DistanceSquared(edge, disc.position);
    if (distance_squared < range * range) worker.edges.push_back({distance_squared, handle});
  });
  std::sort(worker.edges.begin(), worker.edges.end(), [&](const NearEdge& a, const NearEdge& b) {
    if (a.distance_squared != b.distance_squared) return a.distance_squared < b.distance_squared;
    const ObstacleEdge &left = obstacles.edge(a.edge), &right = obstacles.edge(b.edge);
    return std::pair(left.obstacle, left.index) < std::pair(right.obstacle, right.index);
  });
  const float inverse_horizon = 1.0f / agents.time_horizon_obstacles[self];
  for (const NearEdge& near : worker.edges) {
    AddObstacleHalfPlane(disc, obstacles.edge(near.edge), inverse_horizon, worker.lines);
  }
  worker.stats.obstacle_edges += worker.edges.size();
}

void Stepper::AddAgentLines(std::size_t self, Worker& worker) {
  const AgentStore& agents = *in_.agents;
  Nearest& nearest = worker.nearest;
  const std::uint32_t most = agents.max_neighbors[self];
  nearest.Reset(agents.neighbor_distance[self], most);
  index_.Search(agents, self, most, nearest);

  const Disc disc = DiscAt(agents, self);
  const float inverse_horizon = 1.0f / agents.time_horizon[self];
  bool overlapping = false;
  for (std::uint32_t rank = 0; rank < nearest.size(); ++rank) {
    const Disc other = DiscAt(agents, nearest.place(rank));
    worker.lines.push_back(AgentHalfPlane(disc, other, inverse_horizon, inverse_time_step_, overlapping));
  }
  worker.stats.neighbors += nearest.size();
  worker.stats.truncated += nearest.full();
  worker.stats.overlapping += overlapping;
}

void Stepper::Move(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  const float time_step = in_.settings->time_step;
  for (std::size_t i = begin; i < end; ++i) {
    const Vec2 velocity{agents.next_velocity_x[i], agents.next_velocity_y[i]};
    const Vec2 moved = Vec2{agents.position_x[i], agents.position_y[i]} + time_step * velocity;
    const Vec2 position{ClampedCoordinate(moved.x), ClampedCoordinate(moved.y)};
    agents.position_x[i] = position.x;
    agents.position_y[i] = position.y;
    worker.hash += AgentHash(agents.id[i], position, velocity);
  }
}

std::size_t Stepper::memory_bytes() const {
  std::size_t bytes = index_.memory_bytes() + workers_.capacity() * sizeof(Worker);
  for (const Worker& worker : workers_) {
    bytes += (worker.lines.capacity() + worker.relaxed.capacity()) * sizeof(HalfPlane) +
             worker.edges.capacity() * sizeof(NearEdge);
  }
  return bytes;
}

}  // namespace throng
