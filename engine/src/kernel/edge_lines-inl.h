// The half-planes of obstacle edges (DESIGN.md, 3.1), one agent a lane: the same operations in the same order as
// solve/obstacle_lines.cc, with selects in place of branches.
#include "kernel/lanes-inl.h"
#include "kernel/program-inl.h"
#include "store/obstacle_edge.h"

#if defined(THRONG_KERNEL_EDGE_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_EDGE_LINES_INL_H_
#undef THRONG_KERNEL_EDGE_LINES_INL_H_
#else
#define THRONG_KERNEL_EDGE_LINES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// An edge in each lane.
template <class D>
struct EdgesV {
  using V = Vec<D>;
  Pair<V> start, end, vector, direction, previous_direction, next_direction;
  V length_squared;
  Mask<D> start_convex, end_convex;
};

// What an agent's half-planes against edges depend on.
template <class D>
struct ObstacleSelf {
  using V = Vec<D>;
  Pair<V> position;
  Pair<V> velocity;
  V radius;
  V inverse_horizon;  // [1/s] towards obstacles
};

// An edge's vertices as each lane's agent sees them.
template <class V>
struct Ends {
  Pair<V> start, end;  // [m] from the agent
};

// One edge for all lanes.
template <class D>
HWY_INLINE Pair<Vec<D>> SetPair(D d, Vec2 v) {
  return {hn::Set(d, v.x), hn::Set(d, v.y)};
}
template <class D>
HWY_INLINE Ends<Vec<D>> EndsOf(D d, const ObstacleEdge& edge, Pair<Vec<D>> position) {
  return {SetPair(d, edge.start) - position, SetPair(d, edge.end) - position};
}

// [m^2] See store/obstacle_edge.h.
template <class D, class V = Vec<D>>
HWY_INLINE V DistanceSquaredTo(D d, const ObstacleEdge& edge, const Ends<V>& to) {
  const Pair<V> vector = SetPair(d, edge.vector);
  const V s = hn::Div(hn::Neg(Dot(to.start, vector)), hn::Set(d, edge.length_squared));
  const V beside = AbsSq(to.start + s * vector);
  const V past_end = hn::IfThenElse(hn::Gt(s, hn::Set(d, 1.0f)), AbsSq(to.end), beside);
  return hn::IfThenElse(hn::Lt(s, hn::Zero(d)), AbsSq(to.start), past_end);
}

// Edges that lanes have yet to look at, in the order that equal distances keep.
template <class D>
struct EdgesLeft {
  Vec<D> key[kNearEdges];          // [m^2] squared distance; infinite in lanes that need not look at the edge
  std::uint32_t edge[kNearEdges];  // place
  std::size_t size = 0;            // those that any lane has to look at
};

// Each lane's nearest edge of those left; of equally near ones the first.
template <class D>
struct NearestEdges {
  Vec<D> key;           // infinite where there is none
  Vec<Ints<D>> places;  // any, where there is none

  explicit NearestEdges(D d) : key(hn::Inf(d)), places(hn::Zero(Ints<D>())) {}
  HWY_INLINE void Offer(Vec<D> offered, std::uint32_t edge) {
    const Ints<D> di;
    const Mask<D> nearer = hn::Lt(offered, key);
    key = hn::Min(offered, key);
    places = hn::IfThenElse(hn::RebindMask(di, nearer), hn::Set(di, static_cast<std::int32_t>(edge)), places);
  }
  HWY_INLINE Mask<D> present(D d) const { return hn::Lt(key, hn::Inf(d)); }
};

// Which agents of a group see the edges near it, see SolveView::near_lanes; the vector begins at lane `first`.
struct SeenEdges {
  const std::uint16_t* lanes = nullptr;  // null: all of them see all
  std::size_t first = 0;
};

// Of `near` those seen, in force and in range; returns the nearest of them. `pairs`: how many there are, summed over
// lanes.
template <class D>
HWY_INLINE NearestEdges<D> FindInRange(D d, const ObstacleEdge* edges, const std::uint32_t* near, std::size_t count,
                                       const SeenEdges& seen, Pair<Vec<D>> position, Vec<D> range_squared,
                                       EdgesLeft<D>& left, std::uint64_t& pairs) {
  using V = Vec<D>;
  NearestEdges<D> nearest(d);
  left.size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const ObstacleEdge& edge = edges[near[i]];
    const Ends<V> to = EndsOf(d, edge, position);
    const Mask<D> faces = hn::Lt(Det(to.start, SetPair(d, edge.vector)), hn::Zero(d));
    const V squared = DistanceSquaredTo(d, edge, to);
    Mask<D> in_force = hn::And(faces, hn::Lt(squared, range_squared));
    if (seen.lanes != nullptr) {
      in_force = hn::And(in_force, MaskOf(d, static_cast<std::uint32_t>(seen.lanes[i]) >> seen.first));
    }
    left.key[left.size] = hn::IfThenElse(in_force, squared, hn::Inf(d));
    left.edge[left.size] = near[i];
    nearest.Offer(left.key[left.size], near[i]);
    const std::size_t lanes = hn::CountTrue(d, in_force);
    left.size += lanes > 0 ? 1 : 0;
    pairs += lanes;
  }
  return nearest;
}

