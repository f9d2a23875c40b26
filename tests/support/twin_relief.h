// Jam relief, as the textbook twin does it: formulas as they stand, one agent at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

// What is kept of an agent from step to step.
struct Jam {
  float mean = 0.0f;  // of the part of the wanted speed that others kept it from
  bool held = false;  // by agents' half-planes, in the last step
  Vec2 wanted;        // in the last step
  int queue = 0;      // 24 of who meets somebody, one less for each who queues behind it; 0: its way is not opposed
};

// The mean after a step that left the agent with `velocity`: it takes up what is missing of the wanted velocity in half
// a second, and lets it go in four.
float MeanAfter(const Jam& jam, float time_step, Vec2 wanted, Vec2 velocity);
// 0 to 1, from half of the speed missing to all of it.
float Jammed(float mean);
// A horizon loses the part `jammed`, but does not fall below 0.3 s (or ten time steps).
float ShortHorizon(float horizon, float jammed, float time_step);

// Another one that the agent considers.
struct Other {
  Vec2 way;            // to it
  Vec2 wish;           // what it wanted in the last step
  float radii = 0.0f;  // sum of both
  int queue = 0;
};
// The queue of an agent that is jammed and wants to go as `wanted`, by the four that are nearest to it.
int QueueBehind(Vec2 wanted, std::span<const Other> others);

// Turns of three seconds, in pairs of a direction and its opposite.
Vec2 RightOfWay(std::uint64_t seed, std::uint64_t tick, float time_step);
// What a jammed and opposed agent wants.
Vec2 WishOfOpposed(std::uint64_t seed, Vec2 right_of_way, Vec2 wanted, float jammed);

// Where agents' lines had to be relaxed, to `relaxed`, but each by less than `slack`: the velocity nearest to the wish
// that violates none of them by more than that.
Vec2 WithSlack(std::span<const HalfPlane> lines, std::size_t obstacle_lines, float max_speed, Vec2 wish, float slack,
               Vec2 relaxed);

}  // namespace throng::twin
