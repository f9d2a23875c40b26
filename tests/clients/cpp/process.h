// Programs as a user runs them: throngd on free ports, and the CLI with its output.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace throng::client {

struct Finished {
  int code = -1;  // exit code; -1 if a signal ended it
  std::string out;
  std::string err;
};

// Runs a program to its end. `environment` goes over this process's own.
Finished Run(const std::vector<std::string>& args, const std::vector<std::string>& environment = {});

// The CLI against `address`.
Finished RunThrong(const std::string& address, std::vector<std::string> args);

// A throngd of its own, which has said that it serves. SIGTERM ends it, and must give exit code 0.
class Throngd {
 public:
  explicit Throngd(const std::vector<std::string>& flags = {});
  ~Throngd();
  Throngd(const Throngd&) = delete;
  Throngd& operator=(const Throngd&) = delete;

  const std::string& address() const { return address_; }
  // Ends it and waits for its end.
  void Stop();

 private:
  pid_t pid_ = -1;
  std::string address_;
  std::thread reader_;  // of its log, so that it never waits for a reader
};

// Between clients and a server: carries bytes both ways until Break, which cuts all connections.
class BreakableWire {
 public:
  explicit BreakableWire(const std::string& server_address);
  ~BreakableWire();
  std::string address() const;
  void Break();

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::thread acceptor_;
};

}  // namespace throng::client
