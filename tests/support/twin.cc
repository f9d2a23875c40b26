#include "tests/support/twin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/twin_bounds.h"
#include "tests/support/twin_hash.h"
#include "tests/support/twin_math.h"
#include "tests/support/twin_motion.h"
#include "tests/support/twin_spawn.h"

namespace throng::twin {
namespace {

constexpr float kMaxCoordinate = 1048576.0f;  // 2^20

float ClampCoordinate(float value) { return Max(Min(value, kMaxCoordinate), -kMaxCoordinate); }

}  // namespace

Twin::Twin(const WorldSettings& settings) : settings_(settings) {
  if (!settings.bounds) return;
  SetObstacle(kInvalidId, {kInvalidId, ObstacleKind::kEnclosure, OutlineOf(*settings.bounds)});
}

std::optional<Room> Twin::RoomOf(const Agent& agent) const {
  if (!settings_.bounds) return std::nullopt;
  return Room(*settings_.bounds, EffectiveRadius(agent.params));
}

void Twin::AddAgent(const Agent& agent) {
  index_of_.emplace(agent.id, static_cast<std::uint32_t>(agents_.size()));
  agents_.push_back(agent);
  agents_.back().input_age = 0;
  agents_.back().smoothed = agents_.back().velocity;
}

// A velocity that is not zero is turned there.
void Twin::Face(Agent& agent, float heading) {
  agent.heading = DirectionOf(heading);
  agent.told_heading = true;
  const float speed_squared = LengthSquared(agent.velocity);
  if (speed_squared > kTinySquared) agent.velocity = std::sqrt(speed_squared) * agent.heading;
}

std::optional<Vec2> Twin::PlaceFor(const AgentSpec& spec, const AgentParams& params) {
  const Vec2 place = spec.position.value();
  if (spec.placement == Placement::kAllow) return place;
  const auto sees = [](const AgentParams& self, const AgentParams& other) {
    return (self.avoids & other.layer) != 0 && self.z <= other.z + other.height && other.z <= self.z + self.height;
  };
  const float radius = EffectiveRadius(params);
  Surroundings around{{}, Seen(params), kinds_, std::nullopt, spec.kinematic};
  for (const Agent& agent : agents_) {
    if (!sees(params, agent.params) && !sees(agent.params, params)) continue;
    around.discs.push_back({agent.id, agent.position, EffectiveRadius(agent.params)});
  }
  if (settings_.bounds && !spec.kinematic) around.room = Room(*settings_.bounds, radius);
  if (IsFree(place, radius, around)) return place;
  if (spec.placement == Placement::kReject) return std::nullopt;
  const float usual = std::min(8.0f * params.radius, 1000.0f);
  return NearestFree(place, radius, spec.nudge_distance.value_or(usual), around);
}

bool Twin::AddAgent(const AgentSpec& spec) {
  const AgentParams params = Patched(settings_.agent_defaults, spec.params);
  const std::optional<Vec2> place = PlaceFor(spec, params);
  if (!place) return false;
  Agent agent;
  agent.id = spec.id.value();
  agent.position = *place;
  agent.velocity = spec.velocity;
  if (spec.heading) Face(agent, *spec.heading);
  agent.has_input = spec.preferred_velocity.has_value();
  agent.preferred_velocity = spec.preferred_velocity.value_or(Vec2{});
  agent.params = params;
  agent.kinematic = spec.kinematic;
  AddAgent(agent);
  if (spec.goal) SetGoal(agent.id, *spec.goal);
  if (spec.path) SetPath(agent.id, *spec.path);
  return true;
}

void Twin::UpdateAgent(AgentId id, const AgentUpdate& update) {
  Agent& agent = agents_[index_of_.at(id)];
  SetKinematic(agent, update.kinematic.value_or(agent.kinematic));
  if (update.position) agent.position = *update.position;
  if (update.velocity) agent.velocity = *update.velocity;
  if (update.heading) Face(agent, *update.heading);
  if (update.preferred_velocity) SetPreferredVelocity(id, *update.preferred_velocity);
  if (agent.params.smoothing_time == 0.0f) agent.smoothed = agent.velocity;
  agent.params = Patched(agent.params, update.params);
  if (!KeepsHeading(agent.params, agent.told_heading)) agent.heading = {};
  if (update.goal) SetGoal(id, *update.goal);
  if (update.path) SetPath(id, *update.path);
  if (update.move_to) {
    SetPreferredVelocity(id, agent.preferred_velocity);
    agent.move_to = update.move_to;
  }
}

// Whoever changes forgets where it was to go.
void Twin::SetKinematic(Agent& agent, bool kinematic) {
  if (kinematic == agent.kinematic) return;
  if (agent.way || agent.move_to) agent.preferred_velocity = {};
  agent.way.reset();
  agent.move_to.reset();
  agent.kinematic = kinematic;
}

void Twin::RemoveAgent(AgentId id) {
  const std::uint32_t index = index_of_.at(id);
  index_of_.erase(id);
  if (index + 1 != agents_.size()) {
    agents_[index] = agents_.back();
    index_of_[agents_[index].id] = index;
  }
  agents_.pop_back();
}

void Twin::RemoveAllAgents() {
  agents_.clear();
  index_of_.clear();
}

void Twin::SetPreferredVelocity(AgentId id, Vec2 preferred_velocity) {
  Agent& agent = agents_[index_of_.at(id)];
  agent.preferred_velocity = preferred_velocity;
  agent.has_input = true;
  agent.input_age = 0;
  agent.way.reset();
  agent.move_to.reset();
}

void Twin::SetGoal(AgentId id, Vec2 goal) { SetWay(agents_[index_of_.at(id)], {{goal}, 0.0f, 0}, true); }

void Twin::SetPath(AgentId id, const Path& path) { SetWay(agents_[index_of_.at(id)], path, false); }

// Who has arrived rests on, if the new end is near enough.
void Twin::SetWay(Agent& agent, const Path& path, bool is_goal) {
  const bool rests = agent.way && agent.way->arrived && path.next + 1 == path.points.size() &&
                     MayRest(agent.params, path.points.back() - agent.position, agent.way->settled);
  const float pass_radius =
      path.pass_radius.value_or(std::max(EffectiveRadius(agent.params), agent.params.arrival_radius));
  const float settled = rests ? agent.way->settled : 0.0f;
  agent.way = Route{path.points, path.next, pass_radius, rests, is_goal, false, settled};
  agent.has_input = true;
  agent.input_age = 0;
}

AgentStatus Twin::status(AgentId id) const {
  const Agent& of = agent(id);
  if (of.recovered != StatusReason::kNone) return AgentStatus::kRecovered;
  if (of.standing.stalled()) return AgentStatus::kStalled;
  if (of.way) return of.way->arrived ? AgentStatus::kArrived : AgentStatus::kMoving;
  if (!of.has_input) return AgentStatus::kNoInput;
  if (of.move_to) return AgentStatus::kMoving;
  const StaleInput& stale = settings_.stale_input;
  const bool is_stale = stale.policy != StaleInputPolicy::kHold && of.input_age > stale.timeout_ticks;
  return is_stale ? AgentStatus::kStaleInput : AgentStatus::kMoving;
}

StatusReason Twin::reason(AgentId id) const {
  const Agent& of = agent(id);
  switch (status(id)) {
    case AgentStatus::kArrived:
      return of.way->settled > 0.0f ? StatusReason::kGoalCrowded : StatusReason::kAtGoal;
    case AgentStatus::kRecovered:
      return of.recovered;
    case AgentStatus::kStalled:
      return stall_reason(of);
    default:
      return StatusReason::kNone;
  }
}

StatusReason Twin::stall_reason(const Agent& agent) {
  if (agent.stranded) return StatusReason::kNoFreeGround;
  if (agent.held == HeldBy::kAgents) return StatusReason::kAgents;
  return agent.held == HeldBy::kObstacles ? StatusReason::kObstacles : StatusReason::kNone;
}

void Twin::SetObstacle(ObstacleId id, const ObstacleSpec& spec) {
  RemoveObstacle(id);
  if (spec.kind == ObstacleKind::kCapsule) {
    capsules_[id] = {
        id,         spec.vertices[0], spec.vertices[1], 0.0, 0.0, spec.radius.value(), spec.velocity.value_or(Vec2{}),
        spec.layer, spec.band};
    return;
  }
  moved_[id] = {spec};
  obstacles_[id] = MakeEdges(id, spec.kind, spec.vertices);
  kinds_[id] = spec.kind;
  if (spec.layer != 1 || spec.band) sights_[id] = {spec.layer, spec.band};
}

void Twin::RemoveObstacle(ObstacleId id) {
  obstacles_.erase(id);
  moved_.erase(id);
  capsules_.erase(id);
  sights_.erase(id);
  seen_by_.reset();
}

void Twin::MoveObstacle(ObstacleId id, const ObstacleMove& move) {
  const Vec2 way = move.translation.value_or(Vec2{});
  if (const auto found = capsules_.find(id); found != capsules_.end()) {
    found->second.way_x += double{way.x};
    found->second.way_y += double{way.y};
    found->second.velocity = move.velocity.value_or(found->second.velocity);
    return;
  }
  Moved& moved = moved_.at(id);
  moved.x += double{way.x};
  moved.y += double{way.y};
  std::vector<Vec2> vertices = moved.spec.vertices;
  for (Vec2& vertex : vertices) {
    vertex = {static_cast<float>(double{vertex.x} + moved.x), static_cast<float>(double{vertex.y} + moved.y)};
  }
  obstacles_[id] = MakeEdges(id, moved.spec.kind, vertices);
  seen_by_.reset();
}

const Outlines& Twin::Seen(const AgentParams& params) {
  if (sights_.empty() && (params.avoids & 1) != 0) return obstacles_;
  if (seen_by_ && seen_by_->avoids == params.avoids && seen_by_->z == params.z && seen_by_->height == params.height) {
    return seen_;
  }
  seen_by_ = params;
  seen_.clear();
  for (const auto& [id, edges] : obstacles_) {
    const auto found = sights_.find(id);
    const ObstacleSight of = found == sights_.end() ? ObstacleSight{} : found->second;
    const bool meets = !of.band || (params.z <= of.band->z + of.band->height && of.band->z <= params.z + params.height);
    const bool is_bounds = id == kInvalidId;  // in all layers and at all heights
    if (is_bounds ? params.avoids != 0 : (params.avoids & of.layer) != 0 && meets) seen_[id] = edges;
  }
  return seen_;
}

void Twin::SetStaleInput(const StaleInput& stale_input) {
  if (settings_.stale_input.policy == StaleInputPolicy::kHold) {
    for (Agent& agent : agents_) agent.input_age = 0;
  }
  settings_.stale_input = stale_input;
}

void Twin::Step() {
  counters_ = {};
  if (contains()) Recover();
  ApplyStaleInput();
  Steer();
  BuildGrid();
  for (std::size_t slot = 0; slot < agents_.size(); ++slot) Solve(slot);
  Move();
  ++tick_;
}

// Agents as they are, but for the velocities that a step gives before it moves anybody, and what they wanted.
void Twin::ComputeVelocities() {
  const std::vector<Agent> before = agents_;
  counters_ = {.stranded = counters_.stranded, .stalled = counters_.stalled};
  Steer();
  BuildGrid();
  for (std::size_t slot = 0; slot < agents_.size(); ++slot) Solve(slot);
  counters_.arrived = 0;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const Agent stepped = agents_[i];
    Agent& agent = agents_[i] = before[i];
    agent.just_arrived = false;
    agent.held = stepped.held;
    agent.preferred_velocity = stepped.preferred_velocity;
    agent.velocity = agent.kinematic ? stepped.preferred_velocity : agent.stranded ? Vec2{} : next_velocity_[i];
  }
}

