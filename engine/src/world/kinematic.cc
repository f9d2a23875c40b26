#include "world/kinematic.h"

#include "base/vec2.h"

namespace throng {

void TellKinematics(AgentStore& agents, float inverse_time_step, bool zero, std::size_t begin, std::size_t end) {
  for (Kinematic& kinematic : agents.kinematics.all().subspan(begin, end - begin)) {
    const Index place = agents.PlaceOfSlot(kinematic.slot);
    agents.mode[place] = kIsKinematic;
    if (!kinematic.moves_to) continue;
    Vec2 velocity;
    if (kinematic.way.ticks > 0) {
      const Body& body = agents.body[place];
      velocity = (inverse_time_step / static_cast<float>(kinematic.way.ticks)) *
                 (kinematic.way.position - Vec2{body.x, body.y});
      if (!zero && --kinematic.way.ticks == 0) agents.mode[place] |= kLands;
    }
    agents.preferred_x[place] = velocity.x;
    agents.preferred_y[place] = velocity.y;
  }
}

}  // namespace throng
