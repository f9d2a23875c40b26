// Recovery: agents that do not stand on walkable ground, since they were put there or an obstacle was put on them, go
// to the nearest place that is. In a step, before all else; agents that nobody touched are looked at only where
// obstacles were edited.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bounds.h"
#include "index/ground.h"
#include "index/obstacle_index.h"
#include "store/agents.h"
#include "store/obstacles.h"
#include "throng/types.h"

namespace throng {

// The nearest walkable place to one that is not, for an agent of this radius; nothing if there is none. `sight`: of who
// is to stand there, since what it does not see is not in its way; null: it sees all.
//
// Free ground is bounded by parts of edges, so what is nearest of it is the foot of the way to an edge or the crossing
// of two. These candidates, a few roundings before their edges, are judged in ascending (distance^2, x, y). Edges are
// looked at within a reach that doubles until a place within it is found, crossings among the nearest 64 of them.
// With a `room`, only places in it count; its nearest and the crossings of its sides with edges are candidates too.
std::optional<Vec2> FindGround(Vec2 place, float radius, const ObstacleStore& obstacles, const ObstacleIndex& index,
                               const Ground& ground, const Sight* sight = nullptr, const Bounds* room = nullptr);

class Recovery {
 public:
  struct Recovered {
    AgentId id = kInvalidId;
    StatusReason reason = StatusReason::kNone;
    bool operator<(const Recovered& other) const { return id < other.id; }
  };
  // Of one thread.
  struct Found {
    std::vector<Recovered> recovered;
    std::vector<AgentId> stranded;
    bool moved_stranded = false;
  };

  // Discs are to be in `bounds`, if there are any.
  explicit Recovery(const std::optional<Rectangle>& bounds) : bounds_(bounds) {}

  // Edits.
  void NoteAgent(AgentId id);
  // The agent is gone: another one of this id was not recovered.
  void Forget(AgentId id);
  void ForgetAll() { recovered_.clear(); }
  void AddObstacle(ObstacleId id, const ObstacleStore::Obstacle& obstacle);
  void RemoveObstacle(ObstacleId id, const ObstacleStore::Obstacle& obstacle);

  // Whether edits may make the next step move agents that stand where they stand.
  bool pending() const { return !touched_.empty() || !edited_.empty() || all_touched_ || ground_changed_; }
  const std::vector<AgentId>& touched() const { return touched_; }
  // Takes an agent for one that no walkable ground was found for.
  void Strand(AgentId id) { stranded_.insert(std::upper_bound(stranded_.begin(), stranded_.end(), id), id); }

  // Of a step: all blocks are to run, in any order, also at once.
  void Begin(AgentStore& agents, const ObstacleStore& obstacles, const ObstacleIndex& index);
  std::size_t blocks() const { return (count_ + kBlock - 1) / kBlock; }
  static constexpr std::size_t kBlock = 256;  // agents
  void RunBlock(std::size_t block, Found& found);
  // For what each thread found; Finish at last.
  void Take(Found& found);
  void Finish();

  // Ids, ascending, of agents that no walkable ground was found for.
  const std::vector<AgentId>& stranded() const { return stranded_; }
  const Ground& ground() const { return ground_; }
  // In this step, in ascending order of ids.
  const std::vector<Recovered>& recovered() const { return recovered_; }
  // kNone: it was not, in this step.
  StatusReason ReasonFor(AgentId id) const;
  bool IsStranded(AgentId id) const { return std::binary_search(stranded_.begin(), stranded_.end(), id); }
  std::size_t memory_bytes() const;

 private:
  bool Stands(std::size_t place, bool touched, const Sight* sight, const Bounds* room) const;
  StatusReason WhyNotAt(Vec2 place, const Sight* sight, const Bounds* room) const;  // of one that does not
  // Whether every agent is looked at, and not only those at places_.
  bool looks_at_all() const { return all_touched_ || !edited_.empty(); }

  // Of edits: a world that waits may be edited without end, so beyond so many all agents count as touched.
  static constexpr std::size_t kMostNoted = 65'536;

  std::optional<Rectangle> bounds_;
  AgentStore* agents_ = nullptr;
  const ObstacleStore* obstacles_ = nullptr;
  const ObstacleIndex* index_ = nullptr;
  Ground ground_;
  std::vector<AgentId> touched_;    // since the last step
  std::vector<ObstacleId> edited_;  // since then, some removed again
  bool ground_changed_ = false;
  bool all_touched_ = false;  // in place of what the two above would hold
  std::vector<AgentId> stranded_;
  std::vector<std::uint32_t> places_;  // of touched agents, ascending
  std::size_t count_ = 0;              // of agents to look at
  bool moved_stranded_ = false;
  std::vector<Recovered> recovered_;
};

}  // namespace throng
