// Words of the C++ client: agents, obstacles, worlds and their settings. Plain values without behaviour.
//
// Units are SI (metres, seconds, radians); any consistent unit of length works. Coordinates are float32 relative to the
// world's origin, |x|, |y| <= 2^20. An unset optional is left to the server, which says what is in force in its
// replies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace throng::client {

// 0: none; 1 to 2^31-1 belong to the client, and are usable again after removal; from 2^31 up the server counts on.
using AgentId = std::uint32_t;
// The same rule, counted apart from agents.
using ObstacleId = std::uint32_t;

struct Vector2 {
  float x = 0.0f;
  float y = 0.0f;
};

// Along the axes; min is less than max in both.
struct Rectangle {
  Vector2 min{};
  Vector2 max{};
};

enum class Drive {
  kOmni,          // in any direction at once
  kDifferential,  // forward along its heading only, which turns at max_turn_rate
};

// How an agent avoids. Unset: the world's defaults (in an add), unchanged (in an update).
struct AgentParams {
  std::optional<float> radius{};                  // [m] of the disc; (0, 1000], default 0.5
  std::optional<float> max_speed{};               // [m/s] bound on the speed it gets; [0, 1000], default 2
  std::optional<float> neighbor_distance{};       // [m] agents strictly nearer are avoided; [0, 1000], default 10
  std::optional<std::uint32_t> max_neighbors{};   // of those, the nearest; [0, 64], default 10
  std::optional<float> time_horizon{};            // [s] collisions ahead that are avoided; [0.01, 100], default 5
  std::optional<float> time_horizon_obstacles{};  // [s] the same towards obstacles; [0.01, 100], default 2
  // Weight in a pair: i takes the share w_i / (w_i + w_j) of the avoidance. 0: avoids nobody, so that the others do it
  // all. [0, 1000], default 1
  std::optional<float> responsibility{};
  // Who sees whom: i considers j, or an obstacle, if avoids_i & layer_j is not 0 and their height bands meet.
  std::optional<std::uint32_t> layer{};   // what it is, bits; default 1
  std::optional<std::uint32_t> avoids{};  // what it sees, bits; default all
  std::optional<float> z{};               // [m] its height band is [z, z + height]; |z| <= 2^20, default 0
  std::optional<float> height{};          // [m] [0, 2^20], default 0
  // Of an agent that has a goal or a path:
  std::optional<float> preferred_speed{};  // [m/s] at which it goes there, up to max_speed; [0, 1000], default 1.5
  std::optional<float> arrival_radius{};   // [m] of the goal, within which it has arrived; (0, 1000], default 0.1
  std::optional<float>
      slow_down_distance{};  // [m] from the goal, where it slows down; 0: never; [0, 1000], default 0.5
  // How fast it changes its mind, speed and direction; avoidance gives way to these, containment does not.
  std::optional<float> smoothing_time{};    // [s] time constant of a lag of what it wants; [0, 100], default 0: none
  std::optional<float> max_acceleration{};  // [m/s^2] [0, 1e6], default 0: no limit
  std::optional<Drive> drive{};             // default kOmni
  std::optional<float> tracking_error{};    // [m] of kDifferential; (0, 100], default 0.1
  std::optional<float> max_turn_rate{};     // [rad/s] of its direction; [0, 1000], default 0: no limit
};

// Waypoints, passed in order; the last is a goal.
struct Path {
  std::vector<Vector2> points{};  // 1 to 1,024
  // [m] of a waypoint, within which it is passed; passed too by who is beyond it, within four times that. (0, 1000];
  // unset: the larger of radius and arrival_radius.
  std::optional<float> pass_radius{};
  std::uint32_t next = 0;  // the waypoint to go for
};

// Where a kinematic agent is to be `ticks` ticks from now, on a straight way; there it stands until told again.
struct MoveTo {
  Vector2 position{};
  std::uint32_t ticks = 1;  // [1, 10000]; of an agent as it stands: those to come, 0 once it is there
};

enum class AgentStatus : std::uint8_t {
  kUnknown = 0,
  kMoving = 1,      // nothing else to say; also of who was told to stand
  kArrived = 2,     // at its goal, or at the end of its path
  kStalled = 3,     // wants to move, and made next to no way for a second: plan anew
  kNoInput = 4,     // never told anything
  kStaleInput = 5,  // the world's stale-input policy took over
  kRecovered = 6,   // was moved out of an obstacle, or into the bounds, in this tick
};

