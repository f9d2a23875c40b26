// The spatial index of all agents: sorts the store by place, either in order of a grid's cells, which serves an even
// crowd best, or, where too many agents share cells, in order of a tree of boxes. So no spread of agents makes memory
// or time of a search grow out of proportion.
//
// Building is cut into stages of blocks, in the manner of RadixSort: blocks of a stage may run at once, in any order,
// over any number of calls; FinishStage follows when all have run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/crowd_tree.h"
#include "index/grid.h"
#include "index/radix_sort.h"
#include "store/agents.h"

namespace throng {

class CrowdIndex {
 public:
  // Begins to sort `agents`, which must not be edited until done(). step_way [m]: how far any of them is likely to move
  // in a step; moved [m]: bound on the way of any agent since the last sort.
  void Begin(AgentStore& agents, float step_way, float moved);
  // Agents have moved, but none was added or removed since: makes a tree, if there is one, fit again, or sorts by it.
  void BeginRefit(float moved);
  // Whether the last of these two sorted.
  bool sorted() const { return sorted_; }
  bool done() const { return stage_ == Stage::kDone; }
  std::size_t blocks() const;
  // What a block of this stage costs, in agents whose velocity could be solved in that time.
  std::size_t block_cost() const;
  void RunBlock(std::size_t block);
  void FinishStage();

  // Kernels search in a tree, where there is one, else in the grid.
  bool has_tree() const { return !tree_.empty(); }
  TreeView tree() const { return tree_.view(); }
  CellView cells() const { return grid_.view(); }
  // Finds the nearest agents around the agent at place `self` in the grid, which must be what there is. `nearest` has
  // been reset with its distance and `most`.
  // moved [m]: bound on the way of any agent since Begin; the order of places is still that of then.
  void Search(const AgentStore& agents, std::size_t self, std::uint32_t most, float moved, Nearest& nearest) const;

  // How many agents there were at the last sort.
  std::size_t size() const { return size_; }
  // Calls visit(place) for all agents that stand in the box and some that do not, in no particular order. moved [m]:
  // bound on the way of any agent since Begin; last_moved: since the tree was made or made fit, if there is one.
  template <class Visit>
  void VisitBox(const Bounds& box, float moved, float last_moved, Visit&& visit) const;

  std::size_t memory_bytes() const;

 private:
  enum class Stage {
    kBounds,    // of all positions, by block
    kCells,     // cell of each agent
    kSort,      // by cell
    kStarts,    // where cells begin
    kShare,     // with how many each agent shares its cell, by block
    kKeys,      // Morton keys, if these are too many
    kTreeSort,  // by Morton key
    kInvert,    // the order, for agents' lists
    kGather,    // moves the parts of columns, one after another
    kReturn,    // the second half of it
    kSlots,     // tells slots where their agents are
    kTree,      // boxes, one level after another
    kDone,
  };

  void Enter(Stage stage);
  void RunRange(std::size_t block, std::size_t begin, std::size_t end);
  void FindBounds(std::size_t block, std::size_t begin, std::size_t end);
  void FindCells(std::size_t begin, std::size_t end);
  void CountSharers(std::size_t block, std::size_t begin, std::size_t end);
  void FindKeys(std::size_t begin, std::size_t end);
  void FitGrid();
  void Choose();
  bool GridServes() const;
  void BeginTree();
  void BeginGather();
  const Index* order() const { return has_tree() ? tree_sort_.indices() : cell_sort_.indices(); }
  void FinishLevel();
  Bounds UsualBounds(const Bounds& all) const;
  std::size_t items() const { return stage_ == Stage::kStarts ? size_ + 1 : size_; }

  AgentStore* agents_ = nullptr;
  std::size_t size_ = 0;
  float step_way_ = 0.0f;
  float moved_ = 0.0f;
  Stage stage_ = Stage::kDone;
  std::size_t step_ = 0;  // within a stage: part or level
  std::vector<Bounds> block_bounds_;
  std::vector<std::uint64_t> block_sharers_;
  std::uint32_t sorts_by_tree_ = 0;  // to come without a look at the grid
  bool sorted_ = false;

  AgentStore::Ranks ranks_{};  // while keys are found
  RadixSort<std::uint32_t> cell_sort_;
  RadixSort<std::uint64_t> tree_sort_;
  Grid grid_;
  CrowdTree tree_;
};

template <class Visit>
void CrowdIndex::VisitBox(const Bounds& box, float moved, float last_moved, Visit&& visit) const {
  // A place was rounded when its agent moved, and the bound when it was summed.
  constexpr double kSlack = 1.0001;
  const double by = kSlack * static_cast<double>(has_tree() ? last_moved : moved);
  const auto run = [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < std::min(end, size_); ++place) visit(static_cast<Index>(place));
  };
  const double min_x = box.min_x - by, min_y = box.min_y - by, max_x = box.max_x + by, max_y = box.max_y + by;
  if (has_tree()) {
    tree_.VisitRuns(min_x, min_y, max_x, max_y, run);
  } else {
    grid_.VisitRuns(min_x, min_y, max_x, max_y, run);
  }
}

}  // namespace throng
