#include "world/step.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/fp_environment.h"
#include "base/hash.h"
#include "base/memory.h"
#include "index/nearest.h"
#include "solve/agent_lines.h"
#include "solve/drive_lines.h"
#include "solve/obstacle_lines.h"
#include "throng/limits.h"
#include "world/kinematic.h"
#include "world/parallel.h"
#include "world/relief.h"
#include "world/steer.h"

namespace throng {
namespace {

constexpr std::size_t kSolveBlock = 512;   // agents
constexpr std::size_t kLightBlock = 4096;  // agents of a stage that does little with each
static_assert(kSolveBlock % kGroup == 0);

// Sorting seldom pays, since lists of agents nearby serve for some steps and all of them are lost with the order.
// More steps than this, or more of a way, and searches look in too many cells.
constexpr std::uint32_t kStepsPerSort = 16;
constexpr double kCellsPerSort = 0.6;

// Work, in agents whose velocity could be solved in that time, below which threads would cost more than they take over.
constexpr std::size_t kWorthSplitting = 512;

std::size_t BlocksOf(std::size_t size, std::size_t block) { return (size + block - 1) / block; }

Disc DiscAt(const AgentStore& agents, std::size_t place) {
  const Body& body = agents.body[place];
  return {agents.id[place], {body.x, body.y}, {body.vx, body.vy}, agents.radius[place]};
}

}  // namespace

void Stepper::Begin(const StepInput& input) {
  in_ = input;
  // First of all: should memory run out below, the world is in the midst of a step, which nobody goes on with.
  phase_ = Phase::kApply;
  next_block_ = 0;
  inverse_time_step_ = 1.0f / input.settings->time_step;
  recovering_ = input.recovery != nullptr && !input.zero;
  if (recovering_) input.recovery->Begin(*input.agents, *input.obstacles, *input.obstacle_index);
  // A world that has become small has one thread from now on.
  if (workers_.size() > 1 && input.agents->size() < input.settings->parallel_grain / 2) workers_.resize(1);
  for (const auto& worker : workers_) {
    worker->counts = {};
    worker->obstacle_edges = 0;
    worker->cut = 0;
    worker->progress = {};
    worker->arrived = 0;
    worker->hash = 0;
    worker->moved_squared = 0.0f;
    worker->jumped = false;
  }
  steering_ = false;
}

Phase Stepper::Advance(std::size_t agents) {
  const Phase phase = phase_;
  const bool threads = in_.agents->size() >= in_.settings->parallel_grain;
  const std::size_t workers = threads ? MaxWorkers() : 1;
  while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
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
    const bool split = threads && count * block_cost() >= std::min(kWorthSplitting, in_.settings->parallel_grain);
    RunBlocks(next_block_, next_block_ + count, split,
              [&](std::size_t block, std::size_t worker) { RunBlock(block, *workers_[worker]); });
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
      if (recovering_) return in_.recovery->blocks();
      if (steering_) return steer_blocks() + BlocksOf(in_.agents->kinematics.size(), kLightBlock);
      return in_.agents->keeps_input_ticks() && !in_.zero ? BlocksOf(in_.agents->size(), kLightBlock) : 0;
    case Phase::kIndex:
      return finding_edges_ ? near_edges_.blocks() : index_.blocks();
    case Phase::kSolve:
      return BlocksOf(in_.agents->size(), kSolveBlock);
    case Phase::kMove:
      return BlocksOf(in_.agents->size(), kLightBlock);
  }
  return 0;
}

std::size_t Stepper::block_cost() const {
  if (phase_ == Phase::kSolve || recovering_) return kSolveBlock;
  if (phase_ != Phase::kIndex) return kLightBlock / 20;
  return finding_edges_ ? NearEdges::kBlock * kGroup / 4 : index_.block_cost();
}

void Stepper::RunBlock(std::size_t block, Worker& worker) {
  const std::size_t size = in_.agents->size();
  switch (phase_) {
    case Phase::kIdle:
      return;
    case Phase::kApply:
      if (recovering_) return in_.recovery->RunBlock(block, worker.found);
      if (steering_) return SteerBlock(block, worker);
      return ApplyStaleInput(block * kLightBlock, std::min(size, (block + 1) * kLightBlock));
    case Phase::kIndex:
      return finding_edges_ ? near_edges_.RunBlock(block) : index_.RunBlock(block);
    case Phase::kSolve:
      return SolveBlock(block * kSolveBlock, std::min(size, (block + 1) * kSolveBlock), worker);
    case Phase::kMove:
      Move(block * kLightBlock, std::min(size, (block + 1) * kLightBlock), worker);
      if (in_.agents->limits.empty()) return;
      return RestoreWishes(*in_.agents, block * kLightBlock, std::min(size, (block + 1) * kLightBlock));
  }
}

