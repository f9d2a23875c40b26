#include "server/host/run_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace throng::server {
namespace {

using std::chrono::milliseconds;

struct Nothing final : Runnable {
  RunNext Run(Time) override { return {}; }
};

std::shared_ptr<Runnable> New() { return std::make_shared<Nothing>(); }
RunNext Deadline(Time time) { return {RunNext::Kind::kDeadline, time}; }
RunNext Timer(Time time) { return {RunNext::Kind::kTimer, time}; }

TEST(RunQueueTest, PicksTheEarliestDeadline) {
  RunQueue queue;
  const auto a = New(), b = New(), c = New();
  for (const auto& world : {a, b, c}) {
    queue.Add(world, Time(0));
    EXPECT_EQ(queue.Pick(Time(0)), world);
  }
  queue.Done(a.get(), Deadline(milliseconds(30)), Time(0));
  queue.Done(b.get(), Deadline(milliseconds(10)), Time(0));
  queue.Done(c.get(), Deadline(milliseconds(20)), Time(0));
  EXPECT_EQ(queue.Pick(Time(0)), b);
  EXPECT_EQ(queue.Pick(Time(0)), c);
  EXPECT_EQ(queue.Pick(Time(0)), a);
  EXPECT_EQ(queue.Pick(Time(0)), nullptr);
}

TEST(RunQueueTest, ATickThatIsDueComesBetweenTheSlicesOfOneUnderWay) {
  RunQueue queue;
  const auto heavy = New(), light = New();
  queue.Add(heavy, Time(0));
  queue.Add(light, Time(0));
  queue.Pick(Time(0));
  queue.Pick(Time(0));
  queue.Done(light.get(), Timer(milliseconds(5)), Time(0));
  queue.Done(heavy.get(), Deadline(milliseconds(33)), milliseconds(4));
  EXPECT_EQ(queue.Pick(milliseconds(4)), heavy);
  queue.Done(heavy.get(), Deadline(milliseconds(33)), milliseconds(5));
  EXPECT_EQ(queue.Pick(milliseconds(5)), light);
}

TEST(RunQueueTest, EqualDeadlinesTakeTurns) {
  RunQueue queue;
  const auto a = New(), b = New();
  queue.Add(a, Time(0));
  queue.Add(b, Time(0));
  std::vector<Runnable*> order;
  for (int i = 0; i < 4; ++i) {
    order.push_back(queue.Pick(Time(0)).get());
    queue.Done(order.back(), Deadline(kNever), Time(0));
  }
  EXPECT_EQ(order, (std::vector<Runnable*>{a.get(), b.get(), a.get(), b.get()}));
}

TEST(RunQueueTest, TimersBecomeDue) {
  RunQueue queue;
  const auto world = New();
  queue.Add(world, Time(0));
  queue.Pick(Time(0));
  queue.Done(world.get(), Timer(milliseconds(10)), Time(0));
  EXPECT_EQ(queue.NextTimer(), milliseconds(10));
  EXPECT_EQ(queue.ReadyCount(milliseconds(9)), 0u);
  EXPECT_EQ(queue.Pick(milliseconds(9)), nullptr);
  EXPECT_EQ(queue.ReadyCount(milliseconds(10)), 1u);
  EXPECT_EQ(queue.NextTimer(), kNever);
  EXPECT_EQ(queue.Pick(milliseconds(10)), world);
}

TEST(RunQueueTest, WakingMakesDueAlsoWhileRunning) {
  RunQueue queue;
  const auto world = New();
  queue.Add(world, Time(0));
  queue.Pick(Time(0));
  queue.Wake(world.get(), Time(0));
  EXPECT_EQ(queue.Pick(Time(0)), nullptr);  // by one runner at a time
  queue.Done(world.get(), {RunNext::Kind::kWoken, {}}, Time(0));
  EXPECT_EQ(queue.Pick(Time(0)), world);
  queue.Done(world.get(), {RunNext::Kind::kWoken, {}}, Time(0));
  EXPECT_EQ(queue.Pick(Time(0)), nullptr);
  queue.Wake(world.get(), milliseconds(1));
  EXPECT_EQ(queue.Pick(milliseconds(1)), world);
  queue.Done(world.get(), Timer(milliseconds(50)), milliseconds(1));
  queue.Wake(world.get(), milliseconds(2));
  EXPECT_EQ(queue.Pick(milliseconds(2)), world);
}

TEST(RunQueueTest, WakingDoesNotMakeATickUnderWayMoreUrgent) {
  RunQueue queue;
  const auto a = New(), b = New();
  queue.Add(a, Time(0));
  queue.Add(b, Time(0));
  queue.Pick(Time(0));
  queue.Pick(Time(0));
  queue.Done(a.get(), Deadline(milliseconds(30)), milliseconds(1));
  queue.Done(b.get(), Deadline(milliseconds(20)), milliseconds(1));
  queue.Wake(a.get(), milliseconds(1));
  EXPECT_EQ(queue.Pick(milliseconds(1)), b);
}

TEST(RunQueueTest, OneThatRunsWhenNothingElseIsDueAnswersWhenWoken) {
  RunQueue queue;
  const auto free = New(), busy = New();
  queue.Add(free, Time(0));
  queue.Add(busy, Time(0));
  queue.Pick(Time(0));
  queue.Pick(Time(0));
  queue.Done(free.get(), Deadline(kNever), Time(0));
  queue.Done(busy.get(), Deadline(milliseconds(30)), Time(0));
  queue.Wake(free.get(), milliseconds(1));
  EXPECT_EQ(queue.Pick(milliseconds(1)), free);
}

TEST(RunQueueTest, WhoIsGoneIsForgotten) {
  RunQueue queue;
  const auto world = New();
  queue.Add(world, Time(0));
  queue.Pick(Time(0));
  queue.Done(world.get(), {RunNext::Kind::kGone, {}}, Time(0));
  queue.Wake(world.get(), Time(0));
  EXPECT_EQ(queue.Pick(Time(0)), nullptr);
  EXPECT_EQ(world.use_count(), 1);
}

}  // namespace
}  // namespace throng::server
