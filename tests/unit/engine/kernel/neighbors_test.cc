// What a solve takes for neighbours, by lists, by the tree or by a search: in the order (distance, id), at every SIMD
// level, seen by the half-planes that it makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "index/nearest.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/unit/engine/kernel/bits.h"
#include "tests/unit/engine/kernel/probes.h"
#include "tests/unit/engine/kernel/solved_crowd.h"

namespace throng {
namespace {

using testing::Candidate;
using testing::Random;
using testing::RankedEntry;
using testing::Seeker;
using testing::Shape;
using testing::SolvedCrowd;

void ExpectPlainNeighbors(SolvedCrowd& crowd, float moved, SolveCounts* of_best = nullptr) {
  std::vector<std::vector<HalfPlane>> plain;
  SolveCounts expected;
  for (std::size_t place = 0; place < crowd.store.size(); ++place) {
    plain.push_back(crowd.NeighborLines(place));
    expected.neighbors += plain.back().size();
    expected.truncated += plain.back().size() == crowd.store.max_neighbors[place];
  }
  for (const SimdLevel level : AvailableSimdLevels()) {
    SolveView view = crowd.View();
    view.moved = moved;
    SolveCounts counts;
    const auto lines = testing::Solve(view, level, counts);
    for (std::size_t place = 0; place < lines.size(); ++place) {
      ASSERT_TRUE(testing::SameLines(lines[place], plain[place]))
          << Name(level) << ", agent " << crowd.store.id[place] << " at place " << place;
    }
    ASSERT_EQ(counts.neighbors, expected.neighbors) << Name(level);
    ASSERT_EQ(counts.truncated, expected.truncated) << Name(level);
    if (of_best != nullptr) *of_best = counts;
  }
}

void Move(SolvedCrowd& crowd, float step, Random& random) {
  for (std::size_t i = 0; i < crowd.store.size(); ++i) {
    const Vec2 way = step * random.UnitVector();
    crowd.store.body[i].x += way.x;
    crowd.store.body[i].y += way.y;
  }
}

class KernelNeighbors : public ::testing::TestWithParam<Shape> {
 protected:
  static SolvedCrowd Make(std::size_t agents, std::uint64_t seed) {
    const testing::Scene scene = testing::RandomCrowd(GetParam(), agents, seed);
    SolvedCrowd crowd;
    crowd.Add(scene.agents, scene.settings.agent_defaults);
    return crowd;
  }
};

TEST_P(KernelNeighbors, AreThoseOfPlainCode) {
  for (const std::size_t agents : {1, 2, 15, 16, 17, 40, 300}) {
    SolvedCrowd crowd = Make(agents, agents);
    crowd.Sort();
    ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, 0.0f)) << agents << " agents";
  }
}

TEST_P(KernelNeighbors, AreThoseOfPlainCodeHoweverFewOrMany) {
  for (const std::uint32_t most : {0u, 1u, 2u, 10u, 11u, 14u, 15u, 16u, 32u, 64u}) {
    SolvedCrowd crowd = Make(250, most);
    for (std::size_t i = 0; i < crowd.store.size(); ++i) crowd.store.max_neighbors[i] = static_cast<std::uint8_t>(most);
    crowd.Sort();
    ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, 0.0f)) << most << " neighbours";
  }
  // Side by side in one vector.
  constexpr std::array<std::uint8_t, 7> kMost = {0, 1, 14, 15, 32, 64, 10};
  SolvedCrowd crowd = Make(250, 1);
  for (std::size_t i = 0; i < crowd.store.size(); ++i) crowd.store.max_neighbors[i] = kMost[i % kMost.size()];
  crowd.Sort();
  ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, 0.0f));
}

// Lists that were made before everyone moved, and those that no longer serve.
TEST_P(KernelNeighbors, AreThoseOfPlainCodeAfterMoving) {
  Random random(7);
  for (const float step : {0.003f, 0.1f, 1.0f}) {
    SolvedCrowd crowd = Make(200, 3);
    crowd.Sort();
    float moved = 0.0f;
    for (int round = 0; round < 5; ++round) {
      ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, moved)) << "step " << step << " round " << round;
      Move(crowd, step, random);
      moved += 1.001f * step + (GetParam() == Shape::kFar || GetParam() == Shape::kSparse ? 0.15f : 1e-6f);
      crowd.Refit();
      if (crowd.index.sorted()) moved = 0.0f;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, KernelNeighbors, ::testing::ValuesIn(testing::kAllShapes),
                         [](const auto& shape) { return testing::ToString(shape.param); });

TEST(KernelLists, ServeWithoutASearchWhileAgentsHardlyMove) {
  Random random(8);
  const testing::Scene scene = testing::Crossing({.agents = 400});
  SolvedCrowd crowd;
  crowd.Add(scene.agents, scene.settings.agent_defaults);
  crowd.Sort();
  ASSERT_FALSE(crowd.index.has_tree());
  SolveCounts counts;
  ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, 0.0f, &counts));
  Move(crowd, 0.001f, random);
  ASSERT_NO_FATAL_FAILURE(ExpectPlainNeighbors(crowd, 0.0011f, &counts));
  EXPECT_EQ(counts.lists_made, 0u);
  EXPECT_LT(counts.searches, 40u);
}

class KernelLevel : public ::testing::TestWithParam<SimdLevel> {
 protected:
  const testing::KernelProbes& probes_ = testing::ProbesOf(GetParam());
};

