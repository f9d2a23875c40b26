#include "server/host/batch_run.h"

#include <absl/status/statusor.h>

#include <utility>
#include <variant>

#include "server/base/reason.h"
#include "server/host/fingerprint.h"
#include "server/host/limit_error.h"
#include "server/host/session_memory.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

// Items between two looks at the clock.
constexpr std::size_t kItemsPerLook = 32;

// Applies one command and says what became of it.
class Applier {
 public:
  Applier(World& world, CommandResult& result, std::vector<AgentId>* removed)
      : world_(world), result_(result), removed_(removed) {}

  absl::Status operator()(const AddAgent& command) {
    result_.id = command.spec.id.value_or(kInvalidId);
    const absl::StatusOr<AgentId> id = world_.AddAgent(command.spec);
    if (!id.ok()) return id.status();
    result_.id = *id;
    result_.params = Apply(world_.settings().agent_defaults, command.spec.params);
    if (command.spec.placement == Placement::kNudge) result_.position = world_.GetAgent(*id)->position;
    return absl::OkStatus();
  }
  absl::Status operator()(const UpdateAgent& command) {
    result_.id = command.id;
    if (absl::Status status = world_.UpdateAgent(command.id, command.update); !status.ok()) return status;
    const absl::StatusOr<AgentState> agent = world_.GetAgent(command.id);
    if (agent.ok()) result_.params = agent->params;
    return absl::OkStatus();
  }
  absl::Status operator()(const RemoveAgent& command) {
    result_.id = command.id;
    absl::Status status = world_.RemoveAgent(command.id);
    if (status.ok() && removed_ != nullptr) removed_->push_back(command.id);
    return status;
  }
  absl::Status operator()(const RemoveAllAgents&) {
    if (removed_ != nullptr) {
      const std::shared_ptr<const Membership> all = world_.membership();
      removed_->insert(removed_->end(), all->ids.begin(), all->ids.end());
    }
    return world_.RemoveAllAgents();
  }
  absl::Status operator()(const AddObstacle& command) {
    result_.id = command.spec.id.value_or(kInvalidId);
    const absl::StatusOr<ObstacleId> id = world_.AddObstacle(command.spec);
    if (!id.ok()) return id.status();
    result_.id = *id;
    return absl::OkStatus();
  }
  absl::Status operator()(const UpdateObstacle& command) {
    result_.id = command.id;
    return world_.UpdateObstacle(command.id, command.spec);
  }
  absl::Status operator()(const MoveObstacle& command) {
    result_.id = command.id;
    return world_.MoveObstacle(command.id, command.move);
  }
  absl::Status operator()(const RemoveObstacle& command) {
    result_.id = command.id;
    return world_.RemoveObstacle(command.id);
  }
  absl::Status operator()(const UnreadableCommand& command) { return command.status; }

 private:
  World& world_;
  CommandResult& result_;
  std::vector<AgentId>* const removed_;
};

// Of what the world, as it is, does not allow.
const char* PreconditionReason(const Command& command) {
  if (std::holds_alternative<AddAgent>(command)) return "OCCUPIED";
  if (std::holds_alternative<MoveObstacle>(command)) return "NOT_CAPSULE";
  const auto* const update = std::get_if<UpdateAgent>(&command);
  return update != nullptr && update->update.move_to ? "NOT_KINEMATIC" : "IS_KINEMATIC";
}

