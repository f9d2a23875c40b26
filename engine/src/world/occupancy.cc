#include "world/occupancy.h"

namespace throng {

void Occupancy::NoteAdded(const AgentStore& agents) {
  if (discs_) Insert(agents, static_cast<Index>(agents.size() - 1));
}

void Occupancy::Invalidate() {
  discs_.reset();
  looks_ = 0;
}

void Occupancy::Insert(const AgentStore& agents, Index place) {
  const Body& body = agents.body[place];
  // A little more, since ends are rounded.
  const float reach = 1.0001f * agents.radius[place] + 1e-6f * std::max(std::abs(body.x), std::abs(body.y));
  discs_->Insert(place, {body.x - reach, body.y - reach}, {body.x + reach, body.y + reach});
}

}  // namespace throng
