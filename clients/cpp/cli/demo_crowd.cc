#include "clients/cpp/cli/demo_crowd.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace throng::cli {
namespace {

constexpr float kRadius = 0.3f;           // [m] of an agent
constexpr float kAreaPerAgent = 4.0f;     // [m^2]: room enough to pass, little enough that lanes form
constexpr float kLengthOverWidth = 2.2f;  // about the shape of a terminal
constexpr float kPillarRadius = 1.0f;     // [m]
constexpr float kMargin = 1.0f;           // [m] kept from walls and pillars at the start

float Between(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

}  // namespace

DemoCrowd::DemoCrowd(std::uint32_t agents) {
  const float area = kAreaPerAgent * static_cast<float>(std::max(agents, 60u));
  width_ = std::sqrt(area / kLengthOverWidth);
  length_ = width_ * kLengthOverWidth;
  AddHall();
  AddAgents(agents);
}

client::WorldSettings DemoCrowd::Settings() const {
  client::WorldSettings settings;
  settings.agent_defaults.radius = kRadius;
  settings.agent_defaults.max_speed = 2.0f;
  settings.agent_defaults.neighbor_distance = 6.0f;
  settings.agent_defaults.max_neighbors = 12;
  settings.agent_defaults.time_horizon = 2.5f;
  settings.agent_defaults.time_horizon_obstacles = 1.0f;
  settings.max_agents = static_cast<std::uint32_t>(agents_.size());
  // A demonstration that was killed leaves nothing behind for long.
  settings.idle_time_to_live = 60.0;
  return settings;
}

void DemoCrowd::AddHall() {
  const float x = length_ / 2 + 2.0f;
  const float y = width_ / 2;
  for (const float side : {y, -y}) {
    obstacles_.push_back({.id = static_cast<client::ObstacleId>(obstacles_.size() + 1),
                          .kind = client::ObstacleKind::kWall,
                          .vertices = {{-x, side}, {x, side}}});
  }
  // Pillars in the middle, one above the other.
  const int count = std::clamp(static_cast<int>(width_ / 8.0f), 1, 9);
  for (int i = 0; i < count; ++i) {
    const float at = width_ * ((static_cast<float>(i) + 0.5f) / static_cast<float>(count) - 0.5f);
    AddPillar(i % 2 == 0 ? -0.12f * length_ : 0.12f * length_, at, kPillarRadius);
  }
}

void DemoCrowd::AddPillar(float x, float y, float radius) {
  client::ObstacleSpec pillar{.id = static_cast<client::ObstacleId>(obstacles_.size() + 1)};
  constexpr int kSides = 12;
  for (int i = 0; i < kSides; ++i) {
    const float angle = (static_cast<float>(i) + 0.5f) * 2.0f * std::numbers::pi_v<float> / kSides;
    pillar.vertices.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  obstacles_.push_back(std::move(pillar));
  pillars_.push_back({x, y});
}

bool DemoCrowd::OnPillar(float x, float y) const {
  return std::any_of(pillars_.begin(), pillars_.end(), [&](const client::Vector2& pillar) {
    return std::hypot(x - pillar.x, y - pillar.y) < kPillarRadius + kMargin;
  });
}

// On a jittered grid, so that no two begin on one another, in an order that mixes who walks where.
void DemoCrowd::AddAgents(std::uint32_t count) {
  std::vector<client::Vector2> places;
  for (float step = 2.0f; places.size() < count; step *= 0.95f) {
    places.clear();
    const float slack = std::max(0.0f, step / 2 - kRadius - 0.05f);
    for (float x = -length_ / 2 + step / 2; x < length_ / 2; x += step) {
      for (float y = -width_ / 2 + kMargin; y < width_ / 2 - kMargin; y += step) {
        if (!OnPillar(x, y))
          places.push_back({x + Between(random_, -slack, slack), y + Between(random_, -slack, slack)});
      }
    }
  }
  std::shuffle(places.begin(), places.end(), random_);
  for (std::uint32_t i = 0; i < count; ++i) {
    speeds_.push_back(Between(random_, 1.1f, 1.6f) * (i % 2 == 0 ? 1.0f : -1.0f));
    agents_.push_back(
        {.id = i + 1, .position = places[i], .preferred_velocity = client::Vector2{speeds_.back(), 0.0f}});
  }
}

void DemoCrowd::Steer(const client::Frame& frame, std::vector<float>& vx, std::vector<float>& vy) const {
  vx.resize(frame.size());
  vy.resize(frame.size());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const float speed = speeds_[frame.ids()[i] - 1];
    vx[i] = speed;
    // A little towards the middle where the wall is near.
    const float y = frame.y()[i];
    const float beyond = std::abs(y) - (width_ / 2 - kMargin);
    vy[i] = beyond > 0 ? -0.3f * std::copysign(std::min(beyond, 1.0f), y) : 0.0f;
  }
}

std::vector<client::AgentUpdate> DemoCrowd::Wrap(const client::Frame& frame) {
  std::vector<client::AgentUpdate> updates;
  const float end = length_ / 2;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const client::AgentId id = frame.ids()[i];
    const float direction = speeds_[id - 1] > 0 ? 1.0f : -1.0f;
    if (frame.x()[i] * direction < end) continue;
    // Of some places at the entry, the one with the most room around.
    client::Vector2 best;
    float most = -1.0f;
    for (int attempt = 0; attempt < 6; ++attempt) {
      const client::Vector2 place{-direction * (end - Between(random_, 0.0f, 1.0f)),
                                  Between(random_, -width_ / 2 + kMargin, width_ / 2 - kMargin)};
      float room = 100.0f;
      for (std::size_t j = 0; j < frame.size(); ++j) {
        room = std::min(room, std::hypot(frame.x()[j] - place.x, frame.y()[j] - place.y));
      }
      for (const auto& update : updates) {
        room = std::min(room, std::hypot(update.position->x - place.x, update.position->y - place.y));
      }
      if (room > most) {
        most = room;
        best = place;
      }
    }
    // With too little room it walks on outside until there is more.
    if (most < 2.2f * kRadius) continue;
    ++crossings_;
    updates.push_back({.id = id, .position = best, .velocity = client::Vector2{speeds_[id - 1], 0.0f}});
  }
  return updates;
}

}  // namespace throng::cli
