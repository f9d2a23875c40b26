// Which agents' discs reach into a box, while agents are added one after another between two steps: then the step's
// index does not hold, and a look at all agents for each of them would cost too much.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/bounds.h"
#include "index/obstacle_index.h"
#include "store/agents.h"
#include "world/step.h"

namespace throng {

class Occupancy {
 public:
  // Calls visit(place) for all agents whose discs reach into the box and some whose do not.
  template <class Visit>
  void VisitDiscs(AgentStore& agents, const Stepper& stepper, const Bounds& box, Visit&& visit);

  // The newest agent, that there is now besides those that there were.
  void NoteAdded(const AgentStore& agents);
  // Agents moved, changed their radius, or went.
  void Invalidate();

  std::size_t memory_bytes() const { return discs_ ? discs_->memory_bytes() : 0; }

 private:
  // Looks at all agents that cost about as much as to make the index.
  static constexpr std::size_t kLooksPerIndex = 16;

  void Insert(const AgentStore& agents, Index place);

  std::unique_ptr<ObstacleIndex>
      discs_;              // the boxes of all agents, as edges from corner to corner; null: there is none
  std::size_t looks_ = 0;  // at all agents
};

template <class Visit>
void Occupancy::VisitDiscs(AgentStore& agents, const Stepper& stepper, const Bounds& box, Visit&& visit) {
  if (stepper.IndexServes(agents)) return stepper.VisitBox(box.Widened(agents.largest_radius()), visit);
  if (!discs_ && ++looks_ > kLooksPerIndex) {
    discs_ = std::make_unique<ObstacleIndex>();
    for (Index place = 0; place < agents.size(); ++place) Insert(agents, place);
  }
  if (discs_) return discs_->Search(box, visit);
  for (Index place = 0; place < agents.size(); ++place) visit(place);
}

}  // namespace throng
