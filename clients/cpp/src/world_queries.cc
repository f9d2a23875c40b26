// World's questions.
#include <utility>

#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/convert.h"
#include "throng/client/query.h"
#include "throng/client/world.h"
#include "throng/v1/query_service.grpc.pb.h"

namespace throng::client {
namespace {

using Queries = v1::QueryService::Stub;

void ToProto(const Vector2& vector, v1::Vector2* out) {
  out->set_x(vector.x);
  out->set_y(vector.y);
}

void ToProto(const SightFilter& filter, v1::SightFilter* out) {
  if (filter.avoids) out->set_avoids(*filter.avoids);
  if (!filter.z) return;
  out->set_z(*filter.z);
  out->set_height(filter.height);
}

Vector2 FromProto(const v1::Vector2& vector) { return {vector.x(), vector.y()}; }

template <class Agents>
std::vector<FoundAgent> AgentsOf(const Agents& agents) {
  std::vector<FoundAgent> found;
  found.reserve(static_cast<std::size_t>(agents.size()));
  for (const auto& agent : agents) found.push_back({agent.id(), FromProto(agent.position()), agent.distance()});
  return found;
}

template <class Response>
FoundAgents FoundIn(const Response& response) {
  FoundAgents found;
  found.tick = response.tick();
  found.agents = AgentsOf(response.agents());
  return found;
}

}  // namespace

absl::StatusOr<FoundAgents> World::FindNearest(const Vector2& point, std::uint32_t count,
                                               std::optional<float> max_distance, const SightFilter& filter) const {
  v1::FindNearestRequest request;
  request.set_world(name_);
  ToProto(point, request.mutable_point());
  request.set_count(count);
  if (max_distance) request.set_max_distance(*max_distance);
  ToProto(filter, request.mutable_filter());
  const auto response = Call(*channel_, name_, &Queries::FindNearest, request);
  if (!response.ok()) return response.status();
  return FoundIn(*response);
}

absl::StatusOr<FoundAgents> World::FindInDisc(const Vector2& center, float radius, std::uint32_t limit,
                                              const SightFilter& filter) const {
  v1::FindInDiscRequest request;
  request.set_world(name_);
  ToProto(center, request.mutable_center());
  request.set_radius(radius);
  request.set_limit(limit);
  ToProto(filter, request.mutable_filter());
  const auto response = Call(*channel_, name_, &Queries::FindInDisc, request);
  if (!response.ok()) return response.status();
  FoundAgents found = FoundIn(*response);
  found.truncated = response->truncated();
  return found;
}

absl::StatusOr<FoundAgents> World::FindInBox(const Vector2& min, const Vector2& max, std::uint32_t limit,
                                             const SightFilter& filter) const {
  v1::FindInBoxRequest request;
  request.set_world(name_);
  ToProto(min, request.mutable_min());
  ToProto(max, request.mutable_max());
  request.set_limit(limit);
  ToProto(filter, request.mutable_filter());
  const auto response = Call(*channel_, name_, &Queries::FindInBox, request);
  if (!response.ok()) return response.status();
  FoundAgents found = FoundIn(*response);
  found.truncated = response->truncated();
  return found;
}

absl::StatusOr<Visibility> World::TestVisibility(const Vector2& from, const Vector2& to, float radius,
                                                 const SightFilter& filter) const {
  v1::TestVisibilityRequest request;
  request.set_world(name_);
  ToProto(from, request.mutable_from());
  ToProto(to, request.mutable_to());
  request.set_radius(radius);
  ToProto(filter, request.mutable_filter());
  const auto response = Call(*channel_, name_, &Queries::TestVisibility, request);
  if (!response.ok()) return response.status();
  return Visibility{response->tick(), response->visible(), response->obstacle_id()};
}

absl::StatusOr<RayHit> World::CastRay(const Vector2& from, const Vector2& to, const RayOptions& options) const {
  // The wire takes neither for both.
  if (!options.agents && !options.obstacles) {
    return absl::InvalidArgumentError("a ray is stopped by agents, by obstacles or by both, not by neither");
  }
  v1::CastRayRequest request;
  request.set_world(name_);
  ToProto(from, request.mutable_from());
  ToProto(to, request.mutable_to());
  request.set_agents(options.agents);
  request.set_obstacles(options.obstacles);
  request.set_ignored_agent_id(options.ignored);
  ToProto(options.filter, request.mutable_filter());
  const auto response = Call(*channel_, name_, &Queries::CastRay, request);
  if (!response.ok()) return response.status();
  RayHit hit;
  hit.tick = response->tick();
  hit.hit = response->hit();
  hit.point = FromProto(response->point());
  hit.normal = FromProto(response->normal());
  hit.distance = response->distance();
  hit.fraction = response->fraction();
  hit.agent = response->agent_id();
  hit.obstacle = response->obstacle_id();
  return hit;
}

absl::StatusOr<Explanation> World::Explain(AgentId id) const {
  v1::ExplainRequest request;
  request.set_world(name_);
  request.set_agent_id(id);
  const auto response = Call(*channel_, name_, &Queries::Explain, request);
  if (!response.ok()) return response.status();
  Explanation why;
  why.tick = response->tick();
  why.agent = client::FromProto(response->agent());
  why.neighbors = AgentsOf(response->neighbors());
  why.truncated = response->truncated();
  for (const auto& line : response->half_planes()) {
    why.half_planes.push_back({FromProto(line.point()), FromProto(line.normal()),
                               static_cast<HalfPlaneSource>(line.source()), line.id(), line.share(), line.hard(),
                               line.violation(), line.binding()});
  }
  why.wanted_velocity = FromProto(response->wanted_velocity());
  why.preferred_velocity = FromProto(response->preferred_velocity());
  why.solved_velocity = FromProto(response->solved_velocity());
  why.limited_velocity = FromProto(response->limited_velocity());
  why.velocity = FromProto(response->velocity());
  why.position = FromProto(response->position());
  why.outcome = static_cast<SolveOutcome>(response->outcome());
  why.stepped_aside = response->stepped_aside();
  why.rested = response->rested();
  why.recovered = response->recovered();
  why.cut = response->cut();
  return why;
}

}  // namespace throng::client
