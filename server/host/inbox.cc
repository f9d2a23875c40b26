#include "server/host/inbox.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "server/host/limit_error.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

// How far back an input may look for one that it supersedes.
constexpr std::size_t kLookBack = 64;

std::size_t ItemsIn(const Work& work) {
  if (const auto* commands = std::get_if<CommandWork>(&work)) return commands->batch.commands.size() + 1;
  if (const auto* input = std::get_if<InputWork>(&work)) return input->input.x.size() + 1;
  return 0;  // bounded by the number of streams and calls
}

// Of goals too.
bool AllValid(const std::vector<float>& components) {
  static_assert(kMaxInputSpeed == kMaxCoordinate);
  return std::all_of(components.begin(), components.end(), [](float v) { return std::abs(v) <= kMaxInputSpeed; });
}

// Whether both are of one session and set the velocities, or the goals, of the same agents. One that would be refused
// in part leaves the earlier one its say.
bool Supersedes(const Input& later, const Input& earlier) {
  return later.session == earlier.session && later.kind == earlier.kind && later.kind != InputKind::kBoth &&
         later.membership_version == earlier.membership_version && later.first_index == earlier.first_index &&
         later.x.size() == earlier.x.size() && later.y.size() == later.x.size() && later.ids == earlier.ids &&
         AllValid(later.x) && AllValid(later.y);
}

}  // namespace

void Fail(Work& work, const absl::Status& status) {
  std::visit(
      [&](auto& item) {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_same_v<T, InputWork>) {
          item.reply(InputOutcome{.sequence = item.input.sequence, .status = status, .rejected = item.input.x.size()});
        } else if constexpr (std::is_same_v<T, ControlWork>) {
          item(status);
        } else {
          item.reply(status);
        }
      },
      work);
}

absl::Status Inbox::Push(Work& work, std::optional<InputWork>& superseded) {
  if (const auto* input = std::get_if<InputWork>(&work)) superseded = RemoveSuperseded(input->input);
  const std::size_t items = ItemsIn(work);
  if (items > 0 && items_ + items > kMaxItems) return FixedLimitError("queued_items_per_world", kMaxItems);
  items_ += items;
  waiting_.push_back(std::move(work));
  return absl::OkStatus();
}

std::deque<Work> Inbox::Take() {
  items_ = 0;
  return std::exchange(waiting_, {});
}

// Commands in between change nothing: what they do to an agent's velocity is overwritten all the same. Anything else
// may look at the world, so what came before it must be applied.
std::optional<InputWork> Inbox::RemoveSuperseded(const Input& by) {
  std::size_t looked = 0;
  for (auto work = waiting_.rbegin(); work != waiting_.rend() && looked < kLookBack; ++work, ++looked) {
    if (std::holds_alternative<StepWork>(*work) || std::holds_alternative<ControlWork>(*work)) break;
    auto* const input = std::get_if<InputWork>(&*work);
    if (input == nullptr || !Supersedes(by, input->input)) continue;
    items_ -= ItemsIn(*work);
    InputWork result = std::move(*input);
    waiting_.erase(std::next(work).base());
    return result;
  }
  return std::nullopt;
}

}  // namespace throng::server
