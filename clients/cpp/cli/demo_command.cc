#include <future>
#include <iostream>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cpp/cli/canvas.h"
#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/demo_crowd.h"
#include "clients/cpp/cli/show.h"

namespace throng::cli {
namespace {

// How long a wait for a frame may keep Ctrl-C waiting.
constexpr std::chrono::milliseconds kPatience{200};

std::string Legend(std::uint64_t crossings, bool colored) {
  const auto color = [&](int which, const char* text) {
    return colored ? absl::StrCat(ColorCode(which), text, kColorEnd) : std::string(text);
  };
  return absl::StrCat(color(kEast, "● walk east →"), "   ", color(kWest, "● walk west ←"), "   ", crossings,
                      " crossings   Ctrl-C ends");
}

// Drives the crowd until it is enough. The status is not OK if the session ended by itself.
absl::Status Drive(client::Session& session, DemoCrowd& crowd, const DemoArgs& args, Show& show) {
  const EndSignal signal;
  std::vector<float> vx, vy;
  std::future<absl::Status> wrapping;  // waits in its destructor
  const auto begin = std::chrono::steady_clock::now();
  const auto enough = [&](const client::Frame& frame) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return signal.Ended() || (args.seconds > 0 && passed.count() >= args.seconds) ||
           (args.ticks > 0 && frame.tick() >= args.ticks);
  };
  while (true) {
    const auto frame = session.NextFrame(kPatience);
    if (!frame.ok()) {
      if (!session.status().ok()) return session.status();
      show.Idle(session.LatestFrame(), "no ticks come: is the world paused? Ctrl-C ends");
      if (enough(session.LatestFrame())) return absl::OkStatus();
      continue;
    }
    crowd.Steer(*frame, vx, vy);
    if (const auto sent = session.Steer(*frame, vx, vy); !sent.ok()) return sent.status();
    // An answer comes at a tick border; frames go on meanwhile.
    if (wrapping.valid() && wrapping.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      if (const absl::Status status = wrapping.get(); !status.ok()) return status;
    }
    if (!wrapping.valid()) {
      client::Commands wraps;
      for (const auto& update : crowd.Wrap(*frame)) wraps.Update(update);
      if (wraps.size() > 0) {
        wrapping = std::async(std::launch::async,
                              [&session, commands = std::move(wraps)] { return session.Apply(commands).status(); });
      }
    }
    show.Take(*frame, Legend(crowd.crossings(), WantsColor()));
    if (enough(*frame)) return absl::OkStatus();
  }
}

}  // namespace

int Demo(const Context& context, const DemoArgs& args) {
  const client::Client client = context.Connect();
  DemoCrowd crowd(args.agents);
  const auto world = client.CreateWorld(args.world, crowd.Settings());
  if (!world.ok()) {
    const int code = Fail(world.status());
    if (absl::IsAlreadyExists(world.status())) {
      std::cerr << "Another demo may be running: look with `throng watch " << args.world
                << "`, end it with `throng world "
                << "delete " << args.world << "`, or choose another name with --world.\n";
    }
    return code;
  }
  absl::Cleanup leave = [&] {
    if (!args.keep) world->Delete().IgnoreError();
  };
  const auto fail = [&](const absl::Status& status) { return Fail(status); };
  const auto obstacles = world->AddObstacles(crowd.obstacles(), /*all_or_nothing=*/true);
  if (!obstacles.ok()) return fail(obstacles.status());
  if (!obstacles->FirstError().ok()) return fail(obstacles->FirstError());
  const auto agents = world->AddAgents(crowd.agents());
  if (!agents.ok()) return fail(agents.status());
  if (!agents->FirstError().ok()) return fail(agents->FirstError());

  client::SessionOptions options;
  options.columns = ViewColumns();
  auto session = world->OpenSession(options);
  if (!session.ok()) return fail(session.status());
  absl::Status status;
  std::uint64_t ticks = 0;
  {
    Show show(context, *world, args.view);
    status = Drive(*session, crowd, args, show);
    ticks = session->LatestFrame().tick();
    show.Finish();
  }
  if (!status.ok()) return fail(status);
  const auto info = world->Get();
  if (!context.json && info.ok()) {
    std::cout << absl::StrFormat(
        "%d agents walked for %.1f s (%d ticks) and crossed the hall %d times; a tick cost %.2f ms.\n", args.agents,
        info->simulation_time, ticks, crowd.crossings(), info->load.tick_cost * 1e3);
    if (args.keep) std::cout << "The world stays: throng watch " << args.world << "\n";
  }
  return kOk;
}

}  // namespace throng::cli