// Why, where a status alone does not say it.
enum class StatusReason : std::uint8_t {
  kNone = 0,
  kAtGoal = 1,          // arrived: within arrival_radius
  kGoalCrowded = 2,     // arrived: as near as others who rest at the same goal let it
  kAgents = 3,          // stalled: agents are in the way
  kObstacles = 4,       // stalled: an obstacle or the bounds are in the way
  kInSolid = 5,         // recovered: was inside a solid
  kOutOfEnclosure = 6,  // recovered: was outside an enclosure
  kOutOfBounds = 7,     // recovered: stuck out of the bounds
  kNoFreeGround = 8,    // stalled: inside obstacles, without free ground near
};

// What becomes of a new agent whose place is taken: its disc would overlap that of an agent that it sees or that sees
// it, its centre is not on walkable ground, or its disc sticks out of the bounds.
enum class Placement {
  kAllow,   // it is added all the same, and parts from those that it overlaps without a burst of speed
  kReject,  // FAILED_PRECONDITION that names what is in the way, reason OCCUPIED
  kNudge,   // it is put at the nearest free place within nudge_distance, see ItemResult; as kReject if there is none
};

// An agent to add.
struct AgentSpec {
  AgentId id = 0;  // 1 to 2^31-1 to ask for it; 0: the server makes one
  Vector2 position{};
  Vector2 velocity{};
  // At most one of these three; none: no input yet, which moves like zero.
  std::optional<Vector2> preferred_velocity{};
  std::optional<Vector2> goal{};
  std::optional<Path> path{};
  AgentParams params{};
  bool kinematic = false;          // see AgentUpdate; such an agent has neither goal nor path
  std::optional<float> heading{};  // [rad] where it faces; its velocity is turned there. |heading| <= 1e4
  Placement placement = Placement::kAllow;
  std::optional<float> nudge_distance{};  // [m] of kNudge; (0, 1000], default 8 * radius
};

// A change of one agent. Unset: unchanged.
struct AgentUpdate {
  AgentId id = 0;
  std::optional<Vector2> position{};  // a teleport: there at once, without passing what lies between
  std::optional<Vector2> velocity{};
  // At most one of these four; it replaces what the agent went by.
  std::optional<Vector2> preferred_velocity{};
  std::optional<Vector2> goal{};
  std::optional<Path> path{};
  std::optional<MoveTo> move_to{};  // of a kinematic agent alone
  AgentParams params{};
  // Moves exactly as told: its preferred velocity is its velocity, past max_speed, agents and obstacles, and others do
  // all of the avoiding. Changing it drops a goal, path or move_to.
  std::optional<bool> kinematic{};
  std::optional<float> heading{};  // [rad] its velocity is turned there
};

// An agent as it stands after the last tick.
struct Agent {
  AgentId id = 0;
  Vector2 position{};
  Vector2 velocity{};
  // What it goes by; all unset if it was never told anything.
  std::optional<Vector2> preferred_velocity{};
  std::optional<Vector2> goal{};
  std::optional<Path> path{};  // `next` is where it has come to
  std::optional<MoveTo> move_to{};
  bool kinematic = false;
  float heading = 0.0f;  // [rad] in [-pi, pi] of its velocity; standing, where it faces, if that counts for it
  AgentParams params{};  // all set, as in force
  AgentStatus status = AgentStatus::kUnknown;
  StatusReason status_reason = StatusReason::kNone;
};

enum class ObstacleKind {
  kSolid,      // a polygon that agents stay out of
  kEnclosure,  // a polygon that agents stay in
  kWall,       // an open polyline, in force from both sides
  // All within `radius` of the straight way between two points, which may coincide. It moves with its velocity, through
  // everything, and agents make room; nobody is held or moved out by one. At most 256 in a world.
  kCapsule,
};

// An obstacle to add, or all that is to be of one that exists.
struct ObstacleSpec {
  ObstacleId id = 0;  // as AgentSpec::id
  ObstacleKind kind = ObstacleKind::kSolid;
  // 2 (wall) or 3 (polygon) to 4,096, or 2 (capsule), in either direction; the first is not repeated at the end.
  std::vector<Vector2> vertices{};
  // Who sees it, see AgentParams::avoids; who does not goes through it.
  std::optional<std::uint32_t> layer{};  // what it is, bits; default 1, 0: nobody sees it
  std::optional<float> z{};              // [m] its height band is [z, z + height]; unset: of every height
  std::optional<float> height{};         // [m] [0, 2^20], default 0; needs z
  // Of a capsule alone:
  std::optional<float> radius{};      // [m] (0, 1000]; required
  std::optional<Vector2> velocity{};  // [m/s] default 0: it stands
};

