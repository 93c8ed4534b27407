// SPDX-License-Identifier: BSD-3-Clause
// The one module of btl/sm: endpoints to all processes of this machine, and the poller of their
// rings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "endpoint.h"
#include "layout.h"
#include "ring.h"
#include "tessera/btl.h"
#include "tessera/cma.h"

namespace tessera::btl::sm {

class SmModule final : public Module, public Poller {
 public:
  // refused: this job has no shared memory or nobody else runs on this machine.
  static Result<std::unique_ptr<SmModule>> create(const Host& host, const Sinks& sinks) noexcept;
  ~SmModule();
  SmModule(const SmModule&) = delete;
  SmModule& operator=(const SmModule&) = delete;

  const Attributes& attributes() const noexcept override { return attributes_; }
  // A process of another job shares memory with this one if its bell is known.
  bool reaches(const Peer& peer) const noexcept override {
    return peer.locality == Locality::node && (shares_job(peer) || peer.bell != nullptr);
  }
  Result<Endpoint*> connect(Peer& peer) noexcept override;
  void disconnect(Peer& peer) noexcept override;
  const char* describe() const noexcept override { return description_; }
  int poll() noexcept override;
  void measure(Measures& measures) const noexcept;

 private:
  SmModule(const Host& host, const Sinks& sinks) noexcept
      : job_(host.job),
        progress_(host.progress),
        params_(host.params),
        sinks_(sinks),
        figures_(given_figures(host.job)) {}
  Status open(const Host& host);
  Status open_region(const Job& job) noexcept;
  Status agree_on_geometry() noexcept;
  Status different_geometry() const noexcept;
  std::size_t get_threshold(const Params& params) const noexcept;
  void number_processes(const Job& job);
  void declare(const Params& params) noexcept;
  void publish_probe() noexcept;
  void show_probe(ProcessEntry& process_entry) const noexcept;
  void accept_opened() noexcept;

  // The way to a process of another job, and from it: a region of their own.
  struct Pair {
    Pair(Peer& peer, const Shared& shared_in) noexcept
        : shared(shared_in), endpoint(peer, 1 - shared.me, shared) {}
    Shared shared;
    SmEndpoint endpoint;
    Inbox inbox{shared.pair(1 - shared.me, shared.me), shared.geometry, endpoint, kFirstSequence,
                nullptr};
  };
  bool shares_job(const Peer& peer) const noexcept { return peer.id < number_.size(); }
  Result<Endpoint*> connect_pair(Peer& peer) noexcept;
  Result<Shared> share_pair(const Peer& peer) noexcept;
  Status open_job(const Host& host, std::uint32_t ranks);
  int poll_pairs() noexcept;

  const Job& job_;
  Progress& progress_;
  const Params& params_;
  const Sinks& sinks_;
  MachineFigures figures_;  // as given, nothing is measured here
  Attributes attributes_;
  Shared shared_;
  ProcessEntry* entry_ = nullptr;                             // mine
  const std::atomic<std::uint32_t>* next_opening_ = nullptr;  // the first empty place of its list
  std::vector<SmEndpoint>
      endpoints_;  // by number on this machine; the one of this process is never used
  std::vector<std::int32_t> number_;  // by job id; -1: elsewhere
  std::vector<Inbox>
      inboxes_;  // opened towards me; never reallocated, since drain() may be under way
  std::uint64_t probed_ = 0;  // what peers read to learn whether single copy works
  CmaProbe probe_;            // and what they are told of it
  std::vector<std::unique_ptr<Pair>> pairs_;
  bool registered_ = false;
  char description_[160] = "";
};

}  // namespace tessera::btl::sm
