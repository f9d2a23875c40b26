// The move phase of a step: velocities are taken over and positions move, cut at obstacle edges where the world
// contains.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/hash.h"
#include "base/room.h"
#include "solve/cut.h"
#include "throng/limits.h"
#include "world/contain.h"
#include "world/step.h"

namespace throng {
namespace {

float ClampedCoordinate(float value) {
  const float from_above = value < kMaxCoordinate ? value : kMaxCoordinate;
  return from_above > -kMaxCoordinate ? from_above : -kMaxCoordinate;
}

Vec2 Moved(const Body& body, Vec2 velocity, float time_step) {
  const Vec2 moved = Vec2{body.x, body.y} + time_step * velocity;
  return {ClampedCoordinate(moved.x), ClampedCoordinate(moved.y)};
}

// [m/s] Far from the origin a place is rounded by more than a step is long, and what was made may look too fast.
Vec2 WayMade(Vec2 from, Vec2 to, float inverse_time_step, float max_speed) {
  const Vec2 velocity = inverse_time_step * (to - from);
  const float speed_squared = AbsSq(velocity);
  if (!(speed_squared > max_speed * max_speed)) return velocity;
  return (max_speed / std::sqrt(speed_squared)) * velocity;
}

}  // namespace

void Stepper::Move(std::size_t begin, std::size_t end, Worker& worker) {
  const AgentStore& agents = *in_.agents;
  if (in_.zero) return TakeVelocities(begin, end, worker);
  if (!agents.keeps_progress()) return MoveAll(begin, end, worker);
  // In pieces, so that where agents were stays in the nearest cache.
  constexpr std::size_t kPiece = 16 * kGroup;
  float from_x[kPiece] = {}, from_y[kPiece] = {};
  for (; begin < end; begin += kPiece) {
    const std::size_t last = std::min(end, begin + kPiece);
    for (std::size_t i = begin; i < last; ++i) {
      from_x[i - begin] = agents.body[i].x;
      from_y[i - begin] = agents.body[i].y;
    }
    MoveAll(begin, last, worker);
    NoteProgress(from_x, from_y, begin, last, worker);
  }
}

void Stepper::NoteProgress(const float* from_x, const float* from_y, std::size_t begin, std::size_t end,
                           Worker& worker) {
  AgentStore& agents = *in_.agents;
  const std::size_t ticks = TicksOfSecond(in_.settings->time_step);
  const std::size_t tick = in_.tick % ticks;
  ProgressView view;
  view.body = agents.body.data();
  view.from_x = from_x;
  view.from_y = from_y;
  view.preferred_x = agents.preferred_x.data();
  view.preferred_y = agents.preferred_y.data();
  view.max_speed = agents.max_speed.data();
  view.inverse_time_step = inverse_time_step_;
  view.ticks_of_second = static_cast<std::int32_t>(ticks);
  view.history = agents.progress_history[tick / 8].data();
  view.byte = static_cast<unsigned>(tick % 8);
  view.carry = agents.progress_carry.data();
  view.progress = agents.progress.data();
  if (agents.keeps_modes()) view.mode = agents.mode.data();
  in_.kernels->note_progress(view, begin, end, worker.progress);
}

void Stepper::MoveAll(std::size_t begin, std::size_t end, Worker& worker) {
  MoveOthers(begin, end, worker);
  if (in_.agents->keeps_modes()) MoveKinematics(begin, end, worker);
}

// As they are told, past everything. One that jumps in the grid is where its cell is not: then agents are sorted anew,
// and nobody's lists have to allow for its way. A tree is fitted to everyone's place in every step.
void Stepper::MoveKinematics(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  const auto cell = static_cast<float>(index_.cells().size);
  for (std::size_t i = begin; i < end; ++i) {
    if (agents.mode[i] == 0) continue;
    const Vec2 velocity{agents.preferred_x[i], agents.preferred_y[i]};
    const bool lands = (agents.mode[i] & kLands) != 0;
    const Vec2 position = lands ? agents.kinematics.Find(agents.slot[i])->way.position
                                : Moved(agents.body[i], velocity, in_.settings->time_step);
    const float way_squared = AbsSq(position - Vec2{agents.body[i].x, agents.body[i].y});
    const bool jumps = way_squared > cell * cell;
    worker.jumped |= jumps && !index_.has_tree();
    if (!jumps && !index_.has_tree()) worker.moved_squared = std::max(worker.moved_squared, way_squared);
    Put(i, position, velocity, worker);
  }
}

// Those who are not kinematic.
void Stepper::MoveOthers(std::size_t begin, std::size_t end, Worker& worker) {
  if (in_.recovery == nullptr || in_.obstacle_index->empty()) return MoveFreely(begin, end, worker);
  if (!in_.recovery->stranded().empty()) HoldStranded(begin, end);
  for (std::size_t group = begin; group < end; group += kGroup) {
    const std::size_t last = std::min(end, group + kGroup);
    if (near_edges_.data()[group / kGroup * (1 + kNearEdges)] == 0) {
      in_.settings->bounds ? MoveInBounds(group, last, worker) : MoveFreely(group, last, worker);
    } else {
      MoveContained(group, last, worker);
    }
  }
}

// In a step of no time nobody moves, so that there is nothing to contain.
void Stepper::TakeVelocities(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  if (in_.recovery != nullptr && !in_.recovery->stranded().empty()) HoldStranded(begin, end);
  for (std::size_t i = begin; i < end; ++i) {
    const bool kinematic = agents.keeps_modes() && agents.mode[i] != 0;
    const float* const x = kinematic ? agents.preferred_x.data() : agents.next_velocity_x();
    const float* const y = kinematic ? agents.preferred_y.data() : agents.next_velocity_y();
    Put(i, {agents.body[i].x, agents.body[i].y}, {x[i], y[i]}, worker);
  }
}

void Stepper::HoldStranded(std::size_t begin, std::size_t end) {
  AgentStore& agents = *in_.agents;
  const std::vector<AgentId>& stranded = in_.recovery->stranded();
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::binary_search(stranded.begin(), stranded.end(), agents.id[i])) continue;
    agents.next_velocity_x()[i] = agents.next_velocity_y()[i] = 0.0f;
  }
}

