// WatcherStream: the stream of WatchService.Watch.
#pragma once

#include <memory>

#include "server/session/managed_stream.h"
#include "server/session/session.h"
#include "server/session/streams.h"

namespace throng::server {

class SessionManager;

class WatcherStream final : public WatchStream, public ManagedStream {
 public:
  WatcherStream(SessionManager* manager, std::shared_ptr<StreamSink> sink, const StreamWriter::Environment& environment,
                std::shared_ptr<StreamTable> table)
      : ManagedStream(std::move(sink), environment, std::move(table)), manager_(manager) {}

  void Start(const v1::WatchRequest& request) override;
  void OnWriteDone(bool ok) override { writer().OnWriteDone(ok); }
  void OnCancelled() override { writer().OnCancelled(); }
  void Fail(absl::Status status) override { writer().Fail(std::move(status)); }

 private:
  absl::Status Begin(const v1::WatchRequest& request);
  absl::Status Join(std::shared_ptr<Session> session);
  void OnEnding() override;

  SessionManager* const manager_;
  Mutex mutex_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mutex_);  // null: it watches for nobody
};

}  // namespace throng::server
