// Half-planes of agent pairs at every SIMD level against the plain ones, bit for bit.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solve/agent_lines.h"
#include "tests/support/random.h"
#include "tests/unit/engine/kernel/bits.h"
#include "tests/unit/engine/kernel/probes.h"

namespace throng {
namespace {

using testing::PairCase;
using testing::PairLine;
using testing::Random;

Vec2 OfLength(float length, Random& random) { return length * random.UnitVector(); }

class KernelPairLines : public ::testing::TestWithParam<SimdLevel> {
 protected:
  struct Seen {
    int overlaps = 0, undirected = 0, legs = 0, cut_off = 0;
  };

  // As many side by side as there are lanes.
  void Expect(const std::vector<PairCase>& pairs, float inverse_time_step, Seen* seen = nullptr) {
    for (std::size_t first = 0; first < pairs.size(); first += probes_.lanes) {
      const auto some = std::span(pairs).subspan(first, std::min(probes_.lanes, pairs.size() - first));
      const std::vector<PairLine> made = probes_.pair_lines(some, inverse_time_step);
      for (std::size_t i = 0; i < some.size(); ++i) {
        ASSERT_NO_FATAL_FAILURE(ExpectOne(some[i], made[i], inverse_time_step, seen));
      }
    }
  }

 private:
  static void ExpectOne(const PairCase& pair, const PairLine& made, float inverse_time_step, Seen* seen) {
    bool overlap = false;
    const float inverse_horizon = 1.0f / pair.time_horizon;
    const HalfPlane plain = AgentHalfPlane(pair.self, pair.other, inverse_horizon, inverse_time_step, overlap);
    const std::string trace = absl::StrFormat(
        "p (%a, %a) v (%a, %a) radii %a, %a horizon %a", pair.other.position.x - pair.self.position.x,
        pair.other.position.y - pair.self.position.y, pair.self.velocity.x - pair.other.velocity.x,
        pair.self.velocity.y - pair.other.velocity.y, pair.self.radius, pair.other.radius, pair.time_horizon);
    ASSERT_EQ(made.overlap, overlap) << trace;
    // Plain code asks the ids exactly where the kernel leaves the line to it.
    Disc renamed = pair.self;
    renamed.id += 1000;
    const HalfPlane of_renamed = AgentHalfPlane(renamed, pair.other, inverse_horizon, inverse_time_step, overlap);
    ASSERT_EQ(made.undirected, !testing::SameBits(plain.direction, of_renamed.direction)) << trace;
    if (!made.undirected) {
      ASSERT_TRUE(testing::SameBits(made.line, plain))
          << trace << "\nkernel " << testing::ToText(made.line) << "\nplain  " << testing::ToText(plain);
    }
    if (seen == nullptr) return;
    seen->overlaps += overlap;
    seen->undirected += made.undirected;
    const Vec2 p = pair.other.position - pair.self.position;
    const Vec2 v = pair.self.velocity - pair.other.velocity;
    const Vec2 w = v - inverse_horizon * p;
    const float radius = pair.self.radius + pair.other.radius;
    const bool before_disc = Dot(w, p) < 0 && Dot(w, p) * Dot(w, p) > radius * radius * AbsSq(w);
    seen->legs += !overlap && !before_disc;
    seen->cut_off += !overlap && before_disc;
  }

