// What tests of reported faults share: a world of the parameters that the reports assume, and callers that walk.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "throng/types.h"
#include "throng/world.h"

namespace throng::reports {

// Time step 0.1; radius 0.5, maximum 2 m/s, neighbour distance 10, 10 neighbours, horizon 5 s, towards obstacles 2 s.
WorldSettings ReportedSettings();
std::unique_ptr<World> Make(const WorldSettings& settings = ReportedSettings());

AgentId Add(World& world, Vec2 position, std::optional<AgentId> id = std::nullopt, const AgentParamsPatch& params = {});

Vec2 PositionOf(const World& world, AgentId id);
Vec2 VelocityOf(const World& world, AgentId id);
float Distance(Vec2 a, Vec2 b);
// Of all pairs; infinite where there is none.
float LeastDistance(const World& world);

// Of a caller that heads for `goal` at `speed`, slower near it.
void Head(World& world, AgentId id, Vec2 goal, float speed = 1.5f);
void Want(World& world, AgentId id, Vec2 velocity);
void Step(World& world);

// All positions and velocities are finite and within the coordinate range, and no speed is above its maximum.
void ExpectSound(const World& world);

}  // namespace throng::reports