std::uint64_t Twin::StateHash() const {
  std::uint64_t sum = 0;
  for (const Agent& agent : agents_) sum += AgentHash(agent.id, agent.position, agent.velocity);
  return sum;
}

void Twin::Recover() {
  for (Agent& agent : agents_) {
    agent.stranded = false;
    agent.recovered = StatusReason::kNone;
    if (agent.kinematic) continue;
    const Outlines& seen = Seen(agent.params);
    const std::optional<Room> room = RoomOf(agent);
    const bool in_room = !room || room->Has(agent.position);
    const std::optional<ObstacleId> blocking = BlockingObstacle(agent.position, seen, kinds_);
    if (in_room && !blocking) continue;
    const std::optional<Vec2> place = NearestGround(agent.position, EffectiveRadius(agent.params), seen, kinds_, room);
    if (place) {
      const bool out = in_room && kinds_.at(*blocking) == ObstacleKind::kEnclosure;
      agent.recovered = out       ? StatusReason::kOutOfEnclosure
                        : in_room ? StatusReason::kInSolid
                                  : StatusReason::kOutOfBounds;
    }
    agent.stranded = !place;
    agent.position = place.value_or(room ? room->Nearest(agent.position) : agent.position);
    ++(place ? counters_.recovered : counters_.stranded);
  }
}

