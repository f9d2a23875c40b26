#include "tests/quality/scene.h"

#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "tests/quality/run.h"

namespace throng::quality {
namespace {

const Scene& Find(const std::string& name) { return *std::ranges::find(Scenes(), name, &Scene::name); }

TEST(SceneTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const Scene& scene : Scenes()) EXPECT_TRUE(names.insert(scene.name).second) << scene.name;
}

TEST(SceneTest, NobodyBeginsInAnotherOrAcrossAnEdgeUnlessSceneSaysSo) {
  for (const Scene& scene : Scenes()) {
    if (scene.overlap_from > 0.0) continue;
    for (const std::uint64_t run : {0, 1, 2, 13}) {
      const Play play = MakePlay(scene, scene.paces.front(), run);
      EXPECT_EQ(play.walkers.size(), scene.agents) << scene.name;
      for (std::size_t i = 0; i < play.walkers.size(); ++i) {
        const Walker& walker = play.walkers[i];
        for (std::size_t j = 0; j < i; ++j) {
          const Walker& other = play.walkers[j];
          ASSERT_GE(Distance(*walker.spec.position, *other.spec.position), double{walker.radius} + double{other.radius})
              << scene.name << ", run " << run;
        }
        for (const ObstacleSpec& obstacle : play.obstacles) {
          for (const Edge& edge : EdgesOf(obstacle)) {
            ASSERT_GE(Distance(*walker.spec.position, edge), 0.999 * double{walker.radius})
                << scene.name << ", run " << run;
          }
        }
      }
    }
  }
}

// Turned and moved, it is the same scene: no distance changes by more than floats round.
TEST(SceneTest, RunsAreTheSceneTurnedAndMoved) {
  const Scene& scene = Find("two-way-door");
  const Play written = MakePlay(scene, Pace{}, 0);
  const Play turned = MakePlay(scene, Pace{}, 2);
  EXPECT_NE(written.obstacles[0].vertices[0], turned.obstacles[0].vertices[0]);
  EXPECT_NEAR(written.free_time, turned.free_time, 1e-4);
  for (std::size_t i = 0; i < written.obstacles.size(); ++i) {
    const auto& before = written.obstacles[i].vertices;
    const auto& after = turned.obstacles[i].vertices;
    for (std::size_t k = 1; k < before.size(); ++k) {
      EXPECT_NEAR(Distance(before[0], before[k]), Distance(after[0], after[k]), 1e-3);
    }
  }
}

TEST(SceneTest, AFollowerGoesAfterItsLeader) {
  const Play play = MakePlay(Find("escort"), Pace{}, 3);
  for (const Walker& walker : play.walkers) {
    EXPECT_TRUE(!walker.leader || play.walkers[*walker.leader].kinematic);
  }
}

TEST(SceneTest, WhatIsWrongIsNamed) {
  const auto scenes = ParseScenes(R"([{"name": "odd", "about": "", "groups": [{"layout": "ring", "count": 2}]}])");
  ASSERT_FALSE(scenes.ok());
  EXPECT_NE(scenes.status().message().find("odd"), std::string::npos) << scenes.status();
  EXPECT_FALSE(ParseScenes("[").ok());
}

struct Golden {
  const char* scene;
  std::uint64_t hash;
};

void ExpectGolden(std::span<const Golden> expected, Extensions extensions) {
  EXPECT_EQ(expected.size(), Scenes().size());
  for (const Scene& scene : Scenes()) {
    const auto golden = std::ranges::find(expected, scene.name, &Golden::scene);
    const RunResult run = PlayRun(scene, scene.paces.front(), 0, extensions, nullptr, kHashTick);
    EXPECT_TRUE(golden != expected.end() && golden->hash == run.hash)
        << absl::StrFormat("now {\"%s\", 0x%016x},", scene.name, run.hash);
  }
}

// With extensions off a scene is plain ORCA for good: these change only with the scenes themselves.
constexpr Golden kGolden[] = {
    {"head-on", 0x0c0e9c4c90080518},      {"ring-2", 0x8bc8851585f40333},       {"ring-3", 0xdd781701fc96fc71},
    {"ring-4", 0x9b5fa2c39e949d6c},       {"ring-8", 0x36ef6ab269641904},       {"ring-16", 0x765d206b1f50084a},
    {"ring-30", 0xd6f3197f0768c49d},      {"ring-100", 0xe4f8bc3bb86be4af},     {"two-groups", 0x22d20dce955e00d0},
    {"four-groups", 0xd4e3027615e81466},  {"corridor", 0x9f1ec1fd1d54066c},     {"bottleneck", 0x0b83d22ee5f9fcbe},
    {"two-way-door", 0xeded14bc17d9af4b}, {"room", 0x1bac4627a83210d8},         {"concave-trap", 0x5043840af43a0131},
    {"crowded-goal", 0xfc23ee5201caf848}, {"parked-crowd", 0x346611645f6ae372}, {"mixed", 0x015a64bc73d0cc7f},
    {"escort", 0xa933b5ca16092d46},       {"pressed", 0xb1bd6a40ea685971},      {"one-point", 0x916d02698467d0d8},
    {"swap-rows", 0x5ba787ea2ba9838b},    {"town", 0x84814c78cedcfdc2},
};

// These change with the motion model too; a commit that does it says why.
constexpr Golden kGoldenExtended[] = {
    {"head-on", 0xdca9bcb5db9b4b9e},      {"ring-2", 0xcceccbde254883e4},       {"ring-3", 0x26f0e95d5b98476c},
    {"ring-4", 0x0d722a05772eeb74},       {"ring-8", 0x1a0bcebab759a6ab},       {"ring-16", 0xbca37f4cb08ab4d5},
    {"ring-30", 0x645b3900e725f9e5},      {"ring-100", 0xfed2db1e3d6a4828},     {"two-groups", 0x497be55e0c051991},
    {"four-groups", 0x83ca08aea0216750},  {"corridor", 0x27c8bd254bfc3000},     {"bottleneck", 0x14d4b3f8377af09d},
    {"two-way-door", 0x0f69115c54d53ceb}, {"room", 0x7086e52326e236fc},         {"concave-trap", 0x0af0b910e3f6acaf},
    {"crowded-goal", 0x5755ba2fa06ff3dc}, {"parked-crowd", 0xd3172e386f7d5b05}, {"mixed", 0xd45b7e1552074768},
    {"escort", 0x0be57b6a364e1585},       {"pressed", 0xb7cd13aa4c658f41},      {"one-point", 0xab5cb435334117d7},
    {"swap-rows", 0xc01fc4a4746cccff},    {"town", 0x512ebf660974b484},
};

TEST(GoldenTest, EverySceneHasItsHash) { ExpectGolden(kGolden, Extensions::kOff); }

TEST(GoldenTest, EverySceneHasItsHashWithExtensions) { ExpectGolden(kGoldenExtended, Extensions::kOn); }

// What plain ORCA reaches and does not, so that a change of scenes or measures is seen.
TEST(PlainTest, SmallRingsJamOrPass) {
  const RunResult four = PlayRun(Find("ring-4"), {0.1f, 1.5f}, 0, Extensions::kOff);
  EXPECT_EQ(four.measures.arrived, 1.0);
  EXPECT_LT(*four.measures.last_arrival, 1.1 * four.free_time);
  EXPECT_LT(four.measures.overlap, 1e-3);
  EXPECT_EQ(four.measures.idle_speed, 0.0);
  const RunResult eight = PlayRun(Find("ring-8"), {0.1f, 1.5f}, 0, Extensions::kOff);
  EXPECT_EQ(eight.measures.arrived, 0.0);
  EXPECT_EQ(eight.measures.stalled, 8u);
}

TEST(PlainTest, TwoWayDoorJams) {
  const RunResult door = PlayRun(Find("two-way-door"), Pace{}, 0, Extensions::kOff);
  EXPECT_LT(door.measures.arrived, 0.5);
  EXPECT_GT(door.measures.stalled, 10u);
  EXPECT_EQ(door.measures.wall_crossings, 0u);
}

// R001: two who meet on one axis pass.
TEST(DefaultTest, R001PairsPass) {
  for (const Pace& pace : Find("head-on").paces) {
    const RunResult run = PlayRun(Find("head-on"), pace, 0, Extensions::kOn);
    EXPECT_EQ(run.measures.arrived, 1.0);
    EXPECT_LT(*run.measures.last_arrival, 2.0 * run.free_time);
    EXPECT_LT(run.measures.overlap, 1e-3);
  }
}

// Where plain ORCA jams for good or leaves somebody behind.
TEST(DefaultTest, JamsClear) {
  for (const char* const name : {"corridor", "bottleneck", "two-way-door", "room", "four-groups"}) {
    const RunResult run = PlayRun(Find(name), Pace{}, 1, Extensions::kOn);
    EXPECT_EQ(run.measures.arrived, 1.0) << name;
    EXPECT_EQ(run.measures.wall_crossings, 0u) << name;
    EXPECT_EQ(run.measures.idle_speed, 0.0) << name;
  }
}

TEST(DefaultTest, ACrowdRestsAroundTheGoalThatItShares) {
  const RunResult run = PlayRun(Find("crowded-goal"), Pace{}, 1, Extensions::kOn);
  EXPECT_EQ(run.measures.idle_speed, 0.0);
  EXPECT_EQ(run.measures.stalled, 0u);
  EXPECT_LT(run.packing, 2.0);
}

// R004: rings do not lock, whatever the step and the speed.
TEST(DefaultTest, R004RingsPass) {
  for (const char* const name : {"ring-2", "ring-3", "ring-4", "ring-8", "ring-16"}) {
    for (const Pace& pace : Find(name).paces) {
      const RunResult run = PlayRun(Find(name), pace, 0, Extensions::kOn);
      EXPECT_EQ(run.measures.arrived, 1.0) << name;
      EXPECT_LT(*run.measures.last_arrival, 2.0 * run.free_time) << name;
    }
  }
}

// R018: opposing flows between walls do not jam.
TEST(DefaultTest, R018CorridorFlows) {
  for (const Pace& pace : Find("corridor").paces) {
    const RunResult run = PlayRun(Find("corridor"), pace, 0, Extensions::kOn);
    EXPECT_EQ(run.measures.arrived, 1.0);
    EXPECT_LT(*run.measures.last_arrival, 4.0 * run.free_time);
    EXPECT_EQ(run.measures.wall_crossings, 0u);
  }
}

TEST(DefaultTest, TwoWayDoorLetsAllThrough) {
  const RunResult door = PlayRun(Find("two-way-door"), Pace{}, 0, Extensions::kOn);
  EXPECT_EQ(door.measures.arrived, 1.0);
  EXPECT_EQ(door.measures.wall_crossings, 0u);
}

TEST(PlainTest, FortyOnOnePointPart) {
  const RunResult heap = PlayRun(Find("one-point"), Pace{}, 0, Extensions::kOff);
  EXPECT_LT(heap.measures.parted, 5.0);
  EXPECT_LT(heap.measures.overlap, 1e-3);
}

}  // namespace
}  // namespace throng::quality
