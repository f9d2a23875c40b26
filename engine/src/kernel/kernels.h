// The kernels in which a step spends its time, written once over vectors of any width and built for each SIMD level
// (kernels.cc). All levels give the same bits. Plain data goes in and out; nothing here owns memory or knows a world.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/body.h"
#include "base/bounds.h"
#include "base/sight.h"
#include "index/cell_view.h"
#include "index/edge_filter.h"
#include "index/tree_view.h"
#include "solve/half_plane.h"
#include "store/jam.h"
#include "store/lists.h"
#include "store/obstacle_edge.h"
#include "store/progress.h"
#include "throng/simd.h"
#include "throng/types.h"

namespace throng {

// By what an agent is kept from the velocity that it wants: the half-plane that moved the solution last.
enum class Held : std::uint8_t { kFree = 0, kByAgents = 1, kByObstacles = 2 };

// What a step's solve reads and writes, by place. Columns are padded to whole groups.
struct SolveView {
  std::size_t agents = 0;
  const Body* body = nullptr;  // padding bodies stand at infinity
  const AgentId* id = nullptr;
  const float* radius = nullptr;
  const float* max_speed = nullptr;
  const float* neighbor_distance = nullptr;
  const float* time_horizon = nullptr;
  const float* time_horizon_obstacles = nullptr;
  const float* preferred_x = nullptr;
  const float* preferred_y = nullptr;
  const std::uint8_t* max_neighbors = nullptr;
  float* next_x = nullptr;  // velocities, written
  float* next_y = nullptr;

  // Lists, and where each agent stood when its list was made.
  std::int16_t* list = nullptr;  // entry k of agent i at (i / kGroup * kListed + k) * kGroup + i % kGroup
  float* list_limit = nullptr;
  float* list_x = nullptr;
  float* list_y = nullptr;
  CellView cells;
  TreeView tree;       // in place of cells and lists, where there is one
  float moved = 0.0f;  // [m] bound on the way of any agent since the sort
  float moves = 0.0f;  // [m] by which two agents are likely to come nearer in a step

  float inverse_time_step = 1.0f;  // [1/s]
  bool same_radius = false;        // of all agents

  // Extensions, which solve_extended alone looks at. Zero is off.
  const float* responsibility = nullptr;  // null: 1 for all
  const Sight* sight = nullptr;           // null: everyone sees everyone
  const std::uint8_t* mode = nullptr;     // null: nobody is kinematic; see store/regard.h
  float step_aside = 0.0f;                // symmetry breaking: part of the speed wanted; its sign is the side
  float rest_speed = 0.0f;                // part of max_speed below which who wants nothing stands still
  float separation_speed = 0.0f;          // part of max_speed at which who wants nothing parts from whom it overlaps
  // Jam relief, null where it is off: columns as the step before left them, and those that are written (store/jam.h).
  const float* jam = nullptr;
  const float* wanted_x = nullptr;
  const float* wanted_y = nullptr;
  const std::uint8_t* opposed = nullptr;
  float* jam_next = nullptr;
  float* wanted_x_next = nullptr;
  float* wanted_y_next = nullptr;
  std::uint8_t* opposed_next = nullptr;
  float jam_rise = 0.0f;  // part of the way to what is, by which the mean follows in a step
  float jam_fall = 0.0f;
  float shortest_horizon = 0.0f;  // [s]
  float side = 1.0f;              // 1 or -1: to the right or the left
  Vec2 right_of_way;
  // Tells that `self` is jammed, and its nearest, Jam::kAround at most. Null: nobody asks.
  void (*note_jammed)(const void* context, std::uint32_t self, const std::uint32_t* nearest,
                      std::size_t count) = nullptr;

  // What keeps an agent from the velocity that it wants (Held), written; null: nobody asks.
  std::uint8_t* held = nullptr;

  // Edges near each group, null where the world has none. Of group g from g * (1 + kNearEdges) on: their number, or
  // kManyEdges, then their places in `edges`, in ascending order of (obstacle id, index).
  const std::uint32_t* near_edges = nullptr;
  const ObstacleEdge* edges = nullptr;
  // Agents that see them, a bit for each: of near edge i of group g at g * kNearEdges + i. Null where everyone sees
  // all; solve_extended alone looks at it.
  const std::uint16_t* near_lanes = nullptr;

