#include "world/world_impl.h"

#include <cmath>

#include "base/angle.h"
#include "base/fp_environment.h"
#include "base/hash.h"
#include "world/limit.h"

namespace throng {

void World::Impl::SetPosition(Index place, Vec2 position) {
  agents.body[place].x = position.x;
  agents.body[place].y = position.y;
  agents.NoteOrderChange();
  if (recovery) recovery->NoteAgent(agents.id[place]);
  hash_valid = false;
}

void World::Impl::SetVelocity(Index place, Vec2 velocity) {
  agents.body[place].vx = velocity.x;
  agents.body[place].vy = velocity.y;
  hash_valid = false;
}

void World::Impl::SetPreferredVelocity(Index place, Vec2 velocity) {
  agents.preferred_x[place] = velocity.x;
  agents.preferred_y[place] = velocity.y;
  NoteInput(place);
  if (!agents.goals.empty()) agents.goals.Drop(agents.slot[place]);
  if (IsKinematic(place)) agents.kinematics.Find(agents.slot[place])->moves_to = false;
}

void World::Impl::SetParams(Index place, const AgentParams& params) {
  const float radius = EffectiveRadius(params);
  // A larger disc may reach out of the bounds, and a smaller one may have had no room but the middle.
  if (settings.bounds && agents.radius[place] != radius) recovery->NoteAgent(agents.id[place]);
  agents.radius[place] = radius;
  agents.max_speed[place] = params.max_speed;
  agents.neighbor_distance[place] = params.neighbor_distance;
  agents.time_horizon[place] = params.time_horizon;
  agents.time_horizon_obstacles[place] = params.time_horizon_obstacles;
  const Sight sight{params.layer, params.avoids, params.z, params.height};
  // It may stand in what it did not see before.
  if (recovery && sight != agents.SightOf(place)) recovery->NoteAgent(agents.id[place]);
  agents.SetRegard(place, {.responsibility = params.responsibility,
                           .max_neighbors = static_cast<std::uint8_t>(params.max_neighbors),
                           .kinematic = IsKinematic(place),
                           .sight = sight});
  agents.goals.SetParams(agents.slot[place],
                         {params.preferred_speed, params.arrival_radius, params.slow_down_distance});
  SetLimits(place, {params.smoothing_time, params.max_acceleration, params.max_turn_rate, params.drive,
                    params.tracking_error, params.drive == Drive::kDifferential ? params.radius : 0.0f});
}

void World::Impl::SetLimits(Index place, const MotionLimits& limits) {
  const Index slot = agents.slot[place];
  if (limits == agents.limits.limits(slot)) return;
  const FpEnvironment same_bits;
  const LargestTurn turn = LargestTurnOf(limits.max_turn_rate, settings.time_step);
  const Body& body = agents.body[place];
  agents.limits.SetLimits(slot, limits, turn, {body.vx, body.vy});
}

void World::Impl::SetHeading(Index place, float heading) {
  const FpEnvironment same_bits;
  const Vec2 direction = DirectionAt(double{heading});
  const Body& body = agents.body[place];
  const float speed_squared = AbsSq({body.vx, body.vy});
  if (speed_squared > kTinySquared) SetVelocity(place, std::sqrt(speed_squared) * direction);
  agents.limits.SetHeading(agents.slot[place], direction, {body.vx, body.vy});
}

float World::Impl::HeadingAt(Index place) const {
  const FpEnvironment same_bits;
  Vec2 direction{agents.body[place].vx, agents.body[place].vy};
  if (!(AbsSq(direction) > kTinySquared)) {
    const LimitedAgent* const limited = agents.limits.Find(agents.slot[place]);
    direction = limited == nullptr ? Vec2{} : limited->heading;
  }
  return static_cast<float>(AngleOf(double{direction.x}, double{direction.y}));
}

AgentParams World::Impl::ParamsAt(Index place) const {
  AgentParams params;
  params.radius = agents.radius[place];
  params.max_speed = agents.max_speed[place];
  params.neighbor_distance = agents.neighbor_distance[place];
  const Regard regard = agents.RegardOf(place);
  params.max_neighbors = regard.max_neighbors;
  params.responsibility = regard.responsibility;
  params.layer = regard.sight.layer;
  params.avoids = regard.sight.avoids;
  params.z = regard.sight.z;
  params.height = regard.sight.height;
  params.time_horizon = agents.time_horizon[place];
  params.time_horizon_obstacles = agents.time_horizon_obstacles[place];
  const GoalParams goal = agents.goals.params(agents.slot[place]);
  params.preferred_speed = goal.preferred_speed;
  params.arrival_radius = goal.arrival_radius;
  params.slow_down_distance = goal.slow_down_distance;
  const MotionLimits limits = agents.limits.limits(agents.slot[place]);
  params.smoothing_time = limits.smoothing_time;
  params.max_acceleration = limits.max_acceleration;
  params.max_turn_rate = limits.max_turn_rate;
  params.drive = limits.drive;
  params.tracking_error = limits.tracking_error;
  if (limits.drive == Drive::kDifferential) params.radius = limits.radius;
  return params;
}

AgentState World::Impl::StateAt(Index place) const {
  AgentState state;
  state.id = agents.id[place];
  const Body& body = agents.body[place];
  state.position = {body.x, body.y};
  state.velocity = {body.vx, body.vy};
  if (agents.has_input[place] != 0) {
    state.preferred_velocity = Vec2{agents.preferred_x[place], agents.preferred_y[place]};
  }
  state.params = ParamsAt(place);
  state.steering = SteeringAt(place);
  state.status = StatusAt(place);
  state.reason = ReasonAt(place, state.status);
  state.kinematic = IsKinematic(place);
  state.heading = HeadingAt(place);
  return state;
}

void World::Impl::AddBounds(const Rectangle& bounds) {
  obstacles.AddBounds(bounds);
  for (std::uint32_t place = 0; place < obstacles.edge_count(); ++place) {
    obstacle_index.Insert(place, obstacles.edge(place).start, obstacles.edge(place).end);
  }
}

void World::Impl::AddObstacle(ObstacleId id, const ObstacleSpec& spec) {
  if (spec.kind == ObstacleKind::kCapsule) return capsules.Add(id, spec);
  ++edge_version;
  const ObstacleStore::Obstacle& obstacle =
      obstacles.Add(id, spec.kind, spec.vertices, ObstacleSight(spec.layer, spec.band));
  if (recovery) recovery->AddObstacle(id, obstacle);
  for (const std::uint32_t place : obstacle.edges) {
    obstacle_index.Insert(place, obstacles.edge(place).start, obstacles.edge(place).end);
  }
}

void World::Impl::RemoveObstacle(ObstacleId id) {
  if (capsules.Contains(id)) return capsules.Remove(id);
  ++edge_version;
  const ObstacleStore::Obstacle& obstacle = *obstacles.Find(id);
  if (recovery) recovery->RemoveObstacle(id, obstacle);
  for (const std::uint32_t place : obstacle.edges) {
    obstacle_index.Remove(place, obstacles.edge(place).start, obstacles.edge(place).end);
  }
  obstacles.Remove(id, [&](std::uint32_t from, std::uint32_t to) {
    obstacle_index.Rename(from, to, obstacles.edge(to).start, obstacles.edge(to).end);
  });
}

std::uint64_t World::Impl::StateHash() const {
  if (hash_valid) return hash;
  hash = 0;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const Body& body = agents.body[i];
    hash += AgentHash(agents.id[i], {body.x, body.y}, {body.vx, body.vy});
  }
  hash_valid = true;
  return hash;
}

}  // namespace throng