// Those of agents with goals come first.
std::size_t Stepper::steer_blocks() const { return BlocksOf(in_.agents->goals.size(), kLightBlock); }

void Stepper::SteerBlock(std::size_t block, Worker& worker) {
  AgentStore& agents = *in_.agents;
  if (block < steer_blocks()) {
    worker.arrived += Steer(agents, inverse_time_step_, in_.zero, block * kLightBlock,
                            std::min(agents.goals.size(), (block + 1) * kLightBlock));
    return;
  }
  const std::size_t begin = (block - steer_blocks()) * kLightBlock;
  TellKinematics(agents, inverse_time_step_, in_.zero, begin, std::min(agents.kinematics.size(), begin + kLightBlock));
}

void Stepper::FinishStage() {
  next_block_ = 0;
  switch (phase_) {
    case Phase::kIdle:
      return;
    case Phase::kApply:
      if (recovering_) return FinishRecovery();
      if (!steering_ && !(in_.agents->goals.empty() && in_.agents->kinematics.empty())) {
        steering_ = true;
        return;
      }
      BeginIndex();
      phase_ = Phase::kIndex;
      return;
    case Phase::kIndex:
      if (!finding_edges_) {
        if (!index_.done()) index_.FinishStage();
        if (index_.done()) BeginEdges();
        return;
      }
      near_edges_.Finish();
      PrepareSolve();
      PrepareWorkers();
      phase_ = Phase::kSolve;
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

void Stepper::FinishRecovery() {
  recovering_ = false;
  for (const auto& worker : workers_) in_.recovery->Take(worker->found);
  in_.recovery->Finish();
}

void Stepper::FinishStep() {
  const std::uint64_t stalled_before = stats_.stalled;
  stats_ = {};
  state_hash_ = 0;
  float moved_squared = 0.0f;
  for (const auto& worker : workers_) {
    stats_.infeasible += worker->counts.infeasible;
    stats_.neighbors += worker->counts.neighbors;
    stats_.truncated += worker->counts.truncated;
    stats_.overlapping += worker->counts.overlapping;
    stats_.obstacle_edges += worker->counts.obstacle_edges + worker->obstacle_edges;
    stats_.cut += worker->cut;
    stats_.stalled += worker->progress.stalled;
    stats_.stall_changes += worker->progress.changed;
    stats_.arrived += worker->arrived;
    state_hash_ += worker->hash;
    moved_squared = std::max(moved_squared, worker->moved_squared);
    if (worker->jumped) in_.agents->NoteOrderChange();
  }
  if (in_.recovery != nullptr) {
    stats_.recovered = in_.zero ? 0 : in_.recovery->recovered().size();
    stats_.stranded = in_.recovery->stranded().size();
  }
  ++steps_since_sort_;
  if (in_.zero) {
    stats_.stalled = stalled_before;
    return;
  }
  if (in_.agents->keeps_jams()) in_.agents->TakeNextJams();
  if (in_.capsules != nullptr) {
    const FpEnvironment same_bits;
    in_.capsules->Move(in_.settings->time_step);
  }
  last_moved_ = std::sqrt(moved_squared) * 1.00001f;
  moved_ += last_moved_;
}

SolveCounts Stepper::solve_counts() const {
  SolveCounts sum;
  for (const auto& worker : workers_) {
    sum.lists_made += worker->counts.lists_made;
    sum.searches += worker->counts.searches;
  }
  return sum;
}

bool Stepper::NeedsSort() const {
  return in_.agents->order_changed() || steps_since_sort_ >= kStepsPerSort ||
         (!index_.has_tree() && static_cast<double>(moved_) > kCellsPerSort * index_.cells().size);
}

void Stepper::BeginIndex() {
  finding_edges_ = false;
  if (in_.agents->TakeRangeChange() || edge_version_ != in_.edge_version) {
    near_edges_.Invalidate();
    for (const auto& worker : workers_) {
      ReleaseIfSparse(worker->edges, 0);
      ReleaseIfSparse(worker->obstacle_lines, 0);
      ReleaseIfSparse(worker->edges_around, 0);
    }
  }
  edge_version_ = in_.edge_version;
  if (NeedsSort()) {
    index_.Begin(*in_.agents, last_moved_, moved_);
  } else {
    index_.BeginRefit(moved_);
  }
}

void Stepper::BeginEdges() {
  finding_edges_ = true;
  if (index_.sorted()) {
    near_edges_.Invalidate();
    steps_since_sort_ = 0;
    moved_ = 0.0f;
  }
  if (near_edges_.Holds(moved_)) {
    near_edges_.KeepAll();
    return;
  }
  // Enough for the steps until the next sort, as long as nobody gets much faster.
  const float margin = 1.1f * static_cast<float>(kStepsPerSort - 1) * last_moved_ + 0.01f;
  near_edges_.Begin(*in_.agents, *in_.obstacles, *in_.obstacle_index, in_.kernels->keep_edges, moved_, margin,
                    in_.recovery != nullptr ? in_.settings->time_step : 0.0f);
}

void Stepper::PrepareSolve() {
  AgentStore& agents = *in_.agents;
  view_ = {};
  view_.agents = agents.size();
  view_.body = agents.body.data();
  view_.id = agents.id.data();
  view_.radius = agents.radius.data();
  view_.max_speed = agents.max_speed.data();
  view_.neighbor_distance = agents.neighbor_distance.data();
  view_.time_horizon = agents.time_horizon.data();
  view_.time_horizon_obstacles = agents.time_horizon_obstacles.data();
  view_.preferred_x = agents.preferred_x.data();
  view_.preferred_y = agents.preferred_y.data();
  view_.max_neighbors = agents.max_neighbors.data();
  view_.next_x = agents.next_velocity_x();
  view_.next_y = agents.next_velocity_y();
  view_.list = agents.list.data();
  view_.list_limit = agents.list_limit.data();
  view_.list_x = agents.list_x.data();
  view_.list_y = agents.list_y.data();
  view_.cells = index_.cells();
  view_.tree = index_.tree();
  view_.moved = moved_;
  view_.moves = 2.0f * last_moved_;
  view_.inverse_time_step = inverse_time_step_;
  view_.same_radius = agents.same_radius();
  view_.context = this;
  view_.find_nearest = [](const void* context, std::uint32_t self, std::uint32_t* places) {
    return static_cast<const Stepper*>(context)->FindNearest(self, places);
  };
  if (!in_.obstacle_index->empty()) PrepareObstacles();
  if (in_.capsules != nullptr && !in_.capsules->empty()) PrepareCapsules();
  ExtendSolve();
}

void Stepper::PrepareObstacles() {
  view_.near_edges = near_edges_.data();
  view_.near_lanes = near_edges_.lanes();
  view_.edges = in_.obstacles->edges();
  view_.obstacle_lines = [](const void* context, void* worker, std::uint32_t self, float inverse_horizon,
                            const HalfPlane** lines) {
    const auto& found =
        static_cast<const Stepper*>(context)->ObstacleLines(self, inverse_horizon, *static_cast<Worker*>(worker));
    *lines = found.data();
    return found.size();
  };
}

// Which of the two solves runs is decided once for all agents.
void Stepper::ExtendSolve() {
  const MotionSettings motion = Effective(*in_.settings);
  const bool left = (DrawBits(in_.settings->seed, kInvalidId, Draw::kSide) & 1) == 0;
  view_.side = left ? -1.0f : 1.0f;
  if (*motion.symmetry_breaking) view_.step_aside = view_.side * motion.symmetry_bias;
  if (in_.agents->keeps_jams()) RelieveJams();
  if (*motion.rest) {
    view_.rest_speed = motion.rest_speed;
    view_.separation_speed = motion.separation_speed;
  }
  if (in_.agents->keeps_progress()) view_.held = in_.agents->held.data();
  if (in_.agents->keeps_weights()) view_.responsibility = in_.agents->responsibility.data();
  if (in_.agents->keeps_sights()) view_.sight = in_.agents->sight.data();
  if (in_.agents->keeps_modes()) view_.mode = in_.agents->mode.data();
  if (in_.agents->limits.has_drives()) {
    view_.drive_lines = [](const void* context, std::uint32_t self, HalfPlane* lines) {
      return AddDriveLines(*static_cast<const Stepper*>(context)->in_.agents, self, lines);
    };
  }
  const bool extended = *motion.symmetry_breaking || *motion.rest || view_.held != nullptr || view_.jam != nullptr ||
                        view_.responsibility != nullptr || view_.sight != nullptr || view_.near_lanes != nullptr ||
                        view_.drive_lines != nullptr || view_.capsule_lines != nullptr;
  solve_ = extended ? in_.kernels->solve_extended : in_.kernels->solve;
}

// While velocities are solved, an agent's own goal is all of it that changes.
void Stepper::NoteJammed(std::size_t self, std::span<const std::uint32_t> nearest) const {
  AgentStore& agents = *in_.agents;
  if (!IsGoalCrowded(agents, static_cast<Index>(self), nearest)) return;
  agents.goals.NoteCrowded(agents.slot[self]);
}

void Stepper::RelieveJams() {
  AgentStore& agents = *in_.agents;
  const float time_step = in_.settings->time_step;
  view_.jam = agents.jam.data();
  view_.wanted_x = agents.wanted_x.data();
  view_.wanted_y = agents.wanted_y.data();
  view_.wanted_x_next = agents.next_wanted_x.data();
  view_.wanted_y_next = agents.next_wanted_y.data();
  view_.opposed = agents.opposed.data();
  view_.jam_next = agents.next_jam.data();
  view_.opposed_next = agents.next_opposed.data();
  view_.jam_rise = time_step / (Jam::kRise + time_step);
  view_.jam_fall = time_step / (Jam::kFall + time_step);
  view_.shortest_horizon = std::max(Jam::kShortestHorizon, Jam::kShortestSteps * time_step);
  view_.right_of_way = RightOfWay(in_.settings->seed, in_.tick, time_step);
  if (agents.goals.empty() || in_.zero) return;
  view_.note_jammed = [](const void* context, std::uint32_t self, const std::uint32_t* nearest, std::size_t count) {
    static_cast<const Stepper*>(context)->NoteJammed(self, {nearest, count});
  };
}

// Gives every worker room for the largest group that there can be, so that it does not matter which of them meets it
// and when. Only how many edges a search finds has no bound that would be of use; there, what one worker has needed,
// all get.
void Stepper::PrepareWorkers() {
  std::size_t edges = std::min<std::size_t>(kNearEdges, in_.obstacles->edge_count());
  if (edges > 0) edges = std::max(edges, kHardRoom);
  for (const auto& worker : workers_) edges = std::max(edges, worker->edges.capacity());
  const bool drives = in_.agents->limits.has_drives();
  const std::size_t hard = drives ? std::max(edges + kDriveLines, kHardRoom) : edges;
  const std::size_t capsules = in_.capsules != nullptr ? in_.capsules->size() : 0;
  const std::size_t rows = hard + capsules + in_.agents->most_neighbors();
  for (const auto& worker : workers_) {
    worker->scratch.lines.Fit(rows);
    worker->scratch.relaxed.Fit(rows);
    worker->scratch.waiting.Fit(rows);
    if (in_.agents->limits.empty()) {
      Release(worker->limited);
    } else {
      worker->limited.reserve(kSolveBlock);
    }
    worker->capsules_around.reserve(capsules);
    worker->capsules.reserve(capsules);
    worker->capsule_lines.reserve(capsules);
    if (edges < kNearEdges) continue;  // nobody searches
    worker->edges.reserve(edges);
    worker->obstacle_lines.reserve(edges);
    worker->edges_around.reserve(edges);
  }
}

void Stepper::SolveBlock(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  const float time_step = in_.settings->time_step;
  worker.scratch.worker = &worker;
  const bool limited = !agents.limits.empty();
  if (limited) SmoothWishes(agents, time_step, in_.zero, begin, end, worker.limited);
  solve_(view_, begin, end, worker.scratch, worker.counts);
  if (limited) LimitVelocities(agents, time_step, in_.zero, worker.limited);
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

std::uint32_t Stepper::FindNearest(std::size_t self, std::uint32_t* places) const {
  const AgentStore& agents = *in_.agents;
  Nearest nearest;
  const std::uint32_t most = agents.max_neighbors[self];
  nearest.Reset(agents.neighbor_distance[self], most);
  index_.Search(agents, self, most, moved_, nearest);
  for (std::uint32_t rank = 0; rank < nearest.size(); ++rank) places[rank] = nearest.place(rank);
  return nearest.size();
}

const std::vector<HalfPlane>& Stepper::ObstacleLines(std::size_t self, float inverse_horizon, Worker& worker) const {
  const AgentStore& agents = *in_.agents;
  const ObstacleStore& obstacles = *in_.obstacles;
  const Disc disc = DiscAt(agents, self);
  const Sight own = agents.SightOf(static_cast<Index>(self));
  const float range = ObstacleRange(agents, self);
  worker.edges.clear();
  const Bounds box = Bounds::Of(disc.position.x, disc.position.y).Widened(range);
  const Sight* const sight = near_edges_.lanes() != nullptr ? &own : nullptr;
  in_.obstacle_index->Search(box, [&](EdgeHandle handle) {
    const ObstacleEdge& edge = obstacles.edge(handle);
    if (!Faces(edge, disc.position)) return;
    if (sight != nullptr && !Sees(*sight, obstacles.sight(handle))) return;
    const float distance_squared = DistanceSquared(edge, disc.position);
    if (distance_squared < range * range) worker.edges.push_back({distance_squared, handle});
  });
  std::sort(worker.edges.begin(), worker.edges.end(), [&](const NearEdge& a, const NearEdge& b) {
    if (a.distance_squared != b.distance_squared) return a.distance_squared < b.distance_squared;
    const ObstacleEdge &left = obstacles.edge(a.edge), &right = obstacles.edge(b.edge);
    return std::pair(left.obstacle, left.index) < std::pair(right.obstacle, right.index);
  });
  worker.obstacle_lines.clear();
  for (const NearEdge& near : worker.edges) {
    AddObstacleHalfPlane(disc, obstacles.edge(near.edge), inverse_horizon, worker.obstacle_lines);
  }
  worker.obstacle_edges += worker.edges.size();
  return worker.obstacle_lines;
}

void Stepper::Trace(std::uint32_t self, SolveTrace& trace, std::vector<HalfPlane>& edge_lines,
                    std::vector<ObstacleId>& obstacles, std::vector<ObstacleId>& capsules) {
  const FpEnvironment modes;
  Worker& worker = *workers_.front();
  worker.scratch.worker = &worker;
  worker.scratch.trace = &trace;
  const bool limited = !in_.agents->limits.empty();
  // As in a step of no time, so that the smoothing itself does not go on.
  if (limited) SmoothWishes(*in_.agents, in_.settings->time_step, true, self, self + 1, worker.limited);
  KernelsOf(SimdLevel::kScalar).trace(view_, self, worker.scratch);
  if (limited) RestoreWishes(*in_.agents, self, self + 1);
  worker.scratch.trace = nullptr;
  if (trace.capsules > 0) {
    for (const NearCapsule& near : worker.capsules) capsules.push_back(near.capsule->id);
  }
  if (in_.obstacle_index->empty()) return;
  const float inverse_horizon = 1.0f / trace.obstacle_horizon;
  ObstacleLines(self, inverse_horizon, worker);
  const Disc disc = DiscAt(*in_.agents, self);
  for (const NearEdge& near : worker.edges) {
    const ObstacleEdge& edge = in_.obstacles->edge(near.edge);
    AddObstacleHalfPlane(disc, edge, inverse_horizon, edge_lines);
    if (edge_lines.size() > obstacles.size()) obstacles.push_back(edge.obstacle);
  }
}

// A cell of the grid holds about four agents.
double Stepper::UsualReach(std::size_t count) const {
  constexpr double kUneven = 0x1p-4;  // [m] where there is a tree, there is no usual distance: from here on up
  return index_.has_tree() ? kUneven : 0.25 * index_.cells().size * std::sqrt(static_cast<double>(count));
}

std::size_t Stepper::memory_bytes() const {
  std::size_t bytes = index_.memory_bytes() + near_edges_.memory_bytes() + workers_.size() * sizeof(Worker) +
                      capsule_boxes_.capacity() * sizeof(Bounds);
  for (const auto& worker : workers_) {
    bytes += worker->scratch.lines.bytes() + worker->scratch.relaxed.bytes() + worker->scratch.waiting.bytes() +
             worker->obstacle_lines.capacity() * sizeof(HalfPlane) + worker->edges.capacity() * sizeof(NearEdge) +
             worker->edges_around.capacity() * sizeof(const ObstacleEdge*) +
             worker->capsules_around.capacity() * sizeof(const Capsule*) +
             worker->capsules.capacity() * sizeof(NearCapsule) + worker->capsule_lines.capacity() * sizeof(HalfPlane) +
             worker->limited.capacity() * sizeof(LimitedPlace);
  }
  return bytes;
}

}  // namespace throng
