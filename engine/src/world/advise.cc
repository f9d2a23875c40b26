#include "world/advise.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/bounds.h"
#include "base/vec2.h"
#include "world/world_impl.h"

namespace throng {
namespace {

constexpr float kTinyObstacle = 0.1f;   // of the default radius
constexpr float kCoarsestStep = 0.01f;  // of the radius

// Whether the distance to a corner, seen along `towards`, grows along both of its edges: the corner juts out there.
bool JutsTowards(const ObstacleEdge& edge, Vec2 towards) {
  return edge.start_convex && Dot(towards, edge.direction) <= 0.0f && Dot(towards, edge.previous_direction) >= 0.0f;
}

// The opening between a corner, the start of `corner`, and an edge, if they make one.
bool OpeningBetween(const ObstacleEdge& corner, const ObstacleEdge& edge, float limit, Opening* opening) {
  const Vec2 from = corner.start;
  const Vec2 to_start = edge.start - from;
  const float s = NearestParameter(edge, to_start);
  if (s >= 1.0f) return false;  // the start of the next edge
  const bool at_corner = s <= 0.0f;
  const Vec2 way = at_corner ? to_start : to_start + s * edge.vector;
  const float squared = AbsSq(way);
  if (!(squared > kTinySquared) || squared >= limit * limit) return false;
  if (!JutsTowards(corner, way)) return false;
  if (at_corner ? !JutsTowards(edge, -way) : !Faces(edge, from)) return false;
  *opening = {std::sqrt(squared), from + 0.5f * way, std::min(corner.obstacle, edge.obstacle),
              std::max(corner.obstacle, edge.obstacle)};
  return true;
}

bool IsBefore(const Opening& a, const Opening& b) {
  return std::tuple(-a.width, a.first, a.second, a.middle.x, a.middle.y) <
         std::tuple(-b.width, b.first, b.second, b.middle.x, b.middle.y);
}

// [m] Between neighbouring coordinates of this size.
float StepAt(float coordinate) {
  const float size = std::fabs(coordinate);
  return std::nextafter(size, std::numeric_limits<float>::infinity()) - size;
}

// The lower id first, which is kInvalidId of the bounds.
std::string BetweenWhat(const Opening& opening) {
  if (opening.first == kInvalidId) return absl::StrFormat("the world's bounds and obstacle %d", opening.second);
  return absl::StrFormat("obstacles %d and %d", opening.first, opening.second);
}

Warning TooNarrow(const Opening& opening, float radius, const std::string& field) {
  return {.code = WarningCode::kPassageNarrow,
          .field = field,
          .message = absl::StrFormat("a disc of radius %g m does not fit through the opening of %.3g m between "
                                     "%s at (%.6g, %.6g); take a radius below %.3g m, or widen it",
                                     radius, opening.width, BetweenWhat(opening), opening.middle.x, opening.middle.y,
                                     0.5f * opening.width)};
}

Sight SightOf(const ObstacleStore& obstacles, ObstacleId id) {
  return id == kInvalidId ? kEveryLayer : obstacles.Find(id)->sight;
}

// Whether both sides of an opening are there for it.
bool SeesBoth(const Openings::Passer& passer, const Sight& first, const Sight& second) {
  if (!passer.at_any_height) return Sees(passer.sight, first) && Sees(passer.sight, second);
  Sight reach = first;  // of who meets its band
  reach.z -= passer.sight.height;
  reach.height += 2.0f * passer.sight.height;
  const std::uint32_t avoids = passer.sight.avoids;
  return (avoids & first.layer) != 0 && (avoids & second.layer) != 0 && BandsMeet(reach, second);
}

void AdviseOnBounds(const Rectangle& bounds, float radius, std::vector<Warning>& warnings) {
  const float width = std::min(bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y);
  if (width < 2.0f * radius) {
    warnings.push_back(
        {.code = WarningCode::kPassageNarrow,
         .field = "agent_defaults.radius",
         .message = absl::StrFormat("a disc of radius %g m does not fit into bounds that are %g m wide, and stands in "
                                    "the middle of that; take a radius below %.3g m, or wider bounds",
                                    radius, width, 0.5f * width)});
  }
  const float farthest =
      std::max({std::fabs(bounds.min.x), std::fabs(bounds.min.y), std::fabs(bounds.max.x), std::fabs(bounds.max.y)});
  const auto step = static_cast<float>(Resolution(farthest));
  if (step > kCoarsestStep * radius) {
    warnings.push_back(
        {.code = WarningCode::kResolutionCoarse,
         .field = "bounds",
         .message = absl::StrFormat("at the farthest of the bounds, %.9g m, coordinates resolve %.3g m, more than a "
                                    "hundredth of the default radius of %g m, so that motion is uneven there; put the "
                                    "origin in their middle, or make several worlds of it",
                                    farthest, step, radius)});
  }
}

void Cut(std::vector<Warning>& warnings, std::size_t most) {
  if (warnings.size() > most) warnings.resize(most);
}

}  // namespace

const Opening* Openings::Narrow(const ObstacleStore& obstacles, const ObstacleIndex& index, std::uint64_t version,
                                const Passer& passer, ObstacleId only) {
  const float radius = passer.radius;
  if (obstacles.vertices() > kMaxVertices) return nullptr;
  if (version != version_ || 2.0f * radius > limit_) {
    version_ = version;
    limit_ = std::max(2.0f * radius, limit_);
    Find(obstacles, index);
  }
  for (const Opening& opening : openings_) {
    if (opening.width < radius) break;
    if (opening.width >= 2.0f * radius) continue;
    if (only != kInvalidId && opening.first != only && opening.second != only) continue;
    if (SeesBoth(passer, SightOf(obstacles, opening.first), SightOf(obstacles, opening.second))) return &opening;
  }
  return nullptr;
}

void Openings::Find(const ObstacleStore& obstacles, const ObstacleIndex& index) {
  openings_.clear();
  for (const auto& [id, obstacle] : obstacles.all()) {
    for (const std::uint32_t place : obstacle.edges) {
      const ObstacleEdge& corner = obstacles.edge(place);
      if (!corner.start_convex) continue;
      const Bounds near = Bounds::Of(corner.start.x, corner.start.y).Widened(limit_);
      index.Search(near, [&](EdgeHandle other) {
        Opening opening;
        if (OpeningBetween(corner, obstacles.edge(other), limit_, &opening)) openings_.push_back(opening);
      });
    }
  }
  std::sort(openings_.begin(), openings_.end(), IsBefore);
}

std::vector<Warning> World::Advise(std::size_t most) const {
  const AgentParams& defaults = impl_->settings.agent_defaults;
  std::vector<Warning> warnings = throng::Advise(impl_->settings, defaults, "agent_defaults.");
  const Opening* const narrow = impl_->openings.Narrow(impl_->obstacles, impl_->obstacle_index, impl_->edge_version,
                                                       Openings::Passer(defaults, true));
  if (impl_->settings.bounds) AdviseOnBounds(*impl_->settings.bounds, defaults.radius, warnings);
  if (narrow != nullptr) warnings.push_back(TooNarrow(*narrow, defaults.radius, "agent_defaults.radius"));
  Cut(warnings, most);
  return warnings;
}

std::vector<Warning> World::AdviseAgent(AgentId id, std::size_t most) const {
  const absl::StatusOr<AgentState> agent = GetAgent(id);
  if (!agent.ok()) return {};
  const AgentParams& params = agent->params;
  // Who moves as it is told avoids nothing.
  std::vector<Warning> warnings;
  if (!agent->kinematic) warnings = throng::Advise(impl_->settings, params);
  const float step = std::max(StepAt(agent->position.x), StepAt(agent->position.y));
  if (step > kCoarsestStep * params.radius) {
    warnings.push_back({.code = WarningCode::kResolutionCoarse,
                        .field = "position",
                        .message = absl::StrFormat(
                            "at (%.9g, %.9g) coordinates resolve %.3g m, more than a hundredth of the radius of %g m, "
                            "so that motion is uneven; give the world an origin near the agents",
                            agent->position.x, agent->position.y, step, params.radius)});
  }
  const Opening* const narrow = agent->kinematic
                                    ? nullptr
                                    : impl_->openings.Narrow(impl_->obstacles, impl_->obstacle_index,
                                                             impl_->edge_version, Openings::Passer(params, false));
  if (narrow != nullptr) warnings.push_back(TooNarrow(*narrow, params.radius, "params.radius"));
  for (Warning& warning : warnings) warning.agent = id;
  Cut(warnings, most);
  return warnings;
}

std::vector<Warning> World::AdviseObstacle(ObstacleId id, std::size_t most) const {
  const absl::StatusOr<ObstacleState> obstacle = GetObstacle(id);
  if (!obstacle.ok()) return {};
  std::vector<Warning> warnings;
  const AgentParams& defaults = impl_->settings.agent_defaults;
  const float radius = defaults.radius;
  const float size =
      std::max(obstacle->bounds_max.x - obstacle->bounds_min.x, obstacle->bounds_max.y - obstacle->bounds_min.y);
  if (size < kTinyObstacle * radius) {
    warnings.push_back({.code = WarningCode::kObstacleTiny,
                        .field = "vertices",
                        .message = absl::StrFormat(
                            "the obstacle is %.3g m across, less than a tenth of the world's default radius of %g m; "
                            "are both in the same unit?",
                            size, radius)});
  }
  const Opening* const narrow = impl_->openings.Narrow(impl_->obstacles, impl_->obstacle_index, impl_->edge_version,
                                                       Openings::Passer(defaults, true), id);
  if (narrow != nullptr) warnings.push_back(TooNarrow(*narrow, radius, "vertices"));
  for (Warning& warning : warnings) warning.obstacle = id;
  Cut(warnings, most);
  return warnings;
}

}  // namespace throng
