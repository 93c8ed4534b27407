// SPDX-License-Identifier: BSD-3-Clause
// A job without a launcher: memory, processes, progress and address exchange for ranks that are
// threads or forked.
#pragma once
//
// A Segment is made once, before the ranks start; each rank then makes its own FakeJob,
// FakeProgress and FakeBootstrap on it. All that ranks share lies in the segment's shared mapping,
// so that ranks may also be processes made by fork(2).
//
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/component.h"
#include "tessera/peer.h"

namespace tessera::contract {

inline constexpr std::uint32_t kMaxRanks = 64;

enum class Memory : std::uint8_t { normal, none, exhausted };  // exhausted: every commit() fails

class Segment {
 public:
  explicit Segment(std::uint32_t ranks, Memory memory = Memory::normal);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  std::uint32_t ranks() const noexcept { return ranks_; }
  Doorbell& bell(std::uint32_t rank) const noexcept;
  Result<SharedRegion> region(std::string_view name, std::size_t bytes) noexcept;
  void publish(std::uint32_t rank, std::string_view key, std::span<const std::byte> value) noexcept;
  void publishing_done(std::uint32_t rank) noexcept;
  bool published(std::uint32_t rank) const noexcept;
  Result<std::span<const std::byte>> card(std::uint32_t rank, std::string_view key) const noexcept;

 private:
  struct Directory;
  Directory& directory() const noexcept { return *reinterpret_cast<Directory*>(base_); }

  std::byte* base_ = nullptr;
  int descriptor_ = -1;
  int granting_ = -1;  // the descriptor given to regions: it cannot commit when memory is exhausted
  std::uint32_t ranks_;
  Memory memory_;
};

class FakeJob final : public Job {
 public:
  FakeJob(Segment& segment, std::uint32_t me);
  std::uint32_t my_id() const noexcept override { return me_; }
  std::uint32_t size() const noexcept override { return segment_.ranks(); }
  std::uint32_t local_size() const noexcept override { return segment_.ranks(); }
  std::uint32_t usable_cpus() const noexcept override { return 2; }
  Peer& peer(std::uint32_t id) const noexcept override { return peers_[id]; }
  Result<SharedRegion> shared(std::string_view name, std::size_t bytes) const noexcept override {
    return segment_.region(name, bytes);
  }

 private:
  Segment& segment_;
  std::uint32_t me_;
  mutable std::vector<Peer> peers_;
};

// How a rank waits. `sleep` sleeps on its bell as soon as there is nothing to do: a ring that is
// missing hangs the test.
enum class Waiting : std::uint8_t { spin, yield, sleep };

class FakeProgress final : public Progress {
 public:
  FakeProgress(Doorbell& bell, Waiting waiting) noexcept : bell_(bell), waiting_(waiting) {}
  void add(Poller& poller) noexcept override;
  void remove(Poller& poller) noexcept override;
  Status watch(int descriptor, std::uint32_t events) noexcept override;
  void unwatch(int descriptor) noexcept override;
  std::size_t pollers() const noexcept { return list_.size(); }
  std::size_t watched() const noexcept { return watched_.size(); }

 private:
  struct Watched {
    int descriptor;
    std::uint32_t events;
  };
  bool idle(std::uint32_t rounds, const Condition& condition) noexcept override;
  void sleep_on_doorbell() noexcept;
  void sleep_on_descriptors() noexcept;
  void refresh() noexcept;

  Doorbell& bell_;
  Waiting waiting_;
  std::vector<Poller*> list_;
  std::vector<Watched> watched_;
};

class FakeBootstrap final : public Bootstrap {
 public:
  FakeBootstrap(Segment& segment, std::uint32_t me, Progress& progress) noexcept
      : segment_(segment), me_(me), progress_(progress) {}
  Status publish(std::string_view key, std::span<const std::byte> value) noexcept override;
  Result<std::span<const std::byte>> lookup(const Peer& peer,
                                            std::string_view key) noexcept override;

 private:
  Segment& segment_;
  std::uint32_t me_;
  Progress& progress_;
};

}  // namespace tessera::contract
