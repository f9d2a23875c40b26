// std::mutex with the annotations of clang's thread-safety analysis. Not absl::Mutex, whose library is built without
// instrumentation, so that ThreadSanitizer would not see what it orders.
//
// Lock order, from the outermost in; a thread that holds one takes only those below it:
//
//   SessionManager > Session > SessionStream > WorldRegistry > WorldHost > Scheduler > FrameStream > BufferPool
//
// No lock is held while code of someone else runs: callbacks, StreamSink, the engine, the executor. A runner that steps
// a world holds no lock but the scheduler's promise that nobody else runs that world.
#pragma once

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <mutex>

#include "server/host/clock.h"

namespace throng::server {

class ABSL_LOCKABLE Mutex {
 public:
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  void NotifyAll() { condition_.notify_all(); }
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { WaitUntil(mutex, kNever); }
  // `time` as SystemClock counts it. May return before.
  void WaitUntil(Mutex& mutex, Time time) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.native(), std::adopt_lock);
    if (time == kNever) {
      condition_.wait(lock);
    } else {
      condition_.wait_until(lock, std::chrono::steady_clock::time_point(time));
    }
    lock.release();
  }

 private:
  std::condition_variable condition_;
};

}  // namespace throng::server
