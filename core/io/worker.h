// SPDX-License-Identifier: BSD-3-Clause
// The thread that carries out what programs do not wait for.
#pragma once
//
// Contract. One per process, started by the first job. run() is called on the worker's thread, in
// the order of submission; finished() afterwards by the engine's progress, on whichever thread
// makes it. A job belongs to its submitter and must live until finished() was called. While no job
// is pending the worker costs nothing: it polls nothing and sleeps.
//
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "tessera/peer.h"

namespace tessera::io {

class Worker final : private Poller {
 public:
  class Job {
   public:
    virtual void run() noexcept = 0;
    virtual void finished() noexcept = 0;

   protected:
    ~Job() = default;
  };

  explicit Worker(Progress& progress) noexcept : progress_(progress) {}
  ~Worker();  // no job is pending
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // A failure: there can be no such thread; the job was not taken.
  Status submit(Job& job) noexcept;

 private:
  int poll() noexcept override;
  Status start() noexcept;
  void serve() noexcept;
  void tell() noexcept;

  Progress& progress_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Job*> waiting_;
  std::vector<Job*> done_;
  std::atomic<bool> any_done_{false};
  bool ending_ = false;
  int event_ = -1;             // readable when jobs have ended: it ends a sleep
  std::uint32_t pending_ = 0;  // submitted, not yet finished
};

}  // namespace tessera::io