// An input is fresh in the timeout_ticks steps that follow its coming. In each later step kDecay multiplies once, so
// that the velocity shrinks tick by tick; kStop sets +0.
void Twin::ApplyStaleInput() {
  const StaleInput& stale = settings_.stale_input;
  const float factor = stale.decay_time / (stale.decay_time + settings_.time_step);
  for (Agent& agent : agents_) {
    if (!agent.has_input) continue;
    if (agent.input_age >= stale.timeout_ticks) {
      if (stale.policy == StaleInputPolicy::kDecay) agent.preferred_velocity = factor * agent.preferred_velocity;
      if (stale.policy == StaleInputPolicy::kStop) agent.preferred_velocity = {};
    }
    if (agent.input_age < std::numeric_limits<std::uint32_t>::max()) ++agent.input_age;
  }
}

void Twin::Steer() {
  for (Agent& agent : agents_) {
    agent.just_arrived = false;
    if (agent.move_to) {
      const std::uint32_t left = agent.move_to->ticks;
      const float rate = (1.0f / settings_.time_step) / static_cast<float>(left);
      agent.preferred_velocity = left == 0 ? Vec2{} : rate * (agent.move_to->position - agent.position);
    }
    if (!agent.way) continue;
    const bool had_arrived = agent.way->arrived;
    agent.preferred_velocity = agent.way->Go(agent.params, agent.position, 1.0f / settings_.time_step);
    agent.just_arrived = agent.way->arrived && !had_arrived;
    counters_.arrived += agent.just_arrived;
  }
}

