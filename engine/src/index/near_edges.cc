#include "index/near_edges.h"

#include <algorithm>
#include <cmath>

#include "throng/limits.h"

#include "base/bounds.h"

namespace throng {

float ObstacleRange(const AgentStore& agents, std::size_t place) {
  return agents.time_horizon_obstacles[place] * agents.max_speed[place] + agents.radius[place];
}

namespace {

// Whether the edge's own box reaches into the other; without a branch, since chance decides. Distances to an edge are
// computed in floats, whose rounding grows with its length.
bool Meet(const Bounds& box, const ObstacleEdge& edge) {
  const float slack = 2e-6f * (std::abs(edge.vector.x) + std::abs(edge.vector.y));
  const int meet = static_cast<int>(std::max(edge.start.x, edge.end.x) + slack >= box.min_x) &
                   static_cast<int>(std::min(edge.start.x, edge.end.x) - slack <= box.max_x) &
                   static_cast<int>(std::max(edge.start.y, edge.end.y) + slack >= box.min_y) &
                   static_cast<int>(std::min(edge.start.y, edge.end.y) - slack <= box.max_y);
  return meet != 0;
}

// A group whose box is so many times as wide as an agent looks is searched around in two halves.
constexpr float kWide = 8.0f;

// Keys that all differ. No branch depends on them, so that for a few dozen this is faster than better ways.
void SortFew(const std::uint64_t* keys, std::size_t count, std::uint64_t* sorted) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t before = 0;
    for (std::size_t other = 0; other < count; ++other) before += keys[other] < keys[i] ? 1 : 0;
    sorted[before] = keys[i];
  }
}

}  // namespace

// Which agents of a group see an edge, a bit for each. Edges of an obstacle mostly come one after another.
class NearEdges::Onlookers {
 public:
  Onlookers(const AgentStore& agents, std::size_t begin, std::size_t end)
      : agents_(agents), begin_(begin), end_(end), last_seen_(SeenBy(last_)) {}

  std::uint16_t Of(const Sight& obstacle) {
    if (obstacle == last_) return last_seen_;
    last_ = obstacle;
    return last_seen_ = SeenBy(obstacle);
  }

 private:
  std::uint16_t SeenBy(const Sight& obstacle) const {
    static_assert(kGroup <= 16);
    unsigned lanes = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
      lanes |= (Sees(agents_.SightOf(static_cast<Index>(i)), obstacle) ? 1u : 0u) << (i - begin_);
    }
    return static_cast<std::uint16_t>(lanes);
  }

  const AgentStore& agents_;
  const std::size_t begin_, end_;
  Sight last_ = kPlainObstacle;
  std::uint16_t last_seen_;
};

// Edges found for a group, cut down to those it may have to consider before they become too many.
class NearEdges::Candidates {
 public:
  // `onlookers`: null where everyone sees everything.
  Candidates(const EdgeQuery& query, const ObstacleStore& obstacles, KeepEdges keep_edges, Onlookers* onlookers)
      : query_(query),
        obstacles_(obstacles),
        edges_(obstacles.edges()),
        keep_edges_(keep_edges),
        onlookers_(onlookers) {}

  // Adds the edge if it `may` be near. Some may come more than once.
  void Add(EdgeHandle edge, bool may) {
    if (onlookers_ != nullptr) may = may && onlookers_->Of(obstacles_.sight(edge)) != 0;
    if (size_ == kRoom) CutDown();
    if (size_ == kRoom) return;
    places_[size_] = edge;
    size_ += may ? 1 : 0;
  }
  // Writes them in the order of SolveView::near_edges; returns how many, or kManyEdges.
  std::uint32_t Take(std::uint32_t* places) {
    CutDown();
    if (size_ > kNearEdges) return kManyEdges;
    std::copy_n(places_, size_, places);
    return static_cast<std::uint32_t>(size_);
  }

 private:
  static constexpr std::size_t kRoom = 4 * kNearEdges;

  void CutDown() {
    size_ = keep_edges_(query_, edges_, places_, size_);
    // The number in `places_` in the last bits, so that keys differ.
    std::uint64_t keys[kRoom], sorted[kRoom];
    std::uint32_t found[kRoom];
    static_assert(kRoom <= 0x10000 && 2 * kMaxObstacleVertices <= 0x10000);
    for (std::size_t i = 0; i < size_; ++i) {
      const ObstacleEdge& edge = edges_[places_[i]];
      keys[i] = std::uint64_t{edge.obstacle} << 32 | std::uint64_t{edge.index} << 16 | i;
      found[i] = places_[i];
    }
    SortFew(keys, size_, sorted);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      places_[kept] = found[sorted[i] & 0xffff];
      kept += i == 0 || sorted[i] >> 16 != sorted[i - 1] >> 16 ? 1 : 0;
    }
    size_ = kept;
  }

  const EdgeQuery query_;
  const ObstacleStore& obstacles_;
  const ObstacleEdge* const edges_;
  const KeepEdges keep_edges_;
  Onlookers* const onlookers_;
  std::size_t size_ = 0;
  std::uint32_t places_[kRoom];
};