// Lanes in which both ends, as velocities and with the disc around them, lie beyond the line.
template <class D, class V = Vec<D>>
HWY_INLINE Mask<D> Covers(D d, const ObstacleSelf<D>& self, const LinesV<V>& line, const Ends<V>& to) {
  const V disc_radius = hn::Mul(self.inverse_horizon, self.radius);
  const V slack = hn::Set(d, -kParallel);
  const auto beyond = [&](Pair<V> to_end) HWY_ATTR {
    const Pair<V> end = self.inverse_horizon * to_end;
    return hn::Ge(hn::Sub(Det(end - line.point, line.direction), disc_radius), slack);
  };
  return hn::And(beyond(to.start), beyond(to.end));
}

// Takes away each lane's edge in `looked_at`, and edges that its line hides, in lanes of `has_line`. Returns the
// nearest of those left.
template <class D>
HWY_INLINE NearestEdges<D> TakeAway(D d, const ObstacleEdge* edges, const ObstacleSelf<D>& self,
                                    const NearestEdges<D>& looked_at, const LinesV<Vec<D>>& lines, Mask<D> has_line,
                                    EdgesLeft<D>& left) {
  const Ints<D> di;
  NearestEdges<D> nearest(d);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < left.size; ++i) {
    const std::uint32_t edge = left.edge[i];
    const Mask<D> covered = Covers(d, self, lines, EndsOf(d, edges[edge], self.position));
    const auto done = hn::Eq(looked_at.places, hn::Set(di, static_cast<std::int32_t>(edge)));
    const Mask<D> gone = hn::Or(hn::And(has_line, covered), hn::RebindMask(d, done));
    const Vec<D> key = hn::IfThenElse(gone, hn::Inf(d), left.key[i]);
    nearest.Offer(key, edge);
    left.key[kept] = key;
    left.edge[kept] = edge;
    kept += hn::AllFalse(d, hn::Lt(key, hn::Inf(d))) ? 0 : 1;
  }
  left.size = kept;
  return nearest;
}

// Each lane's edge, by its place.
template <class D>
HWY_INLINE EdgesV<D> GatherEdges(D d, const ObstacleEdge* edges, Vec<Ints<D>> places) {
  using V = Vec<D>;
  const Ints<D> di;
  alignas(64) std::int32_t place[LanesOf<D>()];
  hn::Store(places, di, place);
  // An edge begins with three records of four words; the rest follows from them, to the bit.
  const auto quarter = [&](std::size_t part) HWY_ATTR {
    return GatherBodies(d, [&](std::size_t lane)
                               HWY_ATTR { return reinterpret_cast<const Body*>(&edges[place[lane]].start.x) + part; });
  };
  const Bodies<V> ends = quarter(0), directions = quarter(1), next = quarter(2);
  const auto flag = [&](int bit) HWY_ATTR {
    return hn::RebindMask(d, hn::TestBit(hn::BitCast(di, next.velocity.x), hn::Set(di, 1 << bit)));
  };
  const Pair<V> vector = ends.velocity - ends.position;
  return {ends.position,       ends.velocity,         vector,
          directions.position, directions.velocity,   next.position,
          AbsSq(vector),       flag(kStartConvexBit), flag(kEndConvexBit)};
}

// What the tangents from an agent to its own disc around a vertex are made of.
template <class V>
struct Tangents {
  Pair<V> to_vertex;  // [m]
  V length;           // [m]
  V inverse_squared;  // [1/m^2] of to_vertex
};

template <class D, class V = Vec<D>>
HWY_INLINE Tangents<V> TangentsTo(D d, Pair<V> to_vertex, V radius) {
  const V squared = AbsSq(to_vertex);
  return {to_vertex, hn::Sqrt(Larger(hn::Sub(squared, hn::Mul(radius, radius)), hn::Zero(d))),
          hn::Div(hn::Set(d, 1.0f), squared)};
}
template <class M, class V>
HWY_INLINE Tangents<V> Select(M mask, const Tangents<V>& yes, const Tangents<V>& no) {
  return {Select(mask, yes.to_vertex, no.to_vertex), hn::IfThenElse(mask, yes.length, no.length),
          hn::IfThenElse(mask, yes.inverse_squared, no.inverse_squared)};
}

