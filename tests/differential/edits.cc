#include "tests/differential/edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "throng/limits.h"

namespace throng::testing {
namespace {

constexpr std::size_t kFewAgents = 50;
constexpr AgentId kUnknownAgent = 2'000'000'000;

struct ApplyToWorld {
  World& world;

  void operator()(const AddAgentEdit& edit) const {
    const auto id = world.AddAgent(edit.spec);
    ASSERT_TRUE(id.ok()) << id.status();
    EXPECT_EQ(*id, edit.spec.id);
  }
  void operator()(const UpdateAgentEdit& edit) const { Expect(world.UpdateAgent(edit.id, edit.update)); }
  void operator()(const RemoveAgentEdit& edit) const { Expect(world.RemoveAgent(edit.id)); }
  void operator()(const SetObstacleEdit& edit) const {
    Expect(edit.replace ? world.UpdateObstacle(*edit.spec.id, edit.spec) : world.AddObstacle(edit.spec).status());
  }
  void operator()(const RemoveObstacleEdit& edit) const { Expect(world.RemoveObstacle(edit.id)); }
  void operator()(const MoveObstacleEdit& edit) const { Expect(world.MoveObstacle(edit.id, edit.move)); }
  void operator()(const InputEdit& edit) const { Inputs(edit, &World::SetPreferredVelocities); }
  void operator()(const GoalInputEdit& edit) const { Inputs(edit.goals, &World::SetGoals); }
  template <class Set>
  void Inputs(const InputEdit& edit, Set set) const {
    std::vector<InputRejection> rejected;
    const auto applied = (world.*set)(edit.ids, edit.x, edit.y, rejected);
    ASSERT_TRUE(applied.ok()) << applied.status();
    EXPECT_EQ(*applied, edit.ids.size() - edit.refused.size());
    std::set<std::size_t> refused;
    for (const InputRejection& rejection : rejected) refused.insert(rejection.index);
    EXPECT_EQ(refused, edit.refused);
  }
  void operator()(const StaleInputEdit& edit) const { Expect(world.SetStaleInput(edit.stale_input)); }
  void operator()(const RankInputEdit& edit) const { RankInputs(edit, &World::SetPreferredVelocitiesByRank); }
  void operator()(const RankGoalEdit& edit) const { RankInputs(edit.goals, &World::SetGoalsByRank); }
  template <class Set>
  void RankInputs(const RankInputEdit& edit, Set set) const {
    std::vector<InputRejection> rejected;
    const auto applied = (world.*set)(edit.first, edit.x, edit.y, rejected);
    ASSERT_TRUE(applied.ok()) << applied.status();
    EXPECT_EQ(*applied, edit.x.size());
    EXPECT_TRUE(rejected.empty());
  }
  void operator()(const AgentDefaultsEdit& edit) const { Expect(world.SetAgentDefaults(edit.defaults)); }
  void operator()(const RemoveAllAgentsEdit&) const { Expect(world.RemoveAllAgents()); }

  static void Expect(const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; }
};

struct ApplyToTwin {
  twin::Twin& twin;

