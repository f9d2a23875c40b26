// What of World is about kinematic agents.
#include "world/world_impl.h"

namespace throng {

void World::Impl::SetKinematic(Index place, bool kinematic) {
  if (kinematic == IsKinematic(place)) return;
  const Index slot = agents.slot[place];
  const bool had_way = agents.goals.Find(slot) != nullptr || (!kinematic && agents.kinematics.Find(slot)->moves_to);
  agents.goals.Drop(slot);
  if (had_way) agents.preferred_x[place] = agents.preferred_y[place] = 0.0f;
  Regard regard = agents.RegardOf(place);
  regard.kinematic = kinematic;
  agents.SetRegard(place, regard);
  if (recovery) recovery->NoteAgent(agents.id[place]);
}

void World::Impl::SetMoveTo(Index place, const MoveTo& move_to) {
  Kinematic& kinematic = *agents.kinematics.Find(agents.slot[place]);
  kinematic.moves_to = true;
  kinematic.way = move_to;
  NoteInput(place);
}

}  // namespace throng
