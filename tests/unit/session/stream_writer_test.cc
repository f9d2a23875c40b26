#include "server/session/stream_writer.h"

#include <gtest/gtest.h>

#include "server/host/frame_encoder.h"
#include "tests/support/fake_sink.h"
#include "tests/support/manual_clock.h"

namespace throng::server {
namespace {

using std::chrono::seconds;
using Message = v1::ConnectResponse;

class StreamWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    sink_->AnswerTo([this](bool ok) { writer_.OnWriteDone(ok); });
  }

  // A frame of `parts` parts, as a world without columns of 262,000 agents a part would give it.
  FrameOffer Frame(std::uint64_t tick, std::uint64_t version = 1, std::size_t parts = 1) {
    auto membership = std::make_shared<EncodedMembership>();
    auto frame = std::make_shared<EncodedFrame>();
    frame->tick = tick;
    membership->version = version;
    for (std::size_t part = 0; part < parts; ++part) {
      Message message;
      message.mutable_frame()->set_tick(tick);
      message.mutable_frame()->set_part(static_cast<std::uint32_t>(part));
      message.mutable_frame()->set_membership_version(version);
      frame->parts.push_back(Bytes(message));
      Message ids;
      ids.mutable_membership()->set_version(version);
      membership->parts.push_back(Bytes(ids));
    }
    frame->membership = membership;
    return {.frame = frame};
  }
  SharedBuffer Bytes(const Message& message) {
    const std::string bytes = message.SerializeAsString();
    const auto buffer = pool_.Get(bytes.size());
    bytes.copy(buffer->data(), bytes.size());
    return buffer;
  }
  static std::string Event(std::uint64_t number) {
    Message message;
    message.mutable_step_result()->set_sequence(number);
    return message.SerializeAsString();
  }
  // Of agents first, first + 1, ...
  static std::shared_ptr<const AgentEvents> Arrived(std::uint64_t tick, AgentId first, std::size_t count = 1) {
    auto events = std::make_shared<AgentEvents>();
    events->tick = tick;
    for (std::size_t i = 0; i < count; ++i) events->entries.push_back({first + static_cast<AgentId>(i), 1});
    return events;
  }
  // "opened", tick and part of frames, numbers of events, "closing".
  std::vector<std::string> Sent() {
    std::vector<std::string> sent;
    for (const Message& message : sink_->Take()) {
      if (message.has_opened()) sent.push_back("opened");
      if (message.has_world()) sent.push_back("world " + std::to_string(message.world().tick()));
      if (message.has_step_result()) sent.push_back("event " + std::to_string(message.step_result().sequence()));
      if (message.has_agent_events()) {
        sent.push_back("agents " + std::to_string(message.agent_events().tick()) + ":" +
                       std::to_string(message.agent_events().ids_size()));
      }
      if (message.has_closing()) sent.push_back("closing");
      if (message.has_frame()) {
        sent.push_back("frame " + std::to_string(message.frame().tick()) + "." +
                       std::to_string(message.frame().part()));
      }
    }
    return sent;
  }
  using Strings = std::vector<std::string>;

  ManualClock clock_;
  Metrics metrics_;
  BufferPool pool_;
  int endings_ = 0;
  int finishes_ = 0;
  std::shared_ptr<FakeSink> sink_ = std::make_shared<FakeSink>();
  StreamWriter writer_{sink_, {&clock_, &metrics_, seconds(5)}, [this] { ++endings_; }, [this] { ++finishes_; }};
};

TEST_F(StreamWriterTest, AFastReaderGetsEveryFrame) {
  for (std::uint64_t tick = 1; tick <= 3; ++tick) writer_.OfferFrame(Frame(tick));
  const std::vector<Message> messages = sink_->Take();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_TRUE(messages[0].has_membership());
  EXPECT_FALSE(messages[1].has_membership());
  EXPECT_EQ(messages[2].ticks_skipped(), 0u);
  EXPECT_EQ(metrics_.frames_sent.value(), 3u);
}

TEST_F(StreamWriterTest, ASlowReaderGetsTheLatestAndIsToldWhatItMissed) {
  sink_->SetSlow(true);
  for (std::uint64_t tick = 1; tick <= 10; ++tick) writer_.OfferFrame(Frame(tick));
  sink_->Answer(true);
  const std::vector<Message> messages = sink_->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].frame().tick(), 1u);
  EXPECT_EQ(messages[1].frame().tick(), 10u);
  EXPECT_EQ(messages[1].ticks_skipped(), 8u);
  EXPECT_EQ(metrics_.frames_skipped.value(), 8u);
  sink_->Answer(true);
  writer_.OfferFrame(Frame(11));
  EXPECT_EQ(sink_->Take()[0].ticks_skipped(), 0u);
}

