// Every measure on ways that are made up.
#include "tests/quality/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace throng::quality {
namespace {

constexpr double kStep = 0.1;

Meter::Options Steps(double time_step = kStep) { return {.time_step = time_step, .overlap_from = 0.0, .opening = {}}; }

// Shows a meter `ticks` ticks of agents whose sample at a tick is given.
using Way = std::function<Sample(int tick)>;
Measures Watch(Meter meter, const std::vector<Way>& ways, int ticks) {
  for (int tick = 0; tick <= ticks; ++tick) {
    std::vector<Sample> samples;
    for (const Way& way : ways) samples.push_back(way(tick));
    meter.Observe(samples);
  }
  return meter.Finish();
}

Sample At(double x, double y) {
  Sample sample;
  sample.position = {static_cast<float>(x), static_cast<float>(y)};
  return sample;
}

Sample Standing(double x, double y) {
  Sample sample = At(x, y);
  sample.resting = true;
  return sample;
}

// Along x at 1 m/s from 0; wants to go on at it.
Sample Walking(int tick, double time_step = kStep) {
  Sample sample = At(tick * time_step, 0.0);
  sample.velocity = sample.wanted = {1.0f, 0.0f};
  return sample;
}

// With a heading that is given in degrees, at 1 m/s.
Sample Heading(double degrees) {
  Sample sample = At(0.0, 0.0);
  const double angle = degrees * std::numbers::pi / 180.0;
  sample.velocity = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  return sample;
}

TEST(MeterTest, ArrivalIsTheFirstTickOfTheLastOne) {
  const auto arrives_at = [](int when) {
    return [when](int tick) {
      Sample sample = Walking(tick);
      sample.arrived = tick >= when;
      return sample;
    };
  };
  const Measures measures =
      Watch(Meter(Steps(), std::vector<Body>(3), {}), {arrives_at(5), arrives_at(9), arrives_at(99)}, 20);
  EXPECT_DOUBLE_EQ(measures.arrived, 2.0 / 3.0);
  ASSERT_TRUE(measures.last_arrival);
  EXPECT_DOUBLE_EQ(*measures.last_arrival, 0.9);
}

TEST(MeterTest, WhoLosesItsPlaceArrivesAnew) {
  const auto arrives = [](int tick) {
    Sample sample = Walking(tick);
    sample.arrived = tick >= 3 && tick != 5;
    return sample;
  };
  const Measures measures = Watch(Meter(Steps(), std::vector<Body>(1), {}), {arrives}, 9);
  EXPECT_EQ(measures.arrived, 1.0);
  ASSERT_TRUE(measures.last_arrival);
  EXPECT_DOUBLE_EQ(*measures.last_arrival, 0.6);
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(1), {}), {arrives}, 5).arrived, 0.0);
}

TEST(MeterTest, WhoHasNoGoalIsNotAskedToArrive) {
  Body parked;
  parked.has_goal = false;
  const Measures measures =
      Watch(Meter(Steps(), {parked}, {}), {[](int tick) { return Standing(tick > 3 ? 3.0 : 0.0, 4.0); }}, 5);
  EXPECT_EQ(measures.arrived, 1.0);
  EXPECT_FALSE(measures.last_arrival);
  EXPECT_DOUBLE_EQ(measures.drift, 3.0);
}

TEST(MeterTest, OverlapIsTheDeepestOfAnyPairAtAnyTick) {
  std::vector<Body> bodies(3);
  bodies[1].radius = 0.25f;
  // The small one passes the first at 0.6 m in tick 2, of 0.75 m.
  const double way[] = {2.0, 1.0, 0.6, 1.0, 2.0};
  const Measures measures = Watch(
      Meter(Steps(), bodies, {}),
      {[](int) { return At(0, 0); }, [&](int tick) { return At(0, way[tick]); }, [](int) { return At(10, 0); }}, 4);
  EXPECT_NEAR(measures.overlap, 0.15, 1e-6);
  EXPECT_NEAR(measures.overlap_radii, 0.6, 1e-6);
  EXPECT_DOUBLE_EQ(measures.parted, 0.2);
}

TEST(MeterTest, OverlapCountsFromItsTimeOn) {
  Meter::Options options = Steps();
  options.overlap_from = 0.3;
  const double way[] = {0.0, 0.2, 0.7, 0.9, 1.2};
  const Measures measures = Watch(Meter(options, std::vector<Body>(2), {}),
                                  {[](int) { return At(0, 0); }, [&](int tick) { return At(way[tick], 0); }}, 4);
  EXPECT_NEAR(measures.overlap, 0.1, 1e-6);
  EXPECT_NEAR(measures.parted, 0.3, 1e-9);
}

