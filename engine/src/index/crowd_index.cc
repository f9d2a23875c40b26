#include "index/crowd_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace throng {
namespace {

constexpr int kMortonBits = 64;
constexpr std::size_t kTreeBlock = 32;     // blocks of boxes
constexpr std::size_t kRangeBlock = 2048;  // agents of a stage other than sorting
static_assert(kRangeBlock % kGroup == 0);

// In an even crowd an agent shares its cell with four others on average. A search looks at all agents of nine cells
// and more, so its cost grows with this number; from here on the tree is cheaper.
constexpr std::uint64_t kTooManySharers = 40;
constexpr double kEvenSharers = 5.0;  // itself among them
// How often to sort for the tree before the grid is tried again.
constexpr std::uint32_t kSortsByTree = 16;

std::size_t RangeBlocks(std::size_t size) { return (size + kRangeBlock - 1) / kRangeBlock; }

}  // namespace

void CrowdIndex::Begin(AgentStore& agents, float step_way, float moved) {
  agents_ = &agents;
  step_way_ = step_way;
  size_ = agents.size();
  sorted_ = true;
  agents.PrepareSort(moved);
  if (size_ == 0) {
    tree_.Fit(0);
    cell_sort_ = {};
    tree_sort_ = {};
    grid_ = {};
    sorts_by_tree_ = 0;
    stage_ = Stage::kDone;
    return;
  }
  if (sorts_by_tree_ > 0) {
    --sorts_by_tree_;
    BeginTree();
    return;
  }
  block_bounds_.resize(RangeBlocks(size_));
  block_sharers_.resize(RangeBlocks(size_));
  Enter(Stage::kBounds);
}

void CrowdIndex::BeginRefit(float moved) {
  sorted_ = false;
  moved_ = moved;
  if (has_tree()) Enter(Stage::kTree);
}

void CrowdIndex::Enter(Stage stage) {
  stage_ = stage;
  step_ = 0;
}

std::size_t CrowdIndex::blocks() const {
  switch (stage_) {
    case Stage::kSort:
      return cell_sort_.blocks();
    case Stage::kTreeSort:
      return tree_sort_.blocks();
    case Stage::kTree:
      return (tree_.blocks(step_) + kTreeBlock - 1) / kTreeBlock;
    case Stage::kDone:
      return 0;
    default:
      return RangeBlocks(items());
  }
}

// As measured.
std::size_t CrowdIndex::block_cost() const {
  switch (stage_) {
    case Stage::kSort:
    case Stage::kTreeSort:
      return kSortBlock / 48;
    case Stage::kKeys:
      return kRangeBlock / 8;
    case Stage::kTree:
      return kTreeBlock * kGroup * kGroup / 32;
    case Stage::kGather:
      return agents_->IsOfLists(step_) ? kRangeBlock / 4 : kRangeBlock / 96;
    default:
      return kRangeBlock / 96;
  }
}

