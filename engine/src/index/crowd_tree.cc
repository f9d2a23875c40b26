#include "index/crowd_tree.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/memory.h"

namespace throng {
namespace {

// Bits of a float as an integer that compares as the float does. Both zeros are one place.
std::uint32_t OrderedBits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

std::uint64_t Spread(std::uint32_t bits) {
  std::uint64_t spread = bits;
  spread = (spread | spread << 16) & 0x0000ffff0000ffff;
  spread = (spread | spread << 8) & 0x00ff00ff00ff00ff;
  spread = (spread | spread << 4) & 0x0f0f0f0f0f0f0f0f;
  spread = (spread | spread << 2) & 0x3333333333333333;
  return (spread | spread << 1) & 0x5555555555555555;
}

// From a coordinate to an interval. Subtraction and squares round monotonically, so this never exceeds what the same
// operations give for an agent inside.
float Gap(float value, float min, float max) { return value < min ? min - value : (value > max ? value - max : 0.0f); }

// What is inside may have moved by `moved` along each axis since the box was made.
float DistanceSquared(const Bounds& box, float x, float y, float moved) {
  float dx = Gap(x, box.min_x, box.max_x), dy = Gap(y, box.min_y, box.max_y);
  if (moved > 0.0f) {
    dx = std::max(0.0f, dx * 0.99999f - moved);
    dy = std::max(0.0f, dy * 0.99999f - moved);
  }
  return dx * dx + dy * dy;
}

}  // namespace

std::uint64_t MortonKey(float x, float y) { return Spread(OrderedBits(x)) | Spread(OrderedBits(y)) << 1; }

void CrowdTree::Fit(std::size_t first, std::size_t count) {
  first_ = first;
  count_ = count;
  level_starts_.clear();
  std::size_t total = 0;
  for (std::size_t nodes = (count + kLeaf - 1) / kLeaf; nodes > 0; nodes = nodes > 1 ? (nodes + kFan - 1) / kFan : 0) {
    level_starts_.push_back(total);
    total += nodes;
  }
  if (total > 0) level_starts_.push_back(total);
  ReleaseIfSparse(boxes_, total);
  boxes_.resize(total);
}

void CrowdTree::Build(const AgentPlaces& agents, std::size_t level, std::size_t begin, std::size_t end) {
  for (std::size_t node = begin; node < end; ++node) {
    boxes_[level_starts_[level] + node] = level == 0 ? LeafBox(agents, node) : ParentBox(level, node);
  }
}

CrowdTree::Box CrowdTree::LeafBox(const AgentPlaces& agents, std::size_t node) const {
  const std::size_t begin = first_ + node * kLeaf, end = std::min(begin + kLeaf, first_ + count_);
  Box box{Bounds::Of(agents.body[begin].x, agents.body[begin].y), agents.id[begin]};
  for (std::size_t i = begin + 1; i < end; ++i) {
    box.bounds.Include(agents.body[i].x, agents.body[i].y);
    box.min_id = std::min(box.min_id, agents.id[i]);
  }
  return box;
}

CrowdTree::Box CrowdTree::ParentBox(std::size_t level, std::size_t node) const {
  const Box* const children = boxes_.data() + level_starts_[level - 1];
  const std::size_t begin = node * kFan, end = std::min(begin + kFan, nodes(level - 1));
  Box box = children[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    box.bounds.Include(children[i].bounds);
    box.min_id = std::min(box.min_id, children[i].min_id);
  }
  return box;
}

void CrowdTree::Search(const AgentPlaces& agents, std::size_t self, float x, float y, Nearest& nearest) const {
  if (empty()) return;
  // A level leaves at most kFan - 1 nodes waiting; 2^27 agents make 13 levels.
  std::array<Visit, 64> waiting;
  std::size_t size = 0;
  waiting[size++] = {0, static_cast<std::uint32_t>(levels() - 1), 0};
  while (size > 0) {
    const Visit visit = waiting[--size];
    if (visit.key >= nearest.limit()) continue;
    if (visit.level == 0) {
      const std::size_t begin = first_ + visit.node * kLeaf;
      OfferRun(agents, begin, std::min(begin + kLeaf, first_ + count_), self, x, y, nearest);
      continue;
    }
    const std::uint32_t below = visit.level - 1;
    const std::size_t begin = visit.node * kFan, end = std::min(begin + kFan, nodes(below));
    const std::size_t base = size;
    for (std::size_t child = begin; child < end; ++child) {
      const Box& box = boxes_[level_starts_[below] + child];
      const std::uint64_t key = Nearest::Key(DistanceSquared(box.bounds, x, y, agents.moved), box.min_id);
      if (key >= nearest.limit()) continue;
      // The nearest child goes on top, to be visited next.
      std::size_t place = size++;
      for (; place > base && waiting[place - 1].key < key; --place) waiting[place] = waiting[place - 1];
      waiting[place] = {key, below, static_cast<std::uint32_t>(child)};
    }
  }
}

bool CrowdTree::AnyWithin(float x, float y, float reach) const {
  if (empty()) return false;
  const float reach_squared = reach * reach * 1.00001f;
  std::array<Visit, 64> waiting;
  std::size_t size = 0;
  waiting[size++] = {0, static_cast<std::uint32_t>(levels() - 1), 0};
  while (size > 0) {
    const Visit visit = waiting[--size];
    const Box& box = boxes_[level_starts_[visit.level] + visit.node];
    if (DistanceSquared(box.bounds, x, y, 0.0f) > reach_squared) continue;
    if (visit.level == 0) return true;
    const std::uint32_t below = visit.level - 1;
    const std::size_t begin = visit.node * kFan, end = std::min(begin + kFan, nodes(below));
    for (std::size_t child = begin; child < end; ++child) {
      waiting[size++] = {0, below, static_cast<std::uint32_t>(child)};
    }
  }
  return false;
}

}  // namespace throng
