#include "solve/cut.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/room.h"
#include "throng/limits.h"

namespace throng {
namespace {

constexpr double kSkin = 0x1p-21;    // of coordinates, path and radius: four roundings of a float
constexpr double kNoise = 0x1p-40;   // of an edge's coordinates and length: far above the rounding of doubles
constexpr double kGuard = 0.25;      // of the skin: what the rounded end of a move keeps out of
constexpr double kCore = 1.0 / 16;   // of the width, see Meet
constexpr double kYield = 1.0 / 64;  // of the width: a move may come so much nearer within it without a cut

// Where a path meets an edge's box.
struct Meeting {
  double when = 0.0;    // part of the path, in [0, 1]
  bool at_end = false;  // at the box's side beyond an end of the edge, not the one along it
};

// The part of a path during which its place along the edge is within the box.
struct Span {
  double begin = 0.0;
  double end = 1.0;
};
std::optional<Span> Within(double from, double to, double low, double high) {
  Span span;
  if (from < low) {
    if (to < low) return std::nullopt;
    span.begin = (low - from) / (to - from);
  } else if (from > high) {
    if (to > high) return std::nullopt;
    span.begin = (from - high) / (from - to);
  }
  if (to > high) {
    span.end = (high - from) / (to - from);
  } else if (to < low) {
    span.end = (from - low) / (from - to);
  }
  return span;
}

// A path that begins inside the box's core: moves along the edge are free, moves nearer are not. Beyond an end, what
// comes nearer to the end is not.
std::optional<Meeting> MeetFromInside(double before, double before_end, double along, double along_end, double length) {
  if (along < 0.0) return along_end > along ? std::optional(Meeting{0.0, true}) : std::nullopt;
  if (along > length) return along_end < along ? std::optional(Meeting{0.0, true}) : std::nullopt;
  if (before == 0.0) return std::nullopt;  // on the edge is not in front of it
  return before_end < before ? std::optional(Meeting{0.0, false}) : std::nullopt;
}

// Whether and where a path comes into the box, or nearer to the edge within it. The core, the sixteenth of the box that
// is nearest to the edge's line, is closed from the ends too, lest an agent walks into the edge lengthwise; the rest is
// not, since who slides along one edge comes to the next a little within its box.
std::optional<Meeting> Meet(const EdgeFrame& edge, Vec2d from, Vec2d to, double width) {
  const double before = edge.Before(from);
  if (before < 0.0) return std::nullopt;
  const double before_end = edge.Before(to);
  if (before > width && before_end > width) return std::nullopt;
  const double along = edge.Along(from), along_end = edge.Along(to);
  const std::optional<Span> span = Within(along, along_end, -width, edge.length + width);
  if (!span) return std::nullopt;
  const double change = before_end - before;
  const double entry = before + span->begin * change;
  if (entry < -width) return std::nullopt;  // passes behind, beyond the end
  if (entry < kCore * width) {
    if (span->begin > 0.0) return Meeting{span->begin, true};
    return MeetFromInside(before, before_end, along, along_end, edge.length);
  }
  const double exit = before + span->end * change;
  if (!(exit < std::min(entry, width) - kYield * width)) return std::nullopt;
  if (entry <= width) return Meeting{span->begin, false};
  return Meeting{(before - width) / (before - before_end), false};
}

// The first of what a path meets.
struct First {
  const ObstacleEdge* edge = nullptr;
  Meeting meeting{2.0};
};
First FindFirst(Vec2d from, Vec2d to, double skin, const ObstacleEdge* but,
                std::span<const ObstacleEdge* const> edges) {
  First first;
  for (const ObstacleEdge* const edge : edges) {
    if (edge == but) continue;
    const EdgeFrame frame(*edge);
    const std::optional<Meeting> meeting = Meet(frame, from, to, skin + frame.noise);
    if (meeting && meeting->when < first.meeting.when) first = {edge, *meeting};
  }
  return first;
}

bool Crosses(Vec2d from, Vec2 to, double skin, std::span<const ObstacleEdge* const> edges) {
  return std::any_of(edges.begin(), edges.end(), [&](const ObstacleEdge* edge) {
    const EdgeFrame frame(*edge);
    return Meet(frame, from, {to.x, to.y}, kGuard * (skin + frame.noise)).has_value();
  });
}

Vec2d Between(Vec2d from, Vec2d to, double part) {
  return {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
}

Vec2 Rounded(Vec2d place, const Bounds* room) {
  constexpr double kMost = kMaxCoordinate;
  const Vec2 rounded{static_cast<float>(std::clamp(place.x, -kMost, kMost)),
                     static_cast<float>(std::clamp(place.y, -kMost, kMost))};
  return room == nullptr ? rounded : Clamped(*room, rounded);
}

// Where the rest of the path leads along the side that it met at `place`. Who is nearer to the edge than half the skin,
// by rounding of many moves, is let out to it.
Vec2d Beside(const First& first, Vec2d from, Vec2d to, Vec2d place, double skin) {
  const EdgeFrame frame(*first.edge);
  const Vec2d side = first.meeting.at_end ? frame.front : frame.along;
  const double rest = (1.0 - first.meeting.when) * ((to.x - from.x) * side.x + (to.y - from.y) * side.y);
  const Vec2d beside{place.x + rest * side.x, place.y + rest * side.y};
  const double width = skin + frame.noise, before = frame.Before(place);
  if (first.meeting.at_end || before >= 0.5 * width) return beside;
  const double out = width - before;
  return {beside.x + out * frame.front.x, beside.y + out * frame.front.y};
}

}  // namespace

EdgeFrame::EdgeFrame(const ObstacleEdge& edge) : start{edge.start.x, edge.start.y} {
  const double x = edge.end.x - start.x, y = edge.end.y - start.y;
  length = std::sqrt(x * x + y * y);
  along = {x / length, y / length};
  front = {along.y, -along.x};
  noise = kNoise * (std::max(std::abs(start.x), std::abs(start.y)) + length);
}

CutResult CutMove(Vec2 from_place, Vec2 to_place, float radius, std::span<const ObstacleEdge* const> edges,
                  const Bounds* room) {
  const Vec2d from{from_place.x, from_place.y}, to{to_place.x, to_place.y};
  const double path = std::abs(to.x - from.x) + std::abs(to.y - from.y);
  const double skin = kSkin * (std::max(std::abs(from.x), std::abs(from.y)) + path + radius);
  const First first = FindFirst(from, to, skin, nullptr, edges);
  if (first.edge == nullptr) return {to_place, false};
  const Vec2d met = Between(from, to, first.meeting.when);
  Vec2d beside = Beside(first, from, to, met, skin);
  First next = FindFirst(met, beside, skin, first.edge, edges);
  if (next.edge != nullptr && next.meeting.when == 0.0) {
    const First blocking{next.edge, {first.meeting.when, next.meeting.at_end}};
    beside = Beside(blocking, from, to, met, skin);
    next = FindFirst(met, beside, skin, next.edge, edges);
  }
  const Vec2 end = Rounded(next.edge == nullptr ? beside : Between(met, beside, next.meeting.when), room);
  if (!Crosses(from, end, skin, edges)) return {end, true};
  const Vec2 stop = Rounded(met, room);
  return {Crosses(from, stop, skin, edges) ? from_place : stop, true};
}

}  // namespace throng
