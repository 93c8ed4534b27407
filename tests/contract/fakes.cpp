// SPDX-License-Identifier: BSD-3-Clause
// The fakes' shared directory, progress and address exchange.
#include "fakes.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace tessera::contract {

namespace {

constexpr std::size_t kSegmentBytes = std::size_t{2} << 30;
constexpr std::size_t kDirectoryBytes = std::size_t{1} << 20;
constexpr std::size_t kCardBytes = 2048;
constexpr std::size_t kRegions = 16;

// Opens the same memory once more, for reading: fallocate(2) then fails as it does when memory is
// short.
int read_only(int descriptor) {
  return open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

struct Segment::Directory {
  struct Region {
    char name[32];
    std::size_t bytes;
    std::size_t offset;
  };
  struct Card {
    char key[32];
    std::uint32_t bytes;
    std::byte value[kCardBytes];
  };
  struct Rank {
    Doorbell bell;
    std::atomic<std::uint32_t> done;
    std::uint32_t cards;
    Card card[4];
  };
  std::atomic_flag lock;
  std::size_t regions;
  std::size_t next;
  Region region[kRegions];
  Rank rank[kMaxRanks];
};

Segment::Segment(std::uint32_t ranks, Memory memory) : ranks_(ranks), memory_(memory) {
  static_assert(sizeof(Directory) <= kDirectoryBytes);
  descriptor_ = memfd_create("contract", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, kSegmentBytes) != 0)
    throw std::runtime_error("no memfd");
  void* base = mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    descriptor_, 0);
  if (base == MAP_FAILED) throw std::runtime_error("no mapping for the test segment");
  base_ = static_cast<std::byte*>(base);
  directory().next = kDirectoryBytes;
  granting_ = memory == Memory::exhausted ? read_only(descriptor_) : descriptor_;
}

Segment::~Segment() {
  munmap(base_, kSegmentBytes);
  if (granting_ != descriptor_) close(granting_);
  close(descriptor_);
}

Doorbell& Segment::bell(std::uint32_t rank) const noexcept {
  return directory().rank[rank].bell;
}

Result<SharedRegion> Segment::region(std::string_view name, std::size_t bytes) noexcept {
  if (memory_ == Memory::none) return Errc::unsupported;
  Directory& all = directory();
  while (all.lock.test_and_set(std::memory_order_acquire)) sched_yield();
  Directory::Region* found = std::find_if(all.region, all.region + all.regions,
                                          [&](const auto& region) { return name == region.name; });
  if (found == all.region + all.regions && all.regions < kRegions) {
    name.copy(found->name, sizeof found->name - 1);
    found->bytes = bytes;
    found->offset = all.next;
    all.next += (bytes + 0xffff) & ~std::size_t{0xffff};
    ++all.regions;
  }
  const bool fits = found->bytes == bytes && all.next <= kSegmentBytes;
  const std::size_t offset = found->offset;
  all.lock.clear(std::memory_order_release);
  if (!fits) return Errc::argument;
  return SharedRegion(base_ + offset, bytes, granting_, offset);
}

void Segment::publish(std::uint32_t rank, std::string_view key,
                      std::span<const std::byte> value) noexcept {
  Directory::Rank& mine = directory().rank[rank];
  Directory::Card& card = mine.card[mine.cards++];
  key.copy(card.key, sizeof card.key - 1);
  card.bytes = static_cast<std::uint32_t>(value.size());
  std::memcpy(card.value, value.data(), value.size());
}

void Segment::publishing_done(std::uint32_t rank) noexcept {
  directory().rank[rank].done.store(1, std::memory_order_release);
  for (std::uint32_t i = 0; i < ranks_; ++i) bell(i).ring();
}

bool Segment::published(std::uint32_t rank) const noexcept {
  return directory().rank[rank].done.load(std::memory_order_acquire) != 0;
}

Result<std::span<const std::byte>> Segment::card(std::uint32_t rank,
                                                 std::string_view key) const noexcept {
  const Directory::Rank& theirs = directory().rank[rank];
  for (const Directory::Card& card : std::span(theirs.card, theirs.cards)) {
    if (key == card.key) return std::span(card.value, card.bytes);
  }
  return Errc::not_found;
}

FakeJob::FakeJob(Segment& segment, std::uint32_t me)
    : segment_(segment), me_(me), peers_(segment.ranks()) {
  for (std::uint32_t id = 0; id < segment.ranks(); ++id) {
    peers_[id].id = id;
    peers_[id].name = {1, id};
    peers_[id].locality = id == me ? Locality::self : Locality::node;
    peers_[id].pid = getpid();
    peers_[id].bell = &segment.bell(id);
  }
  segment.bell(me).install();
}

void FakeProgress::refresh() noexcept {
  pollers_ = list_.data();
  count_ = static_cast<std::uint32_t>(list_.size());
}

void FakeProgress::add(Poller& poller) noexcept {
  list_.push_back(&poller);
  refresh();
}

void FakeProgress::remove(Poller& poller) noexcept {
  list_.erase(std::remove(list_.begin(), list_.end(), &poller), list_.end());
  refresh();
}

Status FakeProgress::watch(int descriptor, std::uint32_t events) noexcept {
  unwatch(descriptor);
  watched_.push_back({descriptor, events});
  return {};
}

void FakeProgress::unwatch(int descriptor) noexcept {
  std::erase_if(watched_, [&](const Watched& entry) { return entry.descriptor == descriptor; });
}

bool FakeProgress::idle(std::uint32_t rounds, const Condition&) noexcept {
  if (waiting_ == Waiting::spin) return false;
  if (waiting_ == Waiting::yield || rounds < 4) {
    sched_yield();
  } else if (watched_.empty()) {
    sleep_on_doorbell();
  } else {
    sleep_on_descriptors();
  }
  return false;
}

void FakeProgress::sleep_on_doorbell() noexcept {
  bell_.announce();
  if (poll() > 0) {
    bell_.call_off();
  } else {
    bell_.sleep(-1);
  }
}

// The bell cannot be waited for at the same time, so the wait is short.
void FakeProgress::sleep_on_descriptors() noexcept {
  std::vector<pollfd> descriptors;
  for (const Watched& entry : watched_) {
    descriptors.push_back(
        {entry.descriptor, static_cast<short>(entry.events), 0});  // EPOLLIN is POLLIN, and so on
  }
  ::poll(descriptors.data(), descriptors.size(), 1);
}

Status FakeBootstrap::publish(std::string_view key, std::span<const std::byte> value) noexcept {
  if (value.size() > kCardBytes) return Errc::no_space;
  segment_.publish(me_, key, value);
  return {};
}

Result<std::span<const std::byte>> FakeBootstrap::lookup(const Peer& peer,
                                                         std::string_view key) noexcept {
  progress_.wait_until([&] { return segment_.published(peer.id); });
  return segment_.card(peer.id, key);
}

}  // namespace tessera::contract
