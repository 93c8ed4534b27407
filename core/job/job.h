// SPDX-License-Identifier: BSD-3-Clause
// The job as components see it: Job and Bootstrap over the shared segment, and for a process that
// is alone.
#pragma once
//
// Contract. The Instance makes one Job and one Bootstrap at its start and deletes them last, after
// every component is closed. With mpiexec: JobSegment::attach_inherited() gives a JobView,
// SegmentJob::join() makes the job, SegmentBootstrap exchanges cards; without (not_found):
// SingletonJob and SingletonBootstrap, which need no memory object, no descriptor, no file and no
// other process.
//
// States. join() leaves the rank `started`. The Instance calls view.set_state(initialised) at the
// end of MPI_Init, `finalizing` at the start of MPI_Finalize and `finalized` when nothing that
// another rank waits for is left to do.
//
// Locality. The ranks of a segment are Locality::node, the process itself Locality::self, ranks
// of other nodes Locality::remote.
//
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/peer_table.h"
#include "core/job/segment.h"
#include "tessera/peer.h"
#include "tessera/status.h"

namespace tessera {

class NodeCards;

// Memory for this process and one of another job (core/dynamic/connections.h).
class PairMemory {
 public:
  virtual Result<SharedRegion> between(const Peer& peer, std::size_t bytes) noexcept = 0;

 protected:
  ~PairMemory() = default;
};

// Where processes of other jobs find the bell and the state of this one.
struct Stand {
  int descriptor;      // of the segment, in this process
  std::uint32_t page;  // in it
};

// What the engine's own jobs add for the engine: their table of processes, and what they show to
// other jobs.
class EngineJob : public Job {
 public:
  virtual ~EngineJob() = default;
  virtual PeerTable& peers() noexcept = 0;
  // A process that is alone makes its segment now; from then on its bell is there.
  virtual Result<Stand> stand() noexcept = 0;
  virtual RankPage* own_page() const noexcept = 0;  // null: it has none

  void use(PairMemory* pairs) noexcept { pairs_ = pairs; }
  Result<SharedRegion> shared_with(const Peer& peer, std::size_t bytes) const noexcept override {
    return pairs_ != nullptr ? pairs_->between(peer, bytes)
                             : Result<SharedRegion>(Errc::unsupported);
  }

 private:
  PairMemory* pairs_ = nullptr;
};

class SegmentJob final : public EngineJob {
 public:
  // Claims the rank's page for this process, installs its bell and knows its peers. refused: the
  // page belongs to another process (a rank that starts a second MPI program); the text is fit for
  // the user.
  static Result<std::unique_ptr<SegmentJob>> join(JobView view) noexcept;

  std::uint32_t my_id() const noexcept override { return view_.id(); }
  std::uint32_t size() const noexcept override { return view_.segment().job_size(); }
  std::uint32_t local_size() const noexcept override { return view_.segment().ranks(); }
  std::uint32_t usable_cpus() const noexcept override { return view_.segment().usable_cpus(); }
  Peer& peer(std::uint32_t id) const noexcept override;  // refreshes the pid while it is not known
  Result<SharedRegion> shared(std::string_view name, std::size_t bytes) const noexcept override {
    return view_.segment().region(name, bytes);
  }
  Status release(std::string_view name) const noexcept override {
    return view_.segment().release(name);
  }
  bool recovers() const noexcept override { return view_.segment().recovers(); }
  std::uint32_t end_id() const noexcept override { return peers_.end_id(); }
  Peer* find(const ProcessName& name) const noexcept override { return peers_.find(name); }
  PeerTable& peers() noexcept override { return peers_; }
  Result<Stand> stand() noexcept override {
    return Stand{view_.segment().descriptor(), view_.rank()};
  }
  RankPage* own_page() const noexcept override { return &view_.page(); }

  const JobView& view() const noexcept { return view_; }

 private:
  explicit SegmentJob(JobView view)
      : view_(std::move(view)), peers_(view_.segment().job_id(), view_.segment().job_size()) {}
  JobView view_;
  PeerTable peers_;
};

class SegmentBootstrap final : public Bootstrap {
 public:
  // `progress` is polled while lookup() waits; it outlives this object.
  SegmentBootstrap(JobView view, Progress& progress) noexcept
      : view_(std::move(view)), progress_(&progress) {}

  // argument: key empty, too long, given before, or publishing is over; no_space: over
  // kCardValueBytes.
  Status publish(std::string_view key, std::span<const std::byte> value) noexcept override;
  Result<std::span<const std::byte>> lookup(const Peer& peer,
                                            std::string_view key) noexcept override;

  // Where the cards of other nodes come from; outlives this object. Without it there are none.
  void use(NodeCards* others) noexcept { others_ = others; }

  // The Instance has opened all components: the cards are complete, peers that wait for them are
  // woken.
  void publishing_done() noexcept;
  // Waits until that holds for all processes of this node.
  void await_node() noexcept;

 private:
  Result<std::span<const std::byte>> cards_of(const Peer& peer) noexcept;

  JobView view_;
  Progress* progress_;
  NodeCards* others_ = nullptr;
};

// A program started without mpiexec: rank 0 of 1. Once it meets another job it has a segment too.
class SingletonJob final : public EngineJob {
 public:
  SingletonJob();
  std::uint32_t my_id() const noexcept override { return 0; }
  std::uint32_t size() const noexcept override { return 1; }
  std::uint32_t local_size() const noexcept override { return 1; }
  std::uint32_t usable_cpus() const noexcept override { return usable_cpus_; }
  Peer& peer(std::uint32_t id) const noexcept override { return peers_[id]; }
  std::uint32_t end_id() const noexcept override { return peers_.end_id(); }
  Peer* find(const ProcessName& name) const noexcept override { return peers_.find(name); }
  PeerTable& peers() noexcept override { return peers_; }
  Result<SharedRegion> shared(std::string_view name, std::size_t bytes) const noexcept override;
  Result<Stand> stand() noexcept override;
  RankPage* own_page() const noexcept override { return segment_ ? &segment_->page(0) : nullptr; }
  void set_state(RankState state) noexcept;

 private:
  RankState state_ = RankState::started;
  std::shared_ptr<JobSegment> segment_;  // null until somebody else needs it
  Doorbell bell_{};
  PeerTable peers_;
  std::uint32_t usable_cpus_;
};

// Cards of a process that has only itself to show them to.
class SingletonBootstrap final : public Bootstrap {
 public:
  Status publish(std::string_view key, std::span<const std::byte> value) noexcept override;
  Result<std::span<const std::byte>> lookup(const Peer& peer,
                                            std::string_view key) noexcept override;
  void publishing_done() noexcept {}

 private:
  struct Card {
    std::string key;
    std::vector<std::byte> value;
  };
  std::vector<std::unique_ptr<Card>> cards_;
};

// The name of another process manager that started this process as one of several, or an empty
// text: without TESSERA_JOB such a process would silently become one of many "rank 0 of 1". Reads
// the environment only.
std::string_view foreign_launcher() noexcept;

}  // namespace tessera