// What the engine or the check says, with its reason, and with the limit where one is reached.
absl::Status Explain(const absl::Status& status, const Command& command, const WorldSettings& settings) {
  const bool obstacle =
      std::holds_alternative<AddObstacle>(command) || std::holds_alternative<UpdateObstacle>(command) ||
      std::holds_alternative<MoveObstacle>(command) || std::holds_alternative<RemoveObstacle>(command);
  if (absl::IsNotFound(status)) return WithReason(status, obstacle ? "OBSTACLE_NOT_FOUND" : "AGENT_NOT_FOUND");
  if (absl::IsFailedPrecondition(status)) return WithReason(status, PreconditionReason(command));
  if (absl::IsAlreadyExists(status)) return WithReason(status, obstacle ? "OBSTACLE_EXISTS" : "AGENT_EXISTS");
  const std::optional<Violation> violation = absl::IsResourceExhausted(status) ? GetViolation(status) : std::nullopt;
  if (violation && violation->field == "max_agents") return LimitError("max_agents_per_world", settings.max_agents);
  if (violation && violation->field == "capsules") return FixedLimitError("capsules_per_world", kMaxCapsules);
  if (violation && violation->field == "max_obstacle_vertices") {
    return LimitError("max_obstacle_vertices_per_world", settings.max_obstacle_vertices);
  }
  return status;
}

}  // namespace

BatchRun::BatchRun(CommandBatch batch) : batch_(std::move(batch)), result_(std::make_shared<CommandBatchResult>()) {
  result_->request_id = batch_.request_id;
  if (!batch_.request_id.empty()) fingerprint_ = Fingerprint(batch_);
  result_->results.resize(batch_.commands.size());
  for (std::size_t i = 0; i < batch_.commands.size(); ++i) {
    result_->results[i].kind = static_cast<std::uint8_t>(batch_.commands[i].index());
  }
}

void BatchRun::Remember(RequestCache& of_unary_services) const {
  if (batch_.request_id.empty()) return;
  RequestCache& requests = batch_.session == nullptr ? of_unary_services : batch_.session->requests;
  requests.Remember(fingerprint_, result_);
}

bool BatchRun::Continue(World& world, const Clock& clock, Time until, std::vector<AgentId>* removed) {
  if (batch_.all_or_nothing && next_ == 0 && !check_) check_.emplace(world);
  for (std::size_t items = 1; !done() || check_; ++items) {
    if (items % kItemsPerLook == 0 && clock.Now() >= until) return false;
    if (check_) {
      CheckNext(world);
      continue;
    }
    const Command& command = batch_.commands[next_];
    CommandResult& result = result_->results[next_];
    result.status = Explain(std::visit(Applier(world, result, removed), command), command, world.settings());
    ++(result.status.ok() ? applied_ : rejected_);
    if (result.status.ok() && warned_ < kMaxWarnedItems) Advise(world, command, result);
    ++next_;
  }
  result_->applied = applied_ > 0;
  return true;
}

// Of what was applied just now.
void BatchRun::Advise(const World& world, const Command& command, CommandResult& result) {
  if (std::holds_alternative<AddAgent>(command) || std::holds_alternative<UpdateAgent>(command)) {
    result.warnings = world.AdviseAgent(result.id, kMaxItemWarnings);
  } else if (std::holds_alternative<AddObstacle>(command) || std::holds_alternative<UpdateObstacle>(command) ||
             std::holds_alternative<MoveObstacle>(command)) {
    result.warnings = world.AdviseObstacle(result.id, kMaxItemWarnings);
  }
  if (!result.warnings.empty()) ++warned_;
}

// One item of the check; after the last one either everything is refused or the check ends and applying begins.
void BatchRun::CheckNext(const World& world) {
  if (!done()) {
    const Command& command = batch_.commands[next_];
    result_->results[next_].status = Explain(check_->Check(command), command, world.settings());
    rejected_ += result_->results[next_].status.ok() ? 0 : 1;
    ++next_;
    return;
  }
  check_.reset();
  batch_.all_or_nothing = false;
  if (rejected_ > 0) {
    RefuseAll();
  } else {
    next_ = 0;
  }
}

void BatchRun::RefuseAll() {
  for (CommandResult& result : result_->results) {
    if (!result.status.ok()) continue;
    result.status = WithReason(absl::AbortedError("valid, but another item of the batch is not"), "BATCH_REFUSED");
  }
  rejected_ = result_->results.size();
}

}  // namespace throng::server
