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

// One edge for all lanes: how far it is, squared, and whether it is in force.
template <class D>
struct EdgeDistance {
  Vec<D> squared;
  Mask<D> faces;
};

template <class D>
HWY_INLINE EdgeDistance<D> DistanceTo(D d, const ObstacleEdge& edge, Pair<Vec<D>> position) {
  using V = Vec<D>;
  const auto pair = [&](Vec2 v) HWY_ATTR { return Pair<V>{hn::Set(d, v.x), hn::Set(d, v.y)}; };
  const V zero = hn::Zero(d);
  const Pair<V> vector = pair(edge.vector);
  const Pair<V> to_start = pair(edge.start) - position;
  const Pair<V> to_end = pair(edge.end) - position;
  const V s = hn::Div(hn::Neg(Dot(to_start, vector)), hn::Set(d, edge.length_squared));
  const V beside = AbsSq(to_start + s * vector);
  const V past_end = hn::IfThenElse(hn::Gt(s, hn::Set(d, 1.0f)), AbsSq(to_end), beside);
  return {hn::IfThenElse(hn::Lt(s, zero), AbsSq(to_start), past_end), hn::Lt(Det(to_start, vector), zero)};
}

// Edges in range of the agents of a vector, the nearest first in each lane.
template <class D>
struct RankedEdges {
  Vec<D> key[kNearEdges];         // squared distance; infinite where there are no more
  Vec<Ints<D>> edge[kNearEdges];  // place
  std::size_t size = 0;
};

// `near` is in the order that equal distances keep: only neighbours change places, and only if the later is nearer.
template <class D>
HWY_INLINE void RankEdges(D d, const ObstacleEdge* edges, const std::uint32_t* near, std::size_t count,
                          Pair<Vec<D>> position, Vec<D> range_squared, RankedEdges<D>& ranked) {
  using V = Vec<D>;
  const Ints<D> di;
  ranked.size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const EdgeDistance<D> distance = DistanceTo(d, edges[near[i]], position);
    const Mask<D> in_force = hn::And(distance.faces, hn::Lt(distance.squared, range_squared));
    if (hn::AllFalse(d, in_force)) continue;
    ranked.key[ranked.size] = hn::IfThenElse(in_force, distance.squared, hn::Inf(d));
    ranked.edge[ranked.size] = hn::Set(di, static_cast<std::int32_t>(near[i]));
    for (std::size_t row = ranked.size++; row > 0; --row) {
      const V before = ranked.key[row - 1], after = ranked.key[row];
      const auto edge_before = ranked.edge[row - 1], edge_after = ranked.edge[row];
      const Mask<D> swap = hn::Lt(after, before);
      const auto swap_edges = hn::RebindMask(di, swap);
      ranked.key[row - 1] = hn::IfThenElse(swap, after, before);
      ranked.key[row] = hn::IfThenElse(swap, before, after);
      ranked.edge[row - 1] = hn::IfThenElse(swap_edges, edge_after, edge_before);
      ranked.edge[row] = hn::IfThenElse(swap_edges, edge_before, edge_after);
    }
  }
}

// Each lane's edge, by its place.
template <class D>
HWY_INLINE EdgesV<D> GatherEdges(D d, const ObstacleEdge* edges, Vec<Ints<D>> places) {
  using V = Vec<D>;
  alignas(64) std::int32_t place[LanesOf<D>()];
  hn::Store(places, Ints<D>(), place);
  // An edge begins with twelve floats, read as three records of four.
  const auto quarter = [&](std::size_t part) HWY_ATTR {
    return GatherBodies(d, [&](std::size_t lane)
                               HWY_ATTR { return reinterpret_cast<const Body*>(&edges[place[lane]].start.x) + part; });
  };
  const Bodies<V> ends = quarter(0), directions = quarter(1), neighbors = quarter(2);
  alignas(64) float length_squared[LanesOf<D>()];
  std::uint32_t start_convex = 0, end_convex = 0;
  for (std::size_t lane = 0; lane < LanesOf<D>(); ++lane) {
    const ObstacleEdge& edge = edges[place[lane]];
    length_squared[lane] = edge.length_squared;
    start_convex |= static_cast<std::uint32_t>(edge.start_convex) << lane;
    end_convex |= static_cast<std::uint32_t>(edge.end_convex) << lane;
  }
  return {ends.position,        ends.velocity,      directions.position,         directions.velocity,
          neighbors.position,   neighbors.velocity, hn::Load(d, length_squared), MaskOf(d, start_convex),
          MaskOf(d, end_convex)};
}