TEST(MeterTest, OverlapsOfMovingCrowdsAreThoseOfAllPairs) {
  constexpr int kAgents = 40;
  std::vector<Body> bodies(kAgents);
  std::vector<Way> ways;
  const auto place = [](int agent, int tick) {
    return At(5.0 * std::sin(agent * 1.7 + tick * 0.3), 5.0 * std::cos(agent * 2.9 - tick * 0.2));
  };
  for (int i = 0; i < kAgents; ++i) {
    bodies[i].radius = 0.05f + 0.01f * static_cast<float>(i);
    ways.push_back([=](int tick) { return place(i, tick); });
  }
  double deepest = 0.0;
  for (int tick = 0; tick <= 30; ++tick) {
    for (int i = 0; i < kAgents; ++i) {
      for (int j = 0; j < i; ++j) {
        const double reach = double{bodies[i].radius} + double{bodies[j].radius};
        deepest = std::max(deepest, reach - Distance(place(i, tick).position, place(j, tick).position));
      }
    }
  }
  ASSERT_GT(deepest, 0.1);
  EXPECT_DOUBLE_EQ(Watch(Meter(Steps(), bodies, {}), ways, 30).overlap, deepest);
}

TEST(MeterTest, WhoHasLeftOverlapsNobody) {
  const auto leaves = [](int tick) {
    Sample sample = At(tick < 2 ? 5 : 0, 0);
    sample.present = tick < 2;
    return sample;
  };
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(2), {}), {[](int) { return At(0, 0); }, leaves}, 4).overlap, 0.0);
}

std::uint64_t Crossings(const std::vector<double>& x) {
  const std::vector<Edge> wall = {{{0, -1}, {0, 1}}};
  return Watch(Meter(Steps(), std::vector<Body>(1), wall),
               {[&](int tick) { return At(x[static_cast<std::size_t>(tick)], 0); }}, static_cast<int>(x.size()) - 1)
      .wall_crossings;
}

TEST(MeterTest, CrossingsOfAWall) {
  EXPECT_EQ(Crossings({-3, -2, -1, -0.1, -0.001, -0.001}), 0u);
  EXPECT_EQ(Crossings({-3, -2, -1, 1, 2}), 1u);
  EXPECT_EQ(Crossings({-9, -8, 8, 9, -9, -9.5, 0.5}), 3u);
  EXPECT_EQ(Crossings({-1, -1e-20, 1e-20, -1e-20}), 2u);
}

TEST(MeterTest, WhoStopsOnAWallCrossesWhenItGoesOn) {
  EXPECT_EQ(Crossings({-1, 0, -1, 0, 0, -1}), 0u);
  EXPECT_EQ(Crossings({-1, 0, 0, 1, 2}), 1u);
  EXPECT_EQ(Crossings({-1, 0, 1, 0, -1}), 2u);
}

TEST(MeterTest, AKinematicAgentMayCross) {
  Body told;
  told.kinematic = true;
  EXPECT_EQ(Watch(Meter(Steps(), {told}, {{{0.5f, -1}, {0.5f, 1}}}), {[](int tick) { return Walking(tick); }}, 20)
                .wall_crossings,
            0u);
}

TEST(MeterTest, DetourIsWayOverRouteOfThoseWhoArrive) {
  std::vector<Body> bodies(2);
  bodies[0].straight = bodies[1].straight = 4.0;
  const double y[] = {0, 3, 3, 0, 7, 7};  // 3 up, 4 along, 3 down; then what no longer counts
  const double x[] = {0, 0, 4, 4, 4, 9};
  const auto arrives = [&](int tick) {
    Sample sample = At(x[tick], y[tick]);
    sample.arrived = tick >= 3;
    return sample;
  };
  const Measures measures =
      Watch(Meter(Steps(), bodies, {}), {arrives, [](int tick) { return At(100 + 50 * tick, 0); }}, 5);
  ASSERT_TRUE(measures.detour);
  EXPECT_DOUBLE_EQ(*measures.detour, 2.5);
}

double Zigzag(const std::vector<double>& degrees, double time_step = kStep) {
  const auto last = static_cast<int>(degrees.size()) - 1;
  return Watch(Meter(Steps(time_step), std::vector<Body>(1), {}),
               {[&](int tick) { return Heading(degrees[static_cast<std::size_t>(tick)]); }}, last)
             .zigzag *
         last * time_step;
}

TEST(MeterTest, ZigzagCountsTurnsBackByMoreThanTenDegrees) {
  EXPECT_NEAR(Zigzag({0, 0, 0, 0, 0}), 0.0, 1e-9);
  EXPECT_NEAR(Zigzag({0, 0, 20, 40, 60, 80, 100}), 0.0, 1e-9);         // one bend
  EXPECT_NEAR(Zigzag({0, 0, 9, 0, 9, 0, 9, 0}), 0.0, 1e-9);            // too small
  EXPECT_NEAR(Zigzag({0, 0, 20, 0, 20, 0}), 3.0, 1e-9);                // left, then right, left, right
  EXPECT_NEAR(Zigzag({0, 0, 30, 25, 35, 28, 40}), 0.0, 1e-9);          // left all the time but for trifles
  EXPECT_NEAR(Zigzag({0, 0, 8, 16, 24, 18, 12, 6, 0, 0}), 1.0, 1e-9);  // slowly there and back
}

