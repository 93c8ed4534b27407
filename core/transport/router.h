// SPDX-License-Identifier: BSD-3-Clause
// Which btl serves which peer: BtlRouter.
#pragma once
//
// Contract. open() opens btl components in order of priority until every peer of the job is
// reached, and all that the user named; what was not needed is not even loaded. routes() then
// answers, once per peer and on first use, with the endpoints of the highest exclusivity among the
// modules that reach it, lowest declared latency first. Interposers stand in front of every
// component that is opened.
//
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/framework.h"
#include "tessera/pml.h"

namespace tessera {

class BtlRouter final : public pml::Router {
 public:
  BtlRouter(const Microkernel& kernel, int rank)
      : kernel_(kernel), framework_(kernel, "btl", rank) {}

  // Errc::refused: a btl the user named cannot be used; peer_failed: a peer is reached by none.
  Status open(const Host& host, const btl::Sinks& sinks, Explanation& explanation);
  void close() noexcept;

  // For processes of other jobs, when open() is over: opens further components, as far as they go
  // through memory (`network` false), or all of which the user did not say otherwise.
  void open_more(const Host& host, const btl::Sinks& sinks, Explanation& explanation, bool network);
  // peer_failed: no open transport reaches the peer; the text names those that are open.
  Status check(const Peer& peer, const Job& job) const;
  void forget(Peer& peer) noexcept;

  Result<std::span<const pml::Route>> routes(Peer& peer) noexcept override;
  // Whether all modules have handed on everything they accepted.
  bool flushed() const noexcept;

  // Whether an open transport goes through memory, so that peers ring this process's bell (fact
  // "scope" = node).
  bool in_memory() const noexcept { return in_memory_; }

  struct Opened {
    std::string component;
    btl::Module* module;
  };
  std::span<const Opened> modules() const noexcept { return modules_; }
  // The name of the component a peer's first route goes through; empty when no module reaches it.
  std::string_view serves(const Peer& peer) const noexcept;

 private:
  std::vector<const Opened*> ranked(const Peer& peer) const;
  Result<std::vector<pml::Route>> connect(Peer& peer) const;
  Status open_one(const Candidate& candidate, const Host& host, const btl::Sinks& sinks,
                  Reply& reply);
  void tell(const Peer& peer) const;
  Status check_reach(const Job& job) const;
  bool is_open(const std::string& component) const noexcept;
  bool required(const Candidate& candidate) const noexcept;  // the user named it
  bool all_reached(const Job& job) const noexcept;

  const Microkernel& kernel_;
  Framework<btl::Component> framework_;
  std::vector<Member*> interposers_;
  std::vector<Opened> modules_;
  bool in_memory_ = false;
  std::unordered_map<std::uint32_t, std::vector<pml::Route>> routes_;
};

}  // namespace tessera
