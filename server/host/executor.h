// Where runners of the scheduler run.
#pragma once

#include <functional>

namespace throng::server {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `task` soon on one of its threads. Never runs it within the call.
  virtual void Start(std::function<void()> task) = 0;
  virtual int workers() const = 0;
};

}  // namespace throng::server