TEST_F(StreamWriterTest, ADroppedFrameDoesNotLoseTheIds) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1, 1));
  writer_.OfferFrame(Frame(2, 2));  // brings new ids, and is dropped
  writer_.OfferFrame(Frame(3, 2));
  sink_->Answer(true);
  const std::vector<Message> messages = sink_->Take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1].frame().tick(), 3u);
  EXPECT_EQ(messages[1].membership().version(), 2u);
}

TEST_F(StreamWriterTest, PartsAreSentAllAndWithoutAnythingBetween) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1, 1, 3));
  writer_.OfferEvent(Event(1));
  writer_.OfferFrame(Frame(2, 1, 2));
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "frame 1.1", "frame 1.2", "event 1", "frame 2.0", "frame 2.1"}));
}

TEST_F(StreamWriterTest, WhatMustBeSentIsSentBeforeWhatFollowsIt) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  writer_.OfferFrame(Frame(2));
  FrameOffer must = Frame(3);
  must.must_send = true;
  writer_.OfferFrame(must);
  writer_.OfferEvent(Event(9));
  writer_.OfferFrame(Frame(4));
  writer_.OfferFrame(Frame(5));
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "frame 3.0", "event 9", "frame 5.0"}));
}

TEST_F(StreamWriterTest, EventsWaitForTheFirstFrame) {
  Message opened;
  opened.mutable_opened();
  Message world;
  world.mutable_world()->set_tick(8);
  writer_.Open(opened.SerializeAsString(), true);
  writer_.OfferEvent(Event(1));
  writer_.OfferLatestEvent(world.SerializeAsString());
  EXPECT_EQ(Sent(), (Strings{"opened"}));
  writer_.OfferFrame(Frame(4));
  EXPECT_EQ(Sent(), (Strings{"frame 4.0", "event 1", "world 8"}));
}

TEST_F(StreamWriterTest, WhereNoFrameComesEventsDoNotWaitForEver) {
  Message opened;
  opened.mutable_opened();
  writer_.Open(opened.SerializeAsString(), true);
  writer_.OfferEvent(Event(1));
  writer_.OfferFrame({});
  EXPECT_EQ(Sent(), (Strings{"opened", "event 1"}));
}

TEST_F(StreamWriterTest, OnlyTheLatestOfEventsThatReplaceEachOtherWaits) {
  sink_->SetSlow(true);
  writer_.OfferEvent(Event(1));
  for (std::uint64_t tick = 1; tick < 1000; ++tick) {
    Message world;
    world.mutable_world()->set_tick(tick);
    writer_.OfferLatestEvent(world.SerializeAsString());
  }
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"event 1", "world 999"}));
}

TEST_F(StreamWriterTest, TooManyEventsEndTheStream) {
  sink_->SetSlow(true);
  for (std::size_t i = 0; i < StreamWriter::kMaxEvents + 2; ++i) writer_.OfferEvent(Event(i));
  EXPECT_EQ(endings_, 1);
  sink_->Release();
  EXPECT_EQ(Sent(), (Strings{"event 0", "closing"}));
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(finishes_, 1);
}

TEST_F(StreamWriterTest, FramesThatMustBeSentAreBounded) {
  sink_->SetSlow(true);
  writer_.OfferEvent(Event(0));
  for (std::uint64_t tick = 1; tick <= StreamWriter::kMaxMustSend + 1; ++tick) {
    FrameOffer must = Frame(tick);
    must.must_send = true;
    writer_.OfferFrame(must);
  }
  sink_->Release();
  EXPECT_EQ(sink_->Take().back().closing().reason(), v1::CLOSING_REASON_OVERFLOW);
}

TEST_F(StreamWriterTest, ClosingSendsWhatWaitsThenSaysWhyThenFinishes) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1, 1, 2));
  writer_.OfferEvent(Event(1));
  writer_.OfferFrame(Frame(2));
  writer_.Close(v1::CLOSING_REASON_DRAINING, "bye", absl::UnavailableError("bye"));
  writer_.Close(v1::CLOSING_REASON_WORLD_DELETED, "late", absl::NotFoundError("late"));
  writer_.OfferFrame(Frame(3));
  writer_.OfferEvent(Event(2));
  EXPECT_EQ(endings_, 1);
  EXPECT_FALSE(sink_->finished().has_value());
  sink_->Release();
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "frame 1.1", "event 1", "closing"}));
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(finishes_, 1);
}