void Twin::BuildGrid() {
  bodies_.clear();
  float max_distance = 0.0f;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const Agent& agent = agents_[i];
    // To others, who is kinematic is as if it had no responsibility.
    const float responsibility = agent.kinematic ? 0.0f : agent.params.responsibility;
    bodies_.push_back({agent.position, agent.velocity, EffectiveRadius(agent.params), agent.id,
                       static_cast<std::uint32_t>(i), responsibility, agent.params.layer, agent.params.avoids,
                       agent.params.z, agent.params.z + agent.params.height});
    max_distance = std::max(max_distance, agent.params.neighbor_distance);
  }
  grid_.Build(bodies_, max_distance);
  next_velocity_.resize(agents_.size());
}

void Twin::Solve(std::size_t slot) {
  const Body& body = grid_.bodies()[slot];
  Agent& agent = agents_[body.index];
  // Who has no responsibility, or sees nobody, considers nobody.
  const bool looks = body.responsibility != 0.0f && body.avoids != 0;
  const std::uint32_t most = looks ? agent.params.max_neighbors : 0;
  nearest_.Reset(agent.params.neighbor_distance, most);
  grid_.Search(slot, agent.params.neighbor_distance, nearest_);

  Wish(agent);
  const float max_speed = agent.params.max_speed;
  const Vec2 wanted = ClampSpeed(agent.wish, max_speed);
  Jam jam;
  jam.wanted = wanted;
  if (relieves()) jam.mean = MeanAfter(agent.jam, settings_.time_step, wanted, agent.velocity);
  const float jammed = Jammed(jam.mean);
  if (jammed > 0.0f && agent.jam.held) {
    jam.queue = QueueOf(agent, body);
    if (agent.way) agent.way->crowded = IsCrowded(agent, body);
  }
  Vec2 wish = agent.wish;
  if (jam.queue > 0) {
    const Vec2 way = RightOfWay(settings_.seed, tick_, settings_.time_step);
    wish = WishOfOpposed(settings_.seed, way, wanted, jammed);
  }

  lines_.clear();
  if (!agent.kinematic) AddEdgeLines(agent, body, jammed);
  if (!agent.kinematic) AddDriveLines(agent.params, NormalizeOr(agent.velocity, agent.heading), lines_);
  const std::size_t obstacle_lines = lines_.size();  // with those of its drive
  if (!agent.kinematic) AddCapsuleLines(agent, body, jammed);
  const std::size_t all_obstacle_lines = lines_.size();
  AddNeighborLines(agent, body, jammed);
  Vec2 chosen = program_.Solve(lines_, obstacle_lines, max_speed, wish);
  if (program_.infeasible() && jam.queue > 0 && obstacle_lines > 0) {
    const float soft = 0.07f * (body.radius * (1.0f / settings_.time_step));
    chosen = WithSlack(lines_, obstacle_lines, max_speed, wish, jammed * soft, chosen);
  }
  if (program_.infeasible() && relieves()) {
    const float pressed = 0.3f * (body.radius * (1.0f / settings_.time_step));
    chosen = ClampSpeed(chosen, jammed > 0.0f ? Min(pressed, max_speed) : max_speed);
  }
  const bool agents_there = lines_.size() > all_obstacle_lines || all_obstacle_lines == obstacle_lines;
  const bool by_agents =
      program_.infeasible() ? agents_there : program_.held() && program_.last_moved() >= all_obstacle_lines;
  agent.held = by_agents ? HeldBy::kAgents : program_.held() ? HeldBy::kObstacles : HeldBy::kNothing;
  jam.held = program_.held_by_agents();
  agent.next_jam = jam;
  Vec2 velocity = Settled(agent, chosen, obstacle_lines);
  if (!agent.kinematic && KeepsHeading(agent.params, agent.told_heading)) {
    velocity = Limited(agent.params, settings_.time_step, agent.velocity, velocity, agent.heading);
  }
  next_velocity_[body.index] = velocity;

  agent.neighbors = static_cast<std::uint32_t>(nearest_.list().size());
  agent.lines = static_cast<std::uint32_t>(lines_.size());
  counters_.infeasible += program_.infeasible();
  counters_.neighbors += agent.neighbors;
  counters_.truncated += agent.neighbors == most;
}

