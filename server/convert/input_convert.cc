#include "server/convert/input_convert.h"

#include <utility>

#include "server/convert/status.h"

namespace throng::server {

Input FromProto(const v1::Input& input, std::shared_ptr<SessionMemory> session) {
  Input result;
  result.session = std::move(session);
  result.sequence = input.sequence();
  result.membership_version = input.membership_version();
  result.first_index = input.first_index();
  result.ids.assign(input.ids().begin(), input.ids().end());
  const bool goals = input.goal_x_size() + input.goal_y_size() > 0;
  const bool velocities = input.preferred_velocity_x_size() + input.preferred_velocity_y_size() > 0;
  if (goals) result.kind = velocities ? InputKind::kBoth : InputKind::kGoals;
  const auto& x = goals ? input.goal_x() : input.preferred_velocity_x();
  const auto& y = goals ? input.goal_y() : input.preferred_velocity_y();
  result.x.assign(x.begin(), x.end());
  result.y.assign(y.begin(), y.end());
  return result;
}

v1::InputResult ToProto(const InputOutcome& outcome) {
  v1::InputResult result;
  result.set_sequence(outcome.sequence);
  if (!outcome.status.ok()) *result.mutable_error() = ToErrorProto(outcome.status);
  for (const InputItemRejection& item : outcome.items) {
    v1::InputItemError* out = result.add_items();
    out->set_index(static_cast<std::uint32_t>(item.index));
    out->set_id(item.id);
    *out->mutable_error() = ToErrorProto(item.status);
  }
  result.set_rejected(static_cast<std::uint32_t>(outcome.rejected));
  result.set_applied(static_cast<std::uint32_t>(outcome.applied));
  return result;
}

FrameColumns FromProto(const v1::Subscription& subscription) {
  FrameColumns columns{subscription.position(), subscription.velocity(),   subscription.preferred_velocity(),
                       subscription.radius(),   subscription.state_hash(), subscription.status(),
                       subscription.heading()};
  if (!columns.any()) columns.position = columns.velocity = true;
  return columns;
}

}  // namespace throng::server
