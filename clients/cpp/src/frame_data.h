// What stands behind a Frame, and how it grows from the parts that arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "throng/client/frame.h"
#include "throng/v1/frame.pb.h"

namespace throng::client {

// The ids behind a membership version.
struct Membership {
  std::uint64_t version = 0;
  std::vector<AgentId> ids;  // ascending
};

struct FrameData {
  std::uint64_t world_uid = 0;
  std::uint64_t tick = 0;
  std::uint32_t revision = 0;
  double time = 0.0;
  double server_time = 0.0;
  double time_scale = 1.0;
  std::uint64_t ticks_skipped = 0;
  std::uint64_t last_input_applied = 0;
  std::optional<std::uint64_t> state_hash;
  std::size_t wire_bytes = 0;
  std::shared_ptr<const Membership> membership;
  std::vector<float> x, y, vx, vy, preferred_vx, preferred_vy, radius, heading;
  std::vector<AgentStatus> status;
};

// Puts frames together from the parts of one stream, and keeps the ids of the last membership. Not thread safe.
class FrameAssembler {
 public:
  // Takes SessionService's or WatchService's response that holds a frame's part. Null: more parts to come. INTERNAL if
  // the parts do not fit together.
  template <class Response>
  absl::StatusOr<std::shared_ptr<FrameData>> Add(const Response& response) {
    return Add(response.frame(), response.has_membership() ? &response.membership() : nullptr,
               response.last_input_applied(), response.ticks_skipped(), response.ByteSizeLong());
  }
  // Forgets a frame that is half there, for a new stream. The ids stay: their version names them for good.
  void Reset() { frame_ = nullptr; }

 private:
  absl::StatusOr<std::shared_ptr<FrameData>> Add(const v1::Frame& part, const v1::Membership* membership,
                                                 std::uint64_t last_input_applied, std::uint64_t ticks_skipped,
                                                 std::size_t bytes);
  void Begin(const v1::Frame& part, std::uint64_t last_input_applied, std::uint64_t ticks_skipped);
  absl::StatusOr<std::shared_ptr<FrameData>> Finish(const v1::Frame& part);

  std::shared_ptr<FrameData> frame_;
  std::uint32_t next_part_ = 0;
  std::shared_ptr<Membership> arriving_;          // ids that come with the parts of frame_
  std::shared_ptr<const Membership> membership_;  // the last that is whole
};

}  // namespace throng::client
