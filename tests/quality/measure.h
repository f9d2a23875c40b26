// What a run is judged by. A Meter sees where agents are after every tick; it knows nothing of engines and scenes, so
// its tests feed it ways that are made up. README.md defines every measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/quality/geometry.h"
#include "throng/types.h"

namespace throng::quality {

// What does not change about an agent.
struct Body {
  float radius = 0.5f;
  float max_speed = 2.0f;
  float preferred_speed = 1.5f;
  double straight = 0.0;   // [m] length of its route, for the detour
  bool has_goal = true;    // else it counts neither as arrived nor as not
  bool kinematic = false;  // exempt from walls, and its own way is not judged
};

// An agent after a tick.
struct Sample {
  Vec2 position;
  Vec2 velocity;                               // as reported
  Vec2 wanted;                                 // its preferred velocity in that tick
  bool present = true;                         // false for good once it has left
  bool arrived = false;                        // from the tick in which it did; false again if it has to once more
  bool resting = false;                        // it wants nothing, so that it ought to stand still
  std::optional<bool> stalled = std::nullopt;  // as the engine says; unset: to be judged by its way
};

struct Measures {
  double arrived = 1.0;                // share of those that have a goal
  std::optional<double> last_arrival;  // [s] of those that did
  double overlap = 0.0;                // [m] deepest of a pair
  double overlap_radii = 0.0;          // the same over the smaller radius of the pair
  double parted = 0.0;                 // [s] when a pair was last in each other by over 2 % of a radius
  std::uint64_t wall_crossings = 0;    // moves that led a centre across an edge
  std::optional<double> detour;        // way made over length of the route, in all who arrived
  double zigzag = 0.0;                 // changes of direction per second of moving
  double idle_speed = 0.0;             // [m/s] greatest of a resting agent in the last second
  double drift = 0.0;                  // [m] farthest that an agent without a goal ends from its start
  std::size_t stalled = 0;             // in the end
  std::size_t stalled_most = 0;        // at a time
  std::optional<double> flow;          // [1/(s m)] through the opening
};

class Meter {
 public:
  struct Options {
    double time_step = 0.1;
    double overlap_from = 0.0;    // [s] overlaps before that are not counted as deepest
    std::optional<Edge> opening;  // flow is measured through it
  };
  Meter(const Options& options, std::vector<Body> bodies, std::vector<Edge> edges);

  // First with the start, then after every tick; one sample for each body.
  void Observe(const std::vector<Sample>& samples);
  Measures Finish() const;

 private:
  // Counts changes of direction; see README.md.
  struct Turning {
    bool any = false;
    int sense = 0;  // of the turn it is in: 1 left, -1 right
    double x = 0.0, y = 0.0;
    double swing = 0.0;  // [rad] how far it has turned back from its farthest
    std::uint64_t changes = 0;
  };
  struct Track {
    Vec2 start;
    Vec2 anchor;         // where it last was that is on no edge
    double clear = 0.0;  // [m] it can move that far without reaching an edge
    double way = 0.0;
    std::optional<double> arrival;
    std::optional<double> passage;
    Turning turning;
    std::size_t wanting = 0;             // ticks in a row
    std::vector<double> wish, progress;  // [m] of the last second
    double wish_sum = 0.0, progress_sum = 0.0;
    bool stalled = false;
  };

  void Begin(const std::vector<Sample>& samples);
  void Move(std::size_t agent, const Sample& before, const Sample& now);
  void WatchWalls(std::size_t agent, Vec2 before, Vec2 now);
  void WatchProgress(std::size_t agent, const Sample& before, const Sample& now);
  void WatchTurning(std::size_t agent, Vec2 velocity);
  void WatchOverlaps(const std::vector<Sample>& samples);
  void WatchRest(const std::vector<Sample>& before, const std::vector<Sample>& now);
  std::optional<double> Flow() const;
  double time() const { return static_cast<double>(ticks_) * options_.time_step; }

  Options options_;
  std::vector<Body> bodies_;
  std::vector<Edge> edges_;
  std::size_t second_;  // [ticks]
  std::vector<Track> tracks_;
  std::vector<Sample> last_;
  std::uint64_t ticks_ = 0;
  std::vector<std::uint32_t> by_x_;  // agents by the left end of their disc
  std::vector<double> idle_speeds_;  // of each tick
  std::uint64_t moving_ticks_ = 0;
  Measures measures_;
};

}  // namespace throng::quality
