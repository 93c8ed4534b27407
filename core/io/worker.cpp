// SPDX-License-Identifier: BSD-3-Clause
// The thread that carries out what programs do not wait for.
#include "core/io/worker.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <exception>

namespace tessera::io {

Worker::~Worker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_one();
  thread_.join();
  (void)::close(event_);
}

// Signals are the program's own threads' business, but for the one that copies out of a mapping of
// a file may meet: a fault whose signal is blocked ends the process.
Status Worker::start() noexcept {
  if (thread_.joinable()) return {};
  event_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event_ < 0) return Status::failure(Errc::system, "eventfd failed");
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::exception& failure) {
    (void)::close(event_);
    started = Status::failure(Errc::system, failure.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

Status Worker::submit(Job& job) noexcept {
  if (Status started = start(); !started) return started;
  if (pending_++ == 0) {
    progress_.add(*this);
    (void)progress_.watch(event_, EPOLLIN);
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&job);
  }
  more_.notify_one();
  return {};
}

void Worker::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Job& job = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    job.run();
    lock.lock();
    done_.push_back(&job);
    tell();
  }
}

void Worker::tell() noexcept {
  any_done_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_, &one, sizeof one);
}

int Worker::poll() noexcept {
  if (!any_done_.load(std::memory_order_acquire)) return 0;
  std::vector<Job*> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
    any_done_.store(false, std::memory_order_relaxed);
    std::uint64_t count;
    [[maybe_unused]] const ssize_t taken = read(event_, &count, sizeof count);
  }
  pending_ -= static_cast<std::uint32_t>(done.size());
  if (pending_ == 0) {
    progress_.unwatch(event_);
    progress_.remove(*this);
  }
  for (Job* job : done) job->finished();
  return static_cast<int>(done.size());
}

}  // namespace tessera::io
