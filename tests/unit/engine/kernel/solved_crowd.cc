#include "tests/unit/engine/kernel/solved_crowd.h"

#include <algorithm>
#include <cstring>

#include "index/nearest.h"
#include "solve/agent_lines.h"
#include "tests/unit/engine/kernel/probes.h"
#include "throng/limits.h"

namespace throng::testing {

void SolvedCrowd::Add(const std::vector<AgentSpec>& specs, const AgentParams& defaults) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const AgentSpec& spec = specs[i];
    const AgentParams params = Apply(defaults, spec.params);
    const throng::Index place = store.Add(spec.id.value_or(static_cast<AgentId>(i + 1)));
    store.body[place] = {spec.position->x, spec.position->y, spec.velocity.x, spec.velocity.y};
    store.preferred_x[place] = spec.preferred_velocity.value_or(Vec2{}).x;
    store.preferred_y[place] = spec.preferred_velocity.value_or(Vec2{}).y;
    store.radius[place] = params.radius;
    store.max_speed[place] = params.max_speed;
    store.neighbor_distance[place] = params.neighbor_distance;
    store.max_neighbors[place] = static_cast<std::uint8_t>(params.max_neighbors);
    store.time_horizon[place] = params.time_horizon;
    store.time_horizon_obstacles[place] = params.time_horizon_obstacles;
  }
  store.NoteParamsChange();
}

void SolvedCrowd::Sort() {
  index.Begin(store, 0.0f, 0.0f);
  FinishIndex();
}

void SolvedCrowd::Refit() {
  index.BeginRefit(0.0f);
  FinishIndex();
}

void SolvedCrowd::FinishIndex() {
  while (!index.done()) {
    for (std::size_t block = 0; block < index.blocks(); ++block) index.RunBlock(block);
    index.FinishStage();
  }
}

SolveView SolvedCrowd::View() {
  SolveView view;
  view.agents = store.size();
  view.body = store.body.data();
  view.id = store.id.data();
  view.radius = store.radius.data();
  view.max_speed = store.max_speed.data();
  view.neighbor_distance = store.neighbor_distance.data();
  view.time_horizon = store.time_horizon.data();
  view.time_horizon_obstacles = store.time_horizon_obstacles.data();
  view.preferred_x = store.preferred_x.data();
  view.preferred_y = store.preferred_y.data();
  view.max_neighbors = store.max_neighbors.data();
  view.next_x = store.next_velocity_x();
  view.next_y = store.next_velocity_y();
  view.list = store.list.data();
  view.list_limit = store.list_limit.data();
  view.list_x = store.list_x.data();
  view.list_y = store.list_y.data();
  view.cells = index.cells();
  view.tree = index.tree();
  view.inverse_time_step = inverse_time_step;
  view.same_radius = store.same_radius();
  view.context = this;
  view.find_nearest = [](const void* context, std::uint32_t self, std::uint32_t* places) {
    const auto found = static_cast<const SolvedCrowd*>(context)->Neighbors(self);
    std::copy(found.begin(), found.end(), places);
    return static_cast<std::uint32_t>(found.size());
  };
  return view;
}

Disc SolvedCrowd::At(std::size_t place) const {
  const Body& body = store.body[place];
  return {store.id[place], {body.x, body.y}, {body.vx, body.vy}, store.radius[place]};
}

std::vector<std::uint32_t> SolvedCrowd::Neighbors(std::size_t place) const {
  Nearest nearest;
  nearest.Reset(store.neighbor_distance[place], store.max_neighbors[place]);
  for (std::size_t other = 0; other < store.size(); ++other) {
    if (other == place) continue;
    nearest.Offer(AbsSq(At(other).position - At(place).position), store.id[other], static_cast<std::uint32_t>(other));
  }
  std::vector<std::uint32_t> places;
  for (std::uint32_t rank = 0; rank < nearest.size(); ++rank) places.push_back(nearest.place(rank));
  return places;
}

std::vector<HalfPlane> SolvedCrowd::NeighborLines(std::size_t place) const {
  std::vector<HalfPlane> lines;
  bool overlapping = false;
  for (const std::uint32_t other : Neighbors(place)) {
    lines.push_back(
        AgentHalfPlane(At(place), At(other), 1.0f / store.time_horizon[place], inverse_time_step, overlapping));
  }
  return lines;
}

// A buffer holds the lines of the vector that was solved last, so each vector is solved by itself, also where it is
// narrower than a group.
std::vector<std::vector<HalfPlane>> Solve(const SolveView& view, SimdLevel level, SolveCounts& counts) {
  constexpr std::size_t kRows = kNearEdges + kMaxNeighborsLimit;
  const KernelProbes& probes = ProbesOf(level);
  std::vector<std::vector<HalfPlane>> lines;
  SolveScratch scratch;
  scratch.lines.Fit(kRows);
  KernelsOf(level).solve(view, 0, view.agents, scratch, counts);
  for (std::size_t first = 0; first < view.agents; first += probes.lanes) {
    const std::size_t end = std::min(view.agents, first + probes.lanes);
    // Rows that are not written are inert.
    std::memset(scratch.lines.Rows(kRows), 0, scratch.lines.bytes());
    SolveCounts ignored;
    KernelsOf(level).solve(view, first, end, scratch, ignored);
    auto found = probes.lines(scratch.lines, kRows);
    for (std::size_t i = first; i < end; ++i) lines.push_back(std::move(found[i - first]));
  }
  return lines;
}

}  // namespace throng::testing
