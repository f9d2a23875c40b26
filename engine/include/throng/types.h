// Words of the engine: ids, vectors, agents, obstacles, world settings. Plain values; no function here has state.
//
// Units are SI (metres, seconds, radians); any consistent unit of length works. Coordinates are relative to the
// world's origin. The valid range of every value stands in limits.h and is checked by the functions there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "throng/simd.h"

namespace throng {

// 0 is invalid; 1 to 2^31-1 belong to the client, and are usable again after removal; from 2^31 up the world counts
// on and never reuses.
using AgentId = std::uint32_t;
// The same rule as for agents, counted apart.
using ObstacleId = std::uint32_t;

inline constexpr std::uint32_t kInvalidId = 0;
inline constexpr std::uint32_t kFirstWorldMadeId = std::uint32_t{1} << 31;

struct Vec2 {
  float x = 0.0f;
  float y = 0.0f;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};

// [m] From z to z + height, both ends in it; ranges as in AgentParams.
struct HeightBand {
  float z = 0.0f;
  float height = 0.0f;
  friend bool operator==(const HeightBand&, const HeightBand&) = default;
};

// Along the axes.
struct Rectangle {
  Vec2 min;  // less than max in both axes
  Vec2 max;
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

enum class Drive : std::uint8_t {
  kOmni = 1,  // in any direction at once
  // Forward along its heading alone, which turns at max_turn_rate, also on the spot; as a robot with two wheels. Others
  // keep clear of it, and it of them and of obstacles, with the effective radius radius + tracking_error, and it
  // chooses among velocities that it can follow with that error, so that its disc stays clear though it cannot step
  // aside: Alonso-Mora, Breitenmoser, Rufli, Beardsley, Siegwart, Optimal Reciprocal Collision Avoidance for Multiple
  // Non-Holonomic Robots (DARS 2010). max_acceleration and a max_speed that falls make it lag behind more than that.
  kDifferential = 2,
};

// How an agent avoids. Defaults are those of a world that says nothing.
struct AgentParams {
  float radius = 0.5f;                  // [m] of the disc
  float max_speed = 2.0f;               // [m/s] bound on the speed it gets; the preferred velocity may be longer
  float neighbor_distance = 10.0f;      // [m] centre to centre; agents strictly nearer are considered
  std::uint32_t max_neighbors = 10;     // the nearest by (distance, id); cost grows with it
  float time_horizon = 5.0f;            // [s] ahead within which collisions with agents are avoided
  float time_horizon_obstacles = 2.0f;  // [s] the same towards obstacles; shorter gives more freedom near walls
  // Weight in a pair: of two that would collide, i takes the share w_i / (w_i + w_j) of what it takes to avoid it.
  // Where both have room to spare, the share of it is w_j / (w_i + w_j), but not less than 1/2. 0: considers no agent
  // at all, so that the others do all the avoiding. [0, 1000]
  float responsibility = 1.0f;
  // Of an agent that has a goal or a path:
  float preferred_speed = 1.5f;     // [m/s] at which it goes there; above max_speed it counts as that
  float arrival_radius = 0.1f;      // [m] of the goal, within which the agent has arrived
  float slow_down_distance = 0.5f;  // [m] from the goal, within which the speed falls in proportion. 0: never
  // Whom and what it sees: i sees an agent or obstacle j if avoids_i and layer_j have a bit in common and their height
  // bands meet. Others are as if they were not there, so that it goes through obstacles that it does not see; who sees
  // nobody costs next to nothing. Of an agent that it sees and that does not see it, an agent does all of the avoiding.
  // A world in which any of these four changes in a tick sorts its agents in the next.
  std::uint32_t layer = 1;            // what it is, for others to see; 0: nobody sees it
  std::uint32_t avoids = 0xffffffff;  // what it sees
  float z = 0.0f;                     // [m] its height band is [z, z + height], both ends in it
  float height = 0.0f;                // [m]
  // How fast it may change its mind, its speed and its direction. They hold in every tick, whatever is edited and
  // whoever is in the way. What yields where rules disagree, the first of these to the others: what it wants,
  // half-planes of agents, half-planes of obstacles, max_acceleration and max_turn_rate, max_speed, containment. So an
  // agent that cannot brake or turn in time may overlap others, and has its move cut short at a wall; and one whose
  // max_speed falls under its speed brakes at once.
  float smoothing_time = 0.0f;    // [s] time constant of a first-order lag of what it wants. 0: none
  float max_acceleration = 0.0f;  // [m/s^2] |new velocity - old one| <= max_acceleration * time_step. 0: no limit
  // [rad/s] of its heading, which is the direction of its velocity; standing, it turns on the spot before it sets off
  // in another direction. 0: no limit
  float max_turn_rate = 0.0f;
  Drive drive = Drive::kOmni;   // kDifferential needs a max_turn_rate
  float tracking_error = 0.1f;  // [m] of kDifferential alone. Larger: it may turn aside faster, and keeps more room
  friend bool operator==(const AgentParams&, const AgentParams&) = default;
};

// Parameters said by a caller; what is unset keeps its value (update) or takes the world's default (add).
struct AgentParamsPatch {
  std::optional<float> radius;
  std::optional<float> max_speed;
  std::optional<float> neighbor_distance;
  std::optional<std::uint32_t> max_neighbors;
  std::optional<float> time_horizon;
  std::optional<float> time_horizon_obstacles;
  std::optional<float> responsibility;
  std::optional<float> preferred_speed{};
  std::optional<float> arrival_radius{};
  std::optional<float> slow_down_distance{};
  std::optional<std::uint32_t> layer{};
  std::optional<std::uint32_t> avoids{};
  std::optional<float> z{};
  std::optional<float> height{};
  std::optional<float> smoothing_time{};
  std::optional<float> max_acceleration{};
  std::optional<float> max_turn_rate{};
  std::optional<Drive> drive{};
  std::optional<float> tracking_error{};
};

// A place to go to at preferred_speed, on the straight way, slowing down before it. An agent has arrived within
// arrival_radius of it, wants nothing then, and stays arrived until it is farther off than 2 * arrival_radius + radius,
// and than where it arrived by so much if that was in a crowd (MotionSettings::jam_relief).
// A goal that moves does not wake an agent that has arrived and is still within that distance of it.
struct Goal {
  Vec2 position;
  friend bool operator==(const Goal&, const Goal&) = default;
};

// Waypoints, passed in order; the last one is a goal.
struct Path {
  std::vector<Vec2> points{};  // 1 to kMaxWaypoints
  // [m] of a waypoint, within which it is passed. Passed too by who is beyond it (on the side of the next one, and not
  // on that of the one before) within four times that. Unset: the larger of radius and arrival_radius as they are when
  // the path is told.
  std::optional<float> pass_radius{};
  std::uint32_t next = 0;  // index of the waypoint to go for; less than points.size()
  friend bool operator==(const Path&, const Path&) = default;
};

// Where a kinematic agent is to be so many ticks from now, on a straight way; there it stands until told again. In the
// last of them it comes to `position` to the bit. It does not age (see StaleInput).
struct MoveTo {
  Vec2 position;
  std::uint32_t ticks = 1;  // [1, kMaxMoveTicks]; read back: those to come, 0 once it is there
  friend bool operator==(const MoveTo&, const MoveTo&) = default;
};

// What an agent goes by; the latest told wins. monostate: nothing yet, which moves like a preferred velocity of zero.
using Steering = std::variant<std::monostate, Vec2 /* preferred velocity */, Goal, Path, MoveTo>;

// What becomes of a new agent whose place is taken: its disc overlaps, beyond rounding, that of an agent that it sees
// or that sees it, or its centre is not on walkable ground (see MotionSettings::containment), or its disc is not inside
// the world's bounds. A kinematic agent, which ground and bounds do not hold, minds agents alone. Numbers of the wire.
enum class Placement : std::uint8_t {
  // It is added all the same. Agents that overlap part within their max_speed, idle ones at separation_speed at most;
  // who is not on walkable ground, or out of bounds, is recovered in the next step.
  kAllow = 1,
  kReject = 2,  // FAILED_PRECONDITION that names what is in the way
  // It is put at the nearest free place within nudge_distance; FAILED_PRECONDITION as of kReject if none is found.
  kNudge = 3,
};

struct AgentSpec {
  std::optional<AgentId> id;     // unset: the world makes one
  std::optional<Vec2> position;  // required: there is no default place
  Vec2 velocity;                 // at the start
  // At most one of these three; none: no input yet, which moves like zero.
  std::optional<Vec2> preferred_velocity;
  AgentParamsPatch params;
  std::optional<Vec2> goal{};
  std::optional<Path> path{};
  // Moves exactly as told: its preferred velocity is its velocity, whatever max_speed is, past agents, obstacles and
  // their containment. It stops at the ends of the coordinate range alone. Others do all of the avoiding. It has
  // neither goal nor path.
  bool kinematic = false;
  // [rad] where it faces; a velocity that is not zero is turned there. Unset: that of its velocity, or, standing, not
  // decided: then it may set off in any direction.
  std::optional<float> heading{};
  Placement placement = Placement::kAllow;
  // [m] of kNudge: no farther than that from `position`. Unset: 8 * radius, but no more than the range allows.
  std::optional<float> nudge_distance{};
};

// An agent that is not there yet, as others would see it: see World::FindPlace.
struct ForeseenAgent {
  AgentId id = kInvalidId;
  Vec2 position;
  float radius = 0.0f;  // [m] EffectiveRadius
  // As in AgentParams.
  std::uint32_t layer = 1;
  std::uint32_t avoids = 0xffffffff;
  float z = 0.0f;
  float height = 0.0f;
};

struct AgentUpdate {
  std::optional<Vec2> position;  // a teleport: the agent is there at once, without passing what lies between
  std::optional<Vec2> velocity;
  // At most one of preferred_velocity (see StaleInput), goal, path and move_to; it replaces what the agent went by.
  std::optional<Vec2> preferred_velocity;
  AgentParamsPatch params;
  std::optional<Vec2> goal{};
  std::optional<Path> path{};
  // Of what is kinematic once this update has come; FAILED_PRECONDITION for others, as a goal or path is for it.
  std::optional<MoveTo> move_to{};
  // Who becomes kinematic, or ceases to be, drops a goal, path or MoveTo, which leaves a preferred velocity of zero; a
  // preferred velocity stays. Who ceases to be goes on from where it is, and containment looks at it.
  std::optional<bool> kinematic{};
  std::optional<float> heading{};  // [rad] a velocity that is not zero, also one of this update, is turned there
};

// Numbers of the wire.
enum class AgentStatus : std::uint8_t {
  kMoving = 1,   // has something to go by; also where that is a preferred velocity of zero
  kArrived = 2,  // at its goal, or at the end of its path
  // For a second it wanted, in every tick, to move at more than a tenth of its max_speed, and made less than a tenth of
  // the way wanted, measured along what it wanted. Set, and taken back, with the tick in which that becomes so. Takes
  // precedence over kArrived, kNoInput and kStaleInput, see MotionSettings::stall_detection.
  kStalled = 3,
  kNoInput = 4,  // was never told anything
  kStaleInput =
      5,  // its preferred velocity is older than the world's policy allows. Never under kHold; goals do not age
  // In the last step: it did not stand on walkable ground and was put there, see MotionSettings::containment. Takes
  // precedence over all others.
  kRecovered = 6,
};

// Why it has this status. Numbers of the wire.
enum class StatusReason : std::uint8_t {
  kNone = 0,
  kAtGoal = 1,          // of kArrived
  kGoalCrowded = 2,     // of kArrived: those bound for the same goal who have arrived leave no room there
  kAgents = 3,          // of kStalled: agents are in the way
  kObstacles = 4,       // of kStalled: an obstacle is
  kInSolid = 5,         // of kRecovered
  kOutOfEnclosure = 6,  // of kRecovered
  kOutOfBounds = 7,     // of kRecovered
  kNoFreeGround = 8,    // of kStalled: it stands in obstacles, and there is no free ground
};

struct AgentState {
  AgentId id = kInvalidId;
  Vec2 position;
  Vec2 velocity;
  // In force: after any stale-input policy; of a goal or path, what the last step wanted. Unset if there never was
  // input.
  std::optional<Vec2> preferred_velocity;
  AgentParams params;  // effective
  Steering steering;   // of a path, `next` is where it has come to, and pass_radius is set
  AgentStatus status = AgentStatus::kNoInput;
  StatusReason reason = StatusReason::kNone;
  bool kinematic = false;
  // [rad] in [-pi, pi] of its velocity. Of an agent that stands: where it faces, if it has one of the limits of
  // AgentParams (smoothing_time and those after it) or was told a heading; else 0.
  float heading = 0.0f;
};

enum class ObstacleKind : std::uint8_t {
  kSolid = 1,      // polygon that agents stay out of
  kEnclosure = 2,  // polygon that agents stay in
  kWall = 3,       // open polyline, in force from both sides
  // All within `radius` of the straight way between two vertices, which may coincide: a disc. It moves with its
  // velocity in every tick, through everything. Agents do all of the avoiding, with half-planes as of an agent that is
  // kinematic: taken within neighbor_distance of its surface, by time_horizon, relaxed with those of agents, and not
  // counted against max_neighbors. No move is cut at one, and nobody is put out of one.
  kCapsule = 4,
};

struct ObstacleSpec {
  std::optional<ObstacleId> id;  // unset: the world makes one
  ObstacleKind kind = ObstacleKind::kSolid;
  // In either direction: the world normalises. Polygons close by themselves; the first vertex is not repeated.
  std::vector<Vec2> vertices;
  // Which agents see it, as AgentParams has it; for all others it is not there. layer 0: nobody.
  std::uint32_t layer = 1;
  std::optional<HeightBand> band{};  // unset: of every height
  // Of a capsule alone; unset of others.
  std::optional<float> radius{};   // [m] (0, 1000]; required
  std::optional<Vec2> velocity{};  // [m/s] unset: it stands
};

// What is to change of an obstacle that moves. What is unset stays.
struct ObstacleMove {
  // [m/s] of a capsule; FAILED_PRECONDITION for others. Where the range of coordinates ends a capsule stops, and its
  // velocity is zero from then on.
  std::optional<Vec2> velocity{};
  // [m] All vertices go so far at once, without passing what lies between. Of any kind; whom a polygon is put on is
  // moved to free ground, see MotionSettings::containment.
  std::optional<Vec2> translation{};
};

struct ObstacleState {
  ObstacleId id = kInvalidId;
  ObstacleKind kind = ObstacleKind::kSolid;
  // As in force: solids counter-clockwise, enclosures clockwise, walls as given; of a capsule where they are now.
  std::vector<Vec2> vertices;
  float area = 0.0f;  // [m^2] enclosed; 0 for a wall
  Vec2 bounds_min;
  Vec2 bounds_max;
  std::uint32_t layer = 1;
  std::optional<HeightBand> band{};
  // Of a capsule; else unset.
  std::optional<float> radius{};
  std::optional<Vec2> velocity{};
  // Where it was put, vertex by vertex, and how far it has gone since [m]: vertices are the sums, rounded once.
  std::vector<Vec2> home{};
  double drift_x = 0.0;
  double drift_y = 0.0;
};

// Plain ORCA (kBase), or what a world gets when nothing is said (kDefault): plain ORCA and the extensions of
// MotionSettings.
enum class Preset : std::uint8_t { kDefault = 0, kBase = 1 };

// The extensions of the motion model that a preset switches. Unset: on in kDefault, off in kBase. One that is off costs
// nothing and changes no bit. Effective() in limits.h tells what is in force.
struct MotionSettings {
  // Agents that others keep from going where they want step aside a little, all to one side, which the world's seed
  // chooses; else two that meet head on, or a ring, stand and wait for each other. Free agents are not touched, nor
  // those that an obstacle keeps.
  std::optional<bool> symmetry_breaking;
  // An agent that wants nothing (its preferred velocity is zero) and would get less than rest_speed stands still.
  std::optional<bool> rest;
  // No centre of an agent crosses an obstacle's edge from its front, whatever pushes it: the move is cut short there,
  // and what was made of it is the agent's velocity. One that stands inside a solid or outside an enclosure, having
  // been put there or having had an obstacle put on it, is moved to the nearest free ground in the next step, its
  // velocity kept. These are counted (World::recoveries) and the only crossings. Where there is no free ground it
  // stays, at rest.
  std::optional<bool> containment;
  // Tells agents that are stalled (AgentStatus::kStalled), which moves none of them. A second's history of each is kept
  // for it: a byte for each of its ticks, and eight.
  std::optional<bool> stall_detection{};
  // An agent that others keep for about half a second from making half of the way it wants looks less far ahead, down
  // to the longer of 0.3 s and ten time steps, towards agents and obstacles alike, so that it uses gaps that it else
  // would not. Where it meets others who want to come its way, they take turns: for three seconds at a time those who
  // want to go one way, which the world's seed chooses, go on, keeping to a side, and the others make room for them.
  // One that is kept so from its goal, by others who have arrived at that goal and that it touches, has arrived too
  // (StatusReason::kGoalCrowded): so who shares a goal comes to rest around it.
  std::optional<bool> jam_relief{};
  float symmetry_bias = 0.1f;  // part of the speed wanted by which agents step aside; [0, 0.5]
  float rest_speed = 0.02f;    // part of max_speed; [0, 0.5]
  // Part of max_speed at which, with `rest`, an agent that wants nothing parts from those that it overlaps, at most;
  // else overlaps are undone within a step. (0, 1]
  float separation_speed = 0.5f;
};

// What an agent does when its input stops arriving.
enum class StaleInputPolicy : std::uint8_t {
  kHold = 0,   // keeps its last preferred velocity
  kDecay = 1,  // the preferred velocity shrinks by decay_time / (decay_time + time_step) a tick
  kStop = 2,   // the preferred velocity becomes zero
};

struct StaleInput {
  StaleInputPolicy policy = StaleInputPolicy::kHold;
  std::uint32_t timeout_ticks = 30;  // an input counts as fresh for so many ticks
  float decay_time = 0.5f;           // [s] time constant of kDecay
};

struct WorldSettings {
  float time_step = 1.0f / 30.0f;  // [s] a tick; fixed for the world's life
  std::uint64_t seed = 0;          // of all that the motion model draws by hash; nothing in BASE does
  Preset preset = Preset::kDefault;
  MotionSettings motion;
  double origin_x = 0.0;  // [m] where the world's (0, 0) lies in the caller's coordinates; the engine stores it only
  double origin_y = 0.0;
  // Discs stay inside of it, whatever pushes them: it is an enclosure whose half-planes and walls are those of
  // obstacles (as the obstacle kInvalidId), and no agent's centre is ever nearer to a side than its EffectiveRadius; a
  // disc that is wider than the rectangle has its centre in the middle of that axis. One that is found outside, having
  // been put there or having grown, is moved inside by the shortest way in the next step, as one that stands in a solid
  // is. Kinematic agents are exempt. Needs containment. Fixed for the world's life.
  std::optional<Rectangle> bounds{};
  AgentParams agent_defaults;
  StaleInput stale_input;
  std::size_t max_agents = 1'000'000;  // adds past it are refused: RESOURCE_EXHAUSTED
  std::size_t max_obstacle_vertices = 1'000'000;
  // A phase of a step with fewer agents runs on the calling thread alone.
  std::size_t parallel_grain = 1'024;
  // Forces a level that the machine has; unset: the fastest. Results do not depend on it.
  std::optional<SimdLevel> simd_level;
};

}  // namespace throng
