#include "server/host/world_registry.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "server/host/errors.h"
#include "server/host/fingerprint.h"
#include "server/host/limit_error.h"
#include "server/host/random.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

constexpr std::size_t kMaxAnswers = 1'024;
constexpr std::uint32_t kDefaultPageSize = 100;
constexpr std::uint32_t kMaxPageSize = 1'000;
// A token is this and the last name of the page before.
constexpr std::string_view kTokenMark = "after:";

}  // namespace

WorldRegistry::WorldRegistry(const Limits& limits, const HostEnvironment& environment)
    : limits_(limits), environment_(environment) {}

WorldRegistry::~WorldRegistry() {
  decltype(worlds_) worlds;
  {
    const MutexLock lock(mutex_);
    worlds.swap(worlds_);
  }
  environment_.metrics->worlds.Add(-static_cast<std::int64_t>(worlds.size()));
  for (const auto& [name, world] : worlds) {
    world->Delete([](const absl::StatusOr<std::uint64_t>&) {});
    world->Run(environment_.clock->Now());
  }
}

absl::StatusOr<WorldInfo> WorldRegistry::Create(const std::string& name, const HostSettings& settings,
                                                const std::string& request_id) {
  const std::uint64_t fingerprint = Fingerprint(name, settings);
  {
    const MutexLock lock(mutex_);
    if (const auto answer = Repeated(request_id, fingerprint)) return *answer;
    if (absl::Status status = Admit(name); !status.ok()) return status;
  }
  absl::StatusOr<std::shared_ptr<WorldHost>> world = Make(name, settings);
  if (!world.ok()) return world.status();
  {
    const MutexLock lock(mutex_);
    // Once more, since others may have been faster.
    if (const auto answer = Repeated(request_id, fingerprint)) return *answer;
    if (absl::Status status = Admit(name); !status.ok()) return status;
    worlds_.emplace(name, *world);
    Remember(request_id, fingerprint, (*world)->Info());
  }
  environment_.metrics->worlds.Add(1);
  WorldInfo info = (*world)->Info();
  environment_.scheduler->Add(*std::move(world));
  return info;
}

std::optional<absl::StatusOr<WorldInfo>> WorldRegistry::Repeated(const std::string& request_id,
                                                                 std::uint64_t fingerprint) const {
  const auto answer = answers_.find(request_id);
  if (answer == answers_.end()) return std::nullopt;
  if (answer->second.fingerprint != fingerprint) return RequestIdReused();
  return answer->second.info;
}

absl::Status WorldRegistry::Admit(const std::string& name) const {
  if (draining_) return ServerIsDraining();
  if (absl::Status status = ValidateWorldName(name); !status.ok()) return status;
  if (worlds_.contains(name)) {
    return WithReason(absl::AlreadyExistsError(absl::StrCat("there is a world ", name, " already")), "WORLD_EXISTS");
  }
  if (worlds_.size() >= limits_.max_worlds) return LimitError("max_worlds", limits_.max_worlds);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<WorldHost>> WorldRegistry::Make(const std::string& name, const HostSettings& settings) {
  HostSettings full = settings;
  if (settings.max_agents.value_or(0) > limits_.max_agents_per_world) {
    return LimitError("max_agents_per_world", limits_.max_agents_per_world);
  }
  full.world.max_agents = settings.max_agents.value_or(limits_.max_agents_per_world);
  full.world.simd_level = environment_.simd_level;
  full.world.max_obstacle_vertices = limits_.max_obstacle_vertices_per_world;
  if (absl::Status status = Validate(full); !status.ok()) return InSettings(status);
  return WorldHost::Create(name, RandomUid(), full, environment_);
}

void WorldRegistry::Remember(const std::string& request_id, std::uint64_t fingerprint, const WorldInfo& info) {
  if (request_id.empty()) return;
  answers_.emplace(request_id, Answer{fingerprint, info});
  answer_order_.push_back(request_id);
  if (answer_order_.size() <= kMaxAnswers) return;
  answers_.erase(answer_order_.front());
  answer_order_.pop_front();
}

absl::StatusOr<std::shared_ptr<WorldHost>> WorldRegistry::Find(std::string_view name) {
  std::shared_ptr<WorldHost> world;
  {
    const MutexLock lock(mutex_);
    const auto found = worlds_.find(name);
    if (found == worlds_.end()) return WorldNotFound(std::string(name));
    world = found->second;
  }
  world->Touch();
  return world;
}

absl::StatusOr<WorldInfo> WorldRegistry::Get(std::string_view name) {
  const absl::StatusOr<std::shared_ptr<WorldHost>> world = Find(name);
  if (!world.ok()) return world.status();
  return (*world)->Info();
}

absl::StatusOr<WorldPage> WorldRegistry::List(std::string_view name_prefix, std::uint32_t page_size,
                                              std::string_view page_token) const {
  if (page_size > kMaxPageSize) return ViolationError({"page_size", absl::StrCat(page_size), "[1, 1000]"});
  if (page_size == 0) page_size = kDefaultPageSize;
  if (!page_token.empty() && !page_token.starts_with(kTokenMark)) {
    return ViolationError({"page_token", std::string(page_token.substr(0, 64)), "a next_page_token"});
  }
  const std::string_view after = page_token.substr(page_token.empty() ? 0 : kTokenMark.size());
  std::vector<std::shared_ptr<WorldHost>> found;
  WorldPage page;
  {
    const MutexLock lock(mutex_);
    auto world =
        after < name_prefix || page_token.empty() ? worlds_.lower_bound(name_prefix) : worlds_.upper_bound(after);
    for (; world != worlds_.end() && world->first.starts_with(name_prefix); ++world) {
      if (found.size() == page_size) {
        page.next_page_token = std::string(kTokenMark) + found.back()->name();
        break;
      }
      found.push_back(world->second);
    }
  }
  for (const auto& world : found) page.worlds.push_back(world->Info());
  return page;
}

void WorldRegistry::Delete(std::string_view name, std::uint64_t uid, Callback<absl::StatusOr<std::uint64_t>> reply) {
  std::shared_ptr<WorldHost> world;
  absl::Status status;
  {
    const MutexLock lock(mutex_);
    const auto found = worlds_.find(name);
    if (found == worlds_.end()) {
      status = WorldNotFound(std::string(name));
    } else if (uid != 0 && found->second->uid() != uid) {
      status = absl::FailedPreconditionError(absl::StrCat("world ", found->first, " has another uid"));
    } else {
      world = found->second;
      worlds_.erase(found);
    }
  }
  if (world == nullptr) return reply(status);
  environment_.metrics->worlds.Add(-1);
  world->Delete(std::move(reply));
}

std::size_t WorldRegistry::world_count() const {
  const MutexLock lock(mutex_);
  return worlds_.size();
}

std::uint64_t WorldRegistry::agent_count() const {
  return static_cast<std::uint64_t>(environment_.metrics->agents.value());
}

void WorldRegistry::Sweep(Time now) {
  std::vector<std::shared_ptr<WorldHost>> expired;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, world] : worlds_) {
      if (world->Expired(now)) expired.push_back(world);
    }
  }
  for (const auto& world : expired) {
    Delete(world->name(), world->uid(), [](const absl::StatusOr<std::uint64_t>&) {});
  }
}

void WorldRegistry::Drain() {
  const MutexLock lock(mutex_);
  draining_ = true;
}

}  // namespace throng::server
