// SPDX-License-Identifier: BSD-3-Clause
// What the server knows of the job: who has come, and which labels are complete.
#pragma once
//
// Contract. No sockets and no clocks. Ranks come by join(), labels by submit(), the end of a
// client's labels by done(). collect() answers what all clients must now be sent, in order; it
// looks at the first entry of each client's queue: as labels ascend, the lowest one is complete as
// soon as each queue has an entry. A submission that breaks the protocol is refused with a Fault
// that names the client; the caller closes it. Memory: a client's queue holds at most kMostQueued
// bytes and kMostLabels labels.
//
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "impi/wire/bytes.h"
#include "impi/wire/outcome.h"

namespace tessera::impi {

class Rendezvous {
 public:
  static constexpr std::size_t kMostQueued = 16U << 20;
  static constexpr std::size_t kMostLabels = 4096;

  explicit Rendezvous(std::uint32_t clients) : clients_(clients) {}

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(clients_.size()); }

  Checked join(std::int32_t rank);
  bool all_joined() const noexcept;
  Checked submit(std::uint32_t rank, std::uint32_t label, ByteView values);
  Checked done(std::uint32_t rank);
  Checked fini(std::uint32_t rank);
  bool all_finished() const noexcept;
  bool started() const noexcept { return started_; }  // DONE was sent to all

  // Commands for all clients, ready to send.
  std::vector<Bytes> collect();

  // "client 1 and client 3 of 4 have not come", "client 2 has sent neither C_NHOSTS nor DONE".
  std::string who_is_missing() const;

 private:
  struct Item {
    std::uint32_t label = 0;
    bool done = false;
    Bytes values;
  };
  struct Client {
    bool joined = false;
    bool done = false;
    bool finished = false;
    std::uint32_t last_label = 0;
    std::size_t queued = 0;
    std::deque<Item> items;
  };
  bool each_has_an_item() const noexcept;
  Bytes next_reply();

  std::vector<Client> clients_;
  std::uint32_t last_reply_ = 0;
  bool started_ = false;
};

}  // namespace tessera::impi
