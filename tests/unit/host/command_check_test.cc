// That a batch is foreseen as it would go: on random worlds, whatever the check says of a command is what becomes of
// it.
#include "server/host/command_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "tests/support/random.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

using throng::testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Commands of which many are refused: ids of a handful, places of a few metres, steps to the end of the coordinates.
class Commands {
 public:
  explicit Commands(std::uint64_t seed) : random_(seed) {}

  bool Chance(float probability) { return random_.Chance(probability); }

  AddAgent NextAdd() {
    AddAgent add;
    if (Chance(0.6f)) add.spec.id = Id();
    add.spec.position = Point(6.0f);
    add.spec.placement = static_cast<Placement>(1 + random_.Below(3));
    if (Chance(0.2f)) add.spec.nudge_distance = random_.Uniform(0.1f, 2.0f);
    add.spec.kinematic = Chance(0.2f);
    if (Chance(0.1f)) add.spec.goal = Point(6.0f);
    add.spec.params = Params();
    return add;
  }

  Command Next() {
    switch (random_.Below(8)) {
      case 0: {
        AddAgent add = NextAdd();
        add.spec.placement = Placement::kAllow;  // what else there is cannot be foreseen behind all of these
        return add;
      }
      case 1: {
        UpdateAgent update{Id(), {}};
        if (Chance(0.3f)) update.update.position = Point(6.0f);
        if (Chance(0.3f)) update.update.kinematic = Chance(0.5f);
        if (Chance(0.3f)) update.update.goal = Point(6.0f);
        if (Chance(0.2f) && !update.update.goal) update.update.move_to = MoveTo{Point(6.0f), 3};
        update.update.params = Params();
        return update;
      }
      case 2:
        return Chance(0.1f) ? Command(RemoveAllAgents{}) : RemoveAgent{Id()};
      case 3: {
        AddObstacle add{Shape()};
        if (Chance(0.8f)) add.spec.id = Id();
        return add;
      }
      case 4:
        return UpdateObstacle{Id(), Shape()};
      case 5:
        return RemoveObstacle{Id()};
      default: {
        MoveObstacle move{Id(), {}};
        if (Chance(0.3f)) move.move.velocity = Vec2{random_.Uniform(-2, 2), Chance(0.05f) ? kNan : 0.0f};
        if (Chance(0.9f)) move.move.translation = Chance(0.5f) ? Point(4.0f) : Point(kMaxCoordinate);
        return move;
      }
    }
  }

 private:
  std::uint32_t Id() { return static_cast<std::uint32_t>(1 + random_.Below(8)); }
  Vec2 Point(float most) { return {random_.Uniform(-most, most), random_.Uniform(-most, most)}; }

  AgentParamsPatch Params() {
    AgentParamsPatch params;
    if (Chance(0.3f)) params.radius = random_.Uniform(-0.1f, 1.0f);
    if (Chance(0.1f)) params.time_horizon = 0.02f;  // less than a tick
    if (Chance(0.1f)) params.layer = 2;
    if (Chance(0.1f)) params.avoids = 1;
    return params;
  }

  ObstacleSpec Shape() {
    ObstacleSpec spec;
    const Vec2 at = Point(6.0f);
    if (Chance(0.4f)) {
      spec.kind = ObstacleKind::kCapsule;
      spec.vertices = {at, Point(6.0f)};
      if (Chance(0.9f)) spec.radius = random_.Uniform(-0.1f, 1.0f);
      return spec;
    }
    // Thin enough that not every place far off has the resolution for it.
    const float size = Chance(0.5f) ? 0.05f : random_.Uniform(0.5f, 3.0f);
    spec.vertices = {at, {at.x + size, at.y}, {at.x, at.y + size}};
    if (Chance(0.3f)) spec.vertices.push_back(Point(6.0f));
    return spec;
  }

  Random random_;
};

