// A frame: a world's state after a tick, in columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "throng/client/types.h"

namespace throng::client {

// What a session or a watcher gets. If no column is chosen: position and velocity.
struct Columns {
  bool position = false;
  bool velocity = false;
  bool preferred_velocity = false;
  bool radius = false;
  bool state_hash = false;
  bool status = false;
  bool heading = false;
};

struct FrameData;

// Immutable; a copy shares the columns, and they live as long as one copy does. Columns are aligned with ids(), which
// ascend. A column that was not asked for is empty. Safe to read from any thread.
class Frame {
 public:
  // A frame of no world, without agents.
  Frame();
  explicit Frame(std::shared_ptr<const FrameData> data);

  std::uint64_t world_uid() const;
  std::uint64_t tick() const;  // ticks finished
  // While a world waits, edits show in new frames of the same tick; this many came before this one.
  std::uint32_t revision() const;
  double time() const;         // [s] simulated: tick x time step
  double server_time() const;  // [s] since 1970, on the server's clock, when the frame was made
  double time_scale() const;
  std::uint64_t membership_version() const;  // names the list of ids
  std::size_t size() const;                  // agents
  std::span<const AgentId> ids() const;
  std::span<const float> x() const;  // [m] relative to the world's origin
  std::span<const float> y() const;
  std::span<const float> vx() const;  // [m/s]
  std::span<const float> vy() const;
  std::span<const float> preferred_vx() const;  // [m/s] as in force
  std::span<const float> preferred_vy() const;
  std::span<const float> radius() const;  // [m]
  std::span<const AgentStatus> status() const;
  std::span<const float> heading() const;  // [rad] in [-pi, pi], as Agent::heading
  // Rank of an agent in the columns; none if it is not in the frame. O(log agents).
  std::optional<std::size_t> IndexOf(AgentId id) const;

  // Ticks between this frame and the one handed out before it that were skipped, because the reader, here or on the
  // wire, was behind.
  std::uint64_t ticks_skipped() const;
  // The largest number that Session::Steer gave and whose input is in this frame, or replaced by a later one; 0: none.
  std::uint64_t last_input_applied() const;
  std::optional<std::uint64_t> state_hash() const;  // of the whole world, if asked for
  std::size_t wire_bytes() const;                   // received for it, with its ids if they came along

 private:
  friend class Session;
  std::shared_ptr<const FrameData> data_;
};

}  // namespace throng::client
