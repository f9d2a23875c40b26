#include "clients/cpp/src/convert.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/cpp/src/status.h"
#include "throng/client/error.h"

namespace throng::client {
namespace {

void ToProto(const Vector2& v, v1::Vector2& out) {
  out.set_x(v.x);
  out.set_y(v.y);
}

Vector2 FromProto(const v1::Vector2& v) { return {v.x(), v.y()}; }

// The wire's enums have the client's values after their UNSPECIFIED, in the same order.
template <class Enum, class Client>
Enum EnumToProto(Client value) {
  return static_cast<Enum>(static_cast<int>(value) + 1);
}

template <class Client, class Enum>
std::optional<Client> EnumFromProto(Enum value) {
  if (static_cast<int>(value) == 0) return std::nullopt;
  return static_cast<Client>(static_cast<int>(value) - 1);
}

void ToProto(const AgentParams& params, v1::AgentParams& out) {
  if (params.radius) out.set_radius(*params.radius);
  if (params.max_speed) out.set_max_speed(*params.max_speed);
  if (params.neighbor_distance) out.set_neighbor_distance(*params.neighbor_distance);
  if (params.max_neighbors) out.set_max_neighbors(*params.max_neighbors);
  if (params.time_horizon) out.set_time_horizon(*params.time_horizon);
  if (params.time_horizon_obstacles) out.set_time_horizon_obstacles(*params.time_horizon_obstacles);
  if (params.responsibility) out.set_responsibility(*params.responsibility);
  if (params.layer) out.set_layer(*params.layer);
  if (params.avoids) out.set_avoids(*params.avoids);
  if (params.z) out.set_z(*params.z);
  if (params.height) out.set_height(*params.height);
  if (params.preferred_speed) out.set_preferred_speed(*params.preferred_speed);
  if (params.arrival_radius) out.set_arrival_radius(*params.arrival_radius);
  if (params.smoothing_time) out.set_smoothing_time(*params.smoothing_time);
  if (params.max_acceleration) out.set_max_acceleration(*params.max_acceleration);
  if (params.drive) out.set_drive(EnumToProto<v1::Drive>(*params.drive));
  if (params.tracking_error) out.set_tracking_error(*params.tracking_error);
  if (params.max_turn_rate) out.set_max_turn_rate(*params.max_turn_rate);
  if (params.slow_down_distance) out.set_slow_down_distance(*params.slow_down_distance);
}

AgentParams FromProto(const v1::AgentParams& params) {
  AgentParams out;
  if (params.has_radius()) out.radius = params.radius();
  if (params.has_max_speed()) out.max_speed = params.max_speed();
  if (params.has_neighbor_distance()) out.neighbor_distance = params.neighbor_distance();
  if (params.has_max_neighbors()) out.max_neighbors = params.max_neighbors();
  if (params.has_time_horizon()) out.time_horizon = params.time_horizon();
  if (params.has_time_horizon_obstacles()) out.time_horizon_obstacles = params.time_horizon_obstacles();
  if (params.has_responsibility()) out.responsibility = params.responsibility();
  if (params.has_layer()) out.layer = params.layer();
  if (params.has_avoids()) out.avoids = params.avoids();
  if (params.has_z()) out.z = params.z();
  if (params.has_height()) out.height = params.height();
  if (params.has_preferred_speed()) out.preferred_speed = params.preferred_speed();
  if (params.has_arrival_radius()) out.arrival_radius = params.arrival_radius();
  if (params.has_smoothing_time()) out.smoothing_time = params.smoothing_time();
  if (params.has_max_acceleration()) out.max_acceleration = params.max_acceleration();
  out.drive = EnumFromProto<Drive>(params.drive());
  if (params.has_tracking_error()) out.tracking_error = params.tracking_error();
  if (params.has_max_turn_rate()) out.max_turn_rate = params.max_turn_rate();
  if (params.has_slow_down_distance()) out.slow_down_distance = params.slow_down_distance();
  return out;
}

void ToProto(const Path& path, v1::Path& out) {
  for (const Vector2& point : path.points) {
    out.add_x(point.x);
    out.add_y(point.y);
  }
  if (path.pass_radius) out.set_pass_radius(*path.pass_radius);
  out.set_next(path.next);
}

Path FromProto(const v1::Path& path) {
  Path out;
  for (int i = 0; i < std::min(path.x_size(), path.y_size()); ++i) out.points.push_back({path.x(i), path.y(i)});
  if (path.has_pass_radius()) out.pass_radius = path.pass_radius();
  out.next = path.next();
  return out;
}

Warning FromProto(const v1::Warning& warning) {
  return {static_cast<WarningCode>(warning.code()), warning.field(), warning.message(), warning.agent_id(),
          warning.obstacle_id()};
}

// What an agent is told to go by. The wire takes one: of several, the last of these.
template <class Client, class Message>
void SteeringToProto(const Client& agent, Message& out) {
  if (agent.preferred_velocity) ToProto(*agent.preferred_velocity, *out.mutable_preferred_velocity());
  if (agent.goal) ToProto(*agent.goal, *out.mutable_goal());
  if (agent.path) ToProto(*agent.path, *out.mutable_path());
}

void ToProto(const MotionSettings& motion, v1::MotionSettings& out) {
  if (motion.symmetry_breaking) out.set_symmetry_breaking(*motion.symmetry_breaking);
  if (motion.jam_relief) out.set_jam_relief(*motion.jam_relief);
  if (motion.rest) out.set_rest(*motion.rest);
  if (motion.containment) out.set_containment(*motion.containment);
  if (motion.stall_detection) out.set_stall_detection(*motion.stall_detection);
  if (motion.symmetry_bias) out.set_symmetry_bias(*motion.symmetry_bias);
  if (motion.separation_speed) out.set_separation_speed(*motion.separation_speed);
  if (motion.rest_speed) out.set_rest_speed(*motion.rest_speed);
}

MotionSettings FromProto(const v1::MotionSettings& motion) {
  MotionSettings out;
  if (motion.has_symmetry_breaking()) out.symmetry_breaking = motion.symmetry_breaking();
  if (motion.has_jam_relief()) out.jam_relief = motion.jam_relief();
  if (motion.has_rest()) out.rest = motion.rest();
  if (motion.has_containment()) out.containment = motion.containment();
  if (motion.has_stall_detection()) out.stall_detection = motion.stall_detection();
  if (motion.has_symmetry_bias()) out.symmetry_bias = motion.symmetry_bias();
  if (motion.has_separation_speed()) out.separation_speed = motion.separation_speed();
  if (motion.has_rest_speed()) out.rest_speed = motion.rest_speed();
  return out;
}

WorldSettings FromProto(const v1::WorldSettings& settings) {
  WorldSettings out;
  if (settings.has_time_step()) out.time_step = settings.time_step();
  if (settings.has_seed()) out.seed = settings.seed();
  out.preset = EnumFromProto<Preset>(settings.preset());
  out.motion = FromProto(settings.motion());
  if (settings.has_origin()) {
    out.origin_x = settings.origin().x();
    out.origin_y = settings.origin().y();
  }
  if (settings.has_bounds()) out.bounds = {FromProto(settings.bounds().min()), FromProto(settings.bounds().max())};
  out.agent_defaults = FromProto(settings.agent_defaults());
  out.clock = EnumFromProto<Clock>(settings.clock());
  const auto& stale = settings.stale_input();
  out.stale_input = EnumFromProto<StaleInputPolicy>(stale.policy());
  if (stale.has_timeout_ticks()) out.stale_input_timeout_ticks = stale.timeout_ticks();
  if (stale.has_decay_time()) out.stale_input_decay_time = stale.decay_time();
  if (settings.has_time_scale()) out.time_scale = settings.time_scale();
  if (settings.has_max_agents()) out.max_agents = settings.max_agents();
  if (settings.has_idle_time_to_live()) out.idle_time_to_live = settings.idle_time_to_live();
  if (settings.has_start_paused()) out.start_paused = settings.start_paused();
  return out;
}

}  // namespace

void ToProto(const AgentSpec& agent, v1::AgentSpec& out) {
  out.set_id(agent.id);
  ToProto(agent.position, *out.mutable_position());
  ToProto(agent.velocity, *out.mutable_velocity());
  SteeringToProto(agent, out);
  ToProto(agent.params, *out.mutable_params());
  out.set_kinematic(agent.kinematic);
  if (agent.heading) out.set_heading(*agent.heading);
  if (agent.placement != Placement::kAllow) out.set_placement(EnumToProto<v1::Placement>(agent.placement));
  if (agent.nudge_distance) out.set_nudge_distance(*agent.nudge_distance);
}

void ToProto(const AgentUpdate& update, v1::AgentUpdate& out) {
  out.set_id(update.id);
  if (update.position) ToProto(*update.position, *out.mutable_position());
  if (update.velocity) ToProto(*update.velocity, *out.mutable_velocity());
  SteeringToProto(update, out);
  if (update.move_to) {
    ToProto(update.move_to->position, *out.mutable_move_to()->mutable_position());
    out.mutable_move_to()->set_ticks(update.move_to->ticks);
  }
  if (update.kinematic) out.set_kinematic(*update.kinematic);
  if (update.heading) out.set_heading(*update.heading);
  ToProto(update.params, *out.mutable_params());
}

void ToProto(const ObstacleSpec& obstacle, v1::ObstacleSpec& out) {
  out.set_id(obstacle.id);
  out.set_kind(EnumToProto<v1::ObstacleKind>(obstacle.kind));
  for (const auto& vertex : obstacle.vertices) {
    out.add_x(vertex.x);
    out.add_y(vertex.y);
  }
  if (obstacle.layer) out.set_layer(*obstacle.layer);
  if (obstacle.z) out.set_z(*obstacle.z);
  if (obstacle.height) out.set_height(*obstacle.height);
  if (obstacle.radius) out.set_radius(*obstacle.radius);
  if (obstacle.velocity) ToProto(*obstacle.velocity, *out.mutable_velocity());
}

void ToProto(const ObstacleMove& move, v1::ObstacleMove& out) {
  out.set_id(move.id);
  if (move.velocity) ToProto(*move.velocity, *out.mutable_velocity());
  if (move.translation) ToProto(*move.translation, *out.mutable_translation());
}

void ToProto(const WorldSettings& settings, v1::WorldSettings& out) {
  if (settings.time_step) out.set_time_step(*settings.time_step);
  if (settings.seed) out.set_seed(*settings.seed);
  if (settings.preset) out.set_preset(EnumToProto<v1::Preset>(*settings.preset));
  v1::MotionSettings motion;
  ToProto(settings.motion, motion);
  if (motion.ByteSizeLong() > 0) *out.mutable_motion() = motion;
  if (settings.origin_x || settings.origin_y) {
    out.mutable_origin()->set_x(settings.origin_x.value_or(0.0));
    out.mutable_origin()->set_y(settings.origin_y.value_or(0.0));
  }
  if (settings.bounds) {
    ToProto(settings.bounds->min, *out.mutable_bounds()->mutable_min());
    ToProto(settings.bounds->max, *out.mutable_bounds()->mutable_max());
  }
  v1::AgentParams defaults;
  ToProto(settings.agent_defaults, defaults);
  if (defaults.ByteSizeLong() > 0) *out.mutable_agent_defaults() = defaults;
  if (settings.clock) out.set_clock(EnumToProto<v1::WorldClock>(*settings.clock));
  if (settings.stale_input)
    out.mutable_stale_input()->set_policy(EnumToProto<v1::StaleInputPolicy>(*settings.stale_input));
  if (settings.stale_input_timeout_ticks) {
    out.mutable_stale_input()->set_timeout_ticks(*settings.stale_input_timeout_ticks);
  }
  if (settings.stale_input_decay_time) out.mutable_stale_input()->set_decay_time(*settings.stale_input_decay_time);
  if (settings.time_scale) out.set_time_scale(*settings.time_scale);
  if (settings.max_agents) out.set_max_agents(*settings.max_agents);
  if (settings.idle_time_to_live) out.set_idle_time_to_live(*settings.idle_time_to_live);
  if (settings.start_paused) out.set_start_paused(*settings.start_paused);
}

void ToProto(const Columns& columns, v1::Subscription& out) {
  out.set_position(columns.position);
  out.set_velocity(columns.velocity);
  out.set_preferred_velocity(columns.preferred_velocity);
  out.set_state_hash(columns.state_hash);
  out.set_radius(columns.radius);
  out.set_status(columns.status);
  out.set_heading(columns.heading);
}

Agent FromProto(const v1::Agent& agent) {
  Agent out;
  out.id = agent.id();
  out.position = FromProto(agent.position());
  out.velocity = FromProto(agent.velocity());
  if (agent.has_preferred_velocity()) out.preferred_velocity = FromProto(agent.preferred_velocity());
  if (agent.has_goal()) out.goal = FromProto(agent.goal());
  if (agent.has_path()) out.path = FromProto(agent.path());
  if (agent.has_move_to()) out.move_to = MoveTo{FromProto(agent.move_to().position()), agent.move_to().ticks()};
  out.kinematic = agent.kinematic();
  out.heading = agent.heading();
  out.params = FromProto(agent.params());
  out.status = static_cast<AgentStatus>(agent.status());
  out.status_reason = static_cast<StatusReason>(agent.status_reason());
  return out;
}

Obstacle FromProto(const v1::Obstacle& obstacle) {
  Obstacle out;
  out.id = obstacle.id();
  out.kind = EnumFromProto<ObstacleKind>(obstacle.kind()).value_or(ObstacleKind::kSolid);
  const int count = std::min(obstacle.x_size(), obstacle.y_size());
  out.vertices.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out.vertices.push_back({obstacle.x(i), obstacle.y(i)});
  out.area = obstacle.area();
  out.bounds_min = FromProto(obstacle.bounds_min());
  out.bounds_max = FromProto(obstacle.bounds_max());
  out.layer = obstacle.layer();
  if (obstacle.has_z()) out.z = obstacle.z();
  if (obstacle.has_height()) out.height = obstacle.height();
  if (obstacle.has_radius()) out.radius = obstacle.radius();
  if (obstacle.has_velocity()) out.velocity = FromProto(obstacle.velocity());
  return out;
}

WorldInfo FromProto(const v1::World& world) {
  WorldInfo out;
  out.name = world.name();
  out.uid = world.uid();
  out.settings = FromProto(world.settings());
  out.state = static_cast<WorldState>(world.state());
  out.fault = world.fault();
  out.tick = world.tick();
  out.simulation_time = world.simulation_time();
  out.agents = world.agents();
  out.obstacles = world.obstacles();
  out.obstacle_vertices = world.obstacle_vertices();
  out.membership_version = world.membership_version();
  out.obstacle_version = world.obstacle_version();
  out.sessions = world.sessions();
  out.streams = world.streams();
  const auto& load = world.load();
  out.load = {load.tick_rate(), load.tick_cost(), load.lateness_mean(), load.lateness_max(), load.missed_deadlines()};
  out.resolution = world.resolution();
  for (const auto& warning : world.warnings()) out.warnings.push_back(FromProto(warning));
  out.recoveries = world.recoveries();
  out.cut_moves = world.cut_moves();
  out.stranded_agents = world.stranded_agents();
  out.stalled_agents = world.stalled_agents();
  return out;
}

ServerInfo FromProto(const v1::GetServerInfoResponse& info) {
  ServerInfo out;
  out.version = info.version();
  out.commit = info.commit();
  out.start_time = info.start_time();
  out.server_time = info.server_time();
  out.workers = info.workers();
  const auto& limits = info.limits();
  out.max_worlds = limits.max_worlds();
  out.max_agents_per_world = limits.max_agents_per_world();
  out.max_sessions = limits.max_sessions();
  out.max_streams = limits.max_streams();
  out.max_message_bytes = limits.max_message_bytes();
  out.max_batch_items = limits.max_batch_items();
  out.max_obstacle_vertices_per_world = limits.max_obstacle_vertices_per_world();
  out.worlds = info.worlds();
  out.agents = info.agents();
  out.sessions = info.sessions();
  out.streams = info.streams();
  out.min_keepalive_interval = info.min_keepalive_interval();
  out.http_address = info.http_address();
  out.draining = info.draining();
  return out;
}

void Append(const v1::CommandBatchResult& result, BatchResult& out) {
  out.tick = result.tick();
  out.membership_version = result.membership_version();
  out.obstacle_version = result.obstacle_version();
  out.applied = out.applied || result.applied();
  for (const auto& item : result.results()) {
    ItemResult& added =
        out.items.emplace_back(ItemResult{item.id(), client::FromProto(item.error()), FromProto(item.params())});
    for (const auto& warning : item.warnings()) added.warnings.push_back(FromProto(warning));
    if (item.has_position()) added.position = FromProto(item.position());
  }
}

absl::Status BatchResult::FirstError() const {
  const auto refused = [](const ItemResult& item) { return !item.status.ok(); };
  auto bad = std::find_if(items.begin(), items.end(), [&](const ItemResult& item) {
    return refused(item) && Reason(item.status) != "BATCH_REFUSED";
  });
  if (bad == items.end()) bad = std::find_if(items.begin(), items.end(), refused);
  if (bad == items.end()) return absl::OkStatus();
  absl::Status status(bad->status.code(), absl::StrCat("item ", bad - items.begin(), ": ", bad->status.message()));
  bad->status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { status.SetPayload(url, payload); });
  return status;
}

std::vector<Warning> BatchResult::Warnings() const {
  std::vector<Warning> all;
  for (const auto& item : items) all.insert(all.end(), item.warnings.begin(), item.warnings.end());
  return all;
}

std::vector<std::uint32_t> BatchResult::Ids() const {
  std::vector<std::uint32_t> ids;
  ids.reserve(items.size());
  for (const auto& item : items) ids.push_back(item.id);
  return ids;
}

}  // namespace throng::client