absl::Status ApplyTo(World& world, const Command& command) {
  struct Applier {
    World& world;
    absl::Status operator()(const AddAgent& c) { return world.AddAgent(c.spec).status(); }
    absl::Status operator()(const UpdateAgent& c) { return world.UpdateAgent(c.id, c.update); }
    absl::Status operator()(const RemoveAgent& c) { return world.RemoveAgent(c.id); }
    absl::Status operator()(const RemoveAllAgents&) { return world.RemoveAllAgents(); }
    absl::Status operator()(const AddObstacle& c) { return world.AddObstacle(c.spec).status(); }
    absl::Status operator()(const UpdateObstacle& c) { return world.UpdateObstacle(c.id, c.spec); }
    absl::Status operator()(const MoveObstacle& c) { return world.MoveObstacle(c.id, c.move); }
    absl::Status operator()(const RemoveObstacle& c) { return world.RemoveObstacle(c.id); }
    absl::Status operator()(const UnreadableCommand& c) { return c.status; }
  };
  return std::visit(Applier{world}, command);
}

// Foresees the commands, then applies them one by one.
void ExpectForeseen(World& world, const std::vector<Command>& commands, std::vector<int>& codes) {
  CommandCheck check(world);
  std::vector<absl::Status> foreseen;
  for (const Command& command : commands) foreseen.push_back(check.Check(command));
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const absl::Status applied = ApplyTo(world, commands[i]);
    ASSERT_EQ(foreseen[i].code(), applied.code())
        << "command " << i << " of kind " << commands[i].index() << ": " << foreseen[i] << " but " << applied;
    if (!absl::IsResourceExhausted(applied)) {
      EXPECT_EQ(GetViolation(foreseen[i]).value_or(Violation{}).field,
                GetViolation(applied).value_or(Violation{}).field);
    }
    ++codes[static_cast<std::size_t>(applied.code())];
  }
}

std::unique_ptr<World> SmallWorld() {
  WorldSettings settings;
  settings.max_agents = 12;
  settings.max_obstacle_vertices = 24;
  return World::Create(settings).value();
}

TEST(CommandCheck, ForeseesWhatBecomesOfEachCommand) {
  std::vector<int> codes(17);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Commands random(seed);
    const auto world = SmallWorld();
    for (int batch = 0; batch < 6; ++batch) {
      std::vector<Command> commands;
      for (int i = 0; i < 30; ++i) commands.push_back(random.Next());
      ExpectForeseen(*world, commands, codes);
      ASSERT_FALSE(HasFatalFailure());
      ASSERT_TRUE(world->Step().ok());
    }
  }
  for (const absl::StatusCode code : {absl::StatusCode::kOk, absl::StatusCode::kInvalidArgument,
                                      absl::StatusCode::kNotFound, absl::StatusCode::kAlreadyExists,
                                      absl::StatusCode::kFailedPrecondition, absl::StatusCode::kResourceExhausted}) {
    EXPECT_GT(codes[static_cast<std::size_t>(code)], 50) << code;
  }
}

TEST(CommandCheck, ForeseesWhoFindsAPlace) {
  std::vector<int> codes(17);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Commands random(seed);
    const auto world = SmallWorld();
    for (int batch = 0; batch < 3; ++batch) {
      std::vector<Command> commands;
      for (int i = 0; i < 12; ++i) commands.push_back(random.NextAdd());
      ExpectForeseen(*world, commands, codes);
      ASSERT_FALSE(HasFatalFailure());
      if (random.Chance(0.5f)) {
        ASSERT_TRUE(world->Step().ok());
      }
      ASSERT_TRUE(batch > 0 || world->RemoveAllAgents().ok());
    }
  }
  EXPECT_GT(codes[static_cast<std::size_t>(absl::StatusCode::kFailedPrecondition)], 50) << "places taken";
  EXPECT_GT(codes[static_cast<std::size_t>(absl::StatusCode::kOk)], 200);
}

TEST(CommandCheck, APlacementIsForeseenBehindAddsAlone) {
  const auto world = SmallWorld();
  AddAgent add;
  add.spec.position = Vec2{0, 0};
  add.spec.placement = Placement::kReject;
  CommandCheck check(*world);
  EXPECT_TRUE(check.Check(Command(add)).ok());
  EXPECT_EQ(check.Check(Command(add)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(check.Check(Command(RemoveAllAgents{})).ok());
  const auto violation = GetViolation(check.Check(Command(add)));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->field, "placement");
  EXPECT_EQ(violation->value, "PLACEMENT_REJECT");
  add.spec.placement = Placement::kAllow;
  EXPECT_TRUE(check.Check(Command(add)).ok());
}

}  // namespace
}  // namespace throng::server
