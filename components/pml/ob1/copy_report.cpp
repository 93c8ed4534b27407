// SPDX-License-Identifier: BSD-3-Clause
// The report on large messages, as rank 0 received them.
#include "copy_report.h"

#include <limits>

#include "tessera/btl.h"

namespace tessera::ob1 {

namespace {

constexpr int kPeersShown = 4;

std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

std::string split_text(const Settings& settings) {
  if (settings.split == Split::never) return "never split (pml_ob1_split)";
  if (settings.split == Split::always) return "always split (pml_ob1_split)";
  const std::string limit = "split from " + bytes_text(settings.split_threshold) +
                            " (pml_ob1_split_threshold, by the figures single and split)";
  return settings.split == Split::measured ? limit + ",\n      unless measured otherwise" : limit;
}

std::string limits_text(PeerState& peer, const Settings& settings) {
  std::string text = "  process " + std::to_string(peer.peer->id) + ": ";
  const btl::Attributes& btl = peer.attributes();
  const bool direct = (btl.capabilities & btl::can_get) != 0 && peer.endpoint->direct();
  if (!direct) return text + "eager up to " + bytes_text(peer.eager_limit) + ", then streamed\n";
  const bool by_threshold = peer.direct_from <= peer.eager_limit;
  text += by_threshold ? "eager below " + bytes_text(peer.direct_from)
                       : "eager up to " + bytes_text(peer.eager_limit);
  text += ", then read by the receiver (the btl's get_threshold),\n      " + split_text(settings);
  return text + "\n";
}

}  // namespace

std::string copy_report(Peers& peers, const Settings& settings) {
  std::string text;
  int shown = 0;
  peers.for_each([&](PeerState& peer) {
    if (!peer.connected() || peer.peer->locality == Locality::self || ++shown > kPeersShown) return;
    text += limits_text(peer, settings);
    if (peer.choice != nullptr) peer.choice->describe(text);
    if (peer.busy_choice != nullptr) {
      text += "    in collective operations, and where this process sends as well:\n";
      peer.busy_choice->describe(text);
    }
    if (peer.eager_choice != nullptr) {
      text += "    as this process sends them in collective operations (eager: no handshake):\n";
      peer.eager_choice->describe(text);
    }
  });
  if (shown > kPeersShown)
    text += "  and " + std::to_string(shown - kPeersShown) + " more processes\n";
  return text.empty() ? text
                      : "tessera: how this process, rank 0, receives large messages\n" + text;
}

}  // namespace tessera::ob1
