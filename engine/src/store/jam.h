// What jam relief knows of an agent: how much others keep it from going where it wants, as a running mean, where it
// wanted to go, and whether its way is opposed. Columns of AgentStore where MotionSettings::jam_relief is in force;
// each step's solve reads those of the step before and writes its own, which take their place when it ends
// (kernel/relief-inl.h).
//
// Opposed is who meets somebody, near and ahead, who wants to come towards it; and who goes where others ahead of it
// want to go too, of whom one is opposed: so a queue knows what its first ones meet. Each one of the queue farther back
// counts one less.
#pragma once

#include <cstddef>
#include <cstdint>

#include "throng/types.h"

namespace throng {

struct Jam {
  // Of the byte that says it: other agents held this one in the last step; how far the queue behind it takes it over.
  static constexpr std::uint8_t kHeld = 0x80;
  static constexpr std::int32_t kHeldBit = kHeld;
  static constexpr std::int32_t kQueueMask = kHeld - 1;
  static constexpr std::int32_t kQueue = 24;

  // [s] in which the mean takes up a jam, and lets it go.
  static constexpr float kRise = 0.5f;
  static constexpr float kFall = 4.0f;
  // Part of the wanted speed that is missing, above which an agent is jammed.
  static constexpr float kMissing = 0.5f;
  // [s] that who is jammed looks ahead at least; and in time steps, since who brakes later than that overshoots: of
  // what is to be avoided each step undoes a half.
  static constexpr float kShortestHorizon = 0.3f;
  static constexpr float kShortestSteps = 10.0f;
  // Of two that meet: how near, in sums of radii.
  static constexpr float kMeeting = 1.5f;
  // So many of the nearest are looked at for whom an agent meets, or goes behind.
  static constexpr std::size_t kNearest = 4;
  // As many as fit around one of its own size: looked at for who takes its place at its goal.
  static constexpr std::size_t kAround = 6;
  // [s] for which one direction has the right of way; its opposite has it next.
  static constexpr std::size_t kSecondsOfWay = 3;
  // What who is jammed and opposed wants, in parts of what it was told to want: along that and to its side; of who has
  // the right of way, and of who makes room.
  static constexpr float kGoAhead = 0.7f;
  static constexpr float kGoAside = 0.4f;
  static constexpr float kYieldAhead = -0.4f;
  static constexpr float kYieldAside = 0.5f;
  // How far into each other agents may be pressed where all of them are held and obstacles leave no way round, in radii
  // a step.
  static constexpr float kSoftness = 0.07f;
  // How far who is jammed moves at most where not all half-planes can be met, in radii a step: what is least bad then
  // may be a leap into the next one.
  static constexpr float kMostPressed = 0.3f;
};

}  // namespace throng
