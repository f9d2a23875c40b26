// Session: one client's claim on one world. What it asks for by its stream and by unary calls comes together here.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/host/callback.h"
#include "server/host/clock.h"
#include "server/host/mutex.h"
#include "server/host/world_host.h"
#include "server/session/managed_stream.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {

// Safe from any thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  static constexpr std::uint32_t kMaxTicksPerOrder = 10'000;

  // `stepper`: it holds that role, claimed for memory().
  Session(std::shared_ptr<WorldHost> world, std::shared_ptr<SessionMemory> memory, Duration lease, bool stepper,
          std::uint32_t max_batch_items, const Clock* clock);

  const std::string& id() const { return id_; }
  const std::string& token() const { return token_; }
  const std::shared_ptr<WorldHost>& world() const { return world_; }
  const std::shared_ptr<SessionMemory>& memory() const { return memory_; }
  Duration lease() const { return lease_; }

  // What is asked for ----------------------------------------------------------------------------------------------
  // Answers come as from the world, and NOT_FOUND once the session has ended. While one is due, the lease runs on.

  // One whose sequence is not above the last one received is answered at once and applies nothing.
  void ApplyInput(const v1::Input& input, InputReply reply);
  // OK: the order's result, also of the last one repeated. Else no tick was made.
  void Step(const v1::StepOrder& order, StepReply reply);
  // The status is of the batch as a whole.
  void ApplyCommands(const v1::CommandBatch& batch, CommandReply reply);

  // Streams ----------------------------------------------------------------------------------------------------------

  // The one stream that drives; who drove before is told and ended. NOT_FOUND once the session has ended.
  absl::Status Drive(const std::shared_ptr<ManagedStream>& stream);
  // A stream that watches for the session, and so keeps its lease.
  absl::Status Watch(const std::shared_ptr<ManagedStream>& stream);
  // The stream has ended. The lease runs from now.
  void Leave(const ManagedStream* stream);
  v1::Opened Opened() const;

  // Its end
  // ------------------------------------------------------------------------------------------------------------

  bool Expired(Time now) const;
  // Gives up what it holds and ends its streams. True for the first call.
  // `reason` and `status` are told to its streams.
  bool End(v1::ClosingReason reason, const std::string& message, const absl::Status& status);

 private:
  // An order that the world is at.
  struct Order {
    std::uint64_t sequence = 0;
    std::vector<StepReply> waiting;
  };

  absl::Status CheckOrder(const v1::StepOrder& order) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckTimeStep(const v1::StepOrder& order) const;
  void OrderDone(std::uint64_t sequence, const absl::StatusOr<StepOutcome>& outcome);
  absl::Status BeginCall();
  void EndCall();

  const std::string id_;
  const std::string token_;
  const std::shared_ptr<WorldHost> world_;
  const std::shared_ptr<SessionMemory> memory_;
  const Duration lease_;
  const bool stepper_;
  const std::uint32_t max_batch_items_;
  const Clock* const clock_;

  mutable Mutex mutex_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  int calls_ ABSL_GUARDED_BY(mutex_) = 0;  // not answered yet
  Time idle_since_ ABSL_GUARDED_BY(mutex_);
  std::weak_ptr<ManagedStream> driver_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<const ManagedStream*, std::weak_ptr<ManagedStream>>> streams_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t last_input_ ABSL_GUARDED_BY(mutex_) = 0;  // received
  std::uint64_t last_step_ ABSL_GUARDED_BY(mutex_) = 0;   // done
  StepOutcome last_outcome_ ABSL_GUARDED_BY(mutex_);
  std::optional<Order> order_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace throng::server
