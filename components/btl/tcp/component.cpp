// SPDX-License-Identifier: BSD-3-Clause
// btl/tcp: the component and its manifest.
#include <memory>
#include <utility>
#include <vector>

#include "module.h"
#include "tessera/btl.h"

namespace tessera::btl::tcp {

class TcpComponent final : public Component {
 public:
  Result<std::span<Module* const>> open(const Host& host, const Sinks& sinks) noexcept override {
    auto settings = read_settings(host.params);
    if (!settings) return settings.status();
    std::vector<std::unique_ptr<TcpModule>> links;
    for (unsigned link = 0; link < settings->links; ++link) {
      links.push_back(std::make_unique<TcpModule>(host, sinks, *settings, link));
      if (Status s = links.back()->open(); !s) return s;
    }
    links_ = std::move(links);
    for (const auto& link : links_) modules_.push_back(link.get());
    return std::span<Module* const>(modules_);
  }

  void close() noexcept override {
    for (const auto& link : links_) link->close();
    modules_.clear();
    links_.clear();
  }
  void measure(Measures& measures) noexcept override {
    Counts all;
    for (const auto& link : links_) {
      all.bytes_sent += link->counts().bytes_sent;
      all.bytes_received += link->counts().bytes_received;
      all.connections += link->counts().connections;
      all.retransmissions += link->counts().retransmissions;
    }
    measures.value("bytes_sent") = all.bytes_sent;
    measures.value("bytes_received") = all.bytes_received;
    measures.value("connections") = all.connections;
    measures.value("retransmissions") = all.retransmissions;
  }

 private:
  std::vector<std::unique_ptr<TcpModule>> links_;
  std::vector<Module*> modules_;
};

}  // namespace tessera::btl::tcp

// clang-format off
TESSERA_COMPONENT(btl, tcp, "1.0.0", 20, tessera::btl::tcp::TcpComponent,
  "TCP connections over IPv4 and IPv6",
  TESSERA_FACT("scope", "network")
  TESSERA_VARIABLE("bytes_sent", aggregate, process, "bytes", 3,
    "Bytes handed to the kernel on all connections, headers included.")
  TESSERA_VARIABLE("bytes_received", aggregate, process, "bytes", 3,
    "Bytes taken from the kernel on all connections, headers included.")
  TESSERA_VARIABLE("connections", level, process, "connections", 3,
    "Open connections to other processes.")
  TESSERA_VARIABLE("retransmissions", counter, process, "segments", 3,
    "Segments that the kernel has sent again. Connections are looked at once a second, and when "
    "they end.")
  TESSERA_PARAM("if_include", list, "", "", "", 1,
    "Network interfaces to use, as names or CIDR blocks such as 192.0.2.0/24. Empty: all that are "
    "up.")
  TESSERA_PARAM("if_exclude", list, "", "", "", 1,
    "Network interfaces not to use, as names or CIDR blocks. Applied after btl_tcp_if_include.")
  TESSERA_PARAM("ports", text, "0", "", "", 2,
    "Port range to listen on: low..high, one port, or 0 for any. Each rank of a node needs "
    "btl_tcp_links ports of its own.")
  TESSERA_PARAM("links", integer, "1", "1..4", "connections", 3,
    "Connections to each peer. Long messages are divided among them; where hosts share several "
    "subnets, each connection prefers another one. Pays on networks of like speed.")
  TESSERA_PARAM("connect_timeout", integer, "20", "1..86400", "seconds", 3,
    "Timeout of a connection attempt to one address of a peer, and of the greeting of a caller.")
  TESSERA_PARAM("silence", integer, "20", "0..86400", "seconds", 3,
    "Time without any answer from a peer's node after which the peer is considered failed. A "
    "process that computes or is stopped still answers. 0: the system's default.")
  TESSERA_PARAM("linger", integer, "2000", "0..600000", "milliseconds", 5,
    "How long a finalizing process waits for the network to acknowledge its last bytes.")
  TESSERA_PARAM("sndbuf", size, "0", "0..1G", "bytes", 4,
    "Socket send buffer (SO_SNDBUF) of each connection. 0: sized by the system.")
  TESSERA_PARAM("rcvbuf", size, "0", "0..1G", "bytes", 4,
    "Socket receive buffer (SO_RCVBUF) of each connection, at least 4K. 0: sized by the system.")
  TESSERA_PARAM("queue_limit", size, "1M", "4K..1G", "bytes", 5,
    "Bytes queued per peer while its connection cannot take more. One packet always fits.")
  TESSERA_PARAM("zero_copy", size, "32K", "0..1G", "bytes", 5,
    "Smallest part of a put or get that the kernel reads from its place (vmsplice, splice) instead "
    "of copying it; of a nonblocking send, if that is 16 times as long. 0: copy all.")
  TESSERA_PARAM("eager_limit", size, "64K", "0..16M", "bytes", 4,
    "Largest message sent with the eager protocol.")
  TESSERA_PARAM("max_packet", size, "513K", "1K..1G", "bytes", 4,
    "Largest packet, header and payload, of one send. By default less with several btl_tcp_links: "
    "together they carry so much.")
  TESSERA_PARAM("latency", integer, "15000", "1..1000000000", "nanoseconds", 6,
    "Declared one-way latency of a small packet, used to rank transports.")
  TESSERA_PARAM("bandwidth", integer, "1000", "1..1000000", "MB/s", 6,
    "Declared bandwidth, used to rank transports.")
  TESSERA_PARAM("exclusivity", integer, "10", "0..65535", "", 7,
    "A peer is served only by the transports of the highest exclusivity that reach it."))
// clang-format on