void NearEdges::Begin(const AgentStore& agents, const ObstacleStore& obstacles, const ObstacleIndex& index,
                      KeepEdges keep_edges, float moved, float margin, float step) {
  agents_ = &agents;
  obstacles_ = &obstacles;
  index_ = &index;
  keep_edges_ = keep_edges;
  valid_ = false;
  moved_before_ = moved;
  margin_ = margin;
  step_ = step;
  groups_to_find_ = index.empty() ? 0 : (agents.size() + kGroup - 1) / kGroup;
  near_.Resize(groups_to_find_ * (1 + kNearEdges));
  near_.ShrinkIfSparse();
  sighted_ = agents.keeps_sights() || obstacles.keeps_sights();
  lanes_.Resize(sighted_ ? groups_to_find_ * kNearEdges : 0);
  lanes_.ShrinkIfSparse();
}

void NearEdges::RunBlock(std::size_t block) {
  const std::size_t end = std::min(groups_to_find_, (block + 1) * kBlock);
  const bool any = index_->AnyIn(Reach(block * kBlock * kGroup, std::min(agents_->size(), end * kGroup)));
  for (std::size_t group = block * kBlock; group < end; ++group) {
    if (any) {
      Find(group);
    } else {
      near_[group * (1 + kNearEdges)] = 0;
    }
  }
}

void NearEdges::Find(std::size_t group) {
  const std::size_t begin = group * kGroup, end = std::min(agents_->size(), begin + kGroup);
  const EdgeQuery query{.agents = end - begin,
                        .body = &agents_->body[begin],
                        .radius = &agents_->radius[begin],
                        .max_speed = &agents_->max_speed[begin],
                        .time_horizon_obstacles = &agents_->time_horizon_obstacles[begin],
                        .margin = MarginOf(begin, end)};
  Onlookers onlookers(*agents_, begin, end);
  Candidates candidates(query, *obstacles_, keep_edges_, sighted_ ? &onlookers : nullptr);
  Search(begin, end, candidates);
  std::uint32_t* const near = near_.data() + group * (1 + kNearEdges);
  near[0] = candidates.Take(near + 1);
  if (!sighted_ || near[0] == kManyEdges) return;
  std::uint16_t* const lanes = lanes_.data() + group * kNearEdges;
  for (std::uint32_t i = 0; i < near[0]; ++i) lanes[i] = onlookers.Of(obstacles_->sight(near[1 + i]));
}

void NearEdges::Search(std::size_t begin, std::size_t end, Candidates& candidates) const {
  const Bounds box = Reach(begin, end);
  const float range = ObstacleRange(*agents_, begin) + MarginOf(begin, begin + 1);
  if (end - begin > 1 && std::max(box.max_x - box.min_x, box.max_y - box.min_y) > kWide * range) {
    const std::size_t middle = begin + (end - begin) / 2;
    Search(begin, middle, candidates);
    Search(middle, end, candidates);
    return;
  }
  index_->Search(box, [&](EdgeHandle edge) { candidates.Add(edge, Meet(box, obstacles_->edge(edge))); });
}

// What agents [begin, end) may look at, and a little more for the rounding of distances, which grows with coordinates.
Bounds NearEdges::Reach(std::size_t begin, std::size_t end) const {
  float range = 0.0f;
  Bounds box = Bounds::Of(agents_->body[begin].x, agents_->body[begin].y);
  for (std::size_t i = begin; i < end; ++i) {
    range = std::max(range, ObstacleRange(*agents_, i));
    box.Include(agents_->body[i].x, agents_->body[i].y);
  }
  const float largest = std::max({std::abs(box.min_x), std::abs(box.max_x), std::abs(box.min_y), std::abs(box.max_y)});
  return box.Widened((range + MarginOf(begin, end)) * 1.0001f + 1e-6f * largest);
}

// [m] Added to how far agents look: what any may move, and where a step's way is longer than what it looks at, the
// difference. Edges have a skin as well (solve/cut.h), a few roundings of coordinates wide.
float NearEdges::MarginOf(std::size_t begin, std::size_t end) const {
  if (step_ == 0.0f) return margin_;
  float longer = 0.0f;
  for (std::size_t i = begin; i < end; ++i) {
    const float largest = std::max(std::abs(agents_->body[i].x), std::abs(agents_->body[i].y));
    const float way = 1.0001f * step_ * agents_->max_speed[i] + 2e-6f * (largest + agents_->radius[i]);
    longer = std::max(longer, way - ObstacleRange(*agents_, i));
  }
  return margin_ + longer;
}

}  // namespace throng