TEST_F(StreamWriterTest, AReaderThatDiesEndsTheStreamOnce) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1, 1, 2));
  writer_.OnCancelled();
  EXPECT_FALSE(sink_->finished().has_value());  // a write is in flight
  sink_->Answer(false);
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kCancelled);
  writer_.OnCancelled();
  writer_.Close(v1::CLOSING_REASON_CLIENT, "", absl::OkStatus());
  EXPECT_EQ(endings_, 1);
  EXPECT_EQ(finishes_, 1);
  EXPECT_EQ(Sent().size(), 1u);
}

TEST_F(StreamWriterTest, AWriteThatHangsIsBrokenOff) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  clock_.Advance(seconds(5));
  writer_.CheckStall(clock_.Now());
  EXPECT_FALSE(sink_->cancelled());
  clock_.Advance(Duration(1));
  writer_.CheckStall(clock_.Now());
  EXPECT_TRUE(sink_->cancelled());
  EXPECT_EQ(endings_, 1);
  EXPECT_FALSE(sink_->finished().has_value());
  sink_->Answer(false);
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(metrics_.streams_stalled.value(), 1u);
}

TEST_F(StreamWriterTest, FailingSaysNothingMore) {
  writer_.OfferEvent(Event(1));
  writer_.Fail(absl::InvalidArgumentError("no"));
  EXPECT_EQ(Sent(), (Strings{"event 1"}));
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StreamWriterTest, AgentEventsGoBeforeTheFrameOfTheirTick) {
  writer_.OfferAgentEvents(Arrived(1, 7));
  writer_.OfferFrame(Frame(1));
  EXPECT_EQ(Sent(), (Strings{"agents 1:1", "frame 1.0"}));
}

TEST_F(StreamWriterTest, AgentEventsOfBeforeTheFirstFrameAreDropped) {
  writer_.Open(Event(0), true);
  writer_.OfferAgentEvents(Arrived(1, 7));
  writer_.OfferFrame(Frame(1));
  writer_.OfferAgentEvents(Arrived(2, 8));
  EXPECT_EQ(Sent(), (Strings{"event 0", "frame 1.0", "agents 2:1"}));
}

TEST_F(StreamWriterTest, ASlowReaderGetsTheEventsOfAllItMissedAtOnceAndItsFrames) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  for (std::uint64_t tick = 2; tick <= 5; ++tick) {
    writer_.OfferAgentEvents(Arrived(tick, tick % 2 == 0 ? 7 : 8));
    writer_.OfferFrame(Frame(tick));
  }
  sink_->Answer(true);  // the frame of tick 1; the events go out
  // New ones do not go before the frame that belongs to those.
  writer_.OfferAgentEvents(Arrived(6, 9));
  writer_.OfferFrame(Frame(6));
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "agents 5:2", "frame 5.0", "agents 6:1", "frame 6.0"}));
}

TEST_F(StreamWriterTest, AgentEventsDoNotHoldUpAnswersForEver) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  writer_.OfferEvent(Event(1));
  for (std::uint64_t tick = 2; tick <= 4; ++tick) {
    writer_.OfferAgentEvents(Arrived(tick, 7));
    sink_->Answer(true);
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "agents 2:1", "event 1", "agents 4:1"}));
}

TEST_F(StreamWriterTest, AgentEventsGoBeforeAFrameThatMustBeSent) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  writer_.OfferAgentEvents(Arrived(2, 7));
  FrameOffer last = Frame(2);
  last.must_send = true;
  writer_.OfferFrame(std::move(last));
  writer_.OfferEvent(Event(1));
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "agents 2:1", "frame 2.0", "event 1"}));
}

TEST_F(StreamWriterTest, TooManyAgentEventsEndTheStream) {
  sink_->SetSlow(true);
  writer_.OfferFrame(Frame(1));
  writer_.OfferAgentEvents(Arrived(2, 1, kMaxAgentEvents));
  EXPECT_FALSE(writer_.ending());
  writer_.OfferAgentEvents(Arrived(3, 1, kMaxAgentEvents));  // the same agents
  EXPECT_FALSE(writer_.ending());
  writer_.OfferAgentEvents(Arrived(4, 70'000));
  EXPECT_TRUE(writer_.ending());
  while (sink_->Answer(true)) {
  }
  EXPECT_EQ(Sent(), (Strings{"frame 1.0", "closing"}));
  EXPECT_EQ(sink_->finished()->code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace throng::server
