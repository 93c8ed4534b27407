// SPDX-License-Identifier: BSD-3-Clause
// Making, opening and mapping the memory of a link.
#include "core/dynamic/link_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "core/job/memory_file.h"
#include "core/job/segment.h"

namespace tessera {
namespace {

constexpr std::uint64_t kMagic = 0x314b4e494c535354;  // "TSSLINK1"
constexpr std::uint64_t kBegin = 64 * 1024;           // a page on every machine

struct Head {
  std::uint64_t magic;
  std::uint64_t id;
  std::uint64_t places;
};

Status failed(const char* call) noexcept {
  return Status::failure(Errc::system, std::string("cannot share memory with another job: ") +
                                           call + ": " + strerror(errno));
}

}  // namespace

Result<std::shared_ptr<LinkMemory>> LinkMemory::make(std::uint64_t places) noexcept try {
  const int descriptor = make_memory_file("tessera-link");
  if (descriptor < 0) return failed("memfd_create");
  const Head head{kMagic, JobSegment::random_id(), places};
  auto made = std::make_shared<LinkMemory>(descriptor, head.id, places);
  const bool sized = ftruncate(descriptor, static_cast<off_t>(kBegin + places * kPlaceBytes)) == 0;
  if (!sized || pwrite(descriptor, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head))
    return failed("ftruncate");
  return made;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Result<std::shared_ptr<LinkMemory>> LinkMemory::open_in(std::int32_t pid, int number,
                                                        std::uint64_t id) noexcept try {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return Status::failure(Errc::refused, path + ": " + strerror(errno));
  Head head{};
  const bool read = pread(descriptor, &head, sizeof head, 0) == static_cast<ssize_t>(sizeof head);
  if (!read || head.magic != kMagic || head.id != id) {
    close(descriptor);
    return Status::failure(Errc::refused, path + " is not the memory of this link");
  }
  return std::make_shared<LinkMemory>(descriptor, id, head.places);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

LinkMemory::~LinkMemory() {
  close(descriptor_);
}

Result<SharedRegion> LinkMemory::map(std::uint64_t place) const noexcept {
  if (place >= places_) return Status::failure(Errc::argument, "a link has no such place");
  const std::uint64_t offset = kBegin + place * kPlaceBytes;
  void* const base = mmap(nullptr, kPlaceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                          static_cast<off_t>(offset));
  if (base == MAP_FAILED) return failed("mmap");
  return SharedRegion(static_cast<std::byte*>(base), kPlaceBytes, descriptor_, offset);
}

}  // namespace tessera
