// ManagedStream: what the streams of sessions and of watchers have in common: the writer, the world's frames, and an
// orderly end. StreamTable: all of them that are open.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/host/mutex.h"
#include "server/host/world_host.h"
#include "server/session/stream_sink.h"
#include "server/session/stream_writer.h"

namespace throng::server {

class StreamTable;

// Safe from any thread.
class ManagedStream : public Subscriber, public std::enable_shared_from_this<ManagedStream> {
 public:
  ManagedStream(std::shared_ptr<StreamSink> sink, const StreamWriter::Environment& environment,
                std::shared_ptr<StreamTable> table);

  // Says why, then ends.
  void End(v1::ClosingReason reason, const std::string& message, absl::Status status) {
    writer_.Close(reason, message, std::move(status));
  }
  // Ends it if a write hangs, or if it was never begun.
  void Check(Time now);

  // Subscriber
  void OnFrame(FrameOffer offer) override { writer_.OfferFrame(std::move(offer)); }
  void OnAgentEvents(const std::shared_ptr<const AgentEvents>& events) override { writer_.OfferAgentEvents(events); }
  void OnWorldChanged(const WorldInfo& info) override;
  void OnWorldDeleted() override;

 protected:
  StreamWriter& writer() { return writer_; }
  // OK, or why the stream cannot begin. Once, with its first request.
  absl::Status Admit();
  // Puts the stream among the world's, and takes it out when it ends. Again for other columns; `number` counts that.
  void Subscribe(const std::shared_ptr<WorldHost>& world, std::optional<FrameColumns> columns, bool agent_events,
                 std::shared_ptr<const SessionMemory> session, std::uint64_t number = 0);
  // The stream has begun to end: it leaves what it was part of besides the world.
  virtual void OnEnding() = 0;

 private:
  void Leave();

  const std::shared_ptr<StreamTable> table_;
  const Time begun_;
  StreamWriter writer_;

  Mutex mutex_;
  std::shared_ptr<WorldHost> world_ ABSL_GUARDED_BY(mutex_);
  bool admitted_ ABSL_GUARDED_BY(mutex_) = false;
  bool left_ ABSL_GUARDED_BY(mutex_) = false;
};

// Safe from any thread.
class StreamTable {
 public:
  // A stream without a first request is ended after this.
  static constexpr Duration kMaxUnbegun = std::chrono::seconds(10);

  StreamTable(std::uint32_t max_streams, Metrics* metrics) : max_streams_(max_streams), metrics_(metrics) {}

  void Add(const std::shared_ptr<ManagedStream>& stream);
  void Remove(const ManagedStream* stream);
  // UNAVAILABLE while draining, RESOURCE_EXHAUSTED past max_streams, to which those that are not admitted count too.
  absl::Status Admit() const;
  std::size_t count() const;
  void Check(Time now);
  void Drain();

 private:
  std::vector<std::shared_ptr<ManagedStream>> All() const;

  const std::uint32_t max_streams_;
  Metrics* const metrics_;
  mutable Mutex mutex_;
  std::unordered_map<const ManagedStream*, std::weak_ptr<ManagedStream>> streams_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
