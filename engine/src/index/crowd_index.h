// The spatial index of all agents: sorts the store by place and finds nearest neighbours in it.
//
// Agents of ordinary cells stand first, in order of the grid's cells; those of cells that hold more than kCrowded
// follow, in the order of a tree of boxes. So the even crowd pays for a grid alone, and no spread of agents makes
// memory or time of a search grow out of proportion.
//
// Building is cut into stages of blocks, in the manner of RadixSort: blocks of a stage may run at once, in any order,
// over any number of calls; FinishStage follows when all have run.
#pragma once

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
  // Begins to sort `agents`, which must not be edited until done().
  void Begin(AgentStore& agents);
  bool done() const { return stage_ == Stage::kDone; }
  std::size_t blocks() const;
  // What a block of this stage costs, in agents whose velocity could be solved in that time.
  std::size_t block_cost() const;
  void RunBlock(std::size_t block);
  void FinishStage();

  // Finds the nearest agents around the agent at place `self`. `nearest` has been reset with its distance and `most`.
  // moved [m]: bound on the way of any agent since Begin; the order of places is still that of then.
  void Search(const AgentStore& agents, std::size_t self, std::uint32_t most, float moved, Nearest& nearest) const;

  // Agents of ordinary cells, and whether any others come within `reach` [m] of (x, y), where they stood at Begin.
  CellView cells() const { return grid_.view(); }
  bool has_crowds() const { return crowded_ > 0; }
  bool CrowdWithin(float x, float y, float reach) const { return tree_.AnyWithin(x, y, reach); }

  std::size_t memory_bytes() const;

 private:
  enum class Stage {
    kBounds,       // of all positions, by block
    kCells,        // cell of each agent
    kSort,         // by cell
    kStarts,       // where cells begin
    kCount,        // agents in crowded cells, by block
    kSplit,        // moves these behind the others
    kTreeSort,     // sorts them by Morton key
    kTail,         // appends them to the order
    kLightStarts,  // where cells begin, without them
    kGather,       // moves the columns, one after another
    kSlots,        // tells slots where their agents are
    kTree,         // boxes, one level after another
    kDone,
  };
  static constexpr std::size_t kCrowded = 48;  // agents in a cell; four is the mean

  void Enter(Stage stage);
  void RunRange(std::size_t block, std::size_t begin, std::size_t end);
  void FindBounds(std::size_t block, std::size_t begin, std::size_t end);
  void FindCells(std::size_t begin, std::size_t end);
  void CountCrowded(std::size_t block, std::size_t begin, std::size_t end);
  void Split(std::size_t block, std::size_t begin, std::size_t end);
  void FitGrid();
  void PlaceSplit();
  bool Crowded(std::size_t place) const { return grid_.AgentsIn(cell_sort_.keys()[place]) > kCrowded; }
  std::size_t items() const;
  static AgentPlaces Places(const AgentStore& agents) { return {agents.body.data(), agents.id.data()}; }

  AgentStore* agents_ = nullptr;
  std::size_t size_ = 0;
  Stage stage_ = Stage::kDone;
  std::size_t step_ = 0;  // within a stage: column or level
  std::vector<Bounds> block_bounds_;
  std::vector<std::size_t> block_crowded_;  // by block: count, then place of its first among the crowded
  std::size_t crowded_ = 0;

  RadixSort<std::uint32_t> cell_sort_;
  RadixSort<std::uint64_t> tree_sort_;
  Grid grid_;
  CrowdTree tree_;
};

}  // namespace throng
