#include "server/session/managed_stream.h"

#include <utility>

#include "server/convert/world_info_convert.h"
#include "server/host/errors.h"
#include "server/host/limit_error.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {

ManagedStream::ManagedStream(std::shared_ptr<StreamSink> sink, const StreamWriter::Environment& environment,
                             std::shared_ptr<StreamTable> table)
    : table_(std::move(table)),
      begun_(environment.clock->Now()),
      writer_(
          std::move(sink), environment, [this] { Leave(); }, [this] { table_->Remove(this); }) {}

void ManagedStream::Check(Time now) {
  writer_.CheckStall(now);
  bool admitted = false;
  {
    const MutexLock lock(mutex_);
    admitted = admitted_;
  }
  if (!admitted && now - begun_ > StreamTable::kMaxUnbegun) {
    writer_.Fail(absl::DeadlineExceededError("the stream's first request did not come"));
  }
}

// Field 14 of ConnectResponse and WatchResponse alike.
void ManagedStream::OnWorldChanged(const WorldInfo& info) {
  v1::ConnectResponse response;
  *response.mutable_world() = ToProto(info);
  writer_.OfferLatestEvent(response.SerializeAsString());
}

void ManagedStream::OnWorldDeleted() {
  std::string name;
  {
    const MutexLock lock(mutex_);
    if (world_ != nullptr) name = world_->name();
  }
  End(v1::CLOSING_REASON_WORLD_DELETED, "the world was deleted", WorldDeleted(name));
}

absl::Status ManagedStream::Admit() {
  {
    const MutexLock lock(mutex_);
    admitted_ = true;
  }
  return table_->Admit();
}

void ManagedStream::Subscribe(const std::shared_ptr<WorldHost>& world, std::optional<FrameColumns> columns,
                              bool agent_events, std::shared_ptr<const SessionMemory> session, std::uint64_t number) {
  bool first = false;
  {
    const MutexLock lock(mutex_);
    if (left_) return;
    first = world_ == nullptr;
    world_ = world;
  }
  const auto self = std::static_pointer_cast<Subscriber>(shared_from_this());
  if (first) world->CountStream(1);
  world->Subscribe({self, columns, std::move(session), number, agent_events});
  // If it ended meanwhile, its Unsubscribe may have come before.
  bool left = false;
  {
    const MutexLock lock(mutex_);
    left = left_;
  }
  if (left) world->Unsubscribe(self);
}

void ManagedStream::Leave() {
  std::shared_ptr<WorldHost> world;
  {
    const MutexLock lock(mutex_);
    left_ = true;
    world = world_;
  }
  if (world != nullptr) {
    world->CountStream(-1);
    world->Unsubscribe(std::static_pointer_cast<Subscriber>(shared_from_this()));
  }
  OnEnding();
}

void StreamTable::Add(const std::shared_ptr<ManagedStream>& stream) {
  metrics_->streams.Add(1);
  const MutexLock lock(mutex_);
  streams_.emplace(stream.get(), stream);
}

void StreamTable::Remove(const ManagedStream* stream) {
  metrics_->streams.Add(-1);
  const MutexLock lock(mutex_);
  streams_.erase(stream);
}

absl::Status StreamTable::Admit() const {
  const MutexLock lock(mutex_);
  if (draining_) return ServerIsDraining();
  if (streams_.size() > max_streams_) return LimitError("max_streams", max_streams_);
  return absl::OkStatus();
}

std::size_t StreamTable::count() const {
  const MutexLock lock(mutex_);
  return streams_.size();
}

void StreamTable::Check(Time now) {
  for (const auto& stream : All()) stream->Check(now);
}

void StreamTable::Drain() {
  {
    const MutexLock lock(mutex_);
    draining_ = true;
  }
  for (const auto& stream : All()) {
    stream->End(v1::CLOSING_REASON_DRAINING, "the server is draining", ServerIsDraining());
  }
}

std::vector<std::shared_ptr<ManagedStream>> StreamTable::All() const {
  std::vector<std::shared_ptr<ManagedStream>> all;
  const MutexLock lock(mutex_);
  for (const auto& [key, weak] : streams_) {
    if (auto stream = weak.lock()) all.push_back(std::move(stream));
  }
  return all;
}

}  // namespace throng::server
