// World checks every argument here and leaves the work to the layers below.
#include "throng/world.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "throng/limits.h"
#include "world/input_columns.h"
#include "world/world_impl.h"

namespace throng {
namespace {

absl::Status CapacityError(const char* limit, std::size_t wanted, std::size_t most) {
  return ViolationError({limit, absl::StrCat(wanted), absl::StrCat("[0, ", most, "]")},
                        absl::StatusCode::kResourceExhausted);
}

absl::Status IdsUsedUp() {
  return ViolationError({"id", "unset", "an id of the caller's, [1, 2147483647]; those the world makes are used up"},
                        absl::StatusCode::kResourceExhausted);
}

bool IsInput(Index, float x, float y) {
  const auto inside = [](float value) { return value >= -kMaxInputSpeed && value <= kMaxInputSpeed; };
  return inside(x) && inside(y);
}

absl::Status RefuseInput(Index, Vec2 velocity) { return ValidatePreferredVelocity(velocity); }

}  // namespace

absl::StatusOr<std::unique_ptr<World>> World::Create(const WorldSettings& settings) {
  if (absl::Status status = Validate(settings); !status.ok()) return status;
  return std::unique_ptr<World>(new World(std::make_unique<Impl>(settings)));
}

World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
World::~World() = default;

// Edits ---------------------------------------------------------------------------------------------------------------

absl::StatusOr<AgentId> World::AddAgent(const AgentSpec& spec) {
  if (impl_->stepping()) return SteppingError();
  if (absl::Status status = Validate(spec); !status.ok()) return status;
  if (spec.id && impl_->agents.Contains(*spec.id)) {
    return absl::AlreadyExistsError(absl::StrCat("there is an agent ", *spec.id, " already"));
  }
  const std::size_t most = impl_->settings.max_agents;
  if (impl_->agents.size() >= most) return CapacityError("max_agents", impl_->agents.size() + 1, most);
  if (!spec.id && impl_->agent_ids.exhausted()) return IdsUsedUp();

  const AgentParams params = Apply(impl_->settings.agent_defaults, spec.params);
  if (absl::Status status = ValidateIn(impl_->settings, params, spec.id.value_or(kInvalidId)); !status.ok()) {
    return status;
  }
  const absl::StatusOr<Vec2> position = impl_->PlaceFor(spec, params);
  if (!position.ok()) return position.status();
  const AgentId id = spec.id ? *spec.id : impl_->agent_ids.Take();
  const Index place = impl_->agents.Add(id);
  impl_->SetPosition(place, *position);
  impl_->SetVelocity(place, spec.velocity);
  if (spec.heading) impl_->SetHeading(place, *spec.heading);
  impl_->SetParams(place, params);
  impl_->SetKinematic(place, spec.kinematic);
  if (spec.preferred_velocity) impl_->SetPreferredVelocity(place, *spec.preferred_velocity);
  if (spec.goal) impl_->SetGoal(place, *spec.goal);
  if (spec.path) impl_->SetPath(place, *spec.path);
  impl_->occupancy.NoteAdded(impl_->agents);
  return id;
}

absl::Status World::UpdateAgent(AgentId id, const AgentUpdate& update) {
  if (impl_->stepping()) return SteppingError();
  const Index place = impl_->agents.Find(id);
  if (place == kNoIndex) return NoAgent(id);
  if (absl::Status status = Validate(update); !status.ok()) return status;
  const bool kinematic = update.kinematic.value_or(impl_->IsKinematic(place));
  if (kinematic && (update.goal || update.path)) return KinematicGoalError();
  if (!kinematic && update.move_to) {
    return absl::FailedPreconditionError("move_to: the agent is not kinematic");
  }
  const AgentParams params = Apply(impl_->ParamsAt(place), update.params);
  if (absl::Status status = ValidateIn(impl_->settings, params, id); !status.ok()) return status;
  if (update.position || EffectiveRadius(params) != impl_->agents.radius[place]) impl_->occupancy.Invalidate();
  impl_->SetKinematic(place, kinematic);
  if (update.position) impl_->SetPosition(place, *update.position);
  if (update.velocity) impl_->SetVelocity(place, *update.velocity);
  if (update.heading) impl_->SetHeading(place, *update.heading);
  if (update.preferred_velocity) impl_->SetPreferredVelocity(place, *update.preferred_velocity);
  impl_->SetParams(place, params);
  if (update.goal) impl_->SetGoal(place, *update.goal);
  if (update.path) impl_->SetPath(place, *update.path);
  if (update.move_to) impl_->SetMoveTo(place, *update.move_to);
  return absl::OkStatus();
}

absl::Status World::RemoveAgent(AgentId id) {
  if (impl_->stepping()) return SteppingError();
  if (!impl_->agents.Contains(id)) return NoAgent(id);
  impl_->agents.Remove(id);
  impl_->occupancy.Invalidate();
  if (impl_->recovery) impl_->recovery->Forget(id);
  impl_->hash_valid = false;
  return absl::OkStatus();
}

absl::Status World::RemoveAllAgents() {
  if (impl_->stepping()) return SteppingError();
  impl_->agents.Clear();
  impl_->occupancy.Invalidate();
  if (impl_->recovery) impl_->recovery->ForgetAll();
  impl_->hash_valid = false;
  return absl::OkStatus();
}

absl::StatusOr<ObstacleId> World::AddObstacle(const ObstacleSpec& spec) {
  if (impl_->stepping()) return SteppingError();
  if (absl::Status status = Validate(spec); !status.ok()) return status;
  if (spec.id && impl_->HasObstacle(*spec.id)) {
    return absl::AlreadyExistsError(absl::StrCat("there is an obstacle ", *spec.id, " already"));
  }
  const std::size_t wanted = impl_->obstacle_vertices() + spec.vertices.size();
  const std::size_t most = impl_->settings.max_obstacle_vertices;
  if (wanted > most) return CapacityError("max_obstacle_vertices", wanted, most);
  if (spec.kind == ObstacleKind::kCapsule && impl_->capsules.size() >= kMaxCapsules) {
    return CapacityError("capsules", kMaxCapsules + 1, kMaxCapsules);
  }
  if (!spec.id && impl_->obstacle_ids.exhausted()) return IdsUsedUp();

  const ObstacleId id = spec.id ? *spec.id : impl_->obstacle_ids.Take();
  impl_->AddObstacle(id, spec);
  ++impl_->obstacle_version;
  return id;
}

absl::Status World::UpdateObstacle(ObstacleId id, const ObstacleSpec& spec) {
  if (impl_->stepping()) return SteppingError();
  if (!impl_->HasObstacle(id)) return NoObstacle(id);
  if (spec.id && *spec.id != id) {
    return ViolationError({"id", absl::StrCat(*spec.id), absl::StrCat("unset or ", id)});
  }
  ObstacleSpec shape = spec;
  shape.id.reset();  // one that the world made is not for adding, but is right here
  if (absl::Status status = Validate(shape); !status.ok()) return status;
  const bool was_capsule = impl_->capsules.Contains(id);
  const std::size_t before = was_capsule ? 2 : impl_->obstacles.Find(id)->vertices.size();
  const std::size_t wanted = impl_->obstacle_vertices() - before + spec.vertices.size();
  const std::size_t most = impl_->settings.max_obstacle_vertices;
  if (wanted > most) return CapacityError("max_obstacle_vertices", wanted, most);
  if (spec.kind == ObstacleKind::kCapsule && !was_capsule && impl_->capsules.size() >= kMaxCapsules) {
    return CapacityError("capsules", kMaxCapsules + 1, kMaxCapsules);
  }

  impl_->RemoveObstacle(id);
  impl_->AddObstacle(id, shape);
  ++impl_->obstacle_version;
  return absl::OkStatus();
}

absl::Status World::RemoveObstacle(ObstacleId id) {
  if (impl_->stepping()) return SteppingError();
  if (!impl_->HasObstacle(id)) return NoObstacle(id);
  impl_->RemoveObstacle(id);
  ++impl_->obstacle_version;
  return absl::OkStatus();
}

absl::StatusOr<std::size_t> World::SetPreferredVelocities(std::span<const AgentId> ids, std::span<const float> x,
                                                          std::span<const float> y,
                                                          std::vector<InputRejection>& rejected) {
  if (impl_->stepping()) return SteppingError();
  return SetByIds(impl_->agents, ids, x, y, rejected, IsInput, RefuseInput,
                  [&](Index place, Vec2 velocity) { impl_->SetPreferredVelocity(place, velocity); });
}

absl::StatusOr<std::size_t> World::SetPreferredVelocitiesByRank(std::size_t first, std::span<const float> x,
                                                                std::span<const float> y,
                                                                std::vector<InputRejection>& rejected) {
  if (impl_->stepping()) return SteppingError();
  return SetByRanks(impl_->agents, first, x, y, rejected, IsInput, RefuseInput,
                    [&](Index place, Vec2 velocity) { impl_->SetPreferredVelocity(place, velocity); });
}

absl::Status World::SetAgentDefaults(const AgentParams& defaults) {
  if (impl_->stepping()) return SteppingError();
  if (absl::Status status = Validate(defaults); !status.ok()) return status;
  if (absl::Status status = ValidateDefaultsIn(impl_->settings, defaults); !status.ok()) return status;
  impl_->settings.agent_defaults = defaults;
  return absl::OkStatus();
}

absl::Status World::SetStaleInput(const StaleInput& stale_input) {
  if (impl_->stepping()) return SteppingError();
  if (absl::Status status = Validate(stale_input); !status.ok()) return status;
  impl_->settings.stale_input = stale_input;
  impl_->agents.KeepInputTicks(stale_input.policy != StaleInputPolicy::kHold, impl_->tick);
  return absl::OkStatus();
}

// Steps ---------------------------------------------------------------------------------------------------------------

absl::Status World::Step() {
  if (absl::Status status = BeginStep(); !status.ok()) return status;
  while (Advance(std::numeric_limits<std::size_t>::max()) != Phase::kIdle) {
  }
  return absl::OkStatus();
}

absl::Status World::ComputeVelocities() {
  if (absl::Status status = BeginStep(true); !status.ok()) return status;
  while (Advance(std::numeric_limits<std::size_t>::max()) != Phase::kIdle) {
  }
  return absl::OkStatus();
}

absl::Status World::BeginStep(bool zero) {
  impl_->Fetch();
  if (impl_->stepping()) return SteppingError();
  impl_->occupancy.Invalidate();
  impl_->stepper.Begin({&impl_->agents, &impl_->obstacles, &impl_->obstacle_index, &impl_->settings, &impl_->kernels,
                        impl_->recovery.get(), impl_->edge_version, impl_->tick, zero, &impl_->capsules});
  return absl::OkStatus();
}

Phase World::Advance(std::size_t agents) {
  if (!impl_->stepping()) return Phase::kIdle;
  const Phase next = impl_->stepper.Advance(agents);
  if (next == Phase::kIdle) {
    if (!impl_->stepper.zero()) ++impl_->tick;
    impl_->recoveries += impl_->stepper.stats().recovered;
    impl_->hash = impl_->stepper.state_hash();
    impl_->hash_valid = true;
  }
  return next;
}

Phase World::phase() const { return impl_->stepper.phase(); }

// Reading -------------------------------------------------------------------------------------------------------------

std::uint64_t World::tick() const { return impl_->tick; }

double World::simulation_time() const { return static_cast<double>(impl_->tick) * double{impl_->settings.time_step}; }

const WorldSettings& World::settings() const { return impl_->settings; }

const StepStats& World::stats() const { return impl_->stepper.stats(); }

std::uint64_t World::recoveries() const { return impl_->recoveries; }

std::uint64_t World::StateHash() const { return impl_->StateHash(); }

std::size_t World::agent_count() const { return impl_->agents.size(); }

std::shared_ptr<const Membership> World::membership() const { return impl_->agents.membership(); }

void World::Read(Column column, std::size_t first, std::span<float> out) const {
  assert(first + out.size() <= agent_count());
  const AgentStore& agents = impl_->agents;
  const AgentStore::Ranks ranks = agents.ranks();
  // Where the column's element of place 0 is, and how many floats lie between two places.
  struct Strided {
    const float* first;
    std::size_t stride;
  };
  constexpr std::size_t kBody = sizeof(Body) / sizeof(float);
  const Body* const body = agents.body.data();
  if (out.empty()) return;
  if (column == Column::kHeading) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = impl_->HeadingAt(ranks.place(first + i));
    return;
  }
  const Strided values = [&]() -> Strided {
    switch (column) {
      case Column::kPositionX:
        return {&body->x, kBody};
      case Column::kPositionY:
        return {&body->y, kBody};
      case Column::kVelocityX:
        return {&body->vx, kBody};
      case Column::kVelocityY:
        return {&body->vy, kBody};
      case Column::kPreferredVelocityX:
        return {agents.preferred_x.data(), 1};
      case Column::kPreferredVelocityY:
        return {agents.preferred_y.data(), 1};
      case Column::kRadius:
        return {agents.radius.data(), 1};
      case Column::kHeading:
        break;
    }
    return {&body->x, kBody};
  }();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values.first[ranks.place(first + i) * values.stride];
  if (column != Column::kRadius || !agents.limits.has_drives()) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const MotionLimits limits = agents.limits.limits(agents.slot[ranks.place(first + i)]);
    if (limits.drive == Drive::kDifferential) out[i] = limits.radius;
  }
}

absl::StatusOr<AgentState> World::GetAgent(AgentId id) const {
  const Index place = impl_->agents.Find(id);
  if (place == kNoIndex) return NoAgent(id);
  return impl_->StateAt(place);
}

std::size_t World::memory_bytes() const {
  return impl_->agents.memory_bytes() + impl_->obstacles.memory_bytes() + impl_->capsules.memory_bytes() +
         impl_->obstacle_index.memory_bytes() + impl_->stepper.memory_bytes() + impl_->occupancy.memory_bytes() +
         (impl_->recovery ? impl_->recovery->memory_bytes() : 0);
}

}  // namespace throng
