// For each group of agents that are solved side by side: the obstacle edges that any of them may have to consider until
// the next sort. So a step of a group far from all edges costs nothing for them, and others look at a few edges in
// place of searching. An edge that no agent of a group sees is not near it; who of a group sees which is found here
// too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "base/sight.h"
#include "index/edge_filter.h"
#include "index/obstacle_index.h"
#include "store/agents.h"
#include "store/lists.h"
#include "store/obstacles.h"

namespace throng {

class NearEdges {
 public:
  // Whether what was found still holds: nothing was sorted since, and everyone's way since the sort is `moved` [m] at
  // most.
  bool Holds(float moved) const { return valid_ && moved - moved_before_ <= margin_; }
  // After a sort, an edit of obstacles, or a change of how far any agent looks.
  void Invalidate() { valid_ = false; }

  // Begins to find edges anew; all blocks are to run, in any order, also at once. Until agents have moved another
  // `margin` [m] the result holds. With a `step` [s] that is not 0, edges that an agent may meet on its way in such a
  // time are near too, so that its move can be cut at them whatever its horizon is.
  void Begin(const AgentStore& agents, const ObstacleStore& obstacles, const ObstacleIndex& index, KeepEdges keep_edges,
             float moved, float margin, float step = 0.0f);
  // What was found is to serve on; there are no blocks.
  void KeepAll() { groups_to_find_ = 0; }
  std::size_t blocks() const { return (groups_to_find_ + kBlock - 1) / kBlock; }
  static constexpr std::size_t kBlock = 32;  // groups
  void RunBlock(std::size_t block);
  void Finish() { valid_ = true; }

  // See SolveView::near_edges and near_lanes.
  const std::uint32_t* data() const { return near_.data(); }
  const std::uint16_t* lanes() const { return sighted_ ? lanes_.data() : nullptr; }
  std::size_t memory_bytes() const { return near_.bytes() + lanes_.bytes(); }

 private:
  class Onlookers;
  class Candidates;

  bool AnyNear(std::size_t begin, std::size_t end) const;
  void Find(std::size_t group);
  void Search(std::size_t begin, std::size_t end, Candidates& candidates) const;
  float MarginOf(std::size_t begin, std::size_t end) const;
  Bounds Reach(std::size_t begin, std::size_t end) const;

  const AgentStore* agents_ = nullptr;
  const ObstacleStore* obstacles_ = nullptr;
  const ObstacleIndex* index_ = nullptr;
  KeepEdges keep_edges_ = nullptr;
  bool valid_ = false;
  float moved_before_ = 0.0f;
  float margin_ = 0.0f;
  float step_ = 0.0f;
  std::size_t groups_to_find_ = 0;
  bool sighted_ = false;  // some agents may not see some obstacles
  ColumnOf<std::uint32_t> near_;
  ColumnOf<std::uint16_t> lanes_;
};

// [m] Edges strictly nearer than this are considered: what the agent can cover within its horizon, and its radius.
float ObstacleRange(const AgentStore& agents, std::size_t place);

}  // namespace throng
