// Publisher: a world's streams, grouped by what they subscribed to, and the frames they share. Used by the world's
// runner alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/host/clock.h"
#include "server/host/frame.h"
#include "server/host/frame_encoder.h"
#include "server/host/input.h"
#include "server/host/subscriber.h"
#include "throng/world.h"

namespace throng::server {

class Publisher {
 public:
  // As WorldHost::Subscribe.
  void Subscribe(Subscription subscription);
  void Unsubscribe(const Subscriber* subscriber);
  void TellAll(const WorldInfo& info);
  // Tells all that the world is gone, and forgets them.
  void EndAll();

  bool wants_state_hash() const;
  bool wants_agent_events() const;
  // Whether there are streams that have not had the frame that they subscribed to.
  bool someone_waits() const;
  bool empty() const { return groups_.empty(); }

  // Begins to publish what `head` says, to all streams or to those that wait for their first frame. `revision` differs
  // whenever anything that a frame shows has changed. `order_of`: whose step order the tick is of, if any;
  // `order_ends`: it is its last. `events`, if any, go to all streams that want them,
  // and only together with `to_all`.
  void Begin(const FrameHead& head, std::shared_ptr<const Membership> membership, std::uint64_t revision, bool to_all,
             const SessionMemory* order_of, bool order_ends, std::shared_ptr<const AgentEvents> events = nullptr);
  // Goes on with it, and returns true once it is done, or false when the clock has passed `until`.
  bool Continue(const World& world, const Clock& clock, Time until);

 private:
  struct Stream {
    std::shared_ptr<Subscriber> subscriber;
    std::shared_ptr<const SessionMemory> session;
    std::uint64_t subscription = 0;
    bool agent_events = false;
    bool waits = true;
  };
  struct Silent {
    std::shared_ptr<Subscriber> subscriber;
    bool agent_events = false;
  };
  struct Group {
    FrameColumns columns;
    std::vector<Stream> streams{};
    std::uint64_t revision = 0;  // of `frame`
    std::shared_ptr<const EncodedFrame> frame{};
  };
  // What is under way.
  struct Job {
    FrameHead head{};
    std::shared_ptr<const Membership> membership{};
    std::uint64_t revision = 0;
    bool to_all = false;
    const SessionMemory* order_of = nullptr;
    bool order_ends = false;
    std::shared_ptr<const AgentEvents> events{};  // null: none
    std::size_t group = 0;
    std::shared_ptr<EncodedFrame> encoding{};
    std::shared_ptr<EncodedMembership> encoding_membership{};  // null: there is one already
    std::size_t stream = 0;
  };

  bool Wanted(const Group& group) const;
  // One more part; true once the group's frame is whole.
  bool EncodePart(const World& world, Group& group);
  void Offer(Group& group, Stream& stream);
  void NextGroup();

  BufferPool pool_;
  std::vector<Group> groups_;
  std::vector<Silent> silent_;  // streams without frames
  // By agents per part; of the version published last.
  std::map<std::uint32_t, std::shared_ptr<const EncodedMembership>> memberships_;
  Job job_;
};

}  // namespace throng::server