// What is to change of an obstacle that moves. Unset: unchanged.
struct ObstacleMove {
  ObstacleId id = 0;
  std::optional<Vector2> velocity{};     // [m/s] of a capsule
  std::optional<Vector2> translation{};  // [m] by which all of it goes at once, of any kind
};

// An obstacle as it stands, normalised: solids counter-clockwise, enclosures clockwise, walls as given; capsules where
// they are now.
struct Obstacle {
  ObstacleId id = 0;
  ObstacleKind kind = ObstacleKind::kSolid;
  std::vector<Vector2> vertices{};
  float area = 0.0f;  // [m^2] enclosed; 0 for a wall
  Vector2 bounds_min{};
  Vector2 bounds_max{};
  std::uint32_t layer = 1;
  // [m] both unset: of every height.
  std::optional<float> z{};
  std::optional<float> height{};
  // Of a capsule.
  std::optional<float> radius{};
  std::optional<Vector2> velocity{};
};

// Numbers of the wire.
enum class WarningCode : std::uint8_t {
  kUnknown = 0,
  kNeighborDistanceShort = 1,  // less than what it covers within time_horizon, or than two radii
  kFewNeighbors = 2,           // max_neighbors is less than the 6 discs that fit around an agent
  kTimeStepLong = 3,           // a tick at max_speed covers more than the radius
  kPassageNarrow = 4,          // the disc does not fit through an opening between obstacles
  kSpeedUnreachable = 5,       // preferred_speed is above max_speed
  kTurnWide = 6,               // the turning circle is wider than arrival_radius
  kAccelerationLow = 7,        // max_acceleration cannot stop it within time_horizon, or before its goal
  kResolutionCoarse = 8,       // coordinates resolve more coarsely than a hundredth of the radius
  kObstacleTiny = 9,           // an obstacle is smaller than a tenth of the default radius
  kSeesNothing = 10,           // the agent considers no other
};

// Values that are valid each, and do not go together. Nothing was refused.
struct Warning {
  WarningCode code = WarningCode::kUnknown;
  std::string field{};    // to change first, such as "params.neighbor_distance"
  std::string message{};  // one sentence with the numbers, and what would do
  AgentId agent = 0;      // concerned, if any
  ObstacleId obstacle = 0;
};

// What became of one item of a batch, at the same index.
struct ItemResult {
  std::uint32_t id = 0;               // of the agent or obstacle; 0 if there is none
  absl::Status status{};              // OK: applied; else see Violations() in error.h
  AgentParams params{};               // as in force, of an agent added or updated
  std::vector<Warning> warnings{};    // of the first 16 items that have any; at most 4
  std::optional<Vector2> position{};  // where an agent came to stand that was added with Placement::kNudge
};

// The answer to a batch. It comes after the batch was applied. OK batches may hold items that were refused.
struct BatchResult {
  std::uint64_t tick = 0;  // ticks finished then: tick + 1 is the first that moves under it
  std::uint64_t membership_version = 0;
  std::uint64_t obstacle_version = 0;
  bool applied = false;  // whether anything was
  std::vector<ItemResult> items{};

  // OK, or the status of the first item that was refused, with its index in the message: the cause of it, not that of a
  // valid item that was refused with others (BATCH_REFUSED).
  absl::Status FirstError() const;
  // The warnings of all items.
  std::vector<Warning> Warnings() const;
  // Ids by item, for adds whose ids the server made.
  std::vector<std::uint32_t> Ids() const;
};

enum class Clock {
  kRealtime,  // ticks at time_scale / time_step per second; inputs are latest-wins
  kLockstep,  // ticks only when the world's stepper asks (Session::Step)
  kFree,      // as fast as it goes
};

enum class Preset {
  kDefault,
  kBase,  // plain ORCA, as published
};

enum class StaleInputPolicy { kHold, kDecay, kStop };

// What the motion model does beyond plain ORCA. Unset: as the preset says, off in kBase, on in kDefault. Fixed.
struct MotionSettings {
  // Agents that others keep from going where they want step aside a little, all to one side.
  std::optional<bool> symmetry_breaking{};
  // Who makes no way uses narrower gaps, takes turns with who comes against it, and rests around a crowded goal.
  std::optional<bool> jam_relief{};
  std::optional<bool> rest{};  // an agent that wants nothing and would get less than rest_speed stands still
  // No centre crosses an obstacle's edge; who stands inside an obstacle is moved to free ground. See WorldInfo.
  std::optional<bool> containment{};
  std::optional<bool> stall_detection{};    // tell agents that are kStalled; moves none of them
  std::optional<float> symmetry_bias{};     // part of the speed wanted, by which they step aside; [0, 0.5], default 0.1
  std::optional<float> separation_speed{};  // part of max_speed at which an overlap is undone; (0, 1], default 0.5
  std::optional<float> rest_speed{};        // part of max_speed; [0, 0.5], default 0.02
};

