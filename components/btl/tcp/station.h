// SPDX-License-Identifier: BSD-3-Clause
// What all parts of the module share: who we are, how to be reached, and the list of what needs
// attention.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "card.h"
#include "interfaces.h"
#include "lender.h"
#include "reactor.h"
#include "settings.h"
#include "tessera/btl.h"

namespace tessera::btl::tcp {

class TcpEndpoint;

// For tools.
struct Counts {
  std::uint64_t bytes_sent = 0;      // given to the kernel
  std::uint64_t bytes_received = 0;  // taken from it
  std::uint64_t connections = 0;     // open now
  std::uint64_t retransmissions = 0;
};

struct Station {
  Station(const Host& host_, const Sinks& sinks_, Settings settings_, unsigned link_) noexcept
      : host(host_), sinks(sinks_), settings(std::move(settings_)), link(link_) {}

  const Host host;
  const Sinks& sinks;
  const Settings settings;
  const unsigned link;  // of btl_tcp_links; a link of ours meets the same one of peers
  std::vector<Interface> interfaces;  // the chosen ones
  Card card;                          // ours, as published
  Reactor reactor;
  std::vector<TcpEndpoint*>
      meeting;  // endpoints with a connection in its greeting: they want ticks
  std::vector<TcpEndpoint*>
      fallen;  // endpoints whose peer was lost and whose sinks do not know yet
  Counts counts;
  Lender lender;

  std::uint32_t writers = 0;  // endpoints with a full socket

  // Who spoke last, and how often in a row: poll() listens to one that speaks alone before it asks
  // the kernel.
  TcpEndpoint* speaker = nullptr;
  std::uint32_t streak = 0;
  bool spoke = false;  // we sent something since the last poll

  // Under which cards of this link are published.
  std::string card_key() const;
  // The card of a peer; none: it published no card that this version understands. May wait for it.
  std::optional<Card> card_of(const Peer& peer) const;
  // "process 5 on node2" in messages; the machine only where it is another one.
  std::string name_of(const Peer& peer) const;

  // Whether every process of the job is on this machine.
  bool all_here() const noexcept;

  std::uint32_t my_id() const noexcept { return host.job.my_id(); }
  const ProcessName& my_name() const noexcept { return host.job.peer(my_id()).name; }
  // Who says hello; null: nobody that this process knows.
  Peer* caller(const Hello& hello) const noexcept { return host.job.find({hello.job, hello.from}); }
  void heard(TcpEndpoint& endpoint) noexcept {
    streak = speaker == &endpoint ? streak + 1 : 0;
    speaker = &endpoint;
  }
  TcpEndpoint* lone_speaker() const noexcept { return streak > 1 ? speaker : nullptr; }
  void forget_speaker() noexcept {
    speaker = nullptr;
    streak = 0;
  }
};

}  // namespace tessera::btl::tcp
