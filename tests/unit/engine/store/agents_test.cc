#include "store/agents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "store/lists.h"
#include "tests/support/random.h"

namespace throng {
namespace {

// Every way from an id to an agent leads to the same place, and what stands there is its own.
void ExpectConsistent(const AgentStore& store, const std::map<AgentId, float>& expected) {
  ASSERT_EQ(store.size(), expected.size());
  const auto membership = store.membership();
  const AgentStore::Ranks ranks = store.ranks();
  ASSERT_EQ(membership->ids.size(), expected.size());
  std::size_t rank = 0;
  for (const auto& [id, value] : expected) {
    ASSERT_EQ(membership->ids[rank], id);
    const Index place = store.Find(id);
    ASSERT_NE(place, kNoIndex);
    ASSERT_EQ(ranks.place(rank), place);
    ASSERT_EQ(store.id[place], id);
    ASSERT_EQ(store.body[place].x, value);
    ++rank;
  }
}

void Sort(AgentStore& store, const std::vector<Index>& order, float moved = 0.0f) {
  store.PrepareSort(moved);
  const std::size_t size = order.size(), middle = size / 2 / kGroup * kGroup;
  std::copy(order.begin(), order.end(), store.order_memory());
  const Index* const found = store.order_memory();
  Index* const inverse = store.order_memory() + (size + kGroup - 1) / kGroup * kGroup;
  store.Invert(found, inverse, 0, size);
  for (std::size_t part = 0; part < store.sorted_parts(); ++part) {
    store.Gather(part, found, inverse, 0, middle);
    store.Gather(part, found, inverse, middle, size);
    store.Return(part, middle, size);
    store.Return(part, 0, middle);
  }
  store.RenewSlots(0, size);
}

std::int16_t& Entry(AgentStore& store, std::size_t place, std::size_t row) {
  return store.list[(place / kGroup * kListed + row) * kGroup + place % kGroup];
}

// Gives every agent a list of agents at most `reach` places away and of itself.
void MakeLists(AgentStore& store, int reach, testing::Random& random) {
  const int size = static_cast<int>(store.size());
  for (int place = 0; place < size; ++place) {
    store.list_limit[place] = 10.0f;
    store.list_x[place] = static_cast<float>(store.id[place]);
    for (std::size_t row = 0; row < kListed; ++row) {
      const int way = static_cast<int>(random.Below(2 * reach + 1)) - reach;
      const int other = std::clamp(place + way, 0, size - 1);
      Entry(store, place, row) = static_cast<std::int16_t>(kEntryScale * (other - place));
    }
  }
}

AgentId ListedId(AgentStore& store, std::size_t place, std::size_t row) {
  return store
      .id[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(place) + Entry(store, place, row) / kEntryScale)];
}

std::vector<Index> RandomOrder(std::size_t size, testing::Random& random) {
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), Index{0});
  random.Shuffle(order);
  return order;
}

TEST(AgentStore, NewAgentHasHarmlessValues) {
  AgentStore store;
  const Index place = store.Add(5);
  EXPECT_EQ(store.has_input[place], 0);
  EXPECT_EQ(store.preferred_x[place], 0.0f);
  EXPECT_EQ(store.radius[place], 1.0f);
  EXPECT_EQ(store.Find(6), kNoIndex);
}

TEST(AgentStore, FollowsAModelThroughEditsAndSorts) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    testing::Random random(seed);
    AgentStore store;
    std::map<AgentId, float> model;
    for (int round = 0; round < 60; ++round) {
      const std::size_t edits = random.Below(40);
      for (std::size_t edit = 0; edit < edits; ++edit) {
        const AgentId id = static_cast<AgentId>(1 + random.Below(100));
        if (model.contains(id)) {
          model.erase(id);
          store.Remove(id);
        } else {
          model[id] = random.Uniform(-9, 9);
          store.body[store.Add(id)].x = model[id];
        }
      }
      if (random.Chance(0.1f)) {
        store.Clear();
        model.clear();
      }
      if (random.Chance(0.5f)) Sort(store, RandomOrder(store.size(), random));
      if (random.Chance(0.7f)) ExpectConsistent(store, model);
    }
    ExpectConsistent(store, model);
  }
}

