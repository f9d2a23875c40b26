#include "clients/cpp/cli/demo_crowd.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace throng::cli {
namespace {

constexpr float kRadius = 0.3f;           // [m] of an agent
constexpr float kAreaPerAgent = 3.0f;     // [m^2]: room enough to pass, little enough that lanes form
constexpr float kLengthOverWidth = 1.8f;  // about the shape of a terminal
constexpr float kPillarRadius = 1.0f;     // [m]
constexpr int kFlowSight = 8;             // [m] ahead
constexpr float kDrift = 0.12f;           // [m/s] sideways, per walker more
constexpr float kPillarSight = 6.0f;      // [m] ahead
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

void DemoCrowd::Steer(const client::Frame& frame, std::vector<float>& vx, std::vector<float>& vy) {
  vx.resize(frame.size());
  vy.resize(frame.size());
  MeasureFlow(frame);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const client::AgentId id = frame.ids()[i];
    vx[i] = speeds_[id - 1];
    vy[i] = Sideways(id, {frame.x()[i], frame.y()[i]});
  }
}

// How many walk east in each square metre, less those who walk west.
void DemoCrowd::MeasureFlow(const client::Frame& frame) {
  flow_columns_ = static_cast<int>(length_) + 3;
  flow_.assign(static_cast<std::size_t>(flow_columns_) * (static_cast<std::size_t>(width_) + 3), 0.0f);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (float* const cell = FlowAt(frame.x()[i], frame.y()[i])) {
      *cell += std::copysign(1.0f, speeds_[frame.ids()[i] - 1]);
    }
  }
}

float* DemoCrowd::FlowAt(float x, float y) {
  const int column = static_cast<int>(std::floor(x + length_ / 2)) + 1;
  const int row = static_cast<int>(std::floor(y + width_ / 2)) + 1;
  if (column < 0 || column >= flow_columns_ || row < 0) return nullptr;
  const auto at =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(flow_columns_) + static_cast<std::size_t>(column);
  return at < flow_.size() ? &flow_[at] : nullptr;
}

// Walkers drift to the side on which more of those ahead go their way, as people do; lanes come of it.
float DemoCrowd::Drift(float direction, client::Vector2 at) {
  const auto along = [&](float y) {
    float sum = 0.0f;
    for (int ahead = 0; ahead < kFlowSight; ++ahead) {
      const float* const cell = FlowAt(at.x + direction * static_cast<float>(ahead), y);
      if (cell != nullptr) sum += *cell * direction;
    }
    return sum;
  };
  return std::clamp(kDrift * (along(at.y + 1.0f) - along(at.y - 1.0f)), -0.4f, 0.4f);
}

// Walkers see walls and pillars early, and begin to go round them.
float DemoCrowd::Sideways(client::AgentId id, client::Vector2 at) {
  const float speed = speeds_[id - 1];
  const float beyond = std::abs(at.y) - (width_ / 2 - kMargin);
  float sideways = Drift(std::copysign(1.0f, speed), at);
  if (beyond > 0) sideways -= 0.3f * std::copysign(std::min(beyond, 1.0f), at.y);
  for (const client::Vector2& pillar : pillars_) {
    const float ahead = (pillar.x - at.x) * std::copysign(1.0f, speed);
    const float aside = at.y - pillar.y;
    if (ahead < 0.0f || ahead > kPillarSight || std::abs(aside) > kPillarRadius + 2 * kRadius) continue;
    const float side = aside != 0.0f ? aside : (id % 4 < 2 ? 1.0f : -1.0f);
    sideways += std::copysign(0.5f * std::abs(speed) * (1.0f - ahead / kPillarSight), side);
  }
  return sideways;
}

std::vector<client::AgentUpdate> DemoCrowd::Wrap(const client::Frame& frame) {
  std::vector<client::AgentUpdate> updates;
  const float end = length_ / 2;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const client::AgentId id = frame.ids()[i];
    const float direction = std::copysign(1.0f, speeds_[id - 1]);
    if (frame.x()[i] * direction < end) continue;
    const auto place = FreePlace(frame, updates, -direction * end, frame.y()[i]);
    if (!place) continue;  // it walks on outside until there is room
    ++crossings_;
    updates.push_back({.id = id, .position = *place, .velocity = client::Vector2{speeds_[id - 1], 0.0f}});
  }
  return updates;
}

// At its own height, so that lanes go on, or as near to it as there is room.
std::optional<client::Vector2> DemoCrowd::FreePlace(const client::Frame& frame,
                                                    const std::vector<client::AgentUpdate>& updates, float x,
                                                    float y) const {
  constexpr float kStep = 0.4f;
  for (int i = 0; i < 12; ++i) {
    const float offset = kStep * static_cast<float>((i + 1) / 2) * (i % 2 == 0 ? 1.0f : -1.0f);
    const client::Vector2 place{x, y + offset};
    if (std::abs(place.y) > width_ / 2 - kRadius - 0.1f) continue;
    float room = 100.0f;
    for (std::size_t j = 0; j < frame.size(); ++j) {
      room = std::min(room, std::hypot(frame.x()[j] - place.x, frame.y()[j] - place.y));
    }
    for (const auto& update : updates) {
      room = std::min(room, std::hypot(update.position->x - place.x, update.position->y - place.y));
    }
    if (room > 2.5f * kRadius) return place;
  }
  return std::nullopt;
}

}  // namespace throng::cli
