#include "server/rpc/world_service.h"

#include "server/convert/command_convert.h"
#include "server/convert/settings_convert.h"
#include "server/convert/world_info_convert.h"

namespace throng::server {
namespace {

// Puts the world into the response's field `world`, then answers.
template <class Response>
InfoReply AnswerWithWorld(Answer answer, Response* response) {
  return [answer = std::move(answer), response](absl::StatusOr<WorldInfo> info) mutable {
    if (info.ok()) *response->mutable_world() = ToProto(*info);
    answer(info.status());
  };
}

}  // namespace

grpc::ServerUnaryReactor* WorldServiceImpl::CreateWorld(grpc::CallbackServerContext* context,
                                                        const v1::CreateWorldRequest* request,
                                                        v1::CreateWorldResponse* response) {
  const auto check = [&] {
    absl::Status status = CheckWorld(*context, request->name(), "name");
    return status.ok() ? ValidateRequestId(request->request_id()) : status;
  };
  return ServeUnary(environment_, Method::kCreateWorld, context, check, [&](Answer answer) {
    const absl::StatusOr<HostSettings> settings = SettingsFromProto(request->settings());
    if (!settings.ok()) return answer(settings.status());
    AnswerWithWorld(std::move(answer),
                    response)(environment_.worlds->Create(request->name(), *settings, request->request_id()));
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::GetWorld(grpc::CallbackServerContext* context,
                                                     const v1::GetWorldRequest* request,
                                                     v1::GetWorldResponse* response) {
  return ServeWorld(environment_, Method::kGetWorld, context, request, [&](Answer answer) {
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    (*world)->Describe(AnswerWithWorld(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::ListWorlds(grpc::CallbackServerContext* context,
                                                       const v1::ListWorldsRequest* request,
                                                       v1::ListWorldsResponse* response) {
  const auto check = [] { return absl::OkStatus(); };
  return ServeUnary(environment_, Method::kListWorlds, context, check, [&](Answer answer) {
    const absl::StatusOr<WorldPage> page =
        environment_.worlds->List(request->name_prefix(), request->page_size(), request->page_token());
    if (page.ok()) {
      for (const WorldInfo& info : page->worlds) *response->add_worlds() = ToProto(info);
      response->set_next_page_token(page->next_page_token);
    }
    answer(page.status());
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::UpdateWorld(grpc::CallbackServerContext* context,
                                                        const v1::UpdateWorldRequest* request,
                                                        v1::UpdateWorldResponse* response) {
  return ServeWorld(environment_, Method::kUpdateWorld, context, request, [&](Answer answer) {
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    absl::StatusOr<HostSettingsPatch> patch = SettingsPatchFromProto(request->settings(), (*world)->Info().settings);
    if (!patch.ok()) return answer(patch.status());
    (*world)->Update(*std::move(patch), AnswerWithWorld(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::DeleteWorld(grpc::CallbackServerContext* context,
                                                        const v1::DeleteWorldRequest* request,
                                                        v1::DeleteWorldResponse* response) {
  return ServeWorld(environment_, Method::kDeleteWorld, context, request, [&](Answer answer) {
    environment_.worlds->Delete(request->world(), request->uid(),
                                [answer = std::move(answer), response](absl::StatusOr<std::uint64_t> tick) mutable {
                                  if (tick.ok()) response->set_tick(*tick);
                                  answer(tick.status());
                                });
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::PauseWorld(grpc::CallbackServerContext* context,
                                                       const v1::PauseWorldRequest* request,
                                                       v1::PauseWorldResponse* response) {
  return ServeWorld(environment_, Method::kPauseWorld, context, request, [&](Answer answer) {
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    (*world)->Pause(AnswerWithWorld(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* WorldServiceImpl::ResumeWorld(grpc::CallbackServerContext* context,
                                                        const v1::ResumeWorldRequest* request,
                                                        v1::ResumeWorldResponse* response) {
  return ServeWorld(environment_, Method::kResumeWorld, context, request, [&](Answer answer) {
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    (*world)->Resume(AnswerWithWorld(std::move(answer), response));
  });
}

}  // namespace throng::server