TEST(AgentStore, SortMovesAllColumnsAndKeepsTheirPadding) {
  AgentStore store;
  store.KeepInputTicks(true, 0);
  for (AgentId id = 1; id <= 21; ++id) {
    const Index place = store.Add(id);
    store.radius[place] = static_cast<float>(id);
    store.max_neighbors[place] = static_cast<std::uint8_t>(id);
    store.last_input_tick[place] = 100 + id;
    store.time_horizon[place] = 2.0f * static_cast<float>(id);
  }
  testing::Random random(1);
  Sort(store, RandomOrder(21, random));
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_EQ(store.radius[i], static_cast<float>(store.id[i]));
    EXPECT_EQ(store.max_neighbors[i], store.id[i]);
    EXPECT_EQ(store.last_input_tick[i], 100 + store.id[i]);
    EXPECT_EQ(store.time_horizon[i], 2.0f * static_cast<float>(store.id[i]));
  }
  for (std::size_t i = 21; i < 32; ++i) {
    EXPECT_EQ(store.radius[i], 1.0f);
    EXPECT_EQ(store.id[i], kInvalidId);
    EXPECT_EQ(store.max_neighbors[i], 0);
  }
}

TEST(AgentStore, SortTakesListsAlong) {
  AgentStore store;
  constexpr std::size_t kSize = 1003;
  for (AgentId id = 1; id <= kSize; ++id) store.Add(id);
  testing::Random random(1);
  Sort(store, RandomOrder(kSize, random));
  MakeLists(store, 500, random);
  std::map<AgentId, std::vector<AgentId>> listed;
  for (std::size_t place = 0; place < kSize; ++place) {
    for (std::size_t row = 0; row < kListed; ++row) listed[store.id[place]].push_back(ListedId(store, place, row));
  }
  Sort(store, RandomOrder(kSize, random), 2.0f);
  for (std::size_t place = 0; place < kSize; ++place) {
    ASSERT_LE(store.list_limit[place], 8.0f) << "what was moved before the sort counts no more";
    ASSERT_GT(store.list_limit[place], 7.9f);
    ASSERT_EQ(store.list_x[place], static_cast<float>(store.id[place]));
    for (std::size_t row = 0; row < kListed; ++row) {
      ASSERT_EQ(ListedId(store, place, row), listed[store.id[place]][row]);
    }
  }
  for (std::size_t lane = kSize % kGroup; lane < kGroup; ++lane) {
    for (std::size_t row = 0; row < kListed; ++row) ASSERT_EQ(Entry(store, kSize / kGroup * kGroup + lane, row), 0);
  }
}

TEST(AgentStore, ListsEndWhereMoreThanTimePassed) {
  AgentStore store;
  for (AgentId id = 1; id <= 40; ++id) store.Add(id);
  testing::Random random(1);
  const auto limits = [&] { return std::vector<float>(store.list_limit.data(), store.list_limit.data() + 40); };
  const std::vector<float> none(40, 0.0f);
  Sort(store, RandomOrder(40, random));
  EXPECT_EQ(limits(), none);
  MakeLists(store, 20, random);
  Sort(store, RandomOrder(40, random), 10.0f);
  EXPECT_EQ(limits(), none) << "outrun";
  MakeLists(store, 20, random);
  store.NoteOrderChange();
  Sort(store, RandomOrder(40, random));
  EXPECT_EQ(limits(), none) << "edited";
  MakeLists(store, 20, random);
  store.PrepareSort(0.0f);
  store.long_key_memory();
  EXPECT_FALSE(store.takes_lists()) << "their memory was needed";
}

TEST(AgentStore, ListsEndWhereSortingLeadsTooFarApart) {
  AgentStore store;
  constexpr std::size_t kSize = 40'000;
  for (AgentId id = 1; id <= kSize; ++id) store.Add(id);
  testing::Random random(1);
  std::vector<Index> order(kSize);
  std::iota(order.begin(), order.end(), Index{0});
  Sort(store, order);
  MakeLists(store, 100, random);
  Sort(store, RandomOrder(kSize, random));
  std::size_t kept = 0;
  for (std::size_t place = 0; place < kSize; ++place) {
    if (store.list_limit[place] == 0.0f) continue;
    ++kept;
    for (std::size_t row = 0; row < kListed; ++row) {
      const auto apart = static_cast<std::ptrdiff_t>(ListedId(store, place, row)) - store.id[place];
      ASSERT_LE(std::abs(apart), 100) << "an id was its place, give or take one";
    }
  }
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, kSize / 4);
}

