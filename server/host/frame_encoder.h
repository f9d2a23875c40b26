// Writes frames and memberships straight as the bytes that go over the wire (throng/v1/frame.proto).
#pragma once

#include <cstddef>
#include <cstdint>

#include "server/host/buffer_pool.h"
#include "server/host/frame.h"
#include "throng/world.h"

namespace throng::server {

// A part's Frame message is at most 1 MiB; what stands beside it comes on top.
inline constexpr std::size_t kMaxPartBytes = 1024 * 1024;

// What a frame says besides its columns.
struct FrameHead {
  std::uint64_t world_uid = 0;
  std::uint64_t tick = 0;
  double simulation_time = 0.0;
  double server_time = 0.0;
  double time_scale = 1.0;
  std::uint64_t membership_version = 0;
  std::uint32_t agents = 0;
  std::uint32_t revision = 0;    // frames of the same tick that came before
  std::uint64_t state_hash = 0;  // written only where the columns ask for it
};

// How a frame is cut.
struct Partition {
  std::uint32_t agents = 0;
  std::uint32_t agents_per_part = 0;

  static Partition Of(std::uint32_t agents, FrameColumns columns);
  std::uint32_t parts() const { return agents == 0 ? 1 : (agents - 1) / agents_per_part + 1; }
  std::uint32_t first(std::uint32_t part) const { return part * agents_per_part; }
  std::uint32_t count(std::uint32_t part) const {
    const std::uint32_t rest = agents - first(part);
    return rest < agents_per_part ? rest : agents_per_part;
  }
  friend bool operator==(const Partition&, const Partition&) = default;
};

// Field 1, `frame`, of a ConnectResponse or WatchResponse.
SharedBuffer EncodeFramePart(const World& world, const FrameHead& head, FrameColumns columns,
                             const Partition& partition, std::uint32_t part, BufferPool& pool);
// Field 4, `membership`, of the same.
SharedBuffer EncodeMembershipPart(const Membership& membership, const Partition& partition, std::uint32_t part,
                                  BufferPool& pool);

}  // namespace throng::server
