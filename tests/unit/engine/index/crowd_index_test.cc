#include "index/crowd_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/unit/engine/kernel/probes.h"

namespace throng {
namespace {

using testing::Random;

struct Spread {
  std::string name;
  std::function<Vec2(std::size_t i, Random& random)> place;
};

const std::vector<Spread>& Spreads() {
  static const std::vector<Spread> spreads = {
      {"even",
       [](std::size_t, Random& r) {
         return r.InBox({-50, -50}, {50, 50});
       }},
      {"one_point",
       [](std::size_t, Random&) {
         return Vec2{3, -4};
       }},
      {"two_points",
       [](std::size_t i, Random&) {
         return i % 2 == 0 ? Vec2{0, 0} : Vec2{0.5f, 0};
       }},
      {"corners_of_the_world",
       [](std::size_t i, Random&) {
         return Vec2{i % 2 == 0 ? -1048576.0f : 1048576.0f, i % 4 < 2 ? -1048576.0f : 1048576.0f};
       }},
      {"row",
       [](std::size_t i, Random&) {
         return Vec2{static_cast<float>(i) * 0.25f, 7};
       }},
      {"column",
       [](std::size_t i, Random&) {
         return Vec2{7, static_cast<float>(i) * 0.25f};
       }},
      {"diagonal",
       [](std::size_t i, Random&) {
         return Vec2{static_cast<float>(i), static_cast<float>(i)};
       }},
      {"lattice",
       [](std::size_t i, Random&) {
         return Vec2{static_cast<float>(i % 40), static_cast<float>(i / 40)};
       }},
      {"clusters",
       [](std::size_t i, Random& r) {
         const Vec2 center = Random(i % 7 + 1).InBox({-1000, -1000}, {1000, 1000});
         const Vec2 offset = r.InBox({-0.5f, -0.5f}, {0.5f, 0.5f});
         return Vec2{center.x + offset.x, center.y + offset.y};
       }},
      {"crowd_and_outlier",
       [](std::size_t i, Random& r) {
         return i == 0 ? Vec2{1e6f, 1e6f} : r.InBox({0, 0}, {30, 30});
       }},
      {"every_scale",
       [](std::size_t, Random& r) {
         const float distance = 1000.0f * std::exp2(-30.0f * r.Uniform(0, 1));
         const Vec2 unit = r.UnitVector();
         return Vec2{distance * unit.x, distance * unit.y};
       }},
      {"far_and_coarse",
       [](std::size_t, Random& r) {
         return r.InBox({1048500, 1048500}, {1048503, 1048502});
       }},
      {"half_piled",
       [](std::size_t i, Random& r) {
         return i % 2 == 0 ? Vec2{1, 1} : r.InBox({-20, -20}, {20, 20});
       }},
  };
  return spreads;
}

void Fill(AgentStore& store, const Spread& spread, std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<AgentId> ids(size);
  for (std::size_t i = 0; i < size; ++i) ids[i] = static_cast<AgentId>(i + 1);
  random.Shuffle(ids);
  for (std::size_t i = 0; i < size; ++i) {
    const Index place = store.Add(ids[i]);
    const Vec2 position = spread.place(i, random);
    store.body[place] = {position.x, position.y, 0.0f, 0.0f};
    store.neighbor_distance[place] = random.Chance(0.3f) ? random.Uniform(0, 1) : random.Uniform(0, 15);
    if (random.Chance(0.02f)) store.neighbor_distance[place] = 1000.0f;
    store.max_neighbors[place] = static_cast<std::uint8_t>(random.Chance(0.7f) ? 10 : random.Below(65));
  }
}

void Finish(CrowdIndex& index) {
  while (!index.done()) {
    EXPECT_GT(index.block_cost(), 0u);
    for (std::size_t block = index.blocks(); block-- > 0;) index.RunBlock(block);
    index.FinishStage();
  }
}

void Build(CrowdIndex& index, AgentStore& store) {
  index.Begin(store, 0.0f, 0.0f);
  Finish(index);
}

std::vector<AgentId> BruteForce(const AgentStore& store, std::size_t self) {
  const float range = store.neighbor_distance[self] * store.neighbor_distance[self];
  std::vector<std::pair<float, AgentId>> found;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const float dx = store.body[i].x - store.body[self].x, dy = store.body[i].y - store.body[self].y;
    const float distance = dx * dx + dy * dy;
    if (i != self && distance < range) found.emplace_back(distance, store.id[i]);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min<std::size_t>(found.size(), store.max_neighbors[self]));
  std::vector<AgentId> ids;
  for (const auto& [distance, id] : found) ids.push_back(id);
  return ids;
}

// moved [m]: how far agents may be from where they stood when the index was built.
void ExpectGridLikeBruteForce(const CrowdIndex& index, const AgentStore& store, float moved) {
  for (std::size_t self = 0; self < store.size(); ++self) {
    ASSERT_EQ(store.Find(store.id[self]), self);
    Nearest nearest;
    nearest.Reset(store.neighbor_distance[self], store.max_neighbors[self]);
    index.Search(store, self, store.max_neighbors[self], moved, nearest);
    std::vector<AgentId> found;
    for (std::uint32_t rank = 0; rank < nearest.size(); ++rank) found.push_back(store.id[nearest.place(rank)]);
    ASSERT_EQ(found, BruteForce(store, self)) << "agent " << store.id[self] << " of " << store.size();
  }
}

void ExpectTreeLikeBruteForce(const CrowdIndex& index, const AgentStore& store, SimdLevel level) {
  const testing::KernelProbes& probes = testing::ProbesOf(level);
  SolveView view;
  view.agents = store.size();
  view.body = store.body.data();
  view.id = store.id.data();
  view.neighbor_distance = store.neighbor_distance.data();
  view.max_neighbors = store.max_neighbors.data();
  view.tree = index.tree();
  for (std::size_t first = 0; first < store.size(); first += probes.lanes) {
    const auto places = probes.find_in_tree(view, first);
    for (std::size_t lane = 0; lane < places.size(); ++lane) {
      std::vector<AgentId> found;
      for (const std::uint32_t place : places[lane]) found.push_back(store.id[place]);
      ASSERT_EQ(found, BruteForce(store, first + lane)) << Name(level) << ", agent " << store.id[first + lane];
    }
  }
}

void ExpectLikeBruteForce(const CrowdIndex& index, const AgentStore& store, float moved) {
  if (!index.has_tree()) return ExpectGridLikeBruteForce(index, store, moved);
  for (const SimdLevel level : AvailableSimdLevels()) {
    ASSERT_NO_FATAL_FAILURE(ExpectTreeLikeBruteForce(index, store, level));
  }
}

class CrowdIndexOf : public ::testing::TestWithParam<Spread> {};

TEST_P(CrowdIndexOf, FindsWhatBruteForceFinds) {
  for (const std::size_t size : {1, 2, 5, 33, 70, 400, 1500}) {
    AgentStore store;
    Fill(store, GetParam(), size, size);
    CrowdIndex index;
    for (int round = 0; round < 2; ++round) {  // sorting what is sorted already too
      Build(index, store);
      ASSERT_EQ(store.size(), size);
      ASSERT_NO_FATAL_FAILURE(ExpectLikeBruteForce(index, store, 0.0f));
    }
  }
}

TEST_P(CrowdIndexOf, FindsAgentsThatMovedSince) {
  Random random(4);
  AgentStore store;
  Fill(store, GetParam(), 400, 4);
  CrowdIndex index;
  Build(index, store);
  float moved = 0.0f;
  for (const float step : {0.01f, 0.3f, 2.0f}) {
    // Twice the step bounds the way, also of agents so far out that places there are coarse.
    moved += 2.0f * step + 0.13f;
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Vec2 unit = random.UnitVector();
      store.body[i].x += step * unit.x;
      store.body[i].y += step * unit.y;
    }
    index.BeginRefit(0.0f);
    Finish(index);
    if (index.sorted()) moved = 0.0f;
    ASSERT_NO_FATAL_FAILURE(ExpectLikeBruteForce(index, store, moved));
  }
}

