// Edits of a world as values, so that the same ones reach an engine and its twin, in one order or another.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/support/twin.h"
#include "throng/world.h"

namespace throng::testing {

struct AddAgentEdit {
  AgentSpec spec;
};
struct UpdateAgentEdit {
  AgentId id;
  AgentUpdate update;
};
struct RemoveAgentEdit {
  AgentId id;
};
struct SetObstacleEdit {
  bool replace;  // what has this id; else add
  ObstacleSpec spec;
};
struct RemoveObstacleEdit {
  ObstacleId id;
};
struct MoveObstacleEdit {
  ObstacleId id;
  ObstacleMove move;
};
// Columns of preferred velocities; items that are to be refused are among them.
struct InputEdit {
  std::vector<AgentId> ids;
  std::vector<float> x;
  std::vector<float> y;
  std::set<std::size_t> refused;  // indexes
};
// The same of goals.
struct GoalInputEdit {
  InputEdit goals;
};
struct StaleInputEdit {
  StaleInput stale_input;
};
// The next four act on all agents, so they stand alone at a tick border.
struct RankInputEdit {  // for agents by ascending id, from rank `first` on
  std::size_t first;
  std::vector<float> x;
  std::vector<float> y;
};
struct RankGoalEdit {
  RankInputEdit goals;
};
struct AgentDefaultsEdit {
  AgentParams defaults;
};
struct RemoveAllAgentsEdit {};
using Edit = std::variant<AddAgentEdit, UpdateAgentEdit, RemoveAgentEdit, SetObstacleEdit, RemoveObstacleEdit,
                          MoveObstacleEdit, InputEdit, GoalInputEdit, StaleInputEdit, RankInputEdit, RankGoalEdit,
                          AgentDefaultsEdit, RemoveAllAgentsEdit>;

// Fails the test if the engine refuses what is valid or takes what is not.
void Apply(const Edit& edit, World& world);
void Apply(const Edit& edit, twin::Twin& twin);

// 0, 1 most often, or anything else.
float RandomResponsibility(Random& random);
// Some of a layer, a mask and a height band, such that agents see some others and many pairs are one-sided.
void DrawSight(Random& random, AgentParamsPatch& patch);
// The same of an obstacle.
void DrawSight(Random& random, ObstacleSpec& spec);
// Parameters of agents that have goals, some of them at the ends of their ranges.
void DrawGoalParams(Random& random, AgentParamsPatch& patch);
// Each of the limits off or on, some at the ends of their ranges.
void DrawLimits(Random& random, AgentParamsPatch& patch);
// Within the box and, now and then, on top of each other.
Path RandomPath(Random& random, Vec2 low, Vec2 high);

// What edits draw beside what every agent has.
struct EditOptions {
  bool weights = false;     // responsibilities
  bool kinematics = false;  // agents that are kinematic, for some time or for good
  bool sights = false;      // layers, masks and height bands, of agents and obstacles
  bool moves = false;       // obstacles that move by themselves, and ones that are moved
  bool limits = false;      // smoothing_time and those after it, and headings
};

// Draws valid edits for a scene and keeps track of what exists.
class Editor {
 public:
  Editor(const Scene& scene, std::uint64_t seed, const EditOptions& options = {});

  // Edits for one tick border. No agent and no obstacle is touched twice, so that their order is free.
  std::vector<Edit> Next();

 private:
  AgentId PickAgent();
  AgentId FreshId();
  Vec2 Place();
  Edit NextEdit();
  Edit NextOfAll();
  Edit AddAgent();
  Edit UpdateAgent(AgentId id);
  void Steer(AgentId id, AgentUpdate& update);
  MoveTo RandomMove();
  Edit SetObstacle();
  std::optional<ObstacleMove> RandomMoveOf(ObstacleId id);
  Edit Inputs();
  Edit Goals();

  Random random_;
  EditOptions options_;
  float time_step_;
  Vec2 low_;  // of the box in which agents are put
  Vec2 high_;
  std::set<AgentId> agents_;
  std::set<AgentId> kinematics_;  // of them
  // As they were set, and how far they were moved since; of capsules without what they moved by themselves.
  struct Obstacle {
    ObstacleSpec spec;
    double x = 0.0, y = 0.0;  // [m]
  };
  std::map<ObstacleId, Obstacle> obstacles_;
  std::set<AgentId> touched_agents_;
  std::set<ObstacleId> touched_obstacles_;
  bool stale_input_touched_ = false;
};

}  // namespace throng::testing
