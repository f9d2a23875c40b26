#include "throng/client.h"

#include "absl/strings/str_cat.h"
#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/convert.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "throng/v1/server_service.grpc.pb.h"
#include "throng/v1/world_service.grpc.pb.h"

namespace throng::client {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using Worlds = v1::WorldService::Stub;

constexpr std::uint32_t kWorldsPerPage = 1'000;

}  // namespace

Client::Client(const std::string& address, const ClientOptions& options) : channel_(MakeChannel(address, options)) {}

absl::StatusOr<World> Client::CreateWorld(const std::string& name, const WorldSettings& settings) const {
  v1::CreateWorldRequest request;
  request.set_name(name);
  ToProto(settings, *request.mutable_settings());
  request.set_request_id(MakeRequestId());
  const auto response = Call(*channel_, name, &Worlds::CreateWorld, request);
  if (!response.ok()) return response.status();
  return World(channel_, name);
}

World Client::GetWorld(const std::string& name) const { return World(channel_, name); }

absl::StatusOr<std::vector<WorldInfo>> Client::ListWorlds(const std::string& prefix) const {
  std::vector<WorldInfo> worlds;
  v1::ListWorldsRequest request;
  request.set_page_size(kWorldsPerPage);
  request.set_name_prefix(prefix);
  do {
    const auto page = Call(*channel_, "", &Worlds::ListWorlds, request);
    if (!page.ok()) return page.status();
    for (const auto& world : page->worlds()) worlds.push_back(FromProto(world));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return worlds;
}

absl::Status Client::DeleteWorld(const std::string& name) const { return GetWorld(name).Delete().status(); }

absl::StatusOr<ServerInfo> Client::GetServerInfo() const {
  const auto response = Call(*channel_, "", &v1::ServerService::Stub::GetServerInfo, v1::GetServerInfoRequest());
  if (!response.ok()) return response.status();
  return FromProto(*response);
}

absl::Status Client::CheckHealth(const std::string& service) const {
  HealthCheckRequest request;
  request.set_service(service);
  const auto response = Call(*channel_, "", &Health::Stub::Check, request);
  if (!response.ok()) return response.status();
  if (response->status() == HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the server says ", HealthCheckResponse::ServingStatus_Name(response->status())));
}

}  // namespace throng::client
