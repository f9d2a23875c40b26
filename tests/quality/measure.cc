#include "tests/quality/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace throng::quality {
namespace {

constexpr double kTurnThreshold = 10.0 * std::numbers::pi / 180.0;  // [rad] a swing back by less is no change
constexpr double kMovingPart = 0.05;  // of the preferred speed: slower, and its direction says nothing
constexpr double kPartedRadii = 0.02;

double Length(Vec2 v) { return Distance(Vec2{}, v); }

}  // namespace

Meter::Meter(const Options& options, std::vector<Body> bodies, std::vector<Edge> edges)
    : options_(options),
      bodies_(std::move(bodies)),
      edges_(std::move(edges)),
      second_(std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(1.0 / options.time_step)))),
      tracks_(bodies_.size()) {}

void Meter::Observe(const std::vector<Sample>& samples) {
  if (last_.empty()) {
    Begin(samples);
  } else {
    ++ticks_;
    std::size_t stalled = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (last_[i].present) Move(i, last_[i], samples[i]);
      if (!samples[i].present) tracks_[i].stalled = false;
      if (tracks_[i].stalled) ++stalled;
    }
    measures_.stalled = stalled;
    measures_.stalled_most = std::max(measures_.stalled_most, stalled);
    WatchRest(last_, samples);
  }
  WatchOverlaps(samples);
  last_ = samples;
}

void Meter::Begin(const std::vector<Sample>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    tracks_[i].start = tracks_[i].anchor = samples[i].position;
    by_x_.push_back(static_cast<std::uint32_t>(i));
  }
}

void Meter::Move(std::size_t agent, const Sample& before, const Sample& now) {
  Track& track = tracks_[agent];
  if (!track.arrival) track.way += Distance(before.position, now.position);
  if (!now.arrived) track.arrival.reset();
  if (now.arrived && !track.arrival) track.arrival = time();
  if (options_.opening && !track.passage && Crosses(before.position, now.position, *options_.opening)) {
    track.passage = time();
  }
  if (bodies_[agent].kinematic) return;
  WatchWalls(agent, before.position, now.position);
  WatchProgress(agent, before, now);
  if (now.stalled) tracks_[agent].stalled = *now.stalled;
  WatchTurning(agent, now.velocity);
}

void Meter::WatchWalls(std::size_t agent, Vec2 before, Vec2 now) {
  Track& track = tracks_[agent];
  track.clear -= Distance(before, now);
  if (track.clear > 0.0) {
    track.anchor = now;
    return;
  }
  bool crossed = false;
  bool on_edge = false;
  double nearest = 1e9;
  for (const Edge& edge : edges_) {
    crossed = crossed || Crosses(track.anchor, now, edge);
    on_edge = on_edge || IsOn(now, edge);
    nearest = std::min(nearest, Distance(now, edge));
  }
  if (crossed) ++measures_.wall_crossings;
  // From an edge itself no side can be told: the next move is judged from where the last side was known.
  if (!on_edge || crossed) track.anchor = now;
  track.clear = on_edge ? 0.0 : nearest * 0.999;  // a little less, for the roundings of all the moves
}

void Meter::WatchProgress(std::size_t agent, const Sample& before, const Sample& now) {
  Track& track = tracks_[agent];
  const double wanted = Length(now.wanted);
  if (wanted <= 0.1 * double{bodies_[agent].max_speed}) {
    track.wanting = 0;
    track.wish_sum = track.progress_sum = 0.0;
    track.stalled = false;
    return;
  }
  if (track.wish.empty()) {
    track.wish.resize(second_);
    track.progress.resize(second_);
  }
  const double moved_x = double{now.position.x} - double{before.position.x};
  const double moved_y = double{now.position.y} - double{before.position.y};
  const std::size_t slot = track.wanting % second_;
  if (track.wanting >= second_) {
    track.wish_sum -= track.wish[slot];
    track.progress_sum -= track.progress[slot];
  }
  track.wish[slot] = wanted * options_.time_step;
  track.progress[slot] = (moved_x * double{now.wanted.x} + moved_y * double{now.wanted.y}) / wanted;
  track.wish_sum += track.wish[slot];
  track.progress_sum += track.progress[slot];
  ++track.wanting;
  track.stalled = track.wanting >= second_ && track.progress_sum < 0.1 * track.wish_sum;
}

