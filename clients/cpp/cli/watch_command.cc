#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/show.h"

namespace throng::cli {
namespace {

// How long a wait for a frame may keep Ctrl-C waiting.
constexpr std::chrono::milliseconds kPatience{200};
constexpr char kHelp[] = "colours are headings; Ctrl-C ends";

std::string WhyIdle(const client::WorldInfo& world) {
  if (world.state == client::WorldState::kPaused) return "paused; Ctrl-C ends";
  if (world.state == client::WorldState::kFaulted) return "faulted: " + world.fault;
  if (world.settings.clock == client::Clock::kLockstep) return "waits for its stepper; Ctrl-C ends";
  return "no frames come; Ctrl-C ends";
}

}  // namespace

int Watch(const Context& context, const WatchArgs& args) {
  const client::World world = context.Connect().GetWorld(args.world);
  client::WatchOptions options;
  options.columns = ViewColumns();
  auto watcher = world.Watch(options);
  if (!watcher.ok()) return Fail(watcher.status());
  const EndSignal signal;
  auto frame = watcher->NextFrame(std::chrono::milliseconds(static_cast<std::int64_t>(context.timeout * 1e3)));
  if (!frame.ok()) return Fail(frame.status());

  Show show(context, world, args.view);
  client::Frame last = *frame;
  absl::Status status;
  for (std::uint64_t frames = 1;; ++frames) {
    show.Take(last, kHelp);
    if (frames == args.frames) break;
    while (!signal.Ended()) {
      frame = watcher->NextFrame(kPatience);
      if (frame.ok() || !watcher->status().ok()) break;
      show.Idle(last, WhyIdle(watcher->world()));
    }
    if (signal.Ended()) break;
    if (!frame.ok()) {
      status = watcher->status();
      break;
    }
    last = *std::move(frame);
  }
  show.Finish();
  return status.ok() ? kOk : Fail(status);
}

}  // namespace throng::cli
