#include "server/host/publisher.h"

#include <algorithm>
#include <utility>

namespace throng::server {

void Publisher::Subscribe(Subscription subscription) {
  Unsubscribe(subscription.subscriber.get());
  if (!subscription.columns) {
    silent_.push_back({std::move(subscription.subscriber), subscription.agent_events});
    return;
  }
  const FrameColumns columns = *subscription.columns;
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.columns == columns; });
  if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{.columns = columns});
  group->streams.push_back({std::move(subscription.subscriber), std::move(subscription.session), subscription.number,
                            subscription.agent_events, true});
}

void Publisher::Unsubscribe(const Subscriber* subscriber) {
  std::erase_if(silent_, [&](const Silent& silent) { return silent.subscriber.get() == subscriber; });
  for (Group& group : groups_) {
    std::erase_if(group.streams, [&](const Stream& stream) { return stream.subscriber.get() == subscriber; });
  }
  std::erase_if(groups_, [](const Group& group) { return group.streams.empty(); });
}

void Publisher::TellAll(const WorldInfo& info) {
  for (const Group& group : groups_) {
    for (const Stream& stream : group.streams) stream.subscriber->OnWorldChanged(info);
  }
  for (const Silent& silent : silent_) silent.subscriber->OnWorldChanged(info);
}

void Publisher::EndAll() {
  const std::vector<Group> groups = std::exchange(groups_, {});
  const auto silent = std::exchange(silent_, {});
  for (const Group& group : groups) {
    for (const Stream& stream : group.streams) stream.subscriber->OnWorldDeleted();
  }
  for (const Silent& stream : silent) stream.subscriber->OnWorldDeleted();
}

bool Publisher::wants_state_hash() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.columns.state_hash; });
}

bool Publisher::wants_agent_events() const {
  const auto wants = [](const auto& stream) { return stream.agent_events; };
  return std::any_of(silent_.begin(), silent_.end(), wants) ||
         std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
           return std::any_of(group.streams.begin(), group.streams.end(), wants);
         });
}

bool Publisher::someone_waits() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) {
    return std::any_of(group.streams.begin(), group.streams.end(), [](const Stream& stream) { return stream.waits; });
  });
}

void Publisher::Begin(const FrameHead& head, std::shared_ptr<const Membership> membership, std::uint64_t revision,
                      bool to_all, const SessionMemory* order_of, bool order_ends,
                      std::shared_ptr<const AgentEvents> events) {
  std::erase_if(memberships_, [&](const auto& item) {
    return item.second == nullptr || item.second->version != membership->version;
  });
  job_ = {.head = head,
          .membership = std::move(membership),
          .revision = revision,
          .to_all = to_all,
          .order_of = order_of,
          .order_ends = order_ends,
          .events = std::move(events)};
  if (job_.events == nullptr) return;
  for (const Silent& silent : silent_) {
    if (silent.agent_events) silent.subscriber->OnAgentEvents(job_.events);
  }
}

bool Publisher::Continue(const World& world, const Clock& clock, Time until) {
  while (job_.group < groups_.size()) {
    Group& group = groups_[job_.group];
    if (!Wanted(group)) {
      NextGroup();
    } else if (group.frame == nullptr || group.revision != job_.revision) {
      if (EncodePart(world, group)) group.revision = job_.revision;
    } else if (job_.stream < group.streams.size()) {
      Offer(group, group.streams[job_.stream++]);
    } else {
      NextGroup();
    }
    if (job_.group < groups_.size() && clock.Now() >= until) return false;
  }
  job_.membership = nullptr;
  job_.events = nullptr;
  return true;
}

bool Publisher::Wanted(const Group& group) const {
  return job_.to_all ||
         std::any_of(group.streams.begin(), group.streams.end(), [](const Stream& s) { return s.waits; });
}

bool Publisher::EncodePart(const World& world, Group& group) {
  const Partition partition = Partition::Of(job_.head.agents, group.columns);
  auto& known_membership = memberships_[partition.agents_per_part];
  if (job_.encoding == nullptr) {
    // The last frame's buffers go back to the pool now, unless a stream still sends them.
    group.frame = nullptr;
    job_.encoding = std::make_shared<EncodedFrame>();
    job_.encoding->tick = job_.head.tick;
    if (known_membership == nullptr) {
      job_.encoding_membership = std::make_shared<EncodedMembership>();
      job_.encoding_membership->version = job_.membership->version;
    }
  }
  const auto part = static_cast<std::uint32_t>(job_.encoding->parts.size());
  job_.encoding->parts.push_back(EncodeFramePart(world, job_.head, group.columns, partition, part, pool_));
  if (job_.encoding_membership != nullptr) {
    job_.encoding_membership->parts.push_back(EncodeMembershipPart(*job_.membership, partition, part, pool_));
  }
  if (part + 1 < partition.parts()) return false;
  if (job_.encoding_membership != nullptr) known_membership = std::move(job_.encoding_membership);
  job_.encoding->membership = known_membership;
  group.frame = std::move(job_.encoding);
  return true;
}

void Publisher::Offer(Group& group, Stream& stream) {
  if (job_.events != nullptr && stream.agent_events) stream.subscriber->OnAgentEvents(job_.events);
  if (!job_.to_all && !stream.waits) return;
  stream.waits = false;
  const SessionMemory* const session = stream.session.get();
  const bool of_order = session != nullptr && session == job_.order_of;
  stream.subscriber->OnFrame({.frame = group.frame,
                              .last_input_applied = session == nullptr ? 0 : session->last_input_applied,
                              .subscription = stream.subscription,
                              .must_send = of_order && job_.order_ends,
                              .in_between = of_order && !job_.order_ends});
}

void Publisher::NextGroup() {
  ++job_.group;
  job_.stream = 0;
  job_.encoding = nullptr;
  job_.encoding_membership = nullptr;
}

}  // namespace throng::server
