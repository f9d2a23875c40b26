#include "server/convert/settings_convert.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/convert/command_convert.h"
#include "server/convert/status.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

constexpr char kPrefix[] = "settings.";
constexpr char kPresets[] = "PRESET_DEFAULT or PRESET_BASE";
constexpr char kClocks[] = "WORLD_CLOCK_REALTIME, WORLD_CLOCK_LOCKSTEP or WORLD_CLOCK_FREE";
constexpr char kPolicies[] = "STALE_INPUT_POLICY_HOLD, STALE_INPUT_POLICY_DECAY or STALE_INPUT_POLICY_STOP";

// Finds what the host cannot check: numbers that are no value of their enum, and fields that may not be set.
class Reader {
 public:
  // The number, if it is set and one of 1 to `last`.
  std::optional<int> Enum(const char* field, int number, int last, const char* range) {
    if (number == 0) return std::nullopt;
    if (number >= 1 && number <= last) return number;
    violations_.push_back({field, absl::StrCat(number), range});
    return std::nullopt;
  }
  template <class Value>
  void Fixed(const char* field, bool is_set, const Value& value, const Value& in_force) {
    if (!is_set || value == in_force) return;
    violations_.push_back({field, absl::StrCat(value), absl::StrCat(in_force, ", fixed once the world exists")});
  }
  void Unwanted(const char* field, const char* value, const char* range) {
    violations_.push_back({field, value, range});
  }
  // Whether a point of a rectangle is set, which it must be.
  bool Corner(const char* field, bool is_set) {
    if (!is_set) violations_.push_back({field, "unset", "a point"});
    return is_set;
  }
  // With what the host found.
  absl::Status Status(const absl::Status& host) {
    for (Violation& violation : GetViolations(host)) violations_.push_back(std::move(violation));
    if (violations_.empty()) return host;
    return PrefixFields(ViolationsError(violations_), kPrefix);
  }

 private:
  std::vector<Violation> violations_;
};

MotionSettings ReadMotion(const v1::MotionSettings& motion) {
  MotionSettings result;
  if (motion.has_symmetry_breaking()) result.symmetry_breaking = motion.symmetry_breaking();
  if (motion.has_jam_relief()) result.jam_relief = motion.jam_relief();
  if (motion.has_rest()) result.rest = motion.rest();
  if (motion.has_containment()) result.containment = motion.containment();
  if (motion.has_stall_detection()) result.stall_detection = motion.stall_detection();
  if (motion.has_symmetry_bias()) result.symmetry_bias = motion.symmetry_bias();
  if (motion.has_separation_speed()) result.separation_speed = motion.separation_speed();
  if (motion.has_rest_speed()) result.rest_speed = motion.rest_speed();
  return result;
}

void FixedMotion(const v1::MotionSettings& motion, const MotionSettings& in_force, Reader& reader) {
  const auto fixed = [&](const char* field, bool is_set, auto value, auto before) {
    reader.Fixed(absl::StrCat("motion.", field).c_str(), is_set, value, before);
  };
  fixed("symmetry_breaking", motion.has_symmetry_breaking(), motion.symmetry_breaking(), *in_force.symmetry_breaking);
  fixed("jam_relief", motion.has_jam_relief(), motion.jam_relief(), *in_force.jam_relief);
  fixed("rest", motion.has_rest(), motion.rest(), *in_force.rest);
  fixed("containment", motion.has_containment(), motion.containment(), *in_force.containment);
  fixed("stall_detection", motion.has_stall_detection(), motion.stall_detection(), *in_force.stall_detection);
  fixed("symmetry_bias", motion.has_symmetry_bias(), motion.symmetry_bias(), in_force.symmetry_bias);
  fixed("separation_speed", motion.has_separation_speed(), motion.separation_speed(), in_force.separation_speed);
  fixed("rest_speed", motion.has_rest_speed(), motion.rest_speed(), in_force.rest_speed);
}

Vec2 FromProto(const v1::Vector2& vector) { return {vector.x(), vector.y()}; }

std::optional<Rectangle> ReadBounds(const v1::WorldSettings& settings, Reader& reader) {
  if (!settings.has_bounds()) return std::nullopt;
  const v1::Rectangle& bounds = settings.bounds();
  const bool min = reader.Corner("bounds.min", bounds.has_min());
  const bool max = reader.Corner("bounds.max", bounds.has_max());
  if (!min || !max) return std::nullopt;
  return Rectangle{FromProto(bounds.min()), FromProto(bounds.max())};
}