// Settings of a world. Unset: Throng's defaults (in a creation), unchanged (in an update). Those marked "fixed" can
// only be said at creation.
struct WorldSettings {
  std::optional<float> time_step{};     // [s] [0.001, 1], default 1/30; fixed
  std::optional<std::uint64_t> seed{};  // default 0; fixed
  std::optional<Preset> preset{};       // fixed
  MotionSettings motion{};              // fixed
  std::optional<double> origin_x{};     // where the world's (0, 0) lies for you; both or none; fixed
  std::optional<double> origin_y{};
  // Discs stay inside; who is found outside is moved in. Unset: up to the ends of the coordinate range. Fixed.
  std::optional<Rectangle> bounds{};
  std::optional<Clock> clock{};                              // default kRealtime; fixed
  std::optional<std::uint32_t> max_agents{};                 // >= 1, default and bound are the server's; fixed
  AgentParams agent_defaults{};                              // for agents added from now on
  std::optional<StaleInputPolicy> stale_input{};             // when input stops arriving; default kHold
  std::optional<std::uint32_t> stale_input_timeout_ticks{};  // [1, 2^31-1], default 30
  std::optional<float> stale_input_decay_time{};             // [s] of kDecay; [0.001, 1000], default 0.5
  std::optional<double> time_scale{};                        // [0.01, 100], default 1; of kRealtime only
  std::optional<double> idle_time_to_live{};  // [s] unused for so long: deleted; [1, 1e9], or 0, the default: never
  std::optional<bool> start_paused{};         // at creation only
};

enum class WorldState {
  kUnknown,
  kRunning,
  kPaused,
  kFaulted,  // stopped for good; it can be read and deleted
};

// What a world costs and how well it keeps its rate, over about the last second.
struct WorldLoad {
  double tick_rate = 0.0;              // [1/s] achieved
  double tick_cost = 0.0;              // [s] mean duration of a tick
  double lateness_mean = 0.0;          // [s] of a tick behind its deadline
  double lateness_max = 0.0;           // [s]
  std::uint64_t missed_deadlines = 0;  // since creation
};

// A world as it stands.
struct WorldInfo {
  std::string name{};
  std::uint64_t uid = 0;     // a world recreated under the same name has another
  WorldSettings settings{};  // all set, as in force
  WorldState state = WorldState::kUnknown;
  std::string fault{};  // why, if kFaulted
  std::uint64_t tick = 0;
  double simulation_time = 0.0;  // [s]
  std::uint32_t agents = 0;
  std::uint32_t obstacles = 0;
  std::uint32_t obstacle_vertices = 0;
  std::uint64_t membership_version = 0;
  std::uint64_t obstacle_version = 0;
  std::uint32_t sessions = 0;
  std::uint32_t streams = 0;
  WorldLoad load{};
  double resolution = 0.0;          // [m] by which places are rounded, at the end of the bounds or of coordinates
  std::vector<Warning> warnings{};  // of its settings and its obstacles; World::Get looks for them anew
  // See MotionSettings::containment.
  std::uint64_t recoveries = 0;       // since creation: agents moved to free ground
  std::uint64_t cut_moves = 0;        // since creation: moves cut short at an obstacle's edge
  std::uint32_t stranded_agents = 0;  // inside an obstacle without free ground near, after the last tick
  std::uint32_t stalled_agents = 0;   // after the last tick
};

// The server, its limits and its use.
struct ServerInfo {
  std::string version{};
  std::string commit{};
  double start_time = 0.0;   // [s] since 1970
  double server_time = 0.0;  // [s] since 1970
  std::uint32_t workers = 0;
  std::uint32_t max_worlds = 0;
  std::uint32_t max_agents_per_world = 0;
  std::uint32_t max_sessions = 0;
  std::uint32_t max_streams = 0;
  std::uint32_t max_message_bytes = 0;
  std::uint32_t max_batch_items = 0;
  std::uint32_t max_obstacle_vertices_per_world = 0;
  std::uint32_t worlds = 0;
  std::uint64_t agents = 0;
  std::uint32_t sessions = 0;
  std::uint32_t streams = 0;
  double min_keepalive_interval = 0.0;  // [s]
  std::string http_address{};           // of /metrics, /livez, /readyz; empty if off
  bool draining = false;
};

}  // namespace throng::client
