// std::mutex with the annotations of clang's thread-safety analysis. Not absl::Mutex, whose library is built without
// instrumentation, so that ThreadSanitizer would not see what it orders.
//
// Lock order: there is none to remember, since a thread holds one lock at a time. Every lock guards the data of one
// object, is held for a few lines, and never while code of another object runs: no callback, StreamSink, Subscriber,
// engine or executor is called under a lock, so each of them may call back. Two are innermost and may be taken under
// any other: the shelf of a BufferPool, where a frame is let go of, and WorldRegistry's reading of a new world's Info.
// What a world steps with needs no lock: the scheduler lets one runner at a time have it (world_runner.h).
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