// Edges are considered within the distance that the agent can cover in its horizon, plus its radius, strictly.
void Twin::AddEdgeLines(const Agent& agent, const Body& body, float jammed) {
  const Outlines& seen = Seen(agent.params);
  if (seen.empty()) return;
  const float range = agent.params.time_horizon_obstacles * agent.params.max_speed + body.radius;
  near_edges_.clear();
  for (const auto& [id, edges] : seen) {
    for (const Edge& edge : edges) {
      if (!SeesEdge(edge, body.position)) continue;
      const float distance_squared = EdgeDistanceSquared(edge, body.position);
      if (distance_squared < range * range) near_edges_.emplace_back(distance_squared, &edge);
    }
  }
  // They come in order of (obstacle id, edge index), which a stable sort keeps at equal distance.
  std::stable_sort(near_edges_.begin(), near_edges_.end(), [](auto& a, auto& b) { return a.first < b.first; });
  const float horizon = ShortHorizon(agent.params.time_horizon_obstacles, jammed, settings_.time_step);
  const float inverse_horizon = 1.0f / horizon;
  for (const auto& [distance_squared, edge] : near_edges_) AddEdgeHalfPlane(body, *edge, inverse_horizon, lines_);
  counters_.obstacle_edges += near_edges_.size();
}