TEST_P(CrowdIndexOf, KeepsMemoryInProportion) {
  constexpr std::size_t kSize = 20'000;
  AgentStore store;
  Fill(store, GetParam(), kSize, 1);
  CrowdIndex index;
  Build(index, store);
  EXPECT_LT(index.memory_bytes(), 64 * kSize);
}

INSTANTIATE_TEST_SUITE_P(CrowdIndex, CrowdIndexOf, ::testing::ValuesIn(Spreads()),
                         [](const auto& param_info) { return param_info.param.name; });

// Whether what stands unevenly goes into the tree, and a few strays do not send an even crowd there.
TEST(CrowdIndex, TakesTheTreeWhereAgentsCrowd) {
  for (const Spread& spread : Spreads()) {
    AgentStore store;
    Fill(store, spread, 3000, 1);
    CrowdIndex index;
    Build(index, store);
    const bool even = spread.name == "even" || spread.name == "row" || spread.name == "column" ||
                      spread.name == "lattice" || spread.name == "crowd_and_outlier" || spread.name == "far_and_coarse";
    EXPECT_EQ(index.has_tree(), !even) << spread.name;
  }
}

TEST(CrowdIndex, TakesTheTreeWhereListsWouldNotLast) {
  AgentStore store;
  Fill(store, Spreads()[0], 3000, 1);
  CrowdIndex index;
  index.Begin(store, 2.0f, 0.0f);
  Finish(index);
  EXPECT_TRUE(index.has_tree());
}

