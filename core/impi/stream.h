// SPDX-License-Identifier: BSD-3-Clause
// One connection between two hosts: whole packets out, packets in.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "impi/wire/packet.h"
#include "tessera/status.h"

namespace tessera::impi {

// Owns its socket, which does not block.
class Stream {
 public:
  Stream(int socket, std::uint32_t host, std::uint32_t client, std::uint32_t most_data,
         DataPlaces* places) noexcept
      : reader_(most_data, places), host_(host), client_(client), socket_(socket) {
    name_ = "host " + std::to_string(host);
  }
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int socket() const noexcept { return socket_; }
  std::uint32_t host() const noexcept { return host_; }
  std::uint32_t client() const noexcept { return client_; }
  const std::string& name() const noexcept { return name_; }  // in traces
  PacketReader& reader() noexcept { return reader_; }

  // Whether a packet may be given to it. It keeps the rest that the kernel does not take.
  bool clear() const noexcept { return rest_.size() == written_; }
  // ok: taken; again: no room, nothing happened; peer_failed: the connection is broken.
  Status write(const Packet& packet, ByteView data, bool more = false) noexcept;
  Status write_rest() noexcept;

  void close() noexcept;
  bool open() const noexcept { return socket_ >= 0; }

  // World ranks that have something to send here and may be able to.
  std::deque<std::uint32_t> waiting;
  std::uint32_t last_source = ~0u;
  bool wants_room = false;   // registered for the event that there is room
  bool fini_wanted = false;  // to be sent when all else has left
  bool fini_sent = false;
  bool fini_received = false;

 private:
  PacketReader reader_;
  std::string name_;
  std::uint32_t host_;
  std::uint32_t client_;
  int socket_;
  Bytes rest_;  // of the last packet
  std::size_t written_ = 0;
};

}  // namespace tessera::impi