inline void Stepper::Put(std::size_t agent, Vec2 position, Vec2 velocity, Worker& worker) {
  in_.agents->body[agent] = {position.x, position.y, velocity.x, velocity.y};
  worker.hash += AgentHash(in_.agents->id[agent], position, velocity);
}

inline void Stepper::Place(std::size_t agent, Vec2 position, Vec2 velocity, Worker& worker) {
  const Body& body = in_.agents->body[agent];
  const float way_squared = AbsSq(position - Vec2{body.x, body.y});
  worker.moved_squared = way_squared > worker.moved_squared ? way_squared : worker.moved_squared;
  Put(agent, position, velocity, worker);
}

void Stepper::MoveFreely(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  const float time_step = in_.settings->time_step;
  const float* const next_x = agents.next_velocity_x();
  const float* const next_y = agents.next_velocity_y();
  const std::uint8_t* const mode = agents.keeps_modes() ? agents.mode.data() : nullptr;
  for (std::size_t i = begin; i < end; ++i) {
    if (mode != nullptr && mode[i] != 0) continue;
    const Vec2 velocity{next_x[i], next_y[i]};
    Place(i, Moved(agents.body[i], velocity, time_step), velocity, worker);
  }
}

// Of agents far from all edges; but far from the origin places are rounded by more than the walls of the bounds are
// looked at ahead.
void Stepper::MoveInBounds(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  for (std::size_t i = begin; i < end; ++i) {
    if (agents.keeps_modes() && agents.mode[i] != 0) continue;
    Vec2 velocity{agents.next_velocity_x()[i], agents.next_velocity_y()[i]};
    const Vec2 from{agents.body[i].x, agents.body[i].y};
    const Vec2 to = Moved(agents.body[i], velocity, in_.settings->time_step);
    const Vec2 position = Clamped(RoomFor(*in_.settings->bounds, agents.radius[i]), to);
    if (position != to) {
      ++worker.cut;
      velocity = WayMade(from, position, inverse_time_step_, agents.max_speed[i]);
    }
    Place(i, position, velocity, worker);
  }
}