  const testing::KernelProbes& probes_ = testing::ProbesOf(GetParam());
};

TEST_P(KernelPairLines, OfOrdinaryPairs) {
  Random random(1);
  std::vector<PairCase> pairs;
  for (int i = 0; i < 40'000; ++i) {
    const Disc self{1, random.InBox({-5, -5}, {5, 5}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    const Disc other{2, random.InBox({-5, -5}, {5, 5}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    pairs.push_back({self, other, random.Uniform(0.1f, 8.0f)});
  }
  Seen seen;
  Expect(pairs, 30.0f, &seen);
  EXPECT_GT(seen.overlaps, 1'000);
  EXPECT_GT(seen.legs, 1'000);
  EXPECT_GT(seen.cut_off, 1'000);
}

// The discs touch, or fail to by the last bit.
TEST_P(KernelPairLines, OfPairsThatTouch) {
  Random random(2);
  std::vector<PairCase> pairs;
  for (int i = 0; i < 20'000; ++i) {
    PairCase pair{{1, {}, random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)},
                  {2, {}, random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)},
                  2.0f};
    float distance = pair.self.radius + pair.other.radius;
    for (std::size_t steps = random.Below(3); steps > 0; --steps) {
      distance = std::nextafter(distance, random.Chance(0.5f) ? 0.0f : 10.0f);
    }
    switch (random.Below(3)) {
      case 0:
        pair.other.position = {distance, 0.0f};
        break;
      case 1:
        pair.other.position = {0.0f, -distance};
        break;
      default:
        pair.other.position = distance * random.UnitVector();
    }
    pairs.push_back(pair);
  }
  Seen seen;
  Expect(pairs, 10.0f, &seen);
  EXPECT_GT(seen.overlaps, 5'000);
  EXPECT_LT(seen.overlaps, 19'000);
}

TEST_P(KernelPairLines, OfPairsOnOnePlaceOrOfOneVelocity) {
  Random random(3);
  std::vector<PairCase> pairs;
  for (int i = 0; i < 20'000; ++i) {
    PairCase pair{{3, random.InBox({-50, -50}, {50, 50}), random.InBox({-2, -2}, {2, 2}), 0.5f},
                  {4, random.InBox({-50, -50}, {50, 50}), random.InBox({-2, -2}, {2, 2}), 0.25f},
                  random.Uniform(0.1f, 8.0f)};
    if (random.Chance(0.7f)) pair.other.position = pair.self.position;
    if (random.Chance(0.7f)) pair.other.velocity = pair.self.velocity;
    if (random.Chance(0.1f)) pair.self.velocity = {-0.0f, 0.0f};
    if (random.Chance(0.1f)) pair.other.velocity = {};
    // Nearly alike: what w squared makes of it lies on both sides of the bound.
    if (random.Chance(0.2f)) pair.other.velocity = pair.self.velocity + OfLength(std::exp2(-50.0f), random);
    pairs.push_back(pair);
  }
  Seen seen;
  Expect(pairs, 30.0f, &seen);
  EXPECT_GT(seen.undirected, 5'000);
}

// The relative velocity lies on the border between the disc that cuts the cone off and a leg, or dead ahead.
TEST_P(KernelPairLines, AtTheBordersOfDiscAndLegs) {
  Random random(4);
  std::vector<PairCase> pairs;
  for (int i = 0; i < 20'000; ++i) {
    PairCase pair{{1, {}, {}, 0.5f}, {2, OfLength(random.Uniform(1.5f, 8.0f), random), {}, 0.5f}, 2.0f};
    const Vec2 p = pair.other.position;
    const Vec2 center = 0.5f * p;
    const float distance = std::sqrt(AbsSq(p));
    // Where the tangent from the origin touches the disc: at this part of the radius against and across p.
    const Vec2 back = (-1.0f / distance) * p, across = TurnedLeft(back);
    const float sine = 1.0f / distance, cosine = std::sqrt(1.0f - sine * sine);
    const float side = random.Chance(0.5f) ? 1.0f : -1.0f;
    Vec2 v = center + 0.5f * (sine * back + side * cosine * across);
    switch (random.Below(5)) {
      case 0:
        v = center + random.Uniform(0.0f, 2.0f) * (v - center);  // along the border
        break;
      case 1:
        v = random.Uniform(-0.5f, 2.0f) * p;  // det(p, w) is zero or nearly so
        break;
      case 2:
        v = center;
        break;
      case 3:
        v = {};
        break;
      default:
        break;
    }
    pair.self.velocity = v;
    if (random.Chance(0.5f)) {
      const Vec2 both = random.InBox({-1, -1}, {1, 1});
      pair.self.velocity = pair.self.velocity + both;
      pair.other.velocity = both;
    }
    pairs.push_back(pair);
  }
  Seen seen;
  Expect(pairs, 30.0f, &seen);
  EXPECT_GT(seen.legs, 1'000);
  EXPECT_GT(seen.cut_off, 1'000);
}

// No radius, and lengths and speeds from subnormal ones up to the ends of their ranges.
TEST_P(KernelPairLines, AtTheEndsOfTheRanges) {
  Random random(5);
  constexpr std::array<float, 8> kLengths = {0.0f, 1e-42f, 1e-30f, 1e-18f, 1e-9f, 1e-3f, 1.0f, 1048576.0f};
  constexpr std::array<float, 7> kRadii = {0.0f, 1e-42f, 1e-20f, 1e-6f, 0.5f, 30.0f, 1000.0f};
  const auto length = [&] { return OfLength(kLengths[random.Below(kLengths.size())], random); };
  std::vector<PairCase> pairs;
  for (int i = 0; i < 60'000; ++i) {
    PairCase pair;
    pair.self = {1, length(), length(), kRadii[random.Below(kRadii.size())]};
    pair.other = {2, length(), length(), kRadii[random.Below(kRadii.size())]};
    if (random.Chance(0.3f)) pair.other.position = pair.self.position + length();
    if (random.Chance(0.3f)) pair.other.velocity = pair.self.velocity + length();
    pair.time_horizon = random.Chance(0.5f) ? 0.01f : 100.0f;
    pairs.push_back(pair);
  }
  for (const float inverse_time_step : {1.0f, 1000.0f}) {
    Seen seen;
    Expect(pairs, inverse_time_step, &seen);
    EXPECT_GT(seen.overlaps, 5'000);
    EXPECT_GT(seen.undirected, 100);
    EXPECT_GT(seen.legs, 1'000);
    EXPECT_GT(seen.cut_off, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelPairLines, ::testing::ValuesIn(AvailableSimdLevels()),
                         [](const auto& level) { return std::string(Name(level.param)); });

}  // namespace
}  // namespace throng
