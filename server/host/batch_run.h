// BatchRun: one batch of commands on its way through a world, a piece at a time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "server/host/clock.h"
#include "server/host/command.h"
#include "server/host/command_check.h"
#include "server/host/request_cache.h"
#include "throng/world.h"

namespace throng::server {

class BatchRun {
 public:
  explicit BatchRun(CommandBatch batch);

  // Goes on with it; true once it is done, false when the clock has passed `until`. No step may come in between.
  // `removed`: gets the ids of agents that are removed; null: nobody wants them.
  bool Continue(World& world, const Clock& clock, Time until, std::vector<AgentId>* removed = nullptr);

  // Once done, without versions.
  std::shared_ptr<CommandBatchResult> result() const { return result_; }
  // Once done: puts the result where its request_id, if there is one, is looked for.
  void Remember(RequestCache& of_unary_services) const;
  std::size_t applied() const { return applied_; }
  std::size_t rejected() const { return rejected_; }

 private:
  bool done() const { return next_ >= batch_.commands.size(); }
  void CheckNext(const World& world);
  void RefuseAll();
  void Advise(const World& world, const Command& command, CommandResult& result);

  CommandBatch batch_;
  std::uint64_t fingerprint_ = 0;
  std::shared_ptr<CommandBatchResult> result_;
  std::optional<CommandCheck> check_;  // while checking, before anything is applied
  std::size_t next_ = 0;
  std::size_t applied_ = 0;
  std::size_t rejected_ = 0;
  std::size_t warned_ = 0;  // items with warnings
};

}  // namespace throng::server
