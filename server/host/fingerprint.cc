#include "server/host/fingerprint.h"

#include <bit>
#include <optional>
#include <type_traits>
#include <variant>

namespace throng::server {
namespace {

// FNV-1a over 64-bit words, each stirred once more, since floats differ in few bits. Not for secrets: who repeats an id
// with a content made to collide only fools itself.
class Hash {
 public:
  Hash& Word(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x100000001b3;
    value_ ^= value_ >> 29;
    return *this;
  }
  Hash& operator<<(float value) { return Word(std::bit_cast<std::uint32_t>(value)); }
  Hash& operator<<(double value) { return Word(std::bit_cast<std::uint64_t>(value)); }
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T> Hash& operator<<(T value) {
    return Word(static_cast<std::uint64_t>(value));
  }
  Hash& operator<<(const Vec2& value) { return *this << value.x << value.y; }
  Hash& operator<<(std::string_view text) {
    *this << text.size();
    for (const char c : text) *this << c;
    return *this;
  }
  template <class T>
  Hash& operator<<(const std::optional<T>& value) {
    *this << value.has_value();
    return value ? *this << *value : *this;
  }
  Hash& operator<<(const AgentParamsPatch& p) { return Params(p); }
  Hash& operator<<(const AgentParams& p) { return Params(p); }
  Hash& operator<<(const MotionSettings& m) {
    return *this << m.symmetry_breaking << m.jam_relief << m.separation_speed << m.rest << m.containment
                 << m.stall_detection << m.symmetry_bias << m.rest_speed;
  }
  Hash& operator<<(const HeightBand& band) { return *this << band.z << band.height; }
  Hash& operator<<(const Rectangle& rectangle) { return *this << rectangle.min << rectangle.max; }
  Hash& operator<<(const MoveTo& move) { return *this << move.position << move.ticks; }
  Hash& operator<<(const Path& path) {
    *this << path.points.size() << path.pass_radius << path.next;
    for (const Vec2& point : path.points) *this << point;
    return *this;
  }
  Hash& operator<<(const ObstacleSpec& spec) {
    *this << spec.id << spec.kind << spec.vertices.size();
    for (const Vec2& vertex : spec.vertices) *this << vertex;
    return *this << spec.layer << spec.band << spec.radius << spec.velocity;
  }
  Hash& operator<<(const AddAgent& c) {
    return *this << c.spec.id << c.spec.position << c.spec.velocity << c.spec.preferred_velocity << c.spec.params
                 << c.spec.goal << c.spec.path << c.spec.kinematic << c.spec.heading << c.spec.placement
                 << c.spec.nudge_distance;
  }
  Hash& operator<<(const UpdateAgent& c) {
    return *this << c.id << c.update.position << c.update.velocity << c.update.preferred_velocity << c.update.params
                 << c.update.goal << c.update.path << c.update.move_to << c.update.kinematic << c.update.heading;
  }
  Hash& operator<<(const RemoveAgent& c) { return *this << c.id; }
  Hash& operator<<(const RemoveAllAgents&) { return *this; }
  Hash& operator<<(const AddObstacle& c) { return *this << c.spec; }
  Hash& operator<<(const UpdateObstacle& c) { return *this << c.id << c.spec; }
  Hash& operator<<(const MoveObstacle& c) { return *this << c.id << c.move.velocity << c.move.translation; }
  Hash& operator<<(const RemoveObstacle& c) { return *this << c.id; }
  Hash& operator<<(const UnreadableCommand& c) { return *this << std::string(c.status.message()); }

  std::uint64_t value() const { return value_; }

 private:
  // Of AgentParams or AgentParamsPatch, whose fields have the same names.
  template <class P>
  Hash& Params(const P& p) {
    return *this << p.radius << p.max_speed << p.neighbor_distance << p.max_neighbors << p.time_horizon
                 << p.time_horizon_obstacles << p.responsibility << p.layer << p.avoids << p.z << p.height
                 << p.preferred_speed << p.arrival_radius << p.slow_down_distance << p.smoothing_time
                 << p.max_acceleration << p.max_turn_rate << p.drive << p.tracking_error;
  }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint64_t Fingerprint(const CommandBatch& batch) {
  Hash hash;
  hash << batch.all_or_nothing << batch.commands.size();
  for (const Command& command : batch.commands) {
    hash << command.index();
    std::visit([&](const auto& alternative) { hash << alternative; }, command);
  }
  return hash.value();
}

std::uint64_t Fingerprint(std::string_view name, const HostSettings& settings) {
  const WorldSettings& world = settings.world;
  Hash hash;
  hash << name << world.time_step << world.seed << world.preset << world.origin_x << world.origin_y << world.bounds
       << world.motion << world.agent_defaults << world.stale_input.policy << world.stale_input.timeout_ticks
       << world.stale_input.decay_time << settings.max_agents << settings.clock << settings.time_scale
       << settings.idle_time_to_live << settings.start_paused;
  return hash.value();
}

}  // namespace throng::server
