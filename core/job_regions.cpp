// SPDX-License-Identifier: BSD-3-Clause
// The directory of named shared regions in a job segment, and taking their memory ahead of use.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/job_layout.h"
#include "core/job_segment.h"

namespace tessera {
namespace {

constexpr std::uint64_t kRegionAlignment = 64 * 1024;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

Status not_enough(std::uint64_t bytes, const char* call, int error) noexcept {
  const Errc code = error == ENOMEM ? Errc::no_memory : Errc::no_space;
  return Status::failure(code, std::to_string(bytes) +
                                   " bytes of shared memory are not available: " + call + ": " +
                                   strerror(error));
}

// Lets the file reach to `end`. Taking the last page (and nothing before it) cannot shrink the file
// that another process grows at the same time, which ftruncate could.
int grow_to(int descriptor, std::uint64_t end) noexcept {
  return posix_fallocate(descriptor, static_cast<off_t>(end - 1), 1);
}

EntryState allocate(JobHeader& header, RegionEntry& entry, int descriptor) noexcept {
  const std::uint64_t room = round_up(entry.bytes, kRegionAlignment);
  entry.offset = header.next_offset.fetch_add(room, std::memory_order_relaxed);
  return grow_to(descriptor, entry.offset + entry.bytes) == 0 ? EntryState::ready
                                                              : EntryState::failed;
}

// Takes a free entry for the name; false when another process was quicker.
bool claim(JobHeader& header, RegionEntry& entry, std::string_view name, std::size_t bytes,
           int descriptor) noexcept {
  EntryState expected = EntryState::free;
  if (!entry.state.compare_exchange_strong(expected, EntryState::claimed,
                                           std::memory_order_acq_rel))
    return false;
  name.copy(entry.name, kRegionNameBytes);
  entry.bytes = bytes;
  entry.state.store(allocate(header, entry, descriptor), std::memory_order_release);
  return true;
}

// Between claimed and ready lie two system calls of another process; the end of that process ends
// the job.
void wait_until_settled(const RegionEntry& entry) noexcept {
  while (entry.state.load(std::memory_order_acquire) == EntryState::claimed) sched_yield();
}

RegionEntry* find_or_claim(JobHeader& header, std::string_view name, std::size_t bytes,
                           int descriptor) noexcept {
  for (RegionEntry& entry : header.regions) {
    if (entry.state.load(std::memory_order_acquire) == EntryState::free &&
        claim(header, entry, name, bytes, descriptor)) {
      return &entry;
    }
    wait_until_settled(entry);
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

Status check_request(std::string_view name, std::size_t bytes) noexcept {
  if (name.empty() || name.size() > kRegionNameBytes || name.find('\0') != std::string_view::npos) {
    return Status::failure(Errc::argument, "the name of a shared region has 1 to 31 characters: '" +
                                               std::string(name) + "'");
  }
  if (bytes == 0)
    return Status::failure(Errc::argument, "shared region '" + std::string(name) + "' of 0 bytes");
  return {};
}

Status other_size(const RegionEntry& entry, std::size_t bytes) noexcept {
  return Status::failure(
      Errc::argument, std::string("shared region '") + entry.name + "' has " +
                          std::to_string(entry.bytes) +
                          " bytes; another process of the job asked for " + std::to_string(bytes) +
                          ": the parameters that size it must be equal in all processes");
}

}  // namespace

Result<SharedRegion> JobSegment::region(std::string_view name, std::size_t bytes) noexcept {
  if (const Status status = check_request(name, bytes); !status.ok()) return status;
  const RegionEntry* entry = find_or_claim(header(), name, bytes, descriptor_);
  if (entry == nullptr) {
    return Status::failure(Errc::no_space, "the job has no room for another shared region: '" +
                                               std::string(name) + "'");
  }
  if (entry->bytes != bytes) return other_size(*entry, bytes);
  if (entry->state.load(std::memory_order_acquire) != EntryState::ready) {
    return not_enough(bytes, "growing the job's memory object", ENOSPC);
  }
  return map(name, entry->offset, bytes);
}

Result<SharedRegion> JobSegment::map(std::string_view name, std::uint64_t offset,
                                     std::size_t bytes) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Mapped& mapped : mapped_) {
    if (mapped.name == name) return mapped.region;
  }
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_,
                    static_cast<off_t>(offset));
  if (base == MAP_FAILED) return not_enough(bytes, "mmap", errno);
  mapped_.push_back(
      {std::string(name), SharedRegion(static_cast<std::byte*>(base), bytes, descriptor_, offset)});
  return mapped_.back().region;
}

Status SharedRegion::commit(std::size_t offset, std::size_t bytes) const noexcept {
  if (offset > bytes_ || bytes > bytes_ - offset) {
    return Status::failure(Errc::argument, "commit beyond the end of a shared region");
  }
  if (bytes == 0) return {};
  int error = 0;
  do {
    error = fallocate(descriptor_, 0, static_cast<off_t>(file_offset_ + offset),
                      static_cast<off_t>(bytes)) == 0
                ? 0
                : errno;
  } while (error == EINTR);
  return error == 0 ? Status() : not_enough(bytes, "fallocate", error);
}

}  // namespace tessera
