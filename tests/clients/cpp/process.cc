#include "tests/clients/cpp/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

extern char** environ;

namespace throng::client {
namespace {

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  }
  std::array<int, 2> ends{};
};

pid_t Spawn(const std::vector<std::string>& args, const std::vector<std::string>& environment, int out, int err) {
  std::vector<char*> argv;
  for (const auto& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (const auto& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
  for (char** entry = environ; *entry != nullptr; ++entry) envp.push_back(*entry);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failed, 0) << "cannot start " << args[0];
  return pid;
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  close(fd);
  return text;
}

// One line, without its end; empty at the end of the file.
std::string ReadLine(int fd) {
  std::string line;
  for (char c = 0; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int Wait(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Finished Run(const std::vector<std::string>& args, const std::vector<std::string>& environment) {
  const Pipe out, err;
  const pid_t pid = Spawn(args, environment, out.ends[1], err.ends[1]);
  close(out.ends[1]);
  close(err.ends[1]);
  Finished finished;
  std::thread errors([&] { finished.err = ReadAll(err.ends[0]); });
  finished.out = ReadAll(out.ends[0]);
  errors.join();
  finished.code = Wait(pid);
  return finished;
}

Finished RunThrong(const std::string& address, std::vector<std::string> args) {
  args.insert(args.begin(), THRONG_PROGRAM);
  return Run(args, {"THRONG_SERVER=" + address});
}

Throngd::Throngd(const std::vector<std::string>& flags) {
  std::vector<std::string> args = {THRONGD_PROGRAM, "--port=0", "--http-port=-1", "--log-format=json"};
  args.insert(args.end(), flags.begin(), flags.end());
  const Pipe log;
  pid_ = Spawn(args, {}, log.ends[1], log.ends[1]);
  close(log.ends[1]);
  std::string said;
  while (address_.empty()) {
    const std::string line = ReadLine(log.ends[0]);
    if (line.empty()) break;
    said += line + "\n";
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.value("event", "") == "serving") address_ = json.value("grpc", "");
  }
  EXPECT_FALSE(address_.empty()) << "throngd did not start; it said:\n" << said;
  reader_ = std::thread([fd = log.ends[0]] { ReadAll(fd); });
}

Throngd::~Throngd() { Stop(); }

void Throngd::Stop() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(std::exchange(pid_, -1)), 0);
  reader_.join();
}

// Sockets are shut down by Break and closed by the threads that carry their bytes.
struct BreakableWire::State {
  std::mutex mutex;
  std::vector<int> open;
  std::vector<std::thread> carriers;
  sockaddr_in server{};
  int listener = -1;
  std::uint16_t port = 0;

  void Carry(int from, int to) {
    std::array<char, 65536> buffer{};
    for (ssize_t n = 0; (n = recv(from, buffer.data(), buffer.size(), 0)) > 0;) {
      if (send(to, buffer.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) break;
    }
    shutdown(from, SHUT_RDWR);
    shutdown(to, SHUT_RDWR);
  }
  void Accept() {
    for (int client = 0; (client = accept(listener, nullptr, nullptr)) >= 0;) {
      const int upstream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      connect(upstream, reinterpret_cast<const sockaddr*>(&server), sizeof server);
      const std::lock_guard lock(mutex);
      open.insert(open.end(), {client, upstream});
      carriers.emplace_back([this, client, upstream] { Carry(client, upstream); });
      carriers.emplace_back([this, client, upstream] { Carry(upstream, client); });
    }
  }
  void Break() {
    const std::lock_guard lock(mutex);
    for (const int fd : open) shutdown(fd, SHUT_RDWR);
  }
};

BreakableWire::BreakableWire(const std::string& server_address) : state_(std::make_shared<State>()) {
  state_->server.sin_family = AF_INET;
  state_->server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  state_->server.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(server_address.substr(server_address.rfind(':') + 1))));
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = state_->server;
  address.sin_port = 0;
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(state_->listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(state_->listener, 16), 0);
  EXPECT_EQ(getsockname(state_->listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  state_->port = ntohs(address.sin_port);
  acceptor_ = std::thread([state = state_] { state->Accept(); });
}

BreakableWire::~BreakableWire() {
  shutdown(state_->listener, SHUT_RDWR);
  acceptor_.join();
  close(state_->listener);
  state_->Break();
  for (auto& carrier : state_->carriers) carrier.join();
  for (const int fd : state_->open) close(fd);
}

std::string BreakableWire::address() const { return "127.0.0.1:" + std::to_string(state_->port); }
void BreakableWire::Break() { state_->Break(); }

}  // namespace throng::client
