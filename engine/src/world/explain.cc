// Explain: the step of one agent, with those around it, in a small crowd of their own that is stepped by the same code
// as all; so it cannot say anything but what comes. On the way there the agent's solve is traced.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/bounds.h"
#include "base/fp_environment.h"
#include "base/sight.h"
#include "solve/drive_lines.h"
#include "world/limit.h"
#include "world/world_impl.h"

namespace throng {
namespace {

// Agents that a crowd is made of, where edits since the last step may move them before all else.
constexpr std::size_t kMostForeseen = 16'384;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

struct Candidate {
  float distance_squared;
  AgentId id;
  Index place;
  bool operator<(const Candidate& other) const {
    return std::tie(distance_squared, id) < std::tie(other.distance_squared, other.id);
  }
};

// > 0: how far `velocity` is outside, [m/s].
float Outside(const ExplainedHalfPlane& line, Vec2 velocity) { return Dot(line.normal, line.point - velocity); }

// [m/s] within which a velocity lies on a line: above what rounding makes.
float Width(const ExplainedHalfPlane& line, Vec2 velocity) {
  const auto size = [](Vec2 v) { return std::abs(v.x) + std::abs(v.y); };
  return 1e-5f * (size(line.point) + size(velocity));
}

float ShareOf(const ExplainedHalfPlane& line, Vec2 velocity, float own, float other) {
  if (other == 0.0f) return 1.0f;
  const bool burden = Outside(line, velocity) > 0.0f;
  return burden ? own / (own + other) : std::max(other / (own + other), 0.5f);
}

// What of a trace's lines comes of edges, in their order.
struct EdgeLines {
  std::vector<HalfPlane> lines;
  std::vector<ObstacleId> obstacles;
  std::vector<ObstacleId> capsules;  // whose lines come after the hard ones
};

// Of one line, but for how it stands to the solved velocity. `next_edge` counts those of edges.
ExplainedHalfPlane SourceOf(const SolveTrace& trace, std::size_t i, const EdgeLines& edges, std::size_t& next_edge,
                            const AgentStore& crowd, Index self) {
  const HalfPlane& line = trace.lines[i];
  ExplainedHalfPlane explained;
  explained.point = line.point;
  explained.normal = TurnedLeft(line.direction);  // permitted is what lies to the left
  const std::size_t soft = trace.hard + trace.capsules;
  if (i >= trace.hard && i < soft) {
    explained.source = HalfPlaneSource::kObstacle;
    explained.id = edges.capsules[i - trace.hard];
    return explained;
  }
  if (i >= soft) {
    const std::uint32_t neighbor = trace.neighbors[i - soft];
    explained.id = crowd.id[neighbor];
    const float own = crowd.keeps_weights() ? crowd.responsibility[self] : 1.0f;
    float other = crowd.keeps_weights() ? crowd.responsibility[neighbor] : 1.0f;
    if (crowd.keeps_sights() && !Sees(crowd.sight[neighbor], crowd.sight[self])) other = 0.0f;
    explained.share = ShareOf(explained, {crowd.body[self].vx, crowd.body[self].vy}, own, other);
    return explained;
  }
  explained.hard = true;
  explained.source = HalfPlaneSource::kBounds;
  HalfPlane drive[kDriveLines];
  if (crowd.limits.has_drives() && AddDriveLines(crowd, self, drive)) {
    for (const HalfPlane& of_drive : drive) {
      if (of_drive.point == line.point && of_drive.direction == line.direction) {
        explained.source = HalfPlaneSource::kDrive;
      }
    }
  }
  if (next_edge < edges.lines.size() && edges.lines[next_edge].point == line.point &&
      edges.lines[next_edge].direction == line.direction) {
    explained.id = edges.obstacles[next_edge++];
    explained.source = explained.id == kInvalidId ? HalfPlaneSource::kBounds : HalfPlaneSource::kObstacle;
  }
  return explained;
}

// Those held the agent back that moved the optimum last or that it lies on; of relaxed ones, those violated most.
void AddHalfPlanes(const SolveTrace& trace, const EdgeLines& edges, const AgentStore& crowd, Index self,
                   Explanation& why) {
  std::size_t next_edge = 0;
  float worst = 0.0f;
  for (std::size_t i = 0; i < trace.lines.size(); ++i) {
    if (trace.lines[i].direction == Vec2{}) continue;  // inert
    ExplainedHalfPlane line = SourceOf(trace, i, edges, next_edge, crowd, self);
    line.violation = std::max(0.0f, Outside(line, why.solved));
    line.binding = static_cast<std::ptrdiff_t>(i) == trace.last;
    if (!line.hard) worst = std::max(worst, line.violation);
    why.half_planes.push_back(line);
  }
  if (why.outcome == SolveOutcome::kFree) return;
  for (ExplainedHalfPlane& line : why.half_planes) {
    const float boundary = why.outcome == SolveOutcome::kRelaxed && !line.hard ? worst : 0.0f;
    line.binding = line.binding || Outside(line, why.solved) >= boundary - Width(line, why.solved);
  }
}

SolveOutcome OutcomeOf(const SolveTrace& trace) {
  if (trace.relaxed) return SolveOutcome::kRelaxed;
  return trace.last >= 0 ? SolveOutcome::kConstrained : SolveOutcome::kFree;
}

// In the phase kSolve, of an agent that is not kinematic.
void ExplainSolve(Stepper& step, const AgentStore& crowd, Index self, Explanation& why) {
  SolveTrace trace;
  EdgeLines edges;
  step.Trace(self, trace, edges.lines, edges.obstacles, edges.capsules);
  const Body& body = crowd.body[self];
  for (const std::uint32_t neighbor : trace.neighbors) {
    const Vec2 position{crowd.body[neighbor].x, crowd.body[neighbor].y};
    const float distance = std::sqrt(AbsSq(position - Vec2{body.x, body.y}));
    why.neighbors.push_back({crowd.id[neighbor], position, distance});
  }
  why.truncated = !why.neighbors.empty() && why.neighbors.size() == crowd.max_neighbors[self];
  why.preferred = trace.preferred;
  why.solved = trace.solved;
  why.outcome = OutcomeOf(trace);
  why.stepped_aside = trace.stepped_aside;
  why.rested = trace.rested;
  AddHalfPlanes(trace, edges, crowd, self, why);
}

}  // namespace

// Who takes part in the agent's step: those nearest to it, as many as it considers; after edits that may move agents
// first, everybody who may come near.
std::vector<Index> World::Impl::Around(Index self) const {
  const bool foresee = recovery != nullptr && recovery->pending();
  std::vector<Index> places;
  if (foresee && agents.size() <= kMostForeseen) {
    for (Index place = 0; place < agents.size(); ++place) places.push_back(place);
    return places;
  }
  const Body& body = agents.body[self];
  const float range = agents.neighbor_distance[self];
  const float rounding = 1e-5f * range + 1e-6f * std::max(std::abs(body.x), std::abs(body.y));
  std::vector<Candidate> near;
  searcher().VisitBox(Bounds::Of(body.x, body.y).Widened(range + rounding), [&](Index place) {
    // In the kernels' order of operations.
    const Body& other = agents.body[place];
    const float distance_squared = AbsSq({other.x - body.x, other.y - body.y});
    if (place == self || !(distance_squared < range * range)) return;
    if (agents.keeps_sights() && !Sees(agents.sight[self], agents.sight[place])) return;
    near.push_back({distance_squared, agents.id[place], place});
  });
  std::sort(near.begin(), near.end());
  const std::size_t most = foresee ? kMostForeseen : agents.max_neighbors[self];
  if (near.size() > most) near.resize(most);
  places.push_back(self);
  for (const Candidate& candidate : near) places.push_back(candidate.place);
  return places;
}

Explanation World::Impl::Explain(Index self) const {
  const FpEnvironment modes;
  const AgentId id = agents.id[self];
  AgentStore crowd;
  crowd.CopyFrom(agents, Around(self));
  WorldSettings alone = settings;
  alone.parallel_grain = kAll;  // this thread is in the midst of something else
  std::unique_ptr<Recovery> ground;
  if (recovery != nullptr) {
    const bool stranded = std::binary_search(recovery->stranded().begin(), recovery->stranded().end(), id);
    ground = recovery->pending() ? std::make_unique<Recovery>(*recovery) : std::make_unique<Recovery>(settings.bounds);
    if (!recovery->pending() && stranded) ground->Strand(id);
  }
  CapsuleStore moving = capsules;
  Stepper step;
  step.Begin({&crowd, &obstacles, &obstacle_index, &alone, &kernels, ground.get(), edge_version, tick, false, &moving});
  while (step.phase() != Phase::kSolve) step.Advance(kAll);

  Explanation why;
  why.agent = StateAt(self);
  const Index place = crowd.Find(id);
  why.recovered = Vec2{crowd.body[place].x, crowd.body[place].y} != why.agent.position;
  why.wanted = {crowd.preferred_x[place], crowd.preferred_y[place]};
  const bool kinematic = crowd.keeps_modes() && crowd.mode[place] != 0;
  if (!kinematic) ExplainSolve(step, crowd, place, why);
  while (step.phase() != Phase::kMove) step.Advance(kAll);
  why.limited = {crowd.next_velocity_x()[place], crowd.next_velocity_y()[place]};
  if (kinematic) {
    why.outcome = SolveOutcome::kKinematic;
    why.preferred = why.solved = why.limited = why.wanted;
  }
  while (step.phase() != Phase::kIdle) step.Advance(kAll);
  why.velocity = {crowd.body[place].vx, crowd.body[place].vy};
  why.position = {crowd.body[place].x, crowd.body[place].y};
  why.cut = why.velocity != why.limited;
  return why;
}

}  // namespace throng
