#include "store/goals.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

Path SomePath(std::size_t points) { return {std::vector<Vec2>(points, Vec2{1, 2}), 0.5f, 0}; }

TEST(GoalStore, HoldsNothingWhereNobodyHasAGoal) {
  GoalStore goals;
  EXPECT_EQ(goals.memory_bytes(), 0u);
  goals.SetParams(1'000'000, GoalParams{});
  goals.Drop(5);
  goals.Forget(5);
  EXPECT_EQ(goals.memory_bytes(), 0u);
  EXPECT_EQ(goals.Find(5), nullptr);
  EXPECT_EQ(goals.params(5), GoalParams{});
}

TEST(GoalStore, GivesItsMemoryBack) {
  GoalStore goals;
  for (Index slot = 0; slot < 5'000; ++slot) {
    goals.SetPath(slot, SomePath(10), false);
    goals.SetParams(slot, {2.0f, 0.5f, 1.0f});
  }
  const std::size_t full = goals.memory_bytes();
  EXPECT_GT(full, 5'000 * 10 * sizeof(Vec2));
  for (Index slot = 0; slot < 4'900; ++slot) goals.Drop(slot);
  EXPECT_LT(goals.memory_bytes(), full / 3);
  for (Index slot = 0; slot < 5'000; ++slot) goals.Forget(slot);
  EXPECT_TRUE(goals.empty());
  EXPECT_EQ(goals.memory_bytes(), 0u);
}

TEST(GoalStore, AnotherGoalTakesThePlaceOfAPath) {
  GoalStore goals;
  goals.SetPath(3, SomePath(1'000), false);
  const std::size_t with_path = goals.memory_bytes();
  goals.SetGoal(3, {7, 8}, false);
  EXPECT_LT(goals.memory_bytes() + 1'000 * sizeof(Vec2), with_path);
  ASSERT_NE(goals.Find(3), nullptr);
  EXPECT_EQ(goals.Find(3)->path, nullptr);
  EXPECT_EQ(goals.Find(3)->target, (Vec2{7, 8}));
  EXPECT_EQ(goals.size(), 1u);
}

TEST(GoalStore, WhoHasArrivedStaysSoWhereTheCallerSaysSo) {
  GoalStore goals;
  goals.SetGoal(0, {1, 1}, true);
  EXPECT_FALSE(goals.Find(0)->arrived);
  goals.at(0).arrived = true;
  goals.SetGoal(0, {2, 2}, true);
  EXPECT_TRUE(goals.Find(0)->arrived);
  goals.SetGoal(0, {3, 3}, false);
  EXPECT_FALSE(goals.Find(0)->arrived);
}

TEST(GoalStore, EqualsAModelUnderRandomEdits) {
  testing::Random random(7);
  GoalStore goals;
  std::map<Index, Vec2> model;
  std::map<Index, GoalParams> params;
  std::vector<Index> slots;
  for (Index slot = 0; slot < 60; ++slot) slots.push_back(slot);
  for (int edit = 0; edit < 20'000; ++edit) {
    const auto slot = static_cast<Index>(random.Below(slots.size()));
    const Vec2 goal{random.Uniform(-1, 1), static_cast<float>(slot)};
    switch (random.Below(6)) {
      case 0:
        goals.SetGoal(slot, goal, false);
        model[slot] = goal;
        break;
      case 1:
        goals.SetPath(slot, {{goal, {0, 0}}, 1.0f, 0}, false);
        model[slot] = goal;
        break;
      case 2:
        goals.Drop(slot);
        model.erase(slot);
        break;
      case 3:
        goals.Forget(slot);
        model.erase(slot);
        params.erase(slot);
        break;
      case 4:
        params[slot] = random.Chance(0.5f) ? GoalParams{} : GoalParams{random.Uniform(0, 2), 1.0f, 2.0f};
        goals.SetParams(slot, params[slot]);
        break;
      default: {
        if (!random.Chance(0.02f)) break;
        random.Shuffle(slots);
        goals.Renumber(slots);
        std::map<Index, Vec2> moved;
        std::map<Index, GoalParams> moved_params;
        for (Index i = 0; i < slots.size(); ++i) {
          if (model.contains(slots[i])) moved[i] = model[slots[i]];
          if (params.contains(slots[i])) moved_params[i] = params[slots[i]];
        }
        model = moved;
        params = moved_params;
      }
    }
    ASSERT_EQ(goals.size(), model.size());
    for (Index i = 0; i < slots.size(); ++i) {
      const GoalInForce* const found = goals.Find(i);
      ASSERT_EQ(found != nullptr, model.contains(i));
      if (found != nullptr) {
        ASSERT_EQ(found->target, model[i]);
      }
      ASSERT_EQ(goals.params(i), params.contains(i) ? params[i] : GoalParams{});
    }
  }
}

}  // namespace
}  // namespace throng