template <class V>
HWY_INLINE Pair<V> LeftTangent(const Tangents<V>& of, V radius) {
  const Pair<V> to = of.to_vertex;
  return of.inverse_squared * Pair<V>{hn::Sub(hn::Mul(to.x, of.length), hn::Mul(to.y, radius)),
                                      hn::Add(hn::Mul(to.x, radius), hn::Mul(to.y, of.length))};
}

template <class V>
HWY_INLINE Pair<V> RightTangent(const Tangents<V>& of, V radius) {
  const Pair<V> to = of.to_vertex;
  return of.inverse_squared * Pair<V>{hn::Add(hn::Mul(to.x, of.length), hn::Mul(to.y, radius)),
                                      hn::Sub(hn::Mul(to.y, of.length), hn::Mul(to.x, radius))};
}

// A velocity obstacle: the discs around two vertices joined by the cut-off line, left by two legs.
template <class D>
struct VelocityObstacle {
  using V = Vec<D>;
  Pair<V> to_left, to_right;    // [m]
  Pair<V> left_leg, right_leg;  // unit directions
  Mask<D> left_foreign, right_foreign;
  Mask<D> vertex_only;
};

// The velocity obstacle of the start alone, of the end alone, or else of the whole edge.
template <class D>
HWY_INLINE VelocityObstacle<D> MakeVelocityObstacle(D d, const EdgesV<D>& edge, Pair<Vec<D>> to_start,
                                                    Pair<Vec<D>> to_end, Vec<D> radius, Mask<D> start_only,
                                                    Mask<D> end_only) {
  using V = Vec<D>;
  const V zero = hn::Zero(d);
  VelocityObstacle<D> obstacle;
  obstacle.vertex_only = hn::Or(start_only, end_only);
  // Roots and quotients of both vertices begin before it is known which vertices count.
  const Tangents<V> start = TangentsTo(d, to_start, radius), end = TangentsTo(d, to_end, radius);
  const Tangents<V> left = Select(end_only, end, start), right = Select(start_only, start, end);
  obstacle.to_left = left.to_vertex;
  obstacle.to_right = right.to_vertex;
  const Mask<D> left_convex = hn::Or(obstacle.vertex_only, edge.start_convex);
  const Mask<D> right_convex = hn::Or(obstacle.vertex_only, edge.end_convex);
  obstacle.left_leg = Select(left_convex, LeftTangent(left, radius), -edge.direction);
  obstacle.right_leg = Select(right_convex, RightTangent(right, radius), edge.direction);
  const Pair<V> arriving = Select(end_only, edge.direction, edge.previous_direction);
  const Pair<V> leaving = Select(start_only, edge.direction, edge.next_direction);
  obstacle.left_foreign = hn::And(left_convex, hn::Ge(Det(obstacle.left_leg, -arriving), zero));
  obstacle.right_foreign = hn::And(right_convex, hn::Le(Det(obstacle.right_leg, leaving), zero));
  obstacle.left_leg = Select(obstacle.left_foreign, -arriving, obstacle.left_leg);
  obstacle.right_leg = Select(obstacle.right_foreign, leaving, obstacle.right_leg);
  return obstacle;
}

template <class D>
struct MaybeLines {
  LinesV<Vec<D>> lines;
  Mask<D> present;
};