  void operator()(const AddAgentEdit& edit) const { twin.AddAgent(edit.spec); }
  void operator()(const UpdateAgentEdit& edit) const { twin.UpdateAgent(edit.id, edit.update); }
  void operator()(const RemoveAgentEdit& edit) const { twin.RemoveAgent(edit.id); }
  void operator()(const SetObstacleEdit& edit) const { twin.SetObstacle(*edit.spec.id, edit.spec); }
  void operator()(const RemoveObstacleEdit& edit) const { twin.RemoveObstacle(edit.id); }
  void operator()(const MoveObstacleEdit& edit) const { twin.MoveObstacle(edit.id, edit.move); }
  void operator()(const InputEdit& edit) const { Inputs(edit, &twin::Twin::SetPreferredVelocity); }
  void operator()(const GoalInputEdit& edit) const { Inputs(edit.goals, &twin::Twin::SetGoal); }
  template <class Set>
  void Inputs(const InputEdit& edit, Set set) const {
    for (std::size_t i = 0; i < edit.ids.size(); ++i) {
      if (!edit.refused.contains(i)) (twin.*set)(edit.ids[i], {edit.x[i], edit.y[i]});
    }
  }
  void operator()(const StaleInputEdit& edit) const { twin.SetStaleInput(edit.stale_input); }
  void operator()(const RankInputEdit& edit) const { RankInputs(edit, &twin::Twin::SetPreferredVelocity); }
  void operator()(const RankGoalEdit& edit) const { RankInputs(edit.goals, &twin::Twin::SetGoal); }
  template <class Set>
  void RankInputs(const RankInputEdit& edit, Set set) const {
    std::vector<AgentId> ids;
    for (const twin::Agent& agent : twin.agents()) ids.push_back(agent.id);
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < edit.x.size(); ++i) {
      (twin.*set)(ids[edit.first + i], {edit.x[i], edit.y[i]});
    }
  }
  void operator()(const AgentDefaultsEdit& edit) const { twin.SetAgentDefaults(edit.defaults); }
  void operator()(const RemoveAllAgentsEdit&) const { twin.RemoveAllAgents(); }
};

}  // namespace

void Apply(const Edit& edit, World& world) { std::visit(ApplyToWorld{world}, edit); }

void Apply(const Edit& edit, twin::Twin& twin) { std::visit(ApplyToTwin{twin}, edit); }

float RandomResponsibility(Random& random) {
  switch (random.Below(5)) {
    case 0:
      return 0.0f;
    case 1:
      return random.Uniform(0.0f, 1.0f);
    case 2:
      return random.Uniform(1.0f, 1000.0f);
    default:
      return 1.0f;
  }
}

void DrawSight(Random& random, AgentParamsPatch& patch) {
  const auto bits = [&] { return static_cast<std::uint32_t>(random.Next() & random.Next()) & 0xf000000fu; };
  if (random.Chance(0.5f)) patch.layer = random.Chance(0.1f) ? 0 : bits();
  if (random.Chance(0.5f)) patch.avoids = random.Chance(0.2f) ? 0 : bits() | bits();
  if (random.Chance(0.5f)) patch.z = static_cast<float>(random.Below(4));
  if (random.Chance(0.5f))
    patch.height = random.Chance(0.5f) ? static_cast<float>(random.Below(3)) : random.Uniform(0, 2);
}

void DrawSight(Random& random, ObstacleSpec& spec) {
  AgentParamsPatch drawn;
  DrawSight(random, drawn);
  spec.layer = drawn.layer.value_or(random.Chance(0.5f) ? 0xffffffff : 1);
  if (drawn.z) spec.band = HeightBand{*drawn.z, drawn.height.value_or(0.0f)};
}

void DrawGoalParams(Random& random, AgentParamsPatch& patch) {
  const auto draw = [&](std::optional<float>& value, float least, float most, float odd) {
    if (random.Chance(0.5f)) value = random.Chance(0.1f) ? odd : random.Uniform(least, most);
  };
  draw(patch.preferred_speed, 0.0f, 3.0f, 1000.0f);
  draw(patch.arrival_radius, 0.01f, 2.0f, 1e-30f);
  draw(patch.slow_down_distance, 0.0f, 4.0f, 1e-42f);
}

void DrawLimits(Random& random, AgentParamsPatch& patch) {
  const auto draw = [&](std::optional<float>& value, float most, float odd) {
    if (!random.Chance(0.5f)) return;
    value = random.Chance(0.4f) ? 0.0f : random.Uniform(0.0f, most);
    if (random.Chance(0.1f)) value = odd;
  };
  draw(patch.smoothing_time, 2.0f, 100.0f);
  draw(patch.max_acceleration, 5.0f, random.Chance(0.5f) ? 1e6f : 1e-42f);
  draw(patch.max_turn_rate, 5.0f, random.Chance(0.5f) ? 1000.0f : 1e-42f);
  draw(patch.tracking_error, 0.5f, 1e-30f);
  if (patch.tracking_error == 0.0f) patch.tracking_error.reset();
  if (patch.max_turn_rate) {
    const bool drives = *patch.max_turn_rate > 0.0f && random.Chance(0.5f);
    patch.drive = drives ? Drive::kDifferential : Drive::kOmni;
  }
}