TEST(MeterTest, ZigzagCountsEveryTurningBack) {
  EXPECT_NEAR(Zigzag({0, 0, 180, 0, 180}), 3.0, 1e-9);
  EXPECT_NEAR(Zigzag({0, 0, 175, 350, 165}), 3.0, 1e-9);
}

TEST(MeterTest, ZigzagDoesNotRestOnTheTimeStep) {
  std::vector<double> coarse;
  std::vector<double> fine;
  for (int i = 0; i <= 1000; ++i) {
    const double degrees = 30.0 * std::sin(i * 0.01 * 2.0 * std::numbers::pi);  // there and back in a second
    if (i % 10 == 0) coarse.push_back(degrees);
    fine.push_back(degrees);
  }
  EXPECT_NEAR(Zigzag(coarse, 0.1), Zigzag(fine, 0.01), 1e-6);
  EXPECT_NEAR(Zigzag(fine, 0.01), 20.0, 1.0);
}

TEST(MeterTest, ZigzagPassesOverWhoHardlyMoves) {
  const auto trembles = [](int tick) {
    Sample sample = Heading(tick % 2 == 0 ? 0.0 : 180.0);
    sample.velocity.x *= 0.05f;
    return sample;
  };
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(1), {}), {trembles}, 50).zigzag, 0.0);
}

TEST(MeterTest, IdleSpeedIsOfTheLastSecond) {
  const auto stops_at = [](int last) {
    return [last](int tick) { return Standing(0.01 * std::min(tick, last), 0.0); };
  };
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(1), {}), {stops_at(10)}, 20).idle_speed, 0.0);
  EXPECT_NEAR(Watch(Meter(Steps(), std::vector<Body>(1), {}), {stops_at(11)}, 20).idle_speed, 0.1, 1e-5);
}

TEST(MeterTest, IdleSpeedTakesTheReportedVelocityToo) {
  const auto claims = [](int) {
    Sample sample = Standing(0, 0);
    sample.velocity = {0.0f, 1e-20f};
    return sample;
  };
  EXPECT_GT(Watch(Meter(Steps(), std::vector<Body>(1), {}), {claims}, 20).idle_speed, 0.0);
}

TEST(MeterTest, WhoWalksIsNotIdle) {
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(1), {}), {[](int tick) { return Walking(tick); }}, 20).idle_speed,
            0.0);
}

// Walks for a second, stands against something for `blocked` ticks, then goes on.
Way Blocked(int blocked) {
  return [blocked](int tick) {
    Sample sample = Walking(tick <= 10 ? tick : std::max(10, tick - blocked));
    return sample;
  };
}

TEST(MeterTest, StalledAfterASecondWithoutATenthOfTheWay) {
  const Meter meter(Steps(), std::vector<Body>(1), {});
  EXPECT_EQ(Watch(meter, {Blocked(100)}, 19).stalled, 0u);  // a tenth of the second's way was made
  EXPECT_EQ(Watch(meter, {Blocked(100)}, 20).stalled, 1u);
  EXPECT_EQ(Watch(meter, {Blocked(20)}, 30).stalled, 1u);
  EXPECT_EQ(Watch(meter, {Blocked(20)}, 32).stalled, 0u);
  EXPECT_EQ(Watch(meter, {Blocked(20)}, 60).stalled_most, 1u);
}

TEST(MeterTest, WhoWantsLittleIsNotStalled) {
  const auto waits = [](int) {
    Sample sample = At(0, 0);
    sample.wanted = {0.19f, 0.0f};  // the maximum is 2
    return sample;
  };
  EXPECT_EQ(Watch(Meter(Steps(), std::vector<Body>(1), {}), {waits}, 40).stalled_most, 0u);
}

TEST(MeterTest, FlowIsPassagesOverTimeAndWidth) {
  Meter::Options options = Steps();
  options.opening = Edge{{0, -1}, {0, 1}};
  std::vector<Way> ways;
  for (int i = 0; i < 5; ++i) {  // one a second
    ways.push_back([i](int tick) { return At(tick * kStep - 1.05 - i, 0.0); });
  }
  const Measures all = Watch(Meter(options, std::vector<Body>(5), {}), ways, 100);
  ASSERT_TRUE(all.flow);
  EXPECT_NEAR(*all.flow, 0.5, 1e-6);  // four in four seconds through two metres
  ways.push_back([](int) { return At(-5, 5); });
  const Measures jammed = Watch(Meter(options, std::vector<Body>(6), {}), ways, 100);
  EXPECT_NEAR(*jammed.flow, 4.0 / (10.0 - 1.1) / 2.0, 1e-6);
  EXPECT_FALSE(Watch(Meter(Steps(), std::vector<Body>(6), {}), ways, 100).flow);
}

}  // namespace
}  // namespace throng::quality
