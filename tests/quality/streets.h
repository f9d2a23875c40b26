// A small town: square blocks in rows, streets between and around them, and trips along the streets.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/random.h"
#include "throng/types.h"

namespace throng::quality {

class Streets {
 public:
  // `data`: blocks a side, [m] side of a block, [m] width of a street.
  explicit Streets(const nlohmann::json& data);

  struct Trip {
    Vec2 start;
    std::vector<Vec2> route;  // middles of crossings, then the goal
  };
  // From places to places, all 1.2 m apart. At most as many as there are places.
  std::vector<Trip> DrawTrips(std::size_t count, testing::Random& random) const;

  std::vector<ObstacleSpec> Obstacles() const;  // an enclosure around solids

 private:
  struct Place {
    Vec2 position;
    std::size_t column, row;  // of the crossing where it stands, or of the one before it along its street
    bool along_x, along_y;    // both: in a crossing
  };
  std::vector<Place> Places() const;
  Vec2 Crossing(std::size_t column, std::size_t row) const;
  Vec2 NearestCrossing(const Place& place, Vec2 to) const;
  std::vector<Vec2> Route(const Place& from, const Place& to, bool column_first) const;

  std::size_t blocks_;
  float block_;
  float street_;
  float pitch_;
  float side_;
};

}  // namespace throng::quality