TEST(AgentStore, MembershipCountsEditsWhoeverLooks) {
  AgentStore watched, unwatched;
  for (AgentId id = 1; id <= 10; ++id) {
    watched.Add(id);
    EXPECT_EQ(watched.membership()->version, 1 + id);
    unwatched.Add(id);
  }
  EXPECT_EQ(watched.membership()->version, unwatched.membership()->version);
  EXPECT_EQ(watched.membership(), watched.membership()) << "no edit, no new object";

  const auto before = watched.membership();
  watched.Remove(3);
  EXPECT_EQ(before->ids.size(), 10u) << "who holds an old one keeps it";
  EXPECT_EQ(watched.membership()->ids.size(), 9u);
  EXPECT_GT(watched.membership()->version, before->version);
}

TEST(AgentStore, RemovedAndAddedAgainIsThere) {
  AgentStore store;
  for (const AgentId id : {7u, 3u, 5u}) store.Add(id);
  store.membership();
  store.Remove(3);
  store.Remove(7);
  store.Add(3);
  store.Add(7);
  EXPECT_EQ(store.membership()->ids, (std::vector<AgentId>{3, 5, 7}));
}

TEST(AgentStore, InputTicksAreKeptOnlyIfWanted) {
  AgentStore store;
  store.Add(1);
  const std::size_t without = store.sorted_parts();
  EXPECT_EQ(store.last_input_tick.size(), 0u);
  store.KeepInputTicks(true, 42);
  EXPECT_EQ(store.sorted_parts(), without + 1);
  EXPECT_EQ(store.last_input_tick[0], 42u);
  store.Add(2);
  EXPECT_EQ(store.last_input_tick.size(), 2u);
  store.KeepInputTicks(false, 43);
  store.Add(3);
  EXPECT_EQ(store.last_input_tick.bytes(), 0u);
}

TEST(AgentStore, GivesMemoryBackAfterAPeak) {
  AgentStore store;
  for (AgentId id = 1; id <= 50'000; ++id) store.Add(id);
  store.membership();
  store.PrepareSort(0.0f);
  const std::size_t peak = store.memory_bytes();
  std::map<AgentId, float> model;
  for (AgentId id = 1; id <= 50'000; ++id) {
    if (id % 1000 == 0) {
      model[id] = static_cast<float>(id);
      store.body[store.Find(id)].x = static_cast<float>(id);
    } else {
      store.Remove(id);
    }
  }
  store.PrepareSort(0.0f);
  ExpectConsistent(store, model);
  EXPECT_LT(store.memory_bytes(), peak / 5);
  store.body[store.Add(4)].x = 0.0f;
  model[4] = 0.0f;
  ExpectConsistent(store, model);
}

TEST(AgentStore, SumsUpParametersWhenTheyChange) {
  AgentStore store;
  store.NoteParamsChange();
  EXPECT_EQ(store.most_neighbors(), 0u);
  for (AgentId id = 1; id <= 20; ++id) store.max_neighbors[store.Add(id)] = static_cast<std::uint8_t>(id);
  store.NoteParamsChange();
  EXPECT_EQ(store.most_neighbors(), 20u);
  EXPECT_TRUE(store.same_radius());
  store.radius[7] = 3.0f;
  store.max_neighbors[7] = 64;
  store.NoteParamsChange();
  EXPECT_EQ(store.most_neighbors(), 64u);
  EXPECT_FALSE(store.same_radius());
}

TEST(AgentStore, AnUnreadMembershipDoesNotGrow) {
  AgentStore store;
  for (int round = 0; round < 100'000; ++round) {
    store.Add(1);
    store.Remove(1);
  }
  EXPECT_LT(store.memory_bytes(), 100'000u);
  EXPECT_EQ(store.membership()->version, 200'001u);
}

}  // namespace
}  // namespace throng
