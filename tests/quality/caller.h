// The caller's side of a run: what a game server would do that sends preferred velocities. It knows routes and goals,
// and where agents are; it does not look at who is in the way.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/quality/scene.h"

namespace throng::quality {

class Caller {
 public:
  explicit Caller(const Play& play);

  // Velocity that agent i wants at `position`; zero where it has arrived or has nothing to go for.
  Vec2 Wish(std::size_t agent, Vec2 position);
  // To be called after every tick, for all agents that are there.
  void Note(std::size_t agent, Vec2 position, double time);
  // Once a second: an agent that was pushed back behind a corner goes for the last waypoint that it can see; without
  // waypoints, back to where it last saw its goal from.
  // Returns whether it goes for another point than before.
  bool Replan(std::size_t agent, Vec2 position);
  // The points that it goes for, in order, where it has a goal; of a follower, where it ought to be now.
  std::vector<Vec2> Points(std::size_t agent) const;

  bool arrived(std::size_t agent) const { return states_[agent].arrived; }
  // It wants nothing: it has no goal, or stands at it.
  bool resting(std::size_t agent) const { return !play_.walkers[agent].has_goal || states_[agent].at_goal; }
  // Where kinematic agent i is at a time, and how it moves.
  Vec2 PoseAt(std::size_t agent, double time) const;

 private:
  struct State {
    std::size_t next = 0;           // waypoint
    std::optional<Vec2> seen_from;  // where it last saw that from
    bool turned_back = false;       // it goes back there
    bool arrived = false;           // for good, but in a crowd
    bool at_goal = false;           // it stands there and wants nothing
  };
  Vec2 Target(std::size_t agent) const;
  void FindWay(const Walker& walker, Vec2 position, State& state) const;
  bool Sees(Vec2 from, Vec2 to) const;

  const Play& play_;
  std::vector<Edge> edges_;
  std::vector<State> states_;
  double time_ = 0.0;
};

}  // namespace throng::quality
