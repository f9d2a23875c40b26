#include "server/host/pacer.h"

#include <gtest/gtest.h>

#include "server/host/load_meter.h"
#include "server/host/slice_meter.h"

namespace throng::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(PacerTest, KeepsTheRateWithoutDrift) {
  Pacer pacer(milliseconds(10), milliseconds(100));
  for (int i = 0; i < 1000; ++i) {
    const Time due = pacer.due();
    const Pacer::Outcome outcome = pacer.Finish(due + microseconds(300), due + milliseconds(4));
    EXPECT_EQ(outcome.lateness, microseconds(300));
    EXPECT_FALSE(outcome.missed);
  }
  EXPECT_EQ(pacer.due(), milliseconds(100 + 1000 * 10));
}

TEST(PacerTest, CatchesUpWithinABound) {
  Pacer pacer(milliseconds(10), Time(0));
  EXPECT_TRUE(pacer.Finish(Time(0), milliseconds(45)).missed);
  EXPECT_EQ(pacer.due(), milliseconds(10));  // four more ticks come at once
  EXPECT_TRUE(pacer.Finish(milliseconds(45), milliseconds(90)).missed);
  EXPECT_EQ(pacer.due(), milliseconds(90));  // given up: the world slows down
}

TEST(PacerTest, PausedTimeIsNotCaughtUp) {
  Pacer pacer(milliseconds(10), milliseconds(100));
  pacer.Resume(milliseconds(95));
  EXPECT_EQ(pacer.due(), milliseconds(100));
  pacer.Resume(seconds(9));
  EXPECT_EQ(pacer.due(), seconds(9));
}

TEST(PacerTest, ANewPeriodCountsFromTheLastTick) {
  Pacer pacer(milliseconds(10), milliseconds(100));
  pacer.Finish(milliseconds(100), milliseconds(101));
  pacer.SetPeriod(milliseconds(2));
  EXPECT_EQ(pacer.due(), milliseconds(102));
}

TEST(LoadMeterTest, TellsTheLastSeconds) {
  LoadMeter meter(Time(0));
  EXPECT_EQ(meter.Load(Time(0)).tick_rate, 0.0);
  for (int i = 1; i <= 300; ++i) {
    meter.Count(milliseconds(10 * i), milliseconds(2), {milliseconds(i == 250 ? 7 : 1), i == 250});
  }
  const WorldLoad load = meter.Load(seconds(3));
  EXPECT_NEAR(load.tick_rate, 100.0, 1.0);
  EXPECT_NEAR(load.tick_cost, 0.002, 1e-9);
  EXPECT_NEAR(load.lateness_max, 0.007, 1e-9);
  EXPECT_GT(load.lateness_mean, 0.001);
  EXPECT_EQ(load.missed_deadlines, 1u);
  EXPECT_EQ(meter.Load(seconds(9)).tick_rate, 0.0);
  EXPECT_EQ(meter.Load(seconds(9)).missed_deadlines, 1u);
}

TEST(SliceMeterTest, LearnsWhatFitsIntoASlice) {
  SliceMeter meter;
  for (int i = 0; i < 50; ++i) meter.Count(Phase::kSolve, 10'000, milliseconds(2));  // 200 ns an agent
  EXPECT_NEAR(static_cast<double>(meter.AgentsIn(Phase::kSolve, microseconds(700))), 3500.0, 10.0);
  EXPECT_EQ(meter.AgentsIn(Phase::kSolve, Duration(-5)), SliceMeter::kMinAgents);
  meter.Count(Phase::kMove, 100, seconds(1));  // too little to learn from
  EXPECT_NEAR(static_cast<double>(meter.AgentsIn(Phase::kMove, milliseconds(1))), 1000.0, 1.0);
  for (int i = 0; i < 90; ++i) meter.Count(Phase::kMove, 1'000'000, Duration(0));
  EXPECT_EQ(meter.AgentsIn(Phase::kMove, seconds(1)), SliceMeter::kMaxAgents);
}

}  // namespace
}  // namespace throng::server