Path RandomPath(Random& random, Vec2 low, Vec2 high) {
  Path path;
  path.points.resize(1 + random.Below(6));
  for (Vec2& point : path.points) point = random.InBox(low, high);
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    if (random.Chance(0.1f)) path.points[i] = path.points[i - 1];
  }
  if (random.Chance(0.5f)) path.pass_radius = random.Uniform(0.01f, 3.0f);
  path.next = static_cast<std::uint32_t>(random.Below(path.points.size()));
  return path;
}

Editor::Editor(const Scene& scene, std::uint64_t seed, const EditOptions& options)
    : random_(seed), options_(options), time_step_(scene.settings.time_step) {
  if (!scene.agents.empty()) low_ = high_ = *scene.agents[0].position;
  for (const AgentSpec& agent : scene.agents) {
    agents_.insert(*agent.id);
    if (agent.kinematic) kinematics_.insert(*agent.id);
    low_ = {std::min(low_.x, agent.position->x), std::min(low_.y, agent.position->y)};
    high_ = {std::max(high_.x, agent.position->x), std::max(high_.y, agent.position->y)};
  }
  for (const ObstacleSpec& obstacle : scene.obstacles) obstacles_[*obstacle.id] = {obstacle};
}

std::vector<Edit> Editor::Next() {
  touched_agents_.clear();
  touched_obstacles_.clear();
  stale_input_touched_ = false;
  if (random_.Chance(0.1f)) return {NextOfAll()};
  std::vector<Edit> edits(random_.Below(12));
  for (Edit& edit : edits) edit = NextEdit();
  // Few agents test little: a crowd that was removed comes back.
  while (agents_.size() < kFewAgents) edits.push_back(AddAgent());
  return edits;
}

// An agent that no edit of this border has touched, or 0.
AgentId Editor::PickAgent() {
  for (int attempt = 0; attempt < 10 && !agents_.empty(); ++attempt) {
    const AgentId id = *std::next(agents_.begin(), static_cast<std::ptrdiff_t>(random_.Below(agents_.size())));
    if (touched_agents_.insert(id).second) return id;
  }
  return kInvalidId;
}

// Low ids, so that those of removed agents come back.
AgentId Editor::FreshId() {
  for (;;) {
    const auto id = static_cast<AgentId>(1 + random_.Below(2 * agents_.size() + 10));
    if (!agents_.contains(id) && touched_agents_.insert(id).second) return id;
  }
}

Vec2 Editor::Place() { return random_.InBox(low_, high_); }

Edit Editor::NextEdit() {
  const std::size_t kind = random_.Below(14);
  if (kind < 2) return AddAgent();
  if (kind < 4) {
    const AgentId id = PickAgent();
    if (id == kInvalidId) return AddAgent();
    agents_.erase(id);
    kinematics_.erase(id);
    return RemoveAgentEdit{id};
  }
  if (kind < 7) {
    const AgentId id = PickAgent();
    return id == kInvalidId ? AddAgent() : UpdateAgent(id);
  }
  if (kind < 8) return SetObstacle();
  if (kind < 9 && !stale_input_touched_) {
    stale_input_touched_ = true;
    const auto policy = static_cast<StaleInputPolicy>(random_.Below(3));
    const auto timeout = static_cast<std::uint32_t>(random_.Below(20));
    return StaleInputEdit{{policy, timeout, random_.Uniform(0.1f, 2.0f)}};
  }
  return kind < 12 ? Inputs() : Goals();
}

Edit Editor::NextOfAll() {
  if (random_.Chance(0.1f)) {
    agents_.clear();
    kinematics_.clear();
    return RemoveAllAgentsEdit{};
  }
  if (random_.Chance(0.3f)) {
    AgentParamsPatch defaults = RandomParams(random_, time_step_);
    DrawGoalParams(random_, defaults);
    return AgentDefaultsEdit{twin::Patched({}, defaults)};
  }
  const bool goals = random_.Chance(0.4f) && kinematics_.empty();
  RankInputEdit edit{random_.Below(agents_.size() + 1), {}, {}};
  const std::size_t count = random_.Below(agents_.size() - edit.first + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 value = goals ? Place() : random_.InBox({-2, -2}, {2, 2});
    edit.x.push_back(value.x);
    edit.y.push_back(value.y);
  }
  if (goals) return RankGoalEdit{edit};
  return edit;
}

