// What a step's solve has to do with capsules.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/memory.h"
#include "solve/capsule_lines.h"
#include "world/step.h"

namespace throng {
namespace {

// [m] Of a place, above what rounding makes of the distances from it.
float RoundingAt(Vec2 place) { return 4e-6f * (std::abs(place.x) + std::abs(place.y)); }

// All within its radius, and a little more for the rounding of distances, which grows with coordinates and length.
Bounds BoxOf(const Capsule& capsule) {
  Bounds box = Bounds::Of(capsule.start.x, capsule.start.y);
  box.Include(capsule.end.x, capsule.end.y);
  const float rounding = RoundingAt(capsule.start) + RoundingAt(capsule.end) + 4e-6f * capsule.radius;
  return box.Widened(capsule.radius + rounding);
}

bool Meet(const Bounds& a, const Bounds& b) {
  return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}

}  // namespace

void Stepper::PrepareCapsules() {
  const std::vector<Capsule>& capsules = in_.capsules->all();
  ReleaseIfSparse(capsule_boxes_, capsules.size());
  capsule_boxes_.clear();
  view_.capsules = BoxOf(capsules.front());
  for (const Capsule& capsule : capsules) {
    capsule_boxes_.push_back(BoxOf(capsule));
    view_.capsules.Include(capsule_boxes_.back());
  }
  view_.near_capsules = [](const void* context, void* worker, std::uint32_t first, std::uint32_t lanes) {
    return static_cast<const Stepper*>(context)->NearCapsules(first, lanes, *static_cast<Worker*>(worker));
  };
  view_.capsule_lines = [](const void* context, void* worker, std::uint32_t self, float inverse_horizon,
                           const HalfPlane** lines) {
    const auto& found =
        static_cast<const Stepper*>(context)->CapsuleLines(self, inverse_horizon, *static_cast<Worker*>(worker));
    *lines = found.data();
    return found.size();
  };
}

bool Stepper::NearCapsules(std::size_t first, std::uint32_t lanes, Worker& worker) const {
  const AgentStore& agents = *in_.agents;
  worker.capsules_around.clear();
  bool any = false;
  Bounds box;
  for (std::size_t lane = 0; lane < kGroup; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const std::size_t i = first + lane;
    const Vec2 place{agents.body[i].x, agents.body[i].y};
    const Bounds around =
        Bounds::Of(place.x, place.y).Widened(agents.neighbor_distance[i] * 1.0001f + RoundingAt(place));
    if (any) {
      box.Include(around);
    } else {
      box = around;
    }
    any = true;
  }
  if (!any) return false;
  const std::vector<Capsule>& capsules = in_.capsules->all();
  for (std::size_t i = 0; i < capsules.size(); ++i) {
    if (Meet(box, capsule_boxes_[i])) worker.capsules_around.push_back(&capsules[i]);
  }
  return !worker.capsules_around.empty();
}

// Of the agent's group it is known which may count.
const std::vector<HalfPlane>& Stepper::CapsuleLines(std::size_t self, float inverse_horizon, Worker& worker) const {
  const AgentStore& agents = *in_.agents;
  const Body& body = agents.body[self];
  const Disc disc{agents.id[self], {body.x, body.y}, {body.vx, body.vy}, agents.radius[self]};
  const Sight sight = agents.SightOf(static_cast<Index>(self));
  worker.capsules.clear();
  worker.capsule_lines.clear();
  for (const Capsule* const capsule : worker.capsules_around) {
    if (!Sees(sight, capsule->sight)) continue;
    const float distance = SurfaceDistance(*capsule, disc.position);
    if (distance < agents.neighbor_distance[self]) worker.capsules.push_back({distance, capsule});
  }
  std::sort(worker.capsules.begin(), worker.capsules.end(), [](const NearCapsule& a, const NearCapsule& b) {
    return std::tie(a.distance, a.capsule->id) < std::tie(b.distance, b.capsule->id);
  });
  for (const NearCapsule& near : worker.capsules) {
    worker.capsule_lines.push_back(CapsuleHalfPlane(disc, *near.capsule, inverse_horizon, inverse_time_step_));
  }
  return worker.capsule_lines;
}

}  // namespace throng