void Meter::WatchTurning(std::size_t agent, Vec2 velocity) {
  if (Length(velocity) <= kMovingPart * double{bodies_[agent].preferred_speed}) return;
  ++moving_ticks_;
  Turning& turning = tracks_[agent].turning;
  const double x = double{velocity.x};
  const double y = double{velocity.y};
  const double turn = turning.any ? std::atan2(turning.x * y - turning.y * x, turning.x * x + turning.y * y) : 0.0;
  turning.any = true;
  turning.x = x;
  turning.y = y;
  if (std::abs(turn) > 0.5 * std::numbers::pi) {  // it goes back
    ++turning.changes;
    turning.sense = 0;
    turning.swing = 0.0;
    return;
  }
  if (turning.sense == 0) {
    turning.swing += turn;
    if (std::abs(turning.swing) <= kTurnThreshold) return;
    turning.sense = turning.swing > 0.0 ? 1 : -1;
    turning.swing = 0.0;
    return;
  }
  turning.swing = std::max(0.0, turning.swing - turning.sense * turn);
  if (turning.swing <= kTurnThreshold) return;
  ++turning.changes;
  turning.sense = -turning.sense;
  turning.swing = 0.0;
}

void Meter::WatchOverlaps(const std::vector<Sample>& samples) {
  const auto left = [&](std::uint32_t i) { return double{samples[i].position.x} - double{bodies_[i].radius}; };
  std::erase_if(by_x_, [&](std::uint32_t i) { return !samples[i].present; });
  for (std::size_t i = 1; i < by_x_.size(); ++i) {  // nearly in order already
    const std::uint32_t agent = by_x_[i];
    std::size_t place = i;
    for (; place > 0 && left(agent) < left(by_x_[place - 1]); --place) by_x_[place] = by_x_[place - 1];
    by_x_[place] = agent;
  }
  double deepest = 0.0;
  double deepest_radii = 0.0;
  for (std::size_t i = 0; i < by_x_.size(); ++i) {
    const std::uint32_t a = by_x_[i];
    const double right = double{samples[a].position.x} + double{bodies_[a].radius};
    for (std::size_t j = i + 1; j < by_x_.size() && left(by_x_[j]) < right; ++j) {
      const std::uint32_t b = by_x_[j];
      const double reach = double{bodies_[a].radius} + double{bodies_[b].radius};
      if (std::abs(double{samples[a].position.y} - double{samples[b].position.y}) >= reach) continue;
      const double depth = reach - Distance(samples[a].position, samples[b].position);
      deepest = std::max(deepest, depth);
      deepest_radii = std::max(deepest_radii, depth / double{std::min(bodies_[a].radius, bodies_[b].radius)});
    }
  }
  if (deepest_radii > kPartedRadii) measures_.parted = time();
  if (time() < options_.overlap_from) return;
  measures_.overlap = std::max(measures_.overlap, deepest);
  measures_.overlap_radii = std::max(measures_.overlap_radii, deepest_radii);
}

void Meter::WatchRest(const std::vector<Sample>& before, const std::vector<Sample>& now) {
  double fastest = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!now[i].resting || !now[i].present || bodies_[i].kinematic) continue;
    const double made = Distance(before[i].position, now[i].position) / options_.time_step;
    fastest = std::max({fastest, Length(now[i].velocity), made});
  }
  idle_speeds_.push_back(fastest);
}

std::optional<double> Meter::Flow() const {
  if (!options_.opening) return std::nullopt;
  double first = time();
  double last = 0.0;
  std::size_t passed = 0;
  for (const Track& track : tracks_) {
    if (!track.passage) continue;
    ++passed;
    first = std::min(first, *track.passage);
    last = std::max(last, *track.passage);
  }
  if (passed < tracks_.size()) last = time();  // whoever is still waiting for its turn keeps the clock running
  if (passed < 2 || last <= first) return 0.0;
  return static_cast<double>(passed - 1) / (last - first) / Distance(options_.opening->a, options_.opening->b);
}

Measures Meter::Finish() const {
  Measures measures = measures_;
  std::size_t goals = 0;
  std::size_t arrived = 0;
  std::uint64_t changes = 0;
  double way = 0.0;
  double straight = 0.0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track& track = tracks_[i];
    changes += track.turning.changes;
    if (!bodies_[i].has_goal) {
      measures.drift = std::max(measures.drift, Distance(track.start, last_[i].position));
      continue;
    }
    ++goals;
    if (!track.arrival) continue;
    ++arrived;
    way += track.way;
    straight += bodies_[i].straight;
    measures.last_arrival = std::max(measures.last_arrival.value_or(0.0), *track.arrival);
  }
  if (goals > 0) measures.arrived = static_cast<double>(arrived) / static_cast<double>(goals);
  if (straight > 0.0) measures.detour = way / straight;
  if (moving_ticks_ > 0) {
    measures.zigzag = static_cast<double>(changes) / (static_cast<double>(moving_ticks_) * options_.time_step);
  }
  const std::size_t last_second = std::min(second_, idle_speeds_.size());
  for (auto speed = idle_speeds_.end() - static_cast<std::ptrdiff_t>(last_second); speed != idle_speeds_.end();
       ++speed) {
    measures.idle_speed = std::max(measures.idle_speed, *speed);
  }
  measures.flow = Flow();
  return measures;
}

}  // namespace throng::quality