// Of one group.
void Stepper::MoveContained(std::size_t begin, std::size_t end, Worker& worker) {
  AgentStore& agents = *in_.agents;
  GroupMoves moves;
  moves.agents = end - begin;
  Bounds rooms[kGroup];
  std::uint32_t held = 0;  // in the bounds, lane by lane
  for (std::size_t lane = 0; lane < kGroup; ++lane) {
    const std::size_t i = begin + std::min(lane, moves.agents - 1);
    Vec2 to =
        Moved(agents.body[i], {agents.next_velocity_x()[i], agents.next_velocity_y()[i]}, in_.settings->time_step);
    if (in_.settings->bounds) {
      rooms[lane] = RoomFor(*in_.settings->bounds, agents.radius[i]);
      const Vec2 inside = Clamped(rooms[lane], to);
      held |= static_cast<std::uint32_t>(inside != to) << lane;
      to = inside;
    }
    moves.from_x[lane] = agents.body[i].x;
    moves.from_y[lane] = agents.body[i].y;
    moves.to_x[lane] = to.x;
    moves.to_y[lane] = to.y;
    moves.radius[lane] = agents.radius[i];
  }
  const std::uint32_t* const near = near_edges_.data() + begin / kGroup * (1 + kNearEdges);
  const bool many = near[0] == kManyEdges;
  const ObstacleEdge* listed[kNearEdges];
  const std::span<const ObstacleEdge* const> edges(listed, many ? 0 : near[0]);
  for (std::size_t i = 0; i < edges.size(); ++i) listed[i] = &in_.obstacles->edge(near[1 + i]);
  const bool sighted = near_edges_.lanes() != nullptr;
  const std::uint16_t* const seen = sighted ? near_edges_.lanes() + begin / kGroup * kNearEdges : nullptr;
  const std::uint32_t to_cut = many ? 0xffffffff : LanesNearEdges(moves, edges, seen);
  for (std::size_t lane = 0; lane < moves.agents; ++lane) {
    const std::size_t i = begin + lane;
    if (agents.keeps_modes() && agents.mode[i] != 0) continue;
    Vec2 position = moves.to(lane);
    Vec2 velocity{agents.next_velocity_x()[i], agents.next_velocity_y()[i]};
    const Vec2 from = moves.from(lane);
    bool cut = (held >> lane & 1) != 0;
    if ((to_cut >> lane & 1) != 0) {
      const ObstacleEdge* own[kNearEdges];
      std::span<const ObstacleEdge* const> near_it = edges;
      if (many) {
        const Sight sight = agents.SightOf(static_cast<Index>(i));
        FindEdgesAround(moves, lane, sighted ? &sight : nullptr, *in_.obstacles, *in_.obstacle_index,
                        worker.edges_around);
        near_it = worker.edges_around;
      } else if (sighted) {
        std::size_t count = 0;
        for (std::size_t k = 0; k < edges.size(); ++k) {
          if ((seen[k] >> lane & 1) != 0) own[count++] = edges[k];
        }
        near_it = {own, count};
      }
      const CutResult result =
          CutMove(from, position, moves.radius[lane], near_it, in_.settings->bounds ? &rooms[lane] : nullptr);
      cut |= result.cut;
      position = result.position;
    }
    worker.cut += cut ? 1 : 0;
    if (cut) velocity = WayMade(from, position, inverse_time_step_, agents.max_speed[i]);
    Place(i, position, velocity, worker);
  }
}

}  // namespace throng
