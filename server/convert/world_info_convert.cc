#include "server/convert/world_info_convert.h"

#include <algorithm>
#include <cmath>

#include "server/convert/command_convert.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

v1::WorldClock ToProto(WorldClock clock) {
  switch (clock) {
    case WorldClock::kRealtime:
      return v1::WORLD_CLOCK_REALTIME;
    case WorldClock::kLockstep:
      return v1::WORLD_CLOCK_LOCKSTEP;
    case WorldClock::kFree:
      return v1::WORLD_CLOCK_FREE;
  }
  return v1::WORLD_CLOCK_UNSPECIFIED;
}

v1::WorldState ToProto(WorldState state) {
  switch (state) {
    case WorldState::kRunning:
      return v1::WORLD_STATE_RUNNING;
    case WorldState::kPaused:
      return v1::WORLD_STATE_PAUSED;
    case WorldState::kFaulted:
      return v1::WORLD_STATE_FAULTED;
  }
  return v1::WORLD_STATE_UNSPECIFIED;
}

v1::StaleInputPolicy ToProto(StaleInputPolicy policy) {
  switch (policy) {
    case StaleInputPolicy::kHold:
      return v1::STALE_INPUT_POLICY_HOLD;
    case StaleInputPolicy::kDecay:
      return v1::STALE_INPUT_POLICY_DECAY;
    case StaleInputPolicy::kStop:
      return v1::STALE_INPUT_POLICY_STOP;
  }
  return v1::STALE_INPUT_POLICY_UNSPECIFIED;
}

void ToProto(const MotionSettings& motion, v1::MotionSettings* out) {
  out->set_symmetry_breaking(*motion.symmetry_breaking);
  out->set_jam_relief(*motion.jam_relief);
  out->set_rest(*motion.rest);
  out->set_containment(*motion.containment);
  out->set_stall_detection(*motion.stall_detection);
  out->set_symmetry_bias(motion.symmetry_bias);
  out->set_separation_speed(motion.separation_speed);
  out->set_rest_speed(motion.rest_speed);
}

void ToProto(const Vec2& vector, v1::Vector2* out) {
  out->set_x(vector.x);
  out->set_y(vector.y);
}

// The largest coordinate, by absolute value, at which an agent that bounds hold can be.
double Farthest(const std::optional<Rectangle>& bounds) {
  if (!bounds) return kMaxCoordinate;
  const auto& [min, max] = *bounds;
  return std::max({std::abs(min.x), std::abs(min.y), std::abs(max.x), std::abs(max.y)});
}

void ToProto(const WorldLoad& load, v1::WorldLoad* out) {
  out->set_tick_rate(load.tick_rate);
  out->set_tick_cost(load.tick_cost);
  out->set_lateness_mean(load.lateness_mean);
  out->set_lateness_max(load.lateness_max);
  out->set_missed_deadlines(load.missed_deadlines);
}

}  // namespace

v1::WorldSettings ToProto(const HostSettings& settings) {
  v1::WorldSettings out;
  const WorldSettings& world = settings.world;
  out.set_time_step(world.time_step);
  out.set_seed(world.seed);
  out.set_preset(world.preset == Preset::kBase ? v1::PRESET_BASE : v1::PRESET_DEFAULT);
  out.mutable_origin()->set_x(world.origin_x);
  out.mutable_origin()->set_y(world.origin_y);
  if (world.bounds) {
    ToProto(world.bounds->min, out.mutable_bounds()->mutable_min());
    ToProto(world.bounds->max, out.mutable_bounds()->mutable_max());
  }
  ToProto(world.agent_defaults, out.mutable_agent_defaults());
  out.set_clock(ToProto(settings.clock));
  out.mutable_stale_input()->set_policy(ToProto(world.stale_input.policy));
  out.mutable_stale_input()->set_timeout_ticks(world.stale_input.timeout_ticks);
  out.mutable_stale_input()->set_decay_time(world.stale_input.decay_time);
  out.set_time_scale(settings.time_scale);
  out.set_max_agents(static_cast<std::uint32_t>(world.max_agents));
  out.set_idle_time_to_live(settings.idle_time_to_live);
  out.set_start_paused(settings.start_paused);
  ToProto(Effective(world), out.mutable_motion());
  return out;
}

v1::World ToProto(const WorldInfo& info) {
  v1::World out;
  out.set_name(info.name);
  out.set_uid(info.uid);
  *out.mutable_settings() = ToProto(info.settings);
  out.set_state(ToProto(info.state));
  out.set_fault(info.fault);
  out.set_tick(info.tick);
  out.set_simulation_time(info.simulation_time);
  out.set_agents(info.agents);
  out.set_obstacles(info.obstacles);
  out.set_obstacle_vertices(info.obstacle_vertices);
  out.set_membership_version(info.membership_version);
  out.set_obstacle_version(info.obstacle_version);
  out.set_sessions(info.sessions);
  out.set_streams(info.streams);
  ToProto(info.load, out.mutable_load());
  out.set_resolution(Resolution(Farthest(info.settings.world.bounds)));
  if (info.warnings != nullptr) {
    for (const Warning& warning : *info.warnings) *out.add_warnings() = ToProto(warning);
  }
  out.set_recoveries(info.recoveries);
  out.set_cut_moves(info.cut_moves);
  out.set_stranded_agents(info.stranded_agents);
  out.set_stalled_agents(info.stalled_agents);
  return out;
}

}  // namespace throng::server