// Lists full, short and empty, with equal distances: rows come in order of distance, and what is empty comes last.
TEST_P(KernelLevel, RanksListsByDistance) {
  Random random(9);
  constexpr std::size_t kAgents = 64;
  for (int round = 0; round < 300; ++round) {
    SolvedCrowd crowd;
    std::vector<AgentSpec> specs(kAgents);
    for (AgentSpec& spec : specs) {
      spec.position = random.Chance(0.5f)
                          ? random.InBox({-5, -5}, {5, 5})
                          : Vec2{static_cast<float>(random.Below(4)), static_cast<float>(random.Below(4))};
    }
    crowd.Add(specs, {});
    crowd.store.PrepareSort(0.0f);
    std::vector<std::vector<std::int32_t>> lists(kAgents);
    std::fill_n(crowd.store.list.data(), crowd.store.list.size(), std::int16_t{0});
    for (std::size_t self = 0; self < kAgents; ++self) {
      std::vector<std::int32_t> others;
      for (std::size_t i = 0; i < kAgents; ++i) {
        if (i != self) others.push_back(static_cast<std::int32_t>(i));
      }
      random.Shuffle(others);
      others.resize(random.Chance(0.3f) ? kListed : random.Below(kListed + 1));
      for (std::size_t k = 0; k < others.size(); ++k) {
        const std::int32_t entry = kEntryScale * (others[k] - static_cast<std::int32_t>(self));
        crowd.store.list[(self / kGroup * kListed + k) * kGroup + self % kGroup] = static_cast<std::int16_t>(entry);
        lists[self].push_back(entry);
      }
    }
    const SolveView view = crowd.View();
    for (std::size_t first = 0; first < kAgents; first += probes_.lanes) {
      const auto ranked = probes_.rank(view, first);
      for (std::size_t lane = 0; lane < ranked.size(); ++lane) {
        const std::size_t self = first + lane;
        std::vector<std::int32_t> entries;
        float before = 0.0f;
        for (std::size_t row = 0; row < kListed; ++row) {
          const RankedEntry& at = ranked[lane][row];
          ASSERT_GE(at.distance_squared, before);
          before = at.distance_squared;
          if (row >= lists[self].size()) {
            ASSERT_EQ(at.entry, 0);
            ASSERT_EQ(at.distance_squared, std::numeric_limits<float>::infinity());
            continue;
          }
          const auto other = static_cast<std::size_t>(static_cast<std::int32_t>(self) + at.entry / kEntryScale);
          ASSERT_EQ(at.distance_squared, AbsSq(crowd.At(other).position - crowd.At(self).position));
          entries.push_back(at.entry);
        }
        std::sort(entries.begin(), entries.end());
        std::sort(lists[self].begin(), lists[self].end());
        ASSERT_EQ(entries, lists[self]);
      }
    }
  }
}

// Rows of the nearest so far, as a search in the tree keeps them.
TEST_P(KernelLevel, KeepsTheNearestInOrder) {
  Random random(10);
  int uncertain = 0, few = 0;
  for (int round = 0; round < 1'500; ++round) {
    const bool lattice = random.Chance(0.4f), heap = random.Chance(0.1f);
    std::vector<Candidate> candidates(2 + random.Below(90));
    for (Candidate& candidate : candidates) {
      candidate.position = lattice ? Vec2{static_cast<float>(random.Below(6)), static_cast<float>(random.Below(6))}
                                   : random.InBox({-3, -3}, {3, 3});
      if (heap) candidate.position = {1, 1};
      candidate.id = static_cast<AgentId>(random.Next() >> 32) | 1u;
    }
    const std::uint32_t limit = random.Chance(0.5f) ? probes_.most_of_few : kMaxNeighborsLimit;
    std::vector<Seeker> seekers(1 + random.Below(probes_.lanes));
    std::uint32_t most = 0;
    for (Seeker& seeker : seekers) {
      seeker.place = static_cast<std::uint32_t>(random.Below(candidates.size()));
      seeker.position = candidates[seeker.place].position;
      seeker.most = static_cast<std::uint32_t>(random.Below(limit + 1));
      const float range = random.Chance(0.1f) ? 0.0f : random.Uniform(0.5f, 6.0f);
      seeker.range_squared = range * range;
      most = std::max(most, seeker.most);
    }
    if (most == 0) continue;
    for (const bool by_few : {false, true}) {
      if (by_few && most > probes_.most_of_few) continue;
      const auto found = probes_.nearest(seekers, candidates, by_few);
      few += by_few;
      if (!found.certain) {
        ASSERT_TRUE(by_few && (lattice || heap)) << "no ids are needed where no distances are equal";
        ++uncertain;
        continue;
      }
      for (std::size_t lane = 0; lane < seekers.size(); ++lane) {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
        for (std::uint32_t i = 0; i < candidates.size(); ++i) {
          const float squared = AbsSq(candidates[i].position - seekers[lane].position);
          if (i == seekers[lane].place || !(squared < seekers[lane].range_squared)) continue;
          all.emplace_back(Nearest::Key(squared, candidates[i].id), i);
        }
        std::sort(all.begin(), all.end());
        all.resize(std::min<std::size_t>(all.size(), seekers[lane].most));
        std::vector<std::uint32_t> expected;
        for (const auto& [key, place] : all) expected.push_back(place);
        ASSERT_EQ(found.of_lane[lane], expected) << (by_few ? "few" : "exact") << ", lane " << lane;
      }
    }
  }
  EXPECT_GT(uncertain, 20);
  EXPECT_GT(few, uncertain + 100);
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelLevel, ::testing::ValuesIn(AvailableSimdLevels()),
                         [](const auto& level) { return std::string(Name(level.param)); });

}  // namespace
}  // namespace throng
