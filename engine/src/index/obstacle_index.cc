#include "index/obstacle_index.h"

#include <algorithm>
#include <cmath>

#include "base/memory.h"

namespace throng {
namespace {

template <class Map>
void ShrinkBlocks(Map& map) {
  constexpr std::size_t kSmall = 64;  // slots
  if (map.empty()) {
    Release(map);
  } else if (map.capacity() > kSmall && map.capacity() / 8 > map.size()) {
    map.rehash(0);
  }
}

// Without a call of the library's, which is most of the cost of finding a cell. Precondition: it fits.
std::int64_t Floor(double value) {
  const auto towards_zero = static_cast<std::int64_t>(value);
  return towards_zero - (static_cast<double>(towards_zero) > value ? 1 : 0);
}

}  // namespace

ObstacleIndex::Place ObstacleIndex::PlaceOf(Vec2 start, Vec2 end) {
  const double length = std::max(std::abs(double{end.x} - start.x), std::abs(double{end.y} - start.y));
  int level = 0;
  while (CellSize(level) < length) ++level;
  const double half_inverse_size = 0.5 / CellSize(level);  // a power of two: products with it are exact
  const std::int64_t column = Floor(half_inverse_size * (double{start.x} + end.x));
  const std::int64_t row = Floor(half_inverse_size * (double{start.y} + end.y));
  return {level, BlockKey(column >> kBlockShift, row >> kBlockShift), CellInBlock(column, row)};
}

ObstacleIndex::Window ObstacleIndex::WindowOf(int level, const Bounds& box) {
  const double size = CellSize(level);
  // Distances to edges are computed in floats, whose rounding grows with the coordinates.
  const double largest = std::max({std::abs(double{box.min_x}), std::abs(double{box.min_y}),
                                   std::abs(double{box.max_x}), std::abs(double{box.max_y})});
  const double margin = 0.5 * size + 1e-6 * (largest + size);
  const auto cell = [&](double value) { return Floor(value / size); };
  return {cell(box.min_x - margin), cell(box.max_x + margin), cell(box.min_y - margin), cell(box.max_y + margin)};
}

bool ObstacleIndex::AnyIn(const Bounds& box) const {
  for (int level = 0; level < kLevels; ++level) {
    if (!VisitCells(level, box, [](EdgeHandle) { return false; })) return true;
  }
  return false;
}

void ObstacleIndex::Insert(EdgeHandle handle, Vec2 start, Vec2 end) {
  if (handle >= links_.size()) links_.resize(handle + 1, kFree);
  const Place place = PlaceOf(start, end);
  const auto [block, is_new] = levels_[static_cast<std::size_t>(place.level)].blocks.try_emplace(place.block);
  if (is_new) block->second.fill(kNone);
  EdgeHandle& first = block->second[place.cell];
  links_[handle] = {kNone, first};
  if (first != kNone) links_[first].previous = handle;
  first = handle;
  ++size_;
}

void ObstacleIndex::Remove(EdgeHandle handle, Vec2 start, Vec2 end) {
  const Link link = links_[handle];
  if (link.next != kNone) links_[link.next].previous = link.previous;
  if (link.previous != kNone) {
    links_[link.previous].next = link.next;
  } else {
    const Place place = PlaceOf(start, end);
    auto& blocks = levels_[static_cast<std::size_t>(place.level)].blocks;
    const auto block = blocks.find(place.block);
    block->second[place.cell] = link.next;
    const auto in_use = [](EdgeHandle first) { return first != kNone; };
    if (std::none_of(block->second.begin(), block->second.end(), in_use)) {
      blocks.erase(block);
      ShrinkBlocks(blocks);
    }
  }
  links_[handle] = kFree;
  TrimLinks();
  --size_;
}

void ObstacleIndex::Rename(EdgeHandle from, EdgeHandle to, Vec2 start, Vec2 end) {
  if (to >= links_.size()) links_.resize(to + 1, kFree);
  const Link link = links_[from];
  links_[to] = link;
  if (link.next != kNone) links_[link.next].previous = to;
  if (link.previous != kNone) {
    links_[link.previous].next = to;
  } else {
    const Place place = PlaceOf(start, end);
    levels_[static_cast<std::size_t>(place.level)].blocks.find(place.block)->second[place.cell] = to;
  }
  links_[from] = kFree;
  TrimLinks();
}

void ObstacleIndex::TrimLinks() {
  while (!links_.empty() && links_.back().next == kFree.next) links_.pop_back();
  ShrinkIfSparse(links_);
}

std::size_t ObstacleIndex::memory_bytes() const {
  std::size_t bytes = links_.capacity() * sizeof(Link);
  for (const Level& level : levels_) {
    bytes += level.blocks.capacity() * (sizeof(std::pair<std::uint64_t, Block>) + 1);
  }
  return bytes;
}

}  // namespace throng