Edit Editor::AddAgent() {
  AgentSpec spec;
  spec.id = FreshId();
  spec.position = Place();
  spec.velocity = random_.InBox({-1, -1}, {1, 1});
  spec.kinematic = options_.kinematics && random_.Chance(0.2f);
  if (spec.kinematic) {
    kinematics_.insert(*spec.id);
    if (random_.Chance(0.8f)) spec.preferred_velocity = random_.InBox({-9, -9}, {9, 9});
  } else if (random_.Chance(0.3f)) {
    spec.goal = Place();
  } else if (random_.Chance(0.3f)) {
    spec.path = RandomPath(random_, low_, high_);
  } else if (random_.Chance(0.8f)) {
    spec.preferred_velocity = random_.InBox({-2, -2}, {2, 2});
  }
  if (random_.Chance(0.5f)) spec.params = RandomParams(random_, time_step_);
  if (options_.limits && random_.Chance(0.5f)) DrawLimits(random_, spec.params);
  if (options_.limits && random_.Chance(0.3f)) spec.heading = random_.Uniform(-10.0f, 10.0f);
  if (options_.weights && random_.Chance(0.5f)) spec.params.responsibility = RandomResponsibility(random_);
  if (random_.Chance(0.5f)) DrawGoalParams(random_, spec.params);
  if (options_.sights && random_.Chance(0.5f)) DrawSight(random_, spec.params);
  agents_.insert(*spec.id);
  return AddAgentEdit{spec};
}

Edit Editor::UpdateAgent(AgentId id) {
  AgentUpdate update;
  if (random_.Chance(0.5f)) update.position = Place();
  if (random_.Chance(0.3f)) update.velocity = random_.InBox({-3, -3}, {3, 3});
  Steer(id, update);
  if (random_.Chance(0.3f)) update.params = RandomParams(random_, time_step_);
  if (options_.limits && random_.Chance(0.5f)) DrawLimits(random_, update.params);
  if (options_.limits && random_.Chance(0.2f)) update.heading = random_.Uniform(-1e4f, 1e4f);
  if (options_.weights && random_.Chance(0.5f)) update.params.responsibility = RandomResponsibility(random_);
  if (random_.Chance(0.3f)) DrawGoalParams(random_, update.params);
  if (options_.sights && random_.Chance(0.3f)) DrawSight(random_, update.params);
  return UpdateAgentEdit{id, update};
}

void Editor::Steer(AgentId id, AgentUpdate& update) {
  if (options_.kinematics && random_.Chance(0.3f)) {
    update.kinematic = random_.Chance(0.5f);
    if (*update.kinematic) {
      kinematics_.insert(id);
    } else {
      kinematics_.erase(id);
    }
  }
  const bool kinematic = kinematics_.contains(id);
  if (kinematic && random_.Chance(0.6f)) {
    update.move_to = RandomMove();
  } else if (!kinematic && random_.Chance(0.3f)) {
    update.goal = Place();
  } else if (!kinematic && random_.Chance(0.3f)) {
    update.path = RandomPath(random_, low_, high_);
  } else if (random_.Chance(0.3f)) {
    update.preferred_velocity = random_.InBox({-2, -2}, {2, 2});
  }
}

// At times far faster than anybody walks.
MoveTo Editor::RandomMove() {
  return {Place(), static_cast<std::uint32_t>(1 + random_.Below(random_.Chance(0.5f) ? 3 : 40))};
}

