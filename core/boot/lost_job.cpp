// SPDX-License-Identifier: BSD-3-Clause
// The job of a process as its descriptors show it.
#include "core/boot/lost_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <new>

#include "core/job/segment.h"
#include "framework/help_topics.h"

namespace tessera {
namespace {

// mpiexec hands the memory of the job down under the first free one of these numbers.
constexpr int kFirstNumber = 200;
constexpr int kLastNumber = 203;

std::shared_ptr<JobSegment> inherited() noexcept {
  for (int number = kFirstNumber; number <= kLastNumber; ++number) {
    auto segment = JobSegment::attach(number);
    if (segment.ok() && segment.value()->launcher_pid() == getppid()) return segment.value();
  }
  return nullptr;
}

// One may run before mpiexec has written down who it is.
bool is_another_than_first(const JobSegment& segment) noexcept {
  for (std::uint32_t rank = 1; rank < segment.ranks(); ++rank)
    if (segment.page(rank).launched_pid.load(std::memory_order_acquire) == getpid()) return true;
  return false;
}

}  // namespace

void tell_of_lost_job() noexcept try {
  const auto segment = inherited();
  if (segment == nullptr || segment->ranks() < 2 || is_another_than_first(*segment)) return;
  show_help(topics::alone_among_many, fmt::format("{}", segment->ranks()));
} catch (const std::bad_alloc&) {
  return;
}

}  // namespace tessera
