#include "throng/client/frame.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/cpp/src/frame_data.h"

namespace throng::client {
namespace {

void AppendColumn(const google::protobuf::RepeatedField<float>& part, std::size_t agents, std::vector<float>& column) {
  if (part.empty()) return;
  column.reserve(agents);
  column.insert(column.end(), part.begin(), part.end());
}

template <class T>
bool Fits(const std::vector<T>& column, std::size_t agents) {
  return column.empty() || column.size() == agents;
}

}  // namespace

absl::StatusOr<std::shared_ptr<FrameData>> FrameAssembler::Add(const v1::Frame& part, const v1::Membership* membership,
                                                               std::uint64_t last_input_applied,
                                                               std::uint64_t ticks_skipped, std::size_t bytes) {
  if (part.part() == 0) Begin(part, last_input_applied, ticks_skipped);
  if (frame_ == nullptr || part.part() != next_part_ || part.tick() != frame_->tick) {
    return absl::InternalError(absl::StrCat("part ", part.part(), " of tick ", part.tick(), " is out of order"));
  }
  ++next_part_;
  const std::size_t agents = part.agents();
  AppendColumn(part.position_x(), agents, frame_->x);
  AppendColumn(part.position_y(), agents, frame_->y);
  AppendColumn(part.velocity_x(), agents, frame_->vx);
  AppendColumn(part.velocity_y(), agents, frame_->vy);
  AppendColumn(part.preferred_velocity_x(), agents, frame_->preferred_vx);
  AppendColumn(part.preferred_velocity_y(), agents, frame_->preferred_vy);
  AppendColumn(part.radius(), agents, frame_->radius);
  AppendColumn(part.heading(), agents, frame_->heading);
  for (const char status : part.status()) frame_->status.push_back(static_cast<AgentStatus>(status));
  frame_->wire_bytes += bytes;
  if (membership != nullptr) {
    if (arriving_ == nullptr) {
      arriving_ = std::make_shared<Membership>();
      arriving_->version = membership->version();
      arriving_->ids.reserve(agents);
    }
    arriving_->ids.insert(arriving_->ids.end(), membership->ids().begin(), membership->ids().end());
  }
  if (next_part_ < part.parts()) return nullptr;
  return Finish(part);
}

void FrameAssembler::Begin(const v1::Frame& part, std::uint64_t last_input_applied, std::uint64_t ticks_skipped) {
  frame_ = std::make_shared<FrameData>();
  frame_->world_uid = part.world_uid();
  frame_->tick = part.tick();
  frame_->revision = part.revision();
  frame_->time = part.simulation_time();
  frame_->server_time = part.server_time();
  frame_->time_scale = part.time_scale();
  frame_->ticks_skipped = ticks_skipped;
  frame_->last_input_applied = last_input_applied;
  if (part.has_state_hash()) frame_->state_hash = part.state_hash();
  arriving_ = nullptr;
  next_part_ = 0;
}

absl::StatusOr<std::shared_ptr<FrameData>> FrameAssembler::Finish(const v1::Frame& part) {
  if (arriving_ != nullptr) membership_ = std::exchange(arriving_, nullptr);
  const std::size_t agents = part.agents();
  if (membership_ == nullptr || membership_->version != part.membership_version() ||
      membership_->ids.size() != agents) {
    return absl::InternalError(absl::StrCat("the ids of membership ", part.membership_version(), " did not come"));
  }
  frame_->membership = membership_;
  const FrameData& f = *frame_;
  if (!Fits(f.x, agents) || !Fits(f.y, agents) || !Fits(f.vx, agents) || !Fits(f.vy, agents) ||
      !Fits(f.preferred_vx, agents) || !Fits(f.preferred_vy, agents) || !Fits(f.radius, agents) ||
      !Fits(f.status, agents) || !Fits(f.heading, agents)) {
    return absl::InternalError(absl::StrCat("the columns of tick ", part.tick(), " differ in length"));
  }
  return std::exchange(frame_, nullptr);
}

Frame::Frame() {
  static const std::shared_ptr<const FrameData> kNothing = [] {
    auto data = std::make_shared<FrameData>();
    data->membership = std::make_shared<Membership>();
    return data;
  }();
  data_ = kNothing;
}
Frame::Frame(std::shared_ptr<const FrameData> data) : data_(std::move(data)) {}

std::uint64_t Frame::world_uid() const { return data_->world_uid; }
std::uint64_t Frame::tick() const { return data_->tick; }
std::uint32_t Frame::revision() const { return data_->revision; }
double Frame::time() const { return data_->time; }
double Frame::server_time() const { return data_->server_time; }
double Frame::time_scale() const { return data_->time_scale; }
std::uint64_t Frame::membership_version() const { return data_->membership->version; }
std::size_t Frame::size() const { return data_->membership->ids.size(); }
std::span<const AgentId> Frame::ids() const { return data_->membership->ids; }
std::span<const float> Frame::x() const { return data_->x; }
std::span<const float> Frame::y() const { return data_->y; }
std::span<const float> Frame::vx() const { return data_->vx; }
std::span<const float> Frame::vy() const { return data_->vy; }
std::span<const float> Frame::preferred_vx() const { return data_->preferred_vx; }
std::span<const float> Frame::preferred_vy() const { return data_->preferred_vy; }
std::span<const float> Frame::radius() const { return data_->radius; }
std::span<const float> Frame::heading() const { return data_->heading; }
std::span<const AgentStatus> Frame::status() const { return data_->status; }

std::optional<std::size_t> Frame::IndexOf(AgentId id) const {
  const auto all = ids();
  const auto at = std::lower_bound(all.begin(), all.end(), id);
  if (at == all.end() || *at != id) return std::nullopt;
  return static_cast<std::size_t>(at - all.begin());
}

std::uint64_t Frame::ticks_skipped() const { return data_->ticks_skipped; }
std::uint64_t Frame::last_input_applied() const { return data_->last_input_applied; }
std::optional<std::uint64_t> Frame::state_hash() const { return data_->state_hash; }
std::size_t Frame::wire_bytes() const { return data_->wire_bytes; }

}  // namespace throng::client
