// throngd: parse, wire, run, exit code.

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "server/base/config.h"
#include "server/base/cpus.h"
#include "server/base/log.h"
#include "server/base/version.h"
#include "server/rpc/server.h"

extern char** environ;

namespace throng::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;  // also for a port that is taken
// After the drain should have ended.
constexpr milliseconds kHardExitMargin{700};

int Usage(const std::string& message) {
  std::cerr << "throngd: " << message << std::endl;
  return kExitUsage;
}

// Blocked in every thread, so that they come to sigwait alone. That works as process 1, too, for which the kernel drops
// signals that have neither a handler nor a block.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// While the server drains: a second signal hastens it, and if it hangs the process ends all the same.
class DrainGuard {
 public:
  DrainGuard(const sigset_t& signals, Server& server, milliseconds timeout)
      : thread_([this, signals, &server, deadline = steady_clock::now() + timeout + kHardExitMargin] {
          const timespec poll{0, 50'000'000};
          while (!done_) {
            if (sigtimedwait(&signals, nullptr, &poll) > 0) server.HastenDrain();
            if (steady_clock::now() < deadline) continue;
            Log(LogLevel::kError, "the drain hangs; leaving all the same");
            _exit(kExitFailed);
          }
        }) {}
  ~DrainGuard() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

std::string QuotaText(const CpuBudget& cpus) { return cpus.quota ? absl::StrCat(*cpus.quota) : "none"; }

void LogStart(const Options& options, const Server& server) {
  const CpuBudget cpus = DetectCpus();
  Log(LogLevel::kInfo, "throngd starts", {{"version", Version()}, {"commit", Commit()}, {"pid", getpid()}});
  Log(LogLevel::kInfo, "workers",
      {{"workers", server.workers()},
       {"affinity", cpus.affinity},
       {"cgroup_quota", QuotaText(cpus)},
       {"simd_level", std::string(Name(options.simd_level.value_or(BestSimdLevel())))}});
  const Limits& limits = options.limits;
  Log(LogLevel::kInfo, "limits",
      {{"max_worlds", limits.max_worlds},
       {"max_agents_per_world", limits.max_agents_per_world},
       {"max_obstacle_vertices_per_world", limits.max_obstacle_vertices_per_world},
       {"max_batch_items", limits.max_batch_items},
       {"max_sessions", limits.max_sessions},
       {"max_streams", limits.max_streams},
       {"max_message_bytes", limits.max_message_bytes}});
  const std::string http = server.http_address();
  Log(LogLevel::kInfo, "serving", {{"grpc", server.address()}, {"http", http.empty() ? std::string("off") : http}});
}

// Complete under its name at once, so that a script that waits for it never reads half of it.
bool WriteReadyFile(const std::string& path, const Server& server) {
  const std::string draft = path + ".tmp";
  std::ofstream out(draft);
  out << "grpc=" << server.address() << "\nhttp=" << server.http_address() << "\npid=" << getpid() << "\n";
  out.close();
  return out && std::rename(draft.c_str(), path.c_str()) == 0;
}

int Serve(const Options& options) {
  const sigset_t signals = BlockSignals();
  auto started = Server::Start(options);
  if (!started.ok()) return Usage(std::string(started.status().message()));
  Server& server = **started;
  LogStart(options, server);
  if (!options.ready_file.empty() && !WriteReadyFile(options.ready_file, server)) {
    return Usage(
        absl::StrCat("--ready-file=", options.ready_file, ": cannot be written; must be a path in a folder that can"));
  }
  Log(LogLevel::kInfo, "ready");
  int signal = 0;
  sigwait(&signals, &signal);
  Log(LogLevel::kInfo, "draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  {
    const DrainGuard guard(signals, server, options.drain_timeout);
    server.Drain(options.drain_timeout);
    started->reset();
  }
  if (!options.ready_file.empty()) std::remove(options.ready_file.c_str());
  Log(LogLevel::kInfo, "stopped");
  return EXIT_SUCCESS;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const auto line = ParseCommandLine(args, environment);
  if (!line.ok()) return Usage(std::string(line.status().message()));
  switch (line->action) {
    case CommandLine::Action::kHelp:
      std::cout << HelpText();
      return EXIT_SUCCESS;
    case CommandLine::Action::kVersion:
      std::cout << "throngd " << Version() << " (" << Commit() << ")\n";
      return EXIT_SUCCESS;
    case CommandLine::Action::kCheckConfig:
    case CommandLine::Action::kServe:
      break;
  }
  if (line->action == CommandLine::Action::kCheckConfig) {
    for (const std::string& warning : line->warnings) std::cerr << "throngd: " << warning << "\n";
    const CpuBudget cpus = DetectCpus();
    std::cout << line->effective << "workers here: " << ResolveWorkers(line->options) << " (affinity " << cpus.affinity
              << ", cgroup quota " << QuotaText(cpus) << ")\n";
    return EXIT_SUCCESS;
  }
  ConfigureLog(line->options.log_level, line->options.log_format);
  for (const std::string& warning : line->warnings) Log(LogLevel::kWarning, warning);
  return Serve(line->options);
}

}  // namespace
}  // namespace throng::server

int main(int argc, char** argv) { return throng::server::Main(argc, argv); }