void FixedBounds(const v1::WorldSettings& settings, const std::optional<Rectangle>& in_force, Reader& reader) {
  const std::optional<Rectangle> bounds = ReadBounds(settings, reader);
  if (!bounds) return;
  if (!in_force) return reader.Unwanted("bounds", "set", "unset: the world was made without");
  reader.Fixed("bounds.min.x", true, bounds->min.x, in_force->min.x);
  reader.Fixed("bounds.min.y", true, bounds->min.y, in_force->min.y);
  reader.Fixed("bounds.max.x", true, bounds->max.x, in_force->max.x);
  reader.Fixed("bounds.max.y", true, bounds->max.y, in_force->max.y);
}

HostSettingsPatch ReadChangeable(const v1::WorldSettings& settings, Reader& reader) {
  HostSettingsPatch patch;
  patch.agent_defaults = server::FromProto(settings.agent_defaults());
  const int drive = settings.agent_defaults().drive();
  if (drive != 0 && !reader.Enum("agent_defaults.drive", drive, 2, kDrives)) patch.agent_defaults.drive.reset();
  const v1::StaleInput& stale = settings.stale_input();
  if (const auto policy = reader.Enum("stale_input.policy", stale.policy(), 3, kPolicies)) {
    patch.stale_input.policy = static_cast<StaleInputPolicy>(*policy - 1);
  }
  if (stale.has_timeout_ticks()) patch.stale_input.timeout_ticks = stale.timeout_ticks();
  if (stale.has_decay_time()) patch.stale_input.decay_time = stale.decay_time();
  if (settings.has_time_scale()) patch.time_scale = settings.time_scale();
  if (settings.has_idle_time_to_live()) patch.idle_time_to_live = settings.idle_time_to_live();
  return patch;
}

}  // namespace

absl::StatusOr<HostSettings> SettingsFromProto(const v1::WorldSettings& settings) {
  HostSettings result;
  Reader reader;
  if (settings.has_time_step()) result.world.time_step = settings.time_step();
  result.world.seed = settings.seed();
  if (const auto preset = reader.Enum("preset", settings.preset(), 2, kPresets)) {
    result.world.preset = *preset == v1::PRESET_BASE ? Preset::kBase : Preset::kDefault;
  }
  result.world.motion = ReadMotion(settings.motion());
  result.world.origin_x = settings.origin().x();
  result.world.origin_y = settings.origin().y();
  result.world.bounds = ReadBounds(settings, reader);
  if (const auto clock = reader.Enum("clock", settings.clock(), 3, kClocks)) {
    result.clock = static_cast<WorldClock>(*clock);
  }
  if (settings.has_max_agents()) result.max_agents = settings.max_agents();
  result.start_paused = settings.start_paused();
  Apply(ReadChangeable(settings, reader), result);
  if (absl::Status status = reader.Status(Validate(result)); !status.ok()) return status;
  return result;
}

absl::StatusOr<HostSettingsPatch> SettingsPatchFromProto(const v1::WorldSettings& settings,
                                                         const HostSettings& in_force) {
  Reader reader;
  const WorldSettings& world = in_force.world;
  const int preset = world.preset == Preset::kBase ? v1::PRESET_BASE : v1::PRESET_DEFAULT;
  reader.Fixed("time_step", settings.has_time_step(), settings.time_step(), world.time_step);
  reader.Fixed("seed", settings.has_seed(), std::uint64_t{settings.seed()}, world.seed);
  reader.Fixed("preset", settings.preset() != 0, static_cast<int>(settings.preset()), preset);
  reader.Fixed("origin.x", settings.has_origin(), settings.origin().x(), world.origin_x);
  reader.Fixed("origin.y", settings.has_origin(), settings.origin().y(), world.origin_y);
  reader.Fixed("clock", settings.clock() != 0, static_cast<int>(settings.clock()), static_cast<int>(in_force.clock));
  reader.Fixed("max_agents", settings.has_max_agents(), std::size_t{settings.max_agents()}, world.max_agents);
  FixedMotion(settings.motion(), Effective(world), reader);
  FixedBounds(settings, world.bounds, reader);
  HostSettingsPatch patch = ReadChangeable(settings, reader);
  if (absl::Status status = reader.Status(Validate(patch)); !status.ok()) return status;
  return patch;
}

}  // namespace throng::server