// The tangent to the velocity obstacle's boundary where the velocity is nearest to it.
template <class D>
HWY_INLINE MaybeLines<D> Project(D d, const ObstacleSelf<D>& self, const EdgesV<D>& edge,
                                 const VelocityObstacle<D>& obstacle) {
  using V = Vec<D>;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f), never = hn::Inf(d);
  const V disc_radius = hn::Mul(self.inverse_horizon, self.radius);
  const Pair<V> left = self.inverse_horizon * obstacle.to_left;
  const Pair<V> right = self.inverse_horizon * obstacle.to_right;
  const Pair<V> cutoff = self.inverse_horizon * edge.vector;
  const Pair<V> from_left = self.velocity - left;
  const Pair<V> from_right = self.velocity - right;
  const Mask<D> vertex_only = obstacle.vertex_only;

  const V along = hn::Div(Dot(from_left, cutoff), Larger(AbsSq(cutoff), hn::Set(d, kTinySquared)));
  const V t = hn::IfThenElse(vertex_only, hn::Set(d, 0.5f), along);
  const V t_left = Dot(from_left, obstacle.left_leg);
  const V t_right = Dot(from_right, obstacle.right_leg);
  const Mask<D> before_left = hn::Lt(t_left, zero), before_right = hn::Lt(t_right, zero);
  const Mask<D> left_disc =
      hn::Or(hn::And(hn::Lt(t, zero), before_left), hn::And(vertex_only, hn::And(before_left, before_right)));
  const Mask<D> right_disc = hn::AndNot(left_disc, hn::And(hn::Gt(t, one), before_right));
  const Mask<D> disc = hn::Or(left_disc, right_disc);

  const Pair<V> center = Select(left_disc, left, right);
  const Pair<V> normal = DirectionOr(d, self.velocity - center, TurnedRight(edge.direction));

  const Mask<D> off_cutoff = hn::Or(vertex_only, hn::Or(hn::Lt(t, zero), hn::Gt(t, one)));
  const V to_cutoff = hn::IfThenElse(off_cutoff, never, AbsSq(self.velocity - (left + t * cutoff)));
  const V to_left = hn::IfThenElse(before_left, never, AbsSq(self.velocity - (left + t_left * obstacle.left_leg)));
  const V to_right = hn::IfThenElse(before_right, never, AbsSq(self.velocity - (right + t_right * obstacle.right_leg)));
  const Mask<D> on_cutoff = hn::And(hn::Le(to_cutoff, to_left), hn::Le(to_cutoff, to_right));
  const Mask<D> on_left = hn::AndNot(on_cutoff, hn::Le(to_left, to_right));
  const Mask<D> on_right = hn::Not(hn::Or(on_cutoff, on_left));

  const Pair<V> beside = Select(on_cutoff, -edge.direction, Select(on_left, obstacle.left_leg, -obstacle.right_leg));
  const Pair<V> origin = Select(on_right, right, left);

  MaybeLines<D> result;
  result.lines.point = Select(disc, center + disc_radius * normal, origin + disc_radius * TurnedLeft(beside));
  result.lines.direction = Select(disc, TurnedRight(normal), beside);
  const Mask<D> foreign = hn::Or(hn::And(on_left, obstacle.left_foreign), hn::And(on_right, obstacle.right_foreign));
  result.present = hn::Or(disc, hn::Not(foreign));
  return result;
}

// Of one edge in each lane, without regard to nearer edges.
template <class D>
HWY_INLINE MaybeLines<D> MakeEdgeLines(D d, const ObstacleSelf<D>& self, const EdgesV<D>& edge) {
  using V = Vec<D>;
  const Pair<V> to_start = edge.start - self.position;
  const Pair<V> to_end = edge.end - self.position;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V contact_squared = Larger(hn::Mul(self.radius, self.radius), hn::Set(d, kTinySquared));
  const V s = hn::Div(hn::Neg(Dot(to_start, edge.vector)), edge.length_squared);
  const Mask<D> before = hn::Lt(s, zero), past = hn::Gt(s, one);
  const Mask<D> beside = hn::And(hn::Ge(s, zero), hn::Le(s, one));
  const Mask<D> line_touches = hn::Le(AbsSq(to_start + s * edge.vector), contact_squared);
  const Mask<D> start_touches = hn::And(before, hn::Le(AbsSq(to_start), contact_squared));
  const Mask<D> end_touches = hn::And(past, hn::Le(AbsSq(to_end), contact_squared));
  const Mask<D> edge_touches = hn::And(beside, line_touches);
  const Mask<D> touches = hn::Or(edge_touches, hn::Or(start_touches, end_touches));
  const Mask<D> start_only = hn::AndNot(start_touches, hn::And(before, line_touches));
  const Mask<D> end_only = hn::AndNot(end_touches, hn::And(past, line_touches));

  MaybeLines<D> result =
      Project(d, self, edge, MakeVelocityObstacle(d, edge, to_start, to_end, self.radius, start_only, end_only));
  // A vertex that is reflex is the affair of the edge beside it; so is contact with an end whose next edge is seen.
  const Mask<D> at_start = hn::Or(start_touches, start_only), at_end = hn::Or(end_touches, end_only);
  const Mask<D> next_seen = hn::And(end_touches, hn::Not(hn::Ge(Det(to_end, edge.next_direction), zero)));
  const Mask<D> passed_on =
      hn::Or(hn::Or(hn::AndNot(edge.start_convex, at_start), hn::AndNot(edge.end_convex, at_end)), next_seen);
  result.present = hn::AndNot(passed_on, hn::Or(result.present, touches));

  if (hn::AllFalse(d, touches)) return result;
  const Pair<V> to_contact = Select(start_touches, to_start, to_end);
  const Pair<V> contact =
      Select(edge_touches, -edge.direction, DirectionOr(d, TurnedLeft(to_contact), -edge.direction));
  result.lines.point = Select(touches, ZeroPair(d), result.lines.point);
  result.lines.direction = Select(touches, contact, result.lines.direction);
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