void Twin::AddCapsuleLines(const Agent& agent, const Body& body, float jammed) {
  const float inverse_horizon = 1.0f / ShortHorizon(agent.params.time_horizon, jammed, settings_.time_step);
  std::vector<std::pair<float, const Capsule*>> near;
  for (const auto& [id, capsule] : capsules_) {
    Body as_body;
    as_body.layer = capsule.layer;
    as_body.low = capsule.band ? capsule.band->z : -INFINITY;
    as_body.high = capsule.band ? capsule.band->z + capsule.band->height : INFINITY;
    const float distance = DistanceOf(capsule, body.position);
    if (Sees(body, as_body) && distance < agent.params.neighbor_distance) near.emplace_back(distance, &capsule);
  }
  std::stable_sort(near.begin(), near.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (const auto& [distance, capsule] : near) {
    lines_.push_back(CapsuleHalfPlane(body, *capsule, inverse_horizon, 1.0f / settings_.time_step));
  }
}

int Twin::QueueOf(const Agent& agent, const Body& body) {
  others_.clear();
  for (const Neighbor& neighbor : nearest_.list()) {
    const Body& other = grid_.bodies()[neighbor.slot];
    const Jam& its = agents_[other.index].jam;
    others_.push_back({other.position - body.position, its.wanted, body.radius + other.radius, its.queue});
    if (others_.size() == 4) break;
  }
  return QueueBehind(ClampSpeed(agent.wish, agent.params.max_speed), others_);
}

// Nobody is nearer to the goal by going there: of the six nearest, agents that rest at about the same goal and touch
// this one, one is straight ahead, or one to either side.
bool Twin::IsCrowded(const Agent& agent, const Body& body) const {
  const Route& way = *agent.way;
  if (way.arrived || way.next + 1 != way.points.size()) return false;
  const Vec2 ahead = way.points.back() - agent.position;
  bool left = false, right = false;
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest_.list().size(), 6); ++i) {
    const Body& other = grid_.bodies()[nearest_.list()[i].slot];
    const std::optional<Route>& its = agents_[other.index].way;
    if (!its || !its->arrived) continue;
    const float near = agent.params.arrival_radius, touching = 1.15f * (body.radius + other.radius);
    if (LengthSquared(its->points.back() - way.points.back()) > near * near) continue;
    const Vec2 to_other = other.position - body.position;
    if (LengthSquared(to_other) > touching * touching || !(Dot(to_other, ahead) > 0.0f)) continue;
    const float side = Det(ahead, to_other);
    const bool straight = side * side <= 0.35f * 0.35f * (LengthSquared(ahead) * LengthSquared(to_other));
    left |= straight || side > 0.0f;
    right |= straight || side < 0.0f;
  }
  return left && right;
}

void Twin::AddNeighborLines(const Agent& agent, const Body& body, float jammed) {
  const float inverse_horizon = 1.0f / ShortHorizon(agent.params.time_horizon, jammed, settings_.time_step);
  const float inverse_time_step = 1.0f / settings_.time_step;
  bool overlapping = false;
  pressed_ = touches_moving_ = false;
  const bool rests = settings_.motion.rest.value_or(unsaid()) && agent.wish.x == 0.0f && agent.wish.y == 0.0f;
  const float slowly = settings_.motion.separation_speed * agent.params.max_speed;
  for (const Neighbor& neighbor : nearest_.list()) {
    const Body& other = grid_.bodies()[neighbor.slot];
    const float depth = body.radius + other.radius - std::sqrt(LengthSquared(other.position - body.position));
    pressed_ |= rests && Overlaps(body, other) && depth > 0.01f * body.radius;
    const float parting = rests ? PartingRate(body, other, slowly, inverse_time_step) : inverse_time_step;
    lines_.push_back(PairHalfPlane(body, other, inverse_horizon, parting));
    overlapping |= Overlaps(body, other);
    touches_moving_ |= TouchesMoving(body, other);
  }
  counters_.overlapping += overlapping;
}

void Twin::Wish(Agent& agent) const {
  agent.wish = agent.preferred_velocity;
  if (agent.params.smoothing_time == 0.0f || agent.kinematic) return;
  const bool arrived = agent.way && agent.way->arrived;
  agent.smoothed = arrived ? Vec2{} : Smoothed(agent.params, settings_.time_step, agent.wish, agent.smoothed);
  agent.wish = agent.smoothed;
}

Vec2 Twin::Settled(const Agent& agent, Vec2 velocity, std::size_t obstacle_lines) const {
  const MotionSettings& motion = settings_.motion;
  const float max_speed = agent.params.max_speed;
  const bool rests = motion.rest.value_or(unsaid());
  if (program_.infeasible()) {  // pressed agents part first
    return rests && !pressed_ ? Rested(0.1f * motion.rest_speed, agent.wish, max_speed, velocity) : velocity;
  }
  if (motion.symmetry_breaking.value_or(unsaid()) && motion.symmetry_bias != 0.0f) {
    velocity = StepAside({settings_.seed, motion.symmetry_bias}, program_.held_by_agents() && !touches_moving_,
                         std::span(lines_).first(obstacle_lines), agent.wish, max_speed, velocity);
  }
  return rests ? Rested(motion.rest_speed, agent.wish, max_speed, velocity) : velocity;
}

