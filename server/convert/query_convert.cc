#include "server/convert/query_convert.h"

#include <string>
#include <vector>

#include "server/convert/command_convert.h"
#include "throng/limits.h"
#include "throng/query.h"

namespace throng::server {
namespace {

Vec2 FromProto(const v1::Vector2& vector) { return {vector.x(), vector.y()}; }

void ToProto(const Vec2& vector, v1::Vector2* out) {
  out->set_x(vector.x);
  out->set_y(vector.y);
}

template <class Agents>
void ToProto(const std::vector<FoundAgent>& agents, Agents* out) {
  out->Reserve(static_cast<int>(agents.size()));
  for (const FoundAgent& agent : agents) {
    v1::FoundAgent* const added = out->Add();
    added->set_id(agent.id);
    ToProto(agent.position, added->mutable_position());
    added->set_distance(agent.distance);
  }
}

absl::Status Require(bool present, const char* field) {
  return present ? absl::OkStatus() : ViolationError({field, "unset", "a point"});
}

SightFilter FromProto(const v1::SightFilter& filter) {
  SightFilter out;
  if (filter.has_avoids()) out.avoids = filter.avoids();
  if (filter.has_z()) out.band = HeightBand{filter.z(), filter.height()};
  return out;
}

// 0 is what the wire says for the default.
std::size_t CountOr(std::uint32_t count, std::size_t by_default) { return count == 0 ? by_default : count; }

template <class Response>
absl::Status Answer(const World& world, const absl::StatusOr<FoundAgents>& found, Response* response) {
  if (!found.ok()) return found.status();
  response->set_tick(world.tick());
  ToProto(found->agents, response->mutable_agents());
  response->set_truncated(found->truncated);
  return absl::OkStatus();
}

}  // namespace

absl::Status Ask(const World& world, const v1::FindNearestRequest& request, v1::FindNearestResponse* response) {
  if (absl::Status status = Require(request.has_point(), "point"); !status.ok()) return status;
  NearestQuery query;
  query.count = CountOr(request.count(), 1);
  if (request.has_max_distance()) query.max_distance = request.max_distance();
  query.filter = FromProto(request.filter());
  const auto found = world.FindNearest(FromProto(request.point()), query);
  if (!found.ok()) return found.status();
  response->set_tick(world.tick());
  ToProto(*found, response->mutable_agents());
  return absl::OkStatus();
}

absl::Status Ask(const World& world, const v1::FindInDiscRequest& request, v1::FindInDiscResponse* response) {
  if (absl::Status status = Require(request.has_center(), "center"); !status.ok()) return status;
  return Answer(world,
                world.FindInDisc(FromProto(request.center()), request.radius(),
                                 CountOr(request.limit(), kMaxFoundAgents), FromProto(request.filter())),
                response);
}

absl::Status Ask(const World& world, const v1::FindInBoxRequest& request, v1::FindInBoxResponse* response) {
  if (absl::Status status = Require(request.has_min(), "min"); !status.ok()) return status;
  if (absl::Status status = Require(request.has_max(), "max"); !status.ok()) return status;
  return Answer(world,
                world.FindInBox(FromProto(request.min()), FromProto(request.max()),
                                CountOr(request.limit(), kMaxFoundAgents), FromProto(request.filter())),
                response);
}

absl::Status Ask(const World& world, const v1::TestVisibilityRequest& request, v1::TestVisibilityResponse* response) {
  if (absl::Status status = Require(request.has_from(), "from"); !status.ok()) return status;
  if (absl::Status status = Require(request.has_to(), "to"); !status.ok()) return status;
  const auto seen = world.TestVisibility(FromProto(request.from()), FromProto(request.to()), request.radius(),
                                         FromProto(request.filter()));
  if (!seen.ok()) return seen.status();
  response->set_tick(world.tick());
  response->set_visible(seen->visible);
  response->set_obstacle_id(seen->obstacle);
  return absl::OkStatus();
}

absl::Status Ask(const World& world, const v1::CastRayRequest& request, v1::CastRayResponse* response) {
  if (absl::Status status = Require(request.has_from(), "from"); !status.ok()) return status;
  if (absl::Status status = Require(request.has_to(), "to"); !status.ok()) return status;
  const bool both = !request.agents() && !request.obstacles();
  RayQuery query;
  query.agents = both || request.agents();
  query.obstacles = both || request.obstacles();
  query.ignored = request.ignored_agent_id();
  query.filter = FromProto(request.filter());
  const auto hit = world.CastRay(FromProto(request.from()), FromProto(request.to()), query);
  if (!hit.ok()) return hit.status();
  response->set_tick(world.tick());
  response->set_hit(hit->hit);
  ToProto(hit->point, response->mutable_point());
  response->set_fraction(hit->fraction);
  response->set_distance(hit->distance);
  response->set_agent_id(hit->agent);
  response->set_obstacle_id(hit->obstacle);
  if (hit->hit) ToProto(hit->normal, response->mutable_normal());
  return absl::OkStatus();
}

absl::Status Ask(const World& world, const v1::ExplainRequest& request, v1::ExplainResponse* response) {
  const auto why = world.Explain(request.agent_id());
  if (!why.ok()) return why.status();
  response->set_tick(world.tick());
  *response->mutable_agent() = server::ToProto(why->agent);
  ToProto(why->neighbors, response->mutable_neighbors());
  response->set_truncated(why->truncated);
  for (const ExplainedHalfPlane& line : why->half_planes) {
    v1::HalfPlane* const added = response->add_half_planes();
    ToProto(line.point, added->mutable_point());
    ToProto(line.normal, added->mutable_normal());
    added->set_source(static_cast<v1::HalfPlaneSource>(line.source));
    added->set_id(line.id);
    added->set_share(line.share);
    added->set_hard(line.hard);
    added->set_violation(line.violation);
    added->set_binding(line.binding);
  }
  ToProto(why->wanted, response->mutable_wanted_velocity());
  ToProto(why->preferred, response->mutable_preferred_velocity());
  ToProto(why->solved, response->mutable_solved_velocity());
  ToProto(why->limited, response->mutable_limited_velocity());
  ToProto(why->velocity, response->mutable_velocity());
  ToProto(why->position, response->mutable_position());
  response->set_outcome(static_cast<v1::SolveOutcome>(why->outcome));
  response->set_stepped_aside(why->stepped_aside);
  response->set_rested(why->rested);
  response->set_recovered(why->recovered);
  response->set_cut(why->cut);
  return absl::OkStatus();
}

}  // namespace throng::server
