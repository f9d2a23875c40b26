#include "server/session/watcher_stream.h"

#include <utility>

#include "server/convert/input_convert.h"
#include "server/convert/world_info_convert.h"
#include "server/session/session_manager.h"

namespace throng::server {

void WatcherStream::Start(const v1::WatchRequest& request) {
  if (absl::Status status = Begin(request); !status.ok()) writer().Fail(std::move(status));
}

absl::Status WatcherStream::Begin(const v1::WatchRequest& request) {
  if (absl::Status status = Admit(); !status.ok()) return status;
  const FrameColumns columns = FromProto(request.subscription());
  const bool agent_events = request.subscription().agent_events();
  if (request.session_id().empty()) {
    absl::StatusOr<std::shared_ptr<WorldHost>> world = manager_->worlds_->Find(request.world());
    if (!world.ok()) return world.status();
    v1::WatchResponse response;
    *response.mutable_opened()->mutable_world() = ToProto((*world)->Info());
    writer().Open(response.SerializeAsString(), true);
    Subscribe(*world, columns, agent_events, nullptr);
    return absl::OkStatus();
  }
  absl::StatusOr<std::shared_ptr<Session>> session = manager_->FindSession(request);
  if (!session.ok()) return session.status();
  if (absl::Status status = Join(*session); !status.ok()) return status;
  v1::WatchResponse response;
  *response.mutable_opened() = (*session)->Opened();
  writer().Open(response.SerializeAsString(), true);
  Subscribe((*session)->world(), columns, agent_events, (*session)->memory());
  return absl::OkStatus();
}

absl::Status WatcherStream::Join(std::shared_ptr<Session> session) {
  {
    const MutexLock lock(mutex_);
    session_ = session;
  }
  if (absl::Status status = session->Watch(shared_from_this()); !status.ok()) return status;
  if (writer().ending()) session->Leave(this);  // its own leaving may have come too early
  return absl::OkStatus();
}

void WatcherStream::OnEnding() {
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    session = session_;
  }
  if (session != nullptr) session->Leave(this);
}

}  // namespace throng::server
