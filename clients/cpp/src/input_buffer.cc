#include "clients/cpp/src/input_buffer.h"

#include <algorithm>
#include <utility>

namespace throng::client {
namespace {

bool Has(const Membership& membership, AgentId id) {
  return std::binary_search(membership.ids.begin(), membership.ids.end(), id);
}

// Cuts one input into messages of bounded size. They get the numbers before `sequence`, and the last one gets it.
std::vector<v1::Input> Cut(std::uint64_t sequence, std::uint64_t version, std::span<const AgentId> ids,
                           std::span<const float> x, std::span<const float> y, WishKind kind) {
  constexpr std::size_t kMost = InputBuffer::kMaxAgentsPerMessage;
  const std::size_t pieces = std::max<std::size_t>(1, (x.size() + kMost - 1) / kMost);
  std::vector<v1::Input> messages(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t begin = i * kMost;
    const std::size_t count = std::min(kMost, x.size() - begin);
    v1::Input& message = messages[i];
    message.set_sequence(sequence - (pieces - 1 - i));
    if (ids.empty()) {
      message.set_membership_version(version);
      message.set_first_index(static_cast<std::uint32_t>(begin));
    } else {
      const auto piece = ids.subspan(begin, count);
      message.mutable_ids()->Add(piece.begin(), piece.end());
    }
    const auto px = x.subspan(begin, count);
    const auto py = y.subspan(begin, count);
    const bool goals = kind == WishKind::kGoal;
    (goals ? message.mutable_goal_x() : message.mutable_preferred_velocity_x())->Add(px.begin(), px.end());
    (goals ? message.mutable_goal_y() : message.mutable_preferred_velocity_y())->Add(py.begin(), py.end());
  }
  return messages;
}

}  // namespace

void InputBuffer::PutColumns(std::uint64_t sequence, std::shared_ptr<const Membership> membership, std::vector<float> x,
                             std::vector<float> y, WishKind kind) {
  if (columns_ && columns_->membership->version != membership->version) FoldColumns(*membership);
  std::erase_if(agents_, [&](const auto& agent) { return Has(*membership, agent.first); });
  columns_ = Columns{sequence, std::move(membership), std::move(x), std::move(y), kind};
}

void InputBuffer::PutAgents(std::uint64_t sequence, std::span<const AgentId> ids, std::span<const float> x,
                            std::span<const float> y, WishKind kind) {
  for (std::size_t i = 0; i < ids.size(); ++i) agents_[ids[i]] = {{x[i], y[i]}, kind};
  agents_sequence_ = sequence;
}

void InputBuffer::Put(const InputBuffer& later) {
  // The older of the two kinds first, so that agents which both name keep the newer.
  const auto put_columns = [&] {
    if (later.columns_) {
      PutColumns(later.columns_->sequence, later.columns_->membership, later.columns_->x, later.columns_->y,
                 later.columns_->kind);
    }
  };
  const bool columns_first = !later.columns_ || later.columns_->sequence < later.agents_sequence_;
  if (columns_first) put_columns();
  for (const auto& [id, wish] : later.agents_) agents_[id] = wish;
  if (!later.agents_.empty()) agents_sequence_ = later.agents_sequence_;
  if (!columns_first) put_columns();
}

std::uint64_t InputBuffer::sequence() const {
  return std::max(columns_ ? columns_->sequence : 0, agents_.empty() ? 0 : agents_sequence_);
}

std::vector<v1::Input> InputBuffer::ToMessages(std::uint64_t current) const {
  std::vector<v1::Input> messages;
  if (columns_ && !columns_->x.empty()) {
    const Membership& membership = *columns_->membership;
    const bool by_version = membership.version == current;
    messages = Cut(columns_->sequence, membership.version, by_version ? std::span<const AgentId>() : membership.ids,
                   columns_->x, columns_->y, columns_->kind);
  }
  // An input holds wishes of one kind. Goals get the last numbers, velocities those before.
  std::uint64_t sequence = agents_sequence_;
  for (const WishKind kind : {WishKind::kGoal, WishKind::kVelocity}) {
    std::vector<AgentId> ids;
    std::vector<float> x, y;
    for (const auto& [id, wish] : agents_) {
      if (wish.kind != kind) continue;
      ids.push_back(id);
      x.push_back(wish.value.x);
      y.push_back(wish.value.y);
    }
    if (ids.empty()) continue;
    auto more = Cut(sequence, 0, ids, x, y, kind);
    sequence -= more.size();
    messages.insert(messages.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  std::sort(messages.begin(), messages.end(),
            [](const v1::Input& a, const v1::Input& b) { return a.sequence() < b.sequence(); });
  return messages;
}

void InputBuffer::Clear() {
  columns_.reset();
  agents_.clear();
}

void InputBuffer::FoldColumns(const Membership& next) {
  const Membership& old = *columns_->membership;
  for (std::size_t i = 0; i < old.ids.size(); ++i) {
    const AgentId id = old.ids[i];
    // What agents_ has for an agent of the columns is newer than they are.
    if (!Has(next, id)) agents_.try_emplace(id, Wish{{columns_->x[i], columns_->y[i]}, columns_->kind});
  }
  agents_sequence_ = std::max(agents_sequence_, columns_->sequence);
}

}  // namespace throng::client
