#include "index/crowd_index.h"

#include <algorithm>
#include <bit>

namespace throng {
namespace {

constexpr int kMortonBits = 64;
constexpr std::size_t kLevelBlock = 512;  // nodes of the tree

}  // namespace

void CrowdIndex::Begin(AgentStore& agents) {
  agents_ = &agents;
  size_ = agents.size();
  crowded_ = 0;
  agents.PrepareScratch();
  tree_.Fit(0, 0);
  if (size_ == 0) {
    stage_ = Stage::kDone;
    return;
  }
  block_bounds_.resize(SortBlocks(size_));
  block_crowded_.resize(SortBlocks(size_));
  Enter(Stage::kBounds);
}

void CrowdIndex::Enter(Stage stage) {
  stage_ = stage;
  step_ = 0;
}

std::size_t CrowdIndex::items() const {
  switch (stage_) {
    case Stage::kTail:
      return crowded_;
    case Stage::kStarts:
      return size_ + 1;
    case Stage::kLightStarts:
      return size_ - crowded_ + 1;
    default:
      return size_;
  }
}

std::size_t CrowdIndex::blocks() const {
  switch (stage_) {
    case Stage::kSort:
      return cell_sort_.blocks();
    case Stage::kTreeSort:
      return tree_sort_.blocks();
    case Stage::kTree:
      return (tree_.nodes(step_) + kLevelBlock - 1) / kLevelBlock;
    case Stage::kDone:
      return 0;
    default:
      return SortBlocks(items());
  }
}

std::size_t CrowdIndex::block_cost() const {
  switch (stage_) {
    case Stage::kSort:
    case Stage::kTreeSort:
    case Stage::kSplit:
    case Stage::kCells:
      return kSortBlock / 64;
    default:
      return kSortBlock / 256;
  }
}

void CrowdIndex::RunBlock(std::size_t block) {
  switch (stage_) {
    case Stage::kSort:
      cell_sort_.RunBlock(block);
      break;
    case Stage::kTreeSort:
      tree_sort_.RunBlock(block);
      break;
    case Stage::kTree:
      tree_.Build(Places(*agents_), step_, block * kLevelBlock,
                  std::min(tree_.nodes(step_), (block + 1) * kLevelBlock));
      break;
    default:
      RunRange(block, block * kSortBlock, std::min(items(), (block + 1) * kSortBlock));
  }
}

void CrowdIndex::RunRange(std::size_t block, std::size_t begin, std::size_t end) {
  switch (stage_) {
    case Stage::kBounds:
      return FindBounds(block, begin, end);
    case Stage::kCells:
      return FindCells(begin, end);
    case Stage::kStarts:
      return grid_.SetStarts(cell_sort_.keys(), size_, begin, end);
    case Stage::kCount:
      return CountCrowded(block, begin, end);
    case Stage::kSplit:
      return Split(block, begin, end);
    case Stage::kTail:
      std::copy(tree_sort_.indices() + begin, tree_sort_.indices() + end,
                cell_sort_.indices() + (size_ - crowded_) + begin);
      return;
    case Stage::kLightStarts:
      return grid_.SetStarts(cell_sort_.keys(), size_ - crowded_, begin, end);
    case Stage::kGather:
      return agents_->Gather(step_, cell_sort_.indices(), begin, end);
    case Stage::kSlots:
      return agents_->RenewSlots(begin, end);
    default:
      return;
  }
}

void CrowdIndex::FinishStage() {
  switch (stage_) {
    case Stage::kBounds:
      FitGrid();
      return Enter(Stage::kCells);
    case Stage::kCells:
      return Enter(cell_sort_.done() ? Stage::kStarts : Stage::kSort);
    case Stage::kSort:
      cell_sort_.FinishPass();
      if (cell_sort_.done()) Enter(Stage::kStarts);
      return;
    case Stage::kStarts:
      return Enter(Stage::kCount);
    case Stage::kCount:
      PlaceSplit();
      return Enter(crowded_ == 0 ? Stage::kGather : Stage::kSplit);
    case Stage::kSplit:
      cell_sort_.UseSpare();
      return Enter(Stage::kTreeSort);
    case Stage::kTreeSort:
      tree_sort_.FinishPass();
      if (tree_sort_.done()) Enter(Stage::kTail);
      return;
    case Stage::kTail:
      return Enter(Stage::kLightStarts);
    case Stage::kLightStarts:
      return Enter(Stage::kGather);
    case Stage::kGather:
      agents_->FinishGather(step_);
      if (++step_ == agents_->sorted_columns()) Enter(Stage::kSlots);
      return;
    case Stage::kSlots:
      return Enter(crowded_ == 0 ? Stage::kDone : Stage::kTree);
    case Stage::kTree:
      if (++step_ == tree_.levels()) Enter(Stage::kDone);
      return;
    case Stage::kDone:
      return;
  }
}

void CrowdIndex::FindBounds(std::size_t block, std::size_t begin, std::size_t end) {
  const Body* const body = agents_->body.data();
  Bounds bounds = Bounds::Of(body[begin].x, body[begin].y);
  for (std::size_t i = begin + 1; i < end; ++i) bounds.Include(body[i].x, body[i].y);
  block_bounds_[block] = bounds;
}

void CrowdIndex::FitGrid() {
  Bounds all = block_bounds_[0];
  for (const Bounds& bounds : block_bounds_) all.Include(bounds);
  grid_.Fit(all, size_);
  grid_.PrepareStarts();
  cell_sort_.Reset(size_, static_cast<int>(std::bit_width(grid_.cells() - 1)));
}

void CrowdIndex::FindCells(std::size_t begin, std::size_t end) {
  const Body* const body = agents_->body.data();
  for (std::size_t i = begin; i < end; ++i) {
    cell_sort_.keys()[i] = grid_.CellOf(body[i].x, body[i].y);
    cell_sort_.indices()[i] = static_cast<std::uint32_t>(i);
  }
}

void CrowdIndex::CountCrowded(std::size_t block, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t place = begin; place < end; ++place) count += Crowded(place);
  block_crowded_[block] = count;
}

