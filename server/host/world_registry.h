// All worlds by name.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/base/options.h"
#include "server/host/mutex.h"
#include "server/host/world_host.h"

namespace throng::server {

struct WorldPage {
  std::vector<WorldInfo> worlds;  // in ascending order of names
  std::string next_page_token;    // empty on the last page
};

// Safe from any thread.
class WorldRegistry {
 public:
  WorldRegistry(const Limits& limits, const HostEnvironment& environment);
  // Ends all worlds that are left; the scheduler must be stopped.
  ~WorldRegistry();
  WorldRegistry(const WorldRegistry&) = delete;
  WorldRegistry& operator=(const WorldRegistry&) = delete;

  const Limits& limits() const { return limits_; }

  // A repeat with the same request_id (of the last 1,024 that are not empty) gets the first answer; with another
  // content: INVALID_ARGUMENT.
  // INVALID_ARGUMENT with a Violation (fields of CreateWorldRequest: "name", "settings.time_step"); ALREADY_EXISTS;
  // RESOURCE_EXHAUSTED past max_worlds, max_agents_per_world; UNAVAILABLE while draining.
  absl::StatusOr<WorldInfo> Create(const std::string& name, const HostSettings& settings,
                                   const std::string& request_id = {});
  // NOT_FOUND. Counts as a use of the world.
  absl::StatusOr<std::shared_ptr<WorldHost>> Find(std::string_view name);
  absl::StatusOr<WorldInfo> Get(std::string_view name);
  // `page_size` 0: 100; at most 1,000, else INVALID_ARGUMENT, as for a page token of another making.
  absl::StatusOr<WorldPage> List(std::string_view name_prefix, std::uint32_t page_size,
                                 std::string_view page_token) const;
  // `uid` 0: whichever has the name; else FAILED_PRECONDITION if it has another. The reply gets the ticks it had
  // finished, or the error. The name is free at once.
  void Delete(std::string_view name, std::uint64_t uid, Callback<absl::StatusOr<std::uint64_t>> reply);

  std::size_t world_count() const;
  std::uint64_t agent_count() const;  // in all worlds, as of their last tick borders

  // Deletes worlds that nobody used for longer than their idle time-to-live. Called now and then by the scheduler.
  void Sweep(Time now);
  // From now on no world is made.
  void Drain();

 private:
  struct Answer {
    std::uint64_t fingerprint = 0;  // of the request
    WorldInfo info;
  };

  // Unset: the request has not come before.
  std::optional<absl::StatusOr<WorldInfo>> Repeated(const std::string& request_id, std::uint64_t fingerprint) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Admit(const std::string& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::shared_ptr<WorldHost>> Make(const std::string& name, const HostSettings& settings);
  void Remember(const std::string& request_id, std::uint64_t fingerprint, const WorldInfo& info)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits limits_;
  const HostEnvironment environment_;

  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<WorldHost>, std::less<>> worlds_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Answer> answers_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> answer_order_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
