// Driving a world (Session) and looking at one (Watcher).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "throng/client/events.h"
#include "throng/client/frame.h"
#include "throng/client/types.h"

namespace throng::client {

using FrameCallback = std::function<void(const Frame&)>;

struct SessionOptions {
  // Claim the stepper's role of a lock-step world: only its holder may Step().
  bool stepper = false;
  Columns columns{};
  bool agent_events = false;  // see OnAgentEvents
  // [s] for which the server keeps the session after a break, and for which a broken stream is tried again. [1, 3600].
  double lease = 10.0;
  // Whether to come back by itself after a broken connection. If not, the break ends the session.
  bool resume = true;
};

// Edits of a world that apply together, in their order, at one tick border.
class Commands {
 public:
  Commands();
  ~Commands();
  Commands(Commands&&) noexcept;
  Commands& operator=(Commands&&) noexcept;

  Commands& Add(const AgentSpec& agent);
  Commands& Update(const AgentUpdate& agent);
  Commands& RemoveAgent(AgentId id);
  Commands& RemoveAllAgents();
  Commands& Add(const ObstacleSpec& obstacle);
  Commands& Update(const ObstacleSpec& obstacle);
  Commands& Move(const ObstacleMove& obstacle);
  Commands& RemoveObstacle(ObstacleId id);
  std::size_t size() const;

 private:
  friend class Session;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One client's claim on one world, over one stream. Move-only; the destructor closes it. All functions may be called
// from any thread. It holds no thread of its own.
//
// The newest frame waits until it is taken; a newer one replaces it (Frame::ticks_skipped counts). A broken connection
// is taken up again by itself within the lease: frames go on, and inputs, commands and steps that the server may not
// have had are sent once more, without acting twice. When the session ends for good, every waiting and later call
// answers with the reason.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Sets preferred velocities [m/s]. Never waits: what was not sent yet is replaced, agent by agent. Returns a number
  // that grows; a frame whose last_input_applied() reaches it shows the input, or a later one. Refused inputs are told
  // by OnInputError. INVALID_ARGUMENT if lengths differ; FAILED_PRECONDITION where there is no frame yet.
  //
  // For the agents of the newest frame received, in its order, or for those of `frame`:
  absl::StatusOr<std::uint64_t> Steer(std::span<const float> vx, std::span<const float> vy);
  absl::StatusOr<std::uint64_t> Steer(const Frame& frame, std::span<const float> vx, std::span<const float> vy);
  // For these agents:
  absl::StatusOr<std::uint64_t> Steer(std::span<const AgentId> ids, std::span<const float> vx,
                                      std::span<const float> vy);
  // For every agent of the newest frame the same:
  absl::StatusOr<std::uint64_t> SteerAll(float vx, float vy);

  // Sets goals [m] in the same way: agents go there at their preferred_speed, slow down and stay. The latest told wins,
  // agent by agent: a goal replaces a preferred velocity or a path, and Steer replaces a goal.
  absl::StatusOr<std::uint64_t> GoTo(const Frame& frame, std::span<const float> x, std::span<const float> y);
  absl::StatusOr<std::uint64_t> GoTo(std::span<const AgentId> ids, std::span<const float> x, std::span<const float> y);

  // Waits for a frame that was not handed out yet; the first is the world's current state. DEADLINE_EXCEEDED if none
  // comes in time (a paused world sends none), else why the session ended.
  absl::StatusOr<Frame> NextFrame(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // The newest frame received, whether handed out or not.
  Frame LatestFrame() const;
  // From now on frames go to `callback`, one at a time, on a thread of gRPC's, in place of NextFrame; while it runs the
  // server skips ticks. It must not call functions of this session that wait (they answer FAILED_PRECONDITION there).
  // Null: back to NextFrame. On return no earlier callback runs any more (unless called from within it).
  void OnFrame(FrameCallback callback);
  // What happened to agents (arrived, removed), if SessionOptions::agent_events asks for it. Waits for what was not
  // handed out yet; DEADLINE_EXCEEDED if nothing happens in time, else why the session ended.
  absl::StatusOr<AgentEvents> NextAgentEvents(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // From now on they go to `callback` in place of NextAgentEvents; else as OnFrame.
  void OnAgentEvents(AgentEventsCallback callback);
  // Called on a thread of gRPC's for each input of which something was refused; must not wait, as above.
  void OnInputError(std::function<void(const absl::Status&)> callback);

  // Lock-step: makes `ticks` ticks ([1, 10000]) and returns the frame of the last. All inputs and commands given before
  // count. FAILED_PRECONDITION without the stepper's role. After DEADLINE_EXCEEDED the order stands; the next Step
  // first waits for its end.
  absl::StatusOr<Frame> Step(std::uint32_t ticks = 1, std::chrono::milliseconds timeout = std::chrono::seconds(60));

  // Lock-step: gives every agent the velocity that it would get, moves nothing, and returns the frame, whose tick is
  // the same as before. Else as Step.
  absl::StatusOr<Frame> ComputeVelocities(std::chrono::milliseconds timeout = std::chrono::seconds(60));

  // Applies commands through the stream, in order with inputs and steps; waits for the answer. Batches of more than a
  // message's size go in pieces; all_or_nothing refuses those (RESOURCE_EXHAUSTED).
  absl::StatusOr<BatchResult> Apply(const Commands& commands, bool all_or_nothing = false,
                                    std::chrono::milliseconds timeout = std::chrono::seconds(10));

  // Other columns from the next frame on.
  absl::Status Subscribe(const Columns& columns);

  // As the stream last told: when it opened, and at each change of state or settings (paused, resumed, updated) since.
  WorldInfo world() const;
  std::uint64_t resumptions() const;  // broken streams that were taken up again
  // OK while it lives, else why it ended.
  absl::Status status() const;
  // Ends the session on the server too, and waits until nothing of it runs any more (from a callback: does not wait).
  // Calls that wait in other threads answer CANCELLED. Repeating it is harmless.
  void Close();

 private:
  friend class World;
  class Core;
  explicit Session(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

struct WatchOptions {
  Columns columns{};
  bool agent_events = false;  // see Session::OnAgentEvents
  // Whether to come back by itself after a broken connection, for at most so long.
  bool resume = true;
  std::chrono::milliseconds resume_for = std::chrono::seconds(10);
};

// Frames of a world that somebody else drives. Move-only; the destructor closes it; any thread may call.
class Watcher {
 public:
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;
  ~Watcher();

  // As in Session.
  absl::StatusOr<Frame> NextFrame(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  Frame LatestFrame() const;
  void OnFrame(FrameCallback callback);
  absl::StatusOr<AgentEvents> NextAgentEvents(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  void OnAgentEvents(AgentEventsCallback callback);
  WorldInfo world() const;
  std::uint64_t resumptions() const;
  absl::Status status() const;
  void Close();

 private:
  friend class World;
  class Core;
  explicit Watcher(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace throng::client