void CrowdIndex::PlaceSplit() {
  for (std::size_t& block : block_crowded_) {
    const std::size_t count = block;
    block = crowded_;
    crowded_ += count;
  }
  tree_sort_.Reset(crowded_, kMortonBits);
  tree_.Fit(size_ - crowded_, crowded_);
}

void CrowdIndex::Split(std::size_t block, std::size_t begin, std::size_t end) {
  std::size_t crowded = block_crowded_[block];
  std::size_t light = begin - crowded;
  for (std::size_t place = begin; place < end; ++place) {
    const std::uint32_t index = cell_sort_.indices()[place];
    if (Crowded(place)) {
      tree_sort_.keys()[crowded] = MortonKey(agents_->body[index].x, agents_->body[index].y);
      tree_sort_.indices()[crowded++] = index;
    } else {
      cell_sort_.spare_keys()[light] = cell_sort_.keys()[place];
      cell_sort_.spare_indices()[light++] = index;
    }
  }
}

void CrowdIndex::Search(const AgentStore& agents, std::size_t self, std::uint32_t most, float moved,
                        Nearest& nearest) const {
  if (most == 0) return;
  AgentPlaces places = Places(agents);
  places.moved = moved;
  const float x = agents.body[self].x, y = agents.body[self].y;
  const std::size_t light = size_ - crowded_;
  // First where the agent itself stands: what is found there bounds the rest.
  if (self >= light) tree_.Search(places, self, x, y, nearest);
  if (light > 0) grid_.Search(places, self, x, y, most, nearest);
  if (self < light) tree_.Search(places, self, x, y, nearest);
}

std::size_t CrowdIndex::memory_bytes() const {
  return block_bounds_.capacity() * sizeof(Bounds) + block_crowded_.capacity() * sizeof(std::size_t) +
         cell_sort_.memory_bytes() + tree_sort_.memory_bytes() + grid_.memory_bytes() + tree_.memory_bytes();
}

}  // namespace throng
