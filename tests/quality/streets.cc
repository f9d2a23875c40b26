#include "tests/quality/streets.h"

#include <algorithm>

namespace throng::quality {
namespace {

constexpr float kSpacing = 1.2f;  // [m] of places
constexpr float kMargin = 0.6f;   // [m] of places from walls

}  // namespace

Streets::Streets(const nlohmann::json& data)
    : blocks_(data.at("blocks").get<std::size_t>()),
      block_(data.at("block").get<float>()),
      street_(data.at("street").get<float>()),
      pitch_(block_ + street_),
      side_(static_cast<float>(blocks_) * pitch_ + street_) {}

Vec2 Streets::Crossing(std::size_t column, std::size_t row) const {
  return {pitch_ * static_cast<float>(column) + 0.5f * street_, pitch_ * static_cast<float>(row) + 0.5f * street_};
}

std::vector<Streets::Place> Streets::Places() const {
  std::vector<Place> places;
  const auto count = static_cast<std::size_t>((side_ - 2.0f * kMargin) / kSpacing) + 1;
  const auto street_of = [&](float at, std::size_t& street) {
    street = std::min(static_cast<std::size_t>(at / pitch_), blocks_);
    const float inside = at - pitch_ * static_cast<float>(street);
    return inside >= kMargin && inside <= street_ - kMargin;
  };
  for (std::size_t i = 0; i < count * count; ++i) {
    Place place{};
    place.position = {kMargin + kSpacing * static_cast<float>(i % count),
                      kMargin + kSpacing * static_cast<float>(i / count)};
    place.along_y = street_of(place.position.x, place.column);
    place.along_x = street_of(place.position.y, place.row);
    // Beside a block, but not in the street: too near its wall.
    const float past_x = place.position.x - pitch_ * static_cast<float>(place.column);
    const float past_y = place.position.y - pitch_ * static_cast<float>(place.row);
    const bool clear_x = past_x <= street_ - kMargin || past_x >= street_ + kMargin;
    const bool clear_y = past_y <= street_ - kMargin || past_y >= street_ + kMargin;
    if ((place.along_x || place.along_y) && (clear_x || place.along_x) && (clear_y || place.along_y)) {
      places.push_back(place);
    }
  }
  return places;
}

// Of the two ends of the street's piece that it stands in, the one nearer to where it goes.
Vec2 Streets::NearestCrossing(const Place& place, Vec2 to) const {
  std::size_t column = place.column;
  std::size_t row = place.row;
  if (!place.along_y && to.x > place.position.x) column = std::min(column + 1, blocks_);
  if (!place.along_x && to.y > place.position.y) row = std::min(row + 1, blocks_);
  return Crossing(column, row);
}

std::vector<Vec2> Streets::Route(const Place& from, const Place& to, bool column_first) const {
  const bool same_piece = from.column == to.column && from.row == to.row && from.along_x == to.along_x;
  if (same_piece && from.along_y == to.along_y) return {to.position};
  std::vector<Vec2> route;
  const Vec2 begin = NearestCrossing(from, to.position);
  const Vec2 end = NearestCrossing(to, from.position);
  const Vec2 corner = column_first ? Vec2{begin.x, end.y} : Vec2{end.x, begin.y};
  for (const Vec2 point : {begin, corner, end, to.position}) {
    if (route.empty() || !(route.back() == point)) route.push_back(point);
  }
  return route;
}

std::vector<Streets::Trip> Streets::DrawTrips(std::size_t count, testing::Random& random) const {
  const std::vector<Place> places = Places();
  std::vector<std::size_t> starts(places.size());
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = i;
  std::vector<std::size_t> goals = starts;
  random.Shuffle(starts);
  random.Shuffle(goals);
  std::vector<Trip> trips;
  for (std::size_t i = 0; i < std::min(count, places.size()); ++i) {
    const Place& from = places[starts[i]];
    const bool column_first = random.Chance(0.5f);
    trips.push_back({from.position, Route(from, places[goals[i]], column_first)});
  }
  return trips;
}

std::vector<ObstacleSpec> Streets::Obstacles() const {
  const auto box = [](Vec2 low, Vec2 high) { return std::vector<Vec2>{low, {high.x, low.y}, high, {low.x, high.y}}; };
  std::vector<ObstacleSpec> obstacles;
  obstacles.push_back({std::nullopt, ObstacleKind::kEnclosure, box({}, {side_, side_})});
  for (std::size_t i = 0; i < blocks_ * blocks_; ++i) {
    const Vec2 low{street_ + pitch_ * static_cast<float>(i % blocks_),
                   street_ + pitch_ * static_cast<float>(i / blocks_)};
    obstacles.push_back({std::nullopt, ObstacleKind::kSolid, box(low, {low.x + block_, low.y + block_})});
  }
  return obstacles;
}

}  // namespace throng::quality
