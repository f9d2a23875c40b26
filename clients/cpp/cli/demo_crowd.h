// The crowd of `throng demo`: half walks east, half west, through a hall with pillars. Who leaves at one end comes in
// again at the other.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "throng/client.h"

namespace throng::cli {

class DemoCrowd {
 public:
  // At least two agents. The hall grows with them, so that it is equally full always.
  explicit DemoCrowd(std::uint32_t agents);

  client::WorldSettings Settings() const;
  const std::vector<client::ObstacleSpec>& obstacles() const { return obstacles_; }
  const std::vector<client::AgentSpec>& agents() const { return agents_; }

  // Preferred velocities for the agents of `frame`, in its order.
  void Steer(const client::Frame& frame, std::vector<float>& vx, std::vector<float>& vy);
  // Who has walked out, and where they come in again.
  std::vector<client::AgentUpdate> Wrap(const client::Frame& frame);
  // Walks through the hall, so far, by all.
  std::uint64_t crossings() const { return crossings_; }

 private:
  void AddHall();
  void AddPillar(float x, float y, float radius);
  void AddAgents(std::uint32_t count);
  bool OnPillar(float x, float y) const;
  void MeasureFlow(const client::Frame& frame);
  float* FlowAt(float x, float y);
  float Drift(float direction, client::Vector2 at);
  float Sideways(client::AgentId id, client::Vector2 at);
  std::optional<client::Vector2> FreePlace(const client::Frame& frame, const std::vector<client::AgentUpdate>& updates,
                                           float x, float y) const;

  float length_ = 0.0f;  // [m] of the hall, along x
  float width_ = 0.0f;   // [m]
  std::vector<client::Vector2> pillars_;
  std::vector<client::ObstacleSpec> obstacles_;
  std::vector<client::AgentSpec> agents_;
  std::vector<float> speeds_;  // [m/s] by id - 1; east is positive
  std::vector<float> flow_;    // by square metre, row by row
  int flow_columns_ = 0;
  std::uint64_t crossings_ = 0;
  std::mt19937 random_{7};
};

}  // namespace throng::cli