// Adds, replaces or removes one.
Edit Editor::SetObstacle() {
  const auto id = static_cast<ObstacleId>(1 + random_.Below(12));
  if (!touched_obstacles_.insert(id).second) return Inputs();
  const bool exists = obstacles_.contains(id);
  if (exists && options_.moves && random_.Chance(0.6f)) {
    if (const std::optional<ObstacleMove> move = RandomMoveOf(id)) return MoveObstacleEdit{id, *move};
  }
  if (exists && random_.Chance(0.5f)) {
    obstacles_.erase(id);
    return RemoveObstacleEdit{id};
  }
  const float extent = std::min(0.5f * std::max(high_.x - low_.x, high_.y - low_.y) + 1.0f, 500.0f);
  const Vec2 center{0.5f * (low_.x + high_.x), 0.5f * (low_.y + high_.y)};
  // At the end of the coordinate range an outline may pass it, or cross itself by rounding.
  for (int attempt = 0; attempt < 20; ++attempt) {
    const bool capsule = options_.moves && random_.Chance(0.5f);
    ObstacleSpec spec = capsule ? RandomCapsule(random_, center, extent) : RandomObstacle(random_, center, extent);
    spec.id = id;
    if (options_.sights) DrawSight(random_, spec);
    if (!Validate(spec).ok()) continue;
    obstacles_[id] = {spec};
    return SetObstacleEdit{exists, spec};
  }
  return Inputs();
}

// Such as no rounding and no end of the range spoils.
std::optional<ObstacleMove> Editor::RandomMoveOf(ObstacleId id) {
  Obstacle& obstacle = obstacles_.at(id);
  const bool capsule = obstacle.spec.kind == ObstacleKind::kCapsule;
  ObstacleMove move;
  if (capsule && random_.Chance(0.6f)) move.velocity = random_.InBox({-3, -3}, {3, 3});
  const float far = std::max({std::abs(low_.x), std::abs(low_.y), std::abs(high_.x), std::abs(high_.y)});
  if (!move.velocity || random_.Chance(0.3f)) {
    const float most = 0.2f * std::min(std::max(high_.x - low_.x, high_.y - low_.y) + 1e-3f, 100.0f);
    move.translation = random_.InBox({-most, -most}, {most, most});
    const double x = obstacle.x + double{move.translation->x}, y = obstacle.y + double{move.translation->y};
    ObstacleSpec moved = obstacle.spec;
    moved.id.reset();
    for (Vec2& vertex : moved.vertices) {
      vertex = {static_cast<float>(double{vertex.x} + x), static_cast<float>(double{vertex.y} + y)};
    }
    if (!Validate(moved).ok() || (capsule && far > 1e6f)) return std::nullopt;
    obstacle.x = x;
    obstacle.y = y;
  }
  return move;
}

// As Inputs, but where agents are to go.
Edit Editor::Goals() {
  GoalInputEdit edit{std::get<InputEdit>(Inputs())};
  for (std::size_t i = 0; i < edit.goals.ids.size(); ++i) {
    if (edit.goals.refused.contains(i)) continue;
    if (kinematics_.contains(edit.goals.ids[i])) edit.goals.refused.insert(i);
    const Vec2 place = Place();
    edit.goals.x[i] = place.x;
    edit.goals.y[i] = place.y;
  }
  return edit;
}

Edit Editor::Inputs() {
  InputEdit edit;
  const std::size_t count = random_.Below(agents_.size() / 4 + 2);
  for (std::size_t i = 0; i < count; ++i) {
    AgentId id = PickAgent();
    Vec2 v = random_.InBox({-2, -2}, {2, 2});
    if (id == kInvalidId || random_.Chance(0.02f)) id = kUnknownAgent;
    if (random_.Chance(0.02f)) v.x = std::numeric_limits<float>::quiet_NaN();
    if (id == kUnknownAgent || v.x != v.x) edit.refused.insert(i);
    edit.ids.push_back(id);
    edit.x.push_back(v.x);
    edit.y.push_back(v.y);
    // The same agent again: the later holds.
    if (!edit.refused.contains(i) && random_.Chance(0.05f)) {
      edit.ids.push_back(id);
      edit.x.push_back(v.y);
      edit.y.push_back(v.x);
      return edit;
    }
  }
  return edit;
}

}  // namespace throng::testing
