// SPDX-License-Identifier: BSD-3-Clause
// Layout, hand-over, commitment and mapping of a window's memory.
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "tessera/cpu.h"

namespace tessera::osc::sm {
namespace {

__extension__ using Wide = unsigned __int128;
// Below this nobody asks how much memory is left.
constexpr std::uint64_t kSmall = 64ull << 20;

Status failed(const char* call, int error, std::uint64_t bytes) noexcept {
  const Errc code = error == ENOMEM || error == ENOSPC ? Errc::no_memory : Errc::system;
  return Status::failure(code, std::string(call) + " for " + std::to_string(bytes) +
                                   " bytes of window memory: " + std::strerror(error));
}

std::uint64_t number_in(const char* path, const char* format) noexcept {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return ~0ull;
  unsigned long long value = ~0ull;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, format, &value) == 1) break;
  }
  std::fclose(file);
  return value;
}

// What the system would still give: the kernel lets a file in memory grow until it must kill.
std::uint64_t memory_left() noexcept {
  const std::uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable: %llu kB");
  std::uint64_t left = kilobytes == ~0ull ? ~0ull : kilobytes * 1024;
  const std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "%llu");
  const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current", "%llu");
  if (limit != ~0ull && used != ~0ull) left = std::min(left, limit > used ? limit - used : 0);
  return left;
}

// Contiguous parts follow each other to the byte; others begin at an address of their own.
std::uint64_t unit_of(const Window& window, std::uint64_t size, std::uint64_t alignment) noexcept {
  if (window.flavor() == Flavor::shared) return window.hints().noncontiguous ? kPage : 1;
  return std::max(alignment, size >= kPage ? kPage : kCacheLine);
}

}  // namespace

struct Memory::Greeting {
  std::uint64_t alignment;
  std::int32_t pid;
  std::int32_t descriptor;
};

Memory::~Memory() {
  if (reserved_ != nullptr) munmap(reserved_, reserved_bytes_);
}

Status Memory::lay_out(const Window& window, std::size_t control_bytes, std::uint64_t alignment) {
  alignment_ = std::max(alignment, kPage);
  control_bytes_ = round_up(control_bytes, kPage);
  total_ = control_bytes_;
  const bool ours = window.flavor() == Flavor::allocate || window.flavor() == Flavor::shared;
  if (!ours) return {};
  data_offset_ = round_up(control_bytes_, alignment_);
  Wide end = 0;
  for (int rank = 0; rank < window.size(); ++rank) {
    const auto size = static_cast<std::uint64_t>(window.part(rank).size);
    const std::uint64_t unit = unit_of(window, size, alignment);
    end = (end + unit - 1) / unit * unit;
    offsets_.push_back(static_cast<std::uint64_t>(end));
    end += size;
    if (end > Wide{1} << 46) {
      return Status::failure(Errc::no_memory,
                             "the parts of the window have more bytes together "
                             "than a process can address");
    }
  }
  total_ = data_offset_ + round_up(static_cast<std::uint64_t>(end), kPage);
  const std::uint64_t left = total_ > kSmall ? memory_left() : ~0ull;
  if (total_ - data_offset_ <= left) return {};
  return Status::failure(Errc::no_memory, "the window needs " +
                                              std::to_string(static_cast<std::uint64_t>(end)) +
                                              " bytes of memory, of which " + std::to_string(left) +
                                              " are left on this machine");
}

Status Memory::open(const Window& window, const Greeting& leader, int& descriptor) const noexcept {
  if (window.rank() == 0)
    return descriptor >= 0 ? Status() : failed("memfd_create", EMFILE, total_);
  if (leader.descriptor < 0)
    return Status::failure(Errc::no_memory, "rank 0 could not make the memory of the window");
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", leader.pid, leader.descriptor);
  descriptor = ::open(path, O_RDWR | O_CLOEXEC);
  return descriptor >= 0 ? Status() : failed(path, errno, total_);
}

// Each allocation lets the object grow, and none shrinks it, in whatever order they come.
Status Memory::commit(const Window& window, int descriptor) const noexcept {
  const auto take = [&](std::uint64_t offset, std::uint64_t bytes) {
    if (bytes == 0) return 0;
    return posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  };
  if (window.rank() == 0) {
    if (const int error = take(0, control_bytes_))
      return failed("fallocate", error, control_bytes_);
  }
  if (offsets_.empty()) return {};
  const auto size = static_cast<std::uint64_t>(window.own().size);
  const std::uint64_t begin = data_offset_ + offsets_[static_cast<std::size_t>(window.rank())];
  if (const int error = take(begin, size)) return failed("fallocate", error, size);
  return {};
}

Status Memory::map(int descriptor) noexcept {
  const std::uint64_t slack = alignment_ > kPage ? alignment_ : 0;
  reserved_bytes_ = total_ + slack;
  void* at =
      mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return failed("mmap", errno, reserved_bytes_);
  reserved_ = at;
  const std::uint64_t base = round_up(reinterpret_cast<std::uintptr_t>(at), alignment_);
  void* mapped = mmap(reinterpret_cast<void*>(base), total_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, descriptor, 0);
  if (mapped == MAP_FAILED) return failed("mmap", errno, total_);
  control_ = static_cast<std::byte*>(mapped);
  if (!offsets_.empty()) data_ = control_ + data_offset_;
  return {};
}

Status Memory::make(Window& window, std::size_t control_bytes) noexcept try {
  Greeting mine{window.hints().alignment, static_cast<std::int32_t>(getpid()), -1};
  int descriptor = -1;
  if (window.rank() == 0)
    mine.descriptor = descriptor = memfd_create("tessera-window", MFD_CLOEXEC);
  std::vector<Greeting> all(static_cast<std::size_t>(window.size()));
  if (Status s = window.allgather(&mine, sizeof mine, all.data()); !s) return s;
  std::uint64_t alignment = 0;
  for (const Greeting& greeting : all) {
    alignment = std::max(alignment, greeting.alignment);
    pids_.push_back(greeting.pid);
  }
  Status done = lay_out(window, control_bytes, alignment);
  if (done.ok()) done = open(window, all.front(), descriptor);
  if (done.ok()) done = commit(window, descriptor);
  if (done.ok()) done = map(descriptor);
  // Until everybody has mapped it, rank 0 keeps what they open; nobody touches it before all have
  // committed theirs.
  const std::uint8_t good = done.ok() ? 1 : 0;
  std::vector<std::uint8_t> outcomes(static_cast<std::size_t>(window.size()));
  const Status agreed = window.allgather(&good, 1, outcomes.data());
  if (descriptor >= 0) close(descriptor);
  if (!done.ok()) return done;
  if (!agreed.ok()) return agreed;
  const auto bad = std::find(outcomes.begin(), outcomes.end(), 0);
  if (bad == outcomes.end()) return {};
  return Status::failure(Errc::no_memory, "rank " + std::to_string(bad - outcomes.begin()) +
                                              " could not get its part of the window's memory");
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

}  // namespace tessera::osc::sm