  // What the kernels leave to plain code. `context` is handed through.
  const void* context = nullptr;
  // Writes the places of the nearest agents of `self` in order and returns how many; at most its max_neighbors. Not
  // where there is a tree.
  std::uint32_t (*find_nearest)(const void* context, std::uint32_t self, std::uint32_t* places) = nullptr;
  // Hard half-planes of `self`, in order, for groups with kManyEdges, by the inverse of a horizon that is not longer
  // than the agent's. They stay valid until the next call for the same worker.
  std::size_t (*obstacle_lines)(const void* context, void* worker, std::uint32_t self, float inverse_horizon,
                                const HalfPlane** lines) = nullptr;
  // What a group has to do with capsules; solve_extended alone asks, and only of groups of which an agent looks into
  // `capsules`, a box around all of them. The first notes which capsules agents [first, first + kGroup) whose bit is
  // set in `lanes` may have to consider, and returns whether there are any; the second gives the half-planes of one of
  // these agents, in order, which stay valid until the next call for the same worker. Null where there are none.
  bool (*near_capsules)(const void* context, void* worker, std::uint32_t first, std::uint32_t lanes) = nullptr;
  std::size_t (*capsule_lines)(const void* context, void* worker, std::uint32_t self, float inverse_horizon,
                               const HalfPlane** lines) = nullptr;
  Bounds capsules;
  // Writes kDriveLines half-planes, hard too, if `self` has a differential drive, and returns whether. Null where
  // nobody has one; solve_extended alone asks.
  bool (*drive_lines)(const void* context, std::uint32_t self, HalfPlane* lines) = nullptr;
};

// Sums over agents, for StepStats.
struct SolveCounts {
  std::uint64_t infeasible = 0;
  std::uint64_t neighbors = 0;
  std::uint64_t truncated = 0;
  std::uint64_t overlapping = 0;
  std::uint64_t obstacle_edges = 0;  // but those that obstacle_lines() considers
  std::uint64_t lists_made = 0;
  std::uint64_t searches = 0;  // agents without a list that served
};

// Half-planes of one group, row by row, and those of agents that wait for the program in three dimensions. Belongs to
// one worker.
class LineBuffer {
 public:
  LineBuffer() = default;
  ~LineBuffer();
  LineBuffer(const LineBuffer&) = delete;
  LineBuffer& operator=(const LineBuffer&) = delete;

  // Room for `rows` rows of kGroup lanes of a half-plane. What was there stays.
  float* Rows(std::size_t rows) {
    if (rows > rows_) Resize(std::max(rows, rows_ + rows_ / 2 + 16));
    return data_;
  }
  // The same for what a step needs at most; gives back what is far more. What was there is lost.
  void Fit(std::size_t rows) {
    constexpr std::size_t kSmall = 64;
    if (rows > rows_ || (rows_ > kSmall && rows_ / 4 > rows)) Resize(rows);
  }
  std::size_t bytes() const { return rows_ * kRowBytes; }

 private:
  static constexpr std::size_t kRowBytes = kGroup * sizeof(HalfPlane);
  void Resize(std::size_t rows);

  float* data_ = nullptr;
  std::size_t rows_ = 0;
};

// Where there are hard rows at all, `waiting` takes agents with up to so many hard rows without a look at those before
// them.
inline constexpr std::size_t kHardRoom = 8;

// What the solve of one agent went through.
struct SolveTrace {
  std::vector<std::uint32_t> neighbors;  // places, in ascending (distance^2, id)
  std::vector<HalfPlane> lines;          // in the order in which the program takes them; direction zero: inert
  std::size_t hard = 0;                  // of these, so many at the front are never relaxed
  std::size_t capsules = 0;              // those after them that come of capsules; the rest come of `neighbors`
  float obstacle_horizon = 0.0f;         // [s] in force
  Vec2 preferred;                        // [m/s] given to the program
  Vec2 solved;                           // [m/s] what it gave
  std::ptrdiff_t last = -1;              // the last line that moved the optimum; -1: none did
  bool relaxed = false;                  // nothing was permitted
  bool stepped_aside = false;            // by symmetry breaking
  bool rested = false;
};

// Of one worker.
struct SolveScratch {
  void* worker = nullptr;          // handed to SolveView::obstacle_lines
  float last_reach = 0.0f;         // [m] of the last list made: a guess for the next, which is of an agent nearby
  float last_search_reach = 0.0f;  // [m] likewise of the last search without a list
  LineBuffer lines;
  LineBuffer relaxed;
  LineBuffer waiting;
  SolveTrace* trace = nullptr;  // of Kernels::trace alone
};

// What the move phase keeps of agents' progress; columns by place.
struct ProgressView {
  const Body* body = nullptr;  // after the move
  const float* from_x = nullptr;
  const float* from_y = nullptr;  // before it; from the first of the range on
  const float* preferred_x = nullptr;
  const float* preferred_y = nullptr;
  const float* max_speed = nullptr;
  float inverse_time_step = 1.0f;    // [1/s]
  std::int32_t ticks_of_second = 1;  // see TicksOfSecond
  // Updated. Surpluses of this tick of the second before stand in byte `byte` of `history`.
  std::uint64_t* history = nullptr;
  unsigned byte = 0;
  float* carry = nullptr;              // what was rounded off
  std::int32_t* progress = nullptr;    // Progress::bits
  const std::uint8_t* mode = nullptr;  // not 0: kinematic, which never stalls; null: nobody is
};

struct ProgressCounts {
  std::uint64_t stalled = 0;
  std::uint64_t changed = 0;  // agents that came to be stalled, or are not any more
};

struct Kernels {
  // Agents [begin, end) get their next velocity; begin is a multiple of kGroup, end too or the end of all.
  void (*solve)(const SolveView& view, std::size_t begin, std::size_t end, SolveScratch& scratch, SolveCounts& counts);
  // The same with the extensions of the motion model. Where these are off it gives the same bits.
  void (*solve_extended)(const SolveView& view, std::size_t begin, std::size_t end, SolveScratch& scratch,
                         SolveCounts& counts);
  KeepEdges keep_edges;
  // Agents [begin, end) as in solve; a vector past the end may be read and written.
  void (*note_progress)(const ProgressView& view, std::size_t begin, std::size_t end, ProgressCounts& counts);
  // As solve_extended, of one agent alone, into scratch.trace. Of the scalar level; else null.
  void (*trace)(const SolveView& view, std::uint32_t self, SolveScratch& scratch);
};

// Precondition: IsAvailable(level), see throng/simd.h.
const Kernels& KernelsOf(SimdLevel level);

}  // namespace throng