TEST(CrowdIndex, SortsAgainOnceTheTreeIsWorn) {
  Random random(1);
  AgentStore store;
  Fill(store, Spreads()[1], 2000, 1);
  CrowdIndex index;
  Build(index, store);
  ASSERT_TRUE(index.has_tree());
  index.BeginRefit(0.0f);
  Finish(index);
  EXPECT_FALSE(index.sorted()) << "nobody moved";
  for (std::size_t i = 0; i < store.size(); ++i) store.body[i].x += random.Uniform(0, 1);
  index.BeginRefit(0.0f);
  Finish(index);
  EXPECT_TRUE(index.sorted());
}

TEST(CrowdIndex, OfNobodyIsDoneAtOnce) {
  AgentStore store;
  CrowdIndex index;
  index.Begin(store, 0.0f, 0.0f);
  EXPECT_TRUE(index.done());
  EXPECT_EQ(index.blocks(), 0u);
}

TEST(CrowdIndex, ShrinksWithTheCrowd) {
  AgentStore store;
  Fill(store, Spreads()[0], 60'000, 1);
  CrowdIndex index;
  Build(index, store);
  const std::size_t peak = index.memory_bytes();
  store.Clear();
  Fill(store, Spreads()[0], 100, 1);
  Build(index, store);
  EXPECT_LT(index.memory_bytes(), peak / 5);
}

TEST(MortonKey, TellsAnyTwoPlacesApart) {
  EXPECT_NE(MortonKey(1.0f, 1.0f), MortonKey(std::nextafter(1.0f, 2.0f), 1.0f));
  EXPECT_NE(MortonKey(1.0f, 2.0f), MortonKey(2.0f, 1.0f));
  EXPECT_EQ(MortonKey(0.0f, 0.0f), MortonKey(-0.0f, -0.0f));
  EXPECT_LT(MortonKey(-5.0f, -5.0f), MortonKey(-4.0f, -4.0f));
  EXPECT_LT(MortonKey(-4.0f, -4.0f), MortonKey(4.0f, 4.0f));
}

}  // namespace
}  // namespace throng