void Twin::Move() {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    agent.jam = agent.next_jam;
    const Vec2 before = agent.position;
    if (agent.kinematic) {
      MoveKinematic(agent);
    } else {
      MoveBySolution(agent, next_velocity_[i]);
    }
    if (settings_.motion.stall_detection.value_or(unsaid())) NoteProgress(agent, agent.position - before);
  }
  for (auto& [id, capsule] : capsules_) capsule.Go(settings_.time_step);
}

void Twin::MoveBySolution(Agent& agent, Vec2 velocity) {
  agent.velocity = agent.stranded ? Vec2{} : velocity;
  const Vec2 moved = agent.position + settings_.time_step * agent.velocity;
  Vec2 end{ClampCoordinate(moved.x), ClampCoordinate(moved.y)};
  const std::optional<Room> room = RoomOf(agent);
  const bool held = room && !room->Has(end);
  if (held) end = room->Nearest(end);
  Way way{end};
  if (contains()) way = CutMove(agent.position, end, EffectiveRadius(agent.params), Seen(agent.params), room);
  way.cut |= held;
  if (way.cut) {
    agent.velocity = VelocityOfWay(agent.position, way.end, 1.0f / settings_.time_step, agent.params.max_speed);
  }
  counters_.cut += way.cut;
  agent.position = way.end;
}

void Twin::NoteProgress(Agent& agent, Vec2 way) {
  // Kinematic agents never stall.
  agent.standing.Note({settings_.time_step, agent.params.max_speed, agent.kinematic ? Vec2{} : agent.wish, way});
  counters_.stalled += agent.standing.stalled();
  counters_.stall_changes += agent.standing.changed();
}

// In the last tick of its way it is there, without rounding.
void Twin::MoveKinematic(Agent& agent) {
  agent.velocity = agent.preferred_velocity;
  const Vec2 moved = agent.position + settings_.time_step * agent.velocity;
  agent.position = {ClampCoordinate(moved.x), ClampCoordinate(moved.y)};
  if (!agent.move_to || agent.move_to->ticks == 0) return;
  if (--agent.move_to->ticks == 0) agent.position = agent.move_to->position;
}

AgentParams Patched(const AgentParams& value, const AgentParamsPatch& patch) {
  AgentParams result = value;
  result.radius = patch.radius.value_or(value.radius);
  result.max_speed = patch.max_speed.value_or(value.max_speed);
  result.neighbor_distance = patch.neighbor_distance.value_or(value.neighbor_distance);
  result.max_neighbors = patch.max_neighbors.value_or(value.max_neighbors);
  result.time_horizon = patch.time_horizon.value_or(value.time_horizon);
  result.responsibility = patch.responsibility.value_or(value.responsibility);
  result.time_horizon_obstacles = patch.time_horizon_obstacles.value_or(value.time_horizon_obstacles);
  result.preferred_speed = patch.preferred_speed.value_or(value.preferred_speed);
  result.arrival_radius = patch.arrival_radius.value_or(value.arrival_radius);
  result.slow_down_distance = patch.slow_down_distance.value_or(value.slow_down_distance);
  result.layer = patch.layer.value_or(value.layer);
  result.avoids = patch.avoids.value_or(value.avoids);
  result.z = patch.z.value_or(value.z);
  result.height = patch.height.value_or(value.height);
  result.smoothing_time = patch.smoothing_time.value_or(value.smoothing_time);
  result.max_acceleration = patch.max_acceleration.value_or(value.max_acceleration);
  result.max_turn_rate = patch.max_turn_rate.value_or(value.max_turn_rate);
  result.drive = patch.drive.value_or(value.drive);
  result.tracking_error = patch.tracking_error.value_or(value.tracking_error);
  return result;
}

}  // namespace throng::twin