void CrowdIndex::RunBlock(std::size_t block) {
  switch (stage_) {
    case Stage::kSort:
      return cell_sort_.RunBlock(block);
    case Stage::kTreeSort:
      return tree_sort_.RunBlock(block);
    case Stage::kTree:
      return tree_.Build(agents_->body.data(), agents_->id.data(), step_, block * kTreeBlock,
                         std::min(tree_.blocks(step_), (block + 1) * kTreeBlock));
    default:
      return RunRange(block, block * kRangeBlock, std::min(items(), (block + 1) * kRangeBlock));
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
    case Stage::kShare:
      return CountSharers(block, begin, end);
    case Stage::kKeys:
      return FindKeys(begin, end);
    case Stage::kInvert:
      return agents_->Invert(order(), cell_sort_.free_indices(), begin, end);
    case Stage::kGather:
      return agents_->Gather(step_, order(), cell_sort_.free_indices(), begin, end);
    case Stage::kReturn:
      return agents_->Return(step_, begin, end);
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
      return Enter(Stage::kShare);
    case Stage::kShare:
      return Choose();
    case Stage::kKeys:
      return Enter(Stage::kTreeSort);
    case Stage::kTreeSort:
      tree_sort_.FinishPass();
      if (tree_sort_.done()) BeginGather();
      return;
    case Stage::kInvert:
      return Enter(Stage::kGather);
    case Stage::kGather:
      stage_ = Stage::kReturn;
      return;
    case Stage::kReturn:
      stage_ = Stage::kGather;
      if (++step_ == agents_->sorted_parts()) Enter(Stage::kSlots);
      return;
    case Stage::kSlots:
      return Enter(has_tree() ? Stage::kTree : Stage::kDone);
    case Stage::kTree:
      return FinishLevel();
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

// The bounds of nearly all agents, so that a few that stand far away do not make everyone's cells large. Cells at the
// rim reach out without end.
Bounds CrowdIndex::UsualBounds(const Bounds& all) const {
  constexpr std::size_t kSamples = 256, kOutside = kSamples / 32;
  if (size_ < kSamples) return all;
  std::array<float, kSamples> x, y;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    // A jumble of places: agents at equal distances in memory may stand in a row.
    const std::uint64_t jumbled = (i + 1) * 0x9e3779b97f4a7c15 >> 32 ^ (i + 1) * 0xbf58476d1ce4e5b9 >> 40;
    const Body& body = agents_->body[jumbled % size_];
    x[i] = body.x;
    y[i] = body.y;
  }
  const auto usual = [](std::array<float, kSamples>& values, float& min, float& max) {
    const auto low = values.begin() + kOutside, high = values.end() - 1 - kOutside;
    std::nth_element(values.begin(), low, values.end());
    std::nth_element(low + 1, high, values.end());
    const float margin = 0.25f * (*high - *low);
    min = std::max(min, *low - margin);
    max = std::min(max, *high + margin);
  };
  Bounds bounds = all;
  usual(x, bounds.min_x, bounds.max_x);
  usual(y, bounds.min_y, bounds.max_y);
  return bounds;
}

void CrowdIndex::FitGrid() {
  Bounds all = block_bounds_[0];
  for (const Bounds& bounds : block_bounds_) all.Include(bounds);
  grid_.Fit(UsualBounds(all), size_);
  grid_.PrepareStarts(size_);
  const auto bits = [](std::size_t cells) { return static_cast<int>(std::bit_width(cells - 1)); };
  cell_sort_.Reset(size_, bits(grid_.cells()), bits(Grid::MostCells(size_)), agents_->order_memory(),
                   agents_->key_memory());
}

void CrowdIndex::FindCells(std::size_t begin, std::size_t end) {
  const Body* const body = agents_->body.data();
  for (std::size_t i = begin; i < end; ++i) {
    cell_sort_.keys()[i] = grid_.CellOf(body[i].x, body[i].y);
    cell_sort_.indices()[i] = static_cast<std::uint32_t>(i);
  }
}

void CrowdIndex::CountSharers(std::size_t block, std::size_t begin, std::size_t end) {
  std::uint64_t sharers = 0;
  for (std::size_t place = begin; place < end; ++place) sharers += grid_.AgentsIn(cell_sort_.keys()[place]);
  block_sharers_[block] = sharers;
}

bool CrowdIndex::GridServes() const {
  const auto sharers = std::accumulate(block_sharers_.begin(), block_sharers_.end(), std::uint64_t{0});
  if (sharers > kTooManySharers * size_) return false;
  // Lists of agents nearby make the grid worth while. They reach past the last agent needed by about 0.24 cells of an
  // even crowd; where two agents come nearer than that in a step, none lasts.
  const double even_share = kEvenSharers * static_cast<double>(size_) / static_cast<double>(sharers);
  return 2.0 * static_cast<double>(step_way_) < 0.24 * grid_.cell_size() * std::sqrt(std::min(1.0, even_share));
}

void CrowdIndex::Choose() {
  if (!GridServes()) {
    sorts_by_tree_ = kSortsByTree;
    return BeginTree();
  }
  tree_.Fit(0);
  BeginGather();
}

void CrowdIndex::BeginGather() { Enter(agents_->takes_lists() ? Stage::kInvert : Stage::kGather); }

void CrowdIndex::FinishLevel() {
  if (step_ == 0 && sorted_) tree_.NoteFresh();
  if (step_ == 0 && !sorted_ && tree_.Worn()) return Begin(*agents_, step_way_, moved_);
  if (++step_ == tree_.levels()) Enter(Stage::kDone);
}

void CrowdIndex::BeginTree() {
  tree_sort_.Reset(size_, kMortonBits, kMortonBits, agents_->order_memory(), agents_->long_key_memory());
  tree_.Fit(size_);
  ranks_ = agents_->ranks();
  Enter(Stage::kKeys);
}

// Sorting is stable, so agents on one point stand in order of their ids: those that count there fill few boxes.
void CrowdIndex::FindKeys(std::size_t begin, std::size_t end) {
  for (std::size_t rank = begin; rank < end; ++rank) {
    const Index place = ranks_.place(rank);
    tree_sort_.keys()[rank] = MortonKey(agents_->body[place].x, agents_->body[place].y);
    tree_sort_.indices()[rank] = place;
  }
}

void CrowdIndex::Search(const AgentStore& agents, std::size_t self, std::uint32_t most, float moved,
                        Nearest& nearest) const {
  if (most == 0) return;
  const AgentPlaces places{agents.body.data(), agents.id.data(), moved,
                           agents.keeps_sights() ? agents.sight.data() : nullptr};
  grid_.Search(places, self, agents.body[self].x, agents.body[self].y, most, nearest);
}

std::size_t CrowdIndex::memory_bytes() const {
  return block_bounds_.capacity() * sizeof(Bounds) + block_sharers_.capacity() * sizeof(std::uint64_t) +
         cell_sort_.memory_bytes() + tree_sort_.memory_bytes() + grid_.memory_bytes() + tree_.memory_bytes();
}

}  // namespace throng
