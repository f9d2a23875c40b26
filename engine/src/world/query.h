// Searches for agents and obstacles in a world between two steps: by the index of the last step where it still holds,
// else by a look at every agent. Arguments are valid.
#pragma once

#include <optional>
#include <vector>

#include "base/sight.h"
#include "index/ground.h"
#include "index/obstacle_index.h"
#include "store/agents.h"
#include "store/capsules.h"
#include "store/obstacles.h"
#include "throng/query.h"
#include "world/step.h"

namespace throng {

class Searcher {
 public:
  // All must outlive it. `ground` may be null, if nobody keeps it, and `bounds`, if there are none.
  Searcher(const AgentStore& agents, const Stepper& stepper, const ObstacleStore& obstacles, const ObstacleIndex& index,
           const Ground* ground, const Rectangle* bounds, const CapsuleStore& capsules)
      : agents_(agents),
        stepper_(stepper),
        obstacles_(obstacles),
        index_(index),
        ground_(ground),
        bounds_(bounds),
        capsules_(capsules) {}

  std::vector<FoundAgent> Nearest(Vec2 point, const NearestQuery& query) const;
  // Within `radius` of the centre, the rim included.
  FoundAgents InDisc(Vec2 center, float radius, std::size_t limit, const SightFilter& filter) const;
  FoundAgents InBox(Vec2 min, Vec2 max, std::size_t limit, const SightFilter& filter) const;
  Visibility Visible(Vec2 from, Vec2 to, float radius, const SightFilter& filter) const;
  RayHit Cast(Vec2 from, Vec2 to, const RayQuery& query) const;

  // visit(place) for all agents in the box and some that are not.
  template <class Visit>
  void VisitBox(const Bounds& box, Visit&& visit) const {
    if (stepper_.IndexServes(agents_)) return stepper_.VisitBox(box, visit);
    for (Index place = 0; place < agents_.size(); ++place) visit(place);
  }

 private:
  struct Touch;

  // The obstacle of the lowest id that is in the way of standing there.
  ObstacleId BlockingAt(Vec2 place, const SightFilter& filter) const;
  bool InBounds(Vec2 place) const;
  // `bounds`: whether their edges count too, to whoever asks.
  std::optional<Touch> FirstEdge(Vec2 from, Vec2 to, float radius, const SightFilter& filter, bool bounds) const;
  std::optional<Touch> FirstCapsule(Vec2 from, Vec2 to, float radius, const SightFilter& filter) const;
  std::optional<Touch> FirstObstacle(Vec2 from, Vec2 to, float radius, const SightFilter& filter, bool bounds) const;
  std::optional<Touch> FirstAgent(Vec2 from, Vec2 to, const RayQuery& query) const;
  bool Passes(const SightFilter& filter, Index place) const { return Passing(filter, agents_.SightOf(place)); }
  static bool Passing(const SightFilter& filter, const Sight& sight);

  const AgentStore& agents_;
  const Stepper& stepper_;
  const ObstacleStore& obstacles_;
  const ObstacleIndex& index_;
  const Ground* ground_;
  const Rectangle* bounds_;
  const CapsuleStore& capsules_;
};

}  // namespace throng
