// Advice: values that are valid each, and do not go together. Nothing is refused for it.
#pragma once

#include <string>
#include <vector>

#include "throng/types.h"

namespace throng {

// Numbers of the wire.
enum class WarningCode : std::uint8_t {
  kNeighborDistanceShort = 1,  // neighbor_distance < time_horizon * max_speed, or < 2 * radius: avoidance begins late
  kFewNeighbors = 2,           // max_neighbors < 6, which fit around a disc of the same size
  kTimeStepLong = 3,           // max_speed * time_step > radius: agents may pass through each other
  kPassageNarrow = 4,          // the disc does not fit through an opening that is at least half as wide
  kSpeedUnreachable = 5,       // preferred_speed > max_speed
  kTurnWide = 6,               // the turning circle is wider than arrival_radius, and nothing slows the agent down
  kAccelerationLow = 7,        // braking from max_speed takes longer than time_horizon, or too long before a goal
  kResolutionCoarse = 8,       // coordinates, at the agent or the bounds, resolve coarser than radius / 100
  kObstacleTiny = 9,           // an obstacle is smaller than a tenth of the default radius: a mistake of scale?
  kSeesNothing = 10,           // considers no agent at all
};

struct Warning {
  WarningCode code = WarningCode::kNeighborDistanceShort;
  std::string field;           // to change first, such as "params.neighbor_distance"
  std::string message;         // one sentence with the numbers and a way out
  AgentId agent = kInvalidId;  // concerned, if any
  ObstacleId obstacle = kInvalidId;
  friend bool operator==(const Warning&, const Warning&) = default;
};

// Of an agent with these parameters in such a world; `params` are valid. `prefix` is put before the names of fields.
std::vector<Warning> Advise(const WorldSettings& world, const AgentParams& params,
                            const std::string& prefix = "params.");

}  // namespace throng