template <class D, class V = Vec<D>>
HWY_INLINE V TangentLength(D d, V distance_squared, V radius) {
  return hn::Sqrt(Larger(hn::Sub(distance_squared, hn::Mul(radius, radius)), hn::Zero(d)));
}

template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> LeftTangent(D d, Pair<V> to_vertex, V radius) {
  const V squared = AbsSq(to_vertex);
  const V leg = TangentLength(d, squared, radius);
  return hn::Div(hn::Set(d, 1.0f), squared) * Pair<V>{hn::Sub(hn::Mul(to_vertex.x, leg), hn::Mul(to_vertex.y, radius)),
                                                      hn::Add(hn::Mul(to_vertex.x, radius), hn::Mul(to_vertex.y, leg))};
}

template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> RightTangent(D d, Pair<V> to_vertex, V radius) {
  const V squared = AbsSq(to_vertex);
  const V leg = TangentLength(d, squared, radius);
  return hn::Div(hn::Set(d, 1.0f), squared) * Pair<V>{hn::Add(hn::Mul(to_vertex.x, leg), hn::Mul(to_vertex.y, radius)),
                                                      hn::Sub(hn::Mul(to_vertex.y, leg), hn::Mul(to_vertex.x, radius))};
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
  obstacle.to_left = Select(end_only, to_end, to_start);
  obstacle.to_right = Select(start_only, to_start, to_end);
  const Mask<D> left_convex = hn::Or(obstacle.vertex_only, edge.start_convex);
  const Mask<D> right_convex = hn::Or(obstacle.vertex_only, edge.end_convex);
  obstacle.left_leg = Select(left_convex, LeftTangent(d, obstacle.to_left, radius), -edge.direction);
  obstacle.right_leg = Select(right_convex, RightTangent(d, obstacle.to_right, radius), edge.direction);
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
HWY_INLINE MaybeLines<D> MakeEdgeLines(D d, const ObstacleSelf<D>& self, const EdgesV<D>& edge, Pair<Vec<D>> to_start,
                                       Pair<Vec<D>> to_end) {
  using V = Vec<D>;
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

  const Pair<V> to_contact = Select(start_touches, to_start, to_end);
  const Pair<V> contact =
      Select(edge_touches, -edge.direction, DirectionOr(d, TurnedLeft(to_contact), -edge.direction));
  result.lines.point = Select(touches, ZeroPair(d), result.lines.point);
  result.lines.direction = Select(touches, contact, result.lines.direction);
  return result;
}

// Lanes in which both ends, as velocities and with the disc around them, lie beyond one line of `rows` [0, count).
template <class D>
HWY_INLINE Mask<D> Covered(D d, const ObstacleSelf<D>& self, Pair<Vec<D>> to_start, Pair<Vec<D>> to_end,
                           const Rows<D>& rows, std::size_t count) {
  using V = Vec<D>;
  const Pair<V> start = self.inverse_horizon * to_start;
  const Pair<V> end = self.inverse_horizon * to_end;
  const V disc_radius = hn::Mul(self.inverse_horizon, self.radius);
  const V slack = hn::Set(d, -kParallel);
  Mask<D> covered = hn::Lt(disc_radius, hn::Zero(d));  // none
  for (std::size_t row = 0; row < count; ++row) {
    const LinesV<V> line = rows[row];
    const Mask<D> both = hn::And(hn::Ge(hn::Sub(Det(start - line.point, line.direction), disc_radius), slack),
                                 hn::Ge(hn::Sub(Det(end - line.point, line.direction), disc_radius), slack));
    covered = hn::Or(covered, hn::AndNot(IsInert(d, line), both));
  }
  return covered;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
