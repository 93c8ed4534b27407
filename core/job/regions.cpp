// SPDX-License-Identifier: BSD-3-Clause
// The directory of named shared regions in a job segment, and taking their memory ahead of use.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/job/layout.h"
#include "core/job/memory_file.h"
#include "core/job/region_layout.h"
#include "core/job/segment.h"

namespace tessera {
namespace {

Status not_enough(std::uint64_t bytes, const char* call, int error) noexcept {
  const Errc code = error == ENOMEM ? Errc::no_memory : Errc::no_space;
  return Status::failure(code, std::to_string(bytes) +
                                   " bytes of shared memory are not available: " + call + ": " +
                                   strerror(error));
}

// Lets the file reach to `end`: by its last page, and nothing before it.
int grow_to(int descriptor, std::uint64_t end) noexcept {
  return take_memory(descriptor, end - 1, 1);
}

// The pages return to the system and read as zero from now on.
void punch_out(const RegionEntry& entry, int descriptor) noexcept {
  (void)fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(entry.offset), static_cast<off_t>(entry.room));
}

void set_free(RegionEntry& entry, int descriptor) noexcept {
  entry.state = EntryState::claimed;
  if (entry.room != 0) punch_out(entry, descriptor);
  entry.state = EntryState::free;
}

// After the death of a process that held the lock: what it was working on is free.
void repair(RegionDirectory& directory, int descriptor) noexcept {
  for (RegionEntry& entry : directory.entries) {
    const bool unheld = entry.state == EntryState::ready && entry.holders == 0;
    if (entry.state == EntryState::claimed || unheld) set_free(entry, descriptor);
  }
}

// The directory of a job, locked.
class Locked {
 public:
  Locked(JobHeader& header, RegionDirectory& directory, int descriptor) noexcept : header_(header) {
    if (pthread_mutex_lock(&header_.directory_lock) != EOWNERDEAD) return;
    repair(directory, descriptor);
    pthread_mutex_consistent(&header_.directory_lock);
  }
  ~Locked() { pthread_mutex_unlock(&header_.directory_lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  JobHeader& header_;
};

RegionEntry* find(RegionDirectory& directory, std::string_view name) noexcept {
  for (RegionEntry& entry : directory.entries) {
    const std::string_view known(entry.name, strnlen(entry.name, sizeof entry.name));
    if (entry.state != EntryState::free && name == known) return &entry;
    if (entry.state == EntryState::free && entry.room == 0) break;  // none was used from here on
  }
  return nullptr;
}

// A free entry: one that has the very room of the file already, else one that has none.
RegionEntry* find_free(RegionDirectory& directory, std::uint64_t room) noexcept {
  for (RegionEntry& entry : directory.entries) {
    if (entry.state == EntryState::free && (entry.room == room || entry.room == 0)) return &entry;
  }
  for (RegionEntry& entry : directory.entries) {
    if (entry.state == EntryState::free) return &entry;
  }
  return nullptr;
}

// `entry` is free. It is held by nobody yet.
void make(JobHeader& header, RegionEntry& entry, std::string_view name, std::size_t bytes,
          int descriptor) noexcept {
  const std::uint64_t room = round_up(bytes, kRegionAlignment);
  entry.state = EntryState::claimed;
  std::memset(entry.name, 0, sizeof entry.name);
  name.copy(entry.name, kRegionNameBytes);
  entry.bytes = bytes;
  entry.holders = 0;
  if (entry.room != room) {
    entry.offset = header.next_offset;
    header.next_offset += room;
    entry.room = room;
  }
  const bool grown = grow_to(descriptor, entry.offset + bytes) == 0;
  entry.state = grown ? EntryState::ready : EntryState::failed;
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

// Whether it lies in the file, behind the first `fixed` bytes: a rank may have written over the
// directory.
bool fits(const RegionEntry& entry, std::uint64_t fixed, int descriptor) noexcept {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0 || entry.offset % kRegionAlignment != 0) return false;
  const auto end = static_cast<std::uint64_t>(facts.st_size);
  return entry.offset >= fixed && entry.offset <= end && entry.bytes <= end - entry.offset;
}

Status other_size(const RegionEntry& entry, std::size_t bytes) noexcept {
  return Status::failure(
      Errc::argument, std::string("shared region '") +
                          std::string(entry.name, strnlen(entry.name, sizeof entry.name)) +
                          "' has " + std::to_string(entry.bytes) +
                          " bytes; another process of the job asked for " + std::to_string(bytes) +
                          ": the parameters that size it must be equal in all processes");
}

}  // namespace

RegionDirectory& JobSegment::directory() const noexcept {
  return *reinterpret_cast<RegionDirectory*>(base_ + sizeof(JobHeader));
}

Result<SharedRegion> JobSegment::region(std::string_view name, std::size_t bytes) noexcept {
  if (const Status status = check_request(name, bytes); !status.ok()) return status;
  const std::lock_guard<std::mutex> threads(mutex_);
  const Locked processes(header(), directory(), descriptor_);
  if (RegionEntry* const known = find(directory(), name)) return hold(*known, name, bytes);
  RegionEntry* const entry = find_free(directory(), round_up(bytes, kRegionAlignment));
  if (entry == nullptr) {
    return Status::failure(Errc::no_space, "the job has no room for another shared region: '" +
                                               std::string(name) + "'");
  }
  make(header(), *entry, name, bytes, descriptor_);
  return hold(*entry, name, bytes);
}

Result<SharedRegion> JobSegment::hold(RegionEntry& entry, std::string_view name,
                                      std::size_t bytes) noexcept {
  if (entry.bytes != bytes) return other_size(entry, bytes);
  if (entry.state != EntryState::ready)
    return not_enough(bytes, "growing the job's memory object", ENOSPC);
  if (!fits(entry, bytes_, descriptor_)) {
    return Status::failure(Errc::system, "the directory of the job's shared regions is damaged: '" +
                                             std::string(name) + "' lies outside of the memory");
  }
  auto region = map(name, entry.offset, bytes);
  if (region.ok()) ++entry.holders;
  return region;
}

// Under mutex_.
Result<SharedRegion> JobSegment::map(std::string_view name, std::uint64_t offset,
                                     std::size_t bytes) noexcept {
  for (Mapped& mapped : mapped_) {
    if (mapped.name != name) continue;
    if (mapped.region.size() != bytes)
      return Status::failure(Errc::argument, "shared region '" + mapped.name + "' has " +
                                                 std::to_string(mapped.region.size()) +
                                                 " bytes here, not " + std::to_string(bytes));
    ++mapped.holders;
    return mapped.region;
  }
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_,
                    static_cast<off_t>(offset));
  if (base == MAP_FAILED) return not_enough(bytes, "mmap", errno);
  mapped_.push_back({std::string(name),
                     SharedRegion(static_cast<std::byte*>(base), bytes, descriptor_, offset), 1});
  return mapped_.back().region;
}

Status JobSegment::release(std::string_view name) noexcept {
  const std::lock_guard<std::mutex> threads(mutex_);
  const auto mapped = std::find_if(mapped_.begin(), mapped_.end(),
                                   [&](const Mapped& entry) { return entry.name == name; });
  if (mapped == mapped_.end()) {
    return Status::failure(Errc::not_found,
                           "this process holds no shared region '" + std::string(name) + "'");
  }
  const Locked processes(header(), directory(), descriptor_);
  if (--mapped->holders == 0) {
    munmap(mapped->region.base(), mapped->region.size());
    mapped_.erase(mapped);
  }
  RegionEntry* const entry = find(directory(), name);
  if (entry != nullptr && --entry->holders == 0) set_free(*entry, descriptor_);
  return {};
}

Status SharedRegion::commit(std::size_t offset, std::size_t bytes) const noexcept {
  if (offset > bytes_ || bytes > bytes_ - offset) {
    return Status::failure(Errc::argument, "commit beyond the end of a shared region");
  }
  if (bytes == 0) return {};
  const int error = take_memory(descriptor_, file_offset_ + offset, bytes);
  return error == 0 ? Status() : not_enough(bytes, "fallocate", error);
}

}  // namespace tessera
