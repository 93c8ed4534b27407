// SPDX-License-Identifier: BSD-3-Clause
// What all clients of a job know after start-up: hosts, processes, agreed limits.
#pragma once
//
// Contract. A DirectoryBuilder takes the labels as the server sends them, in ascending order, each
// once; labels it does not know it passes over. A client that does not send a label with an agreed
// limit is taken to accept any (of the tag: the least that the protocol promises); a client that
// does not say where its hosts and processes are cannot take part. finish() answers the directory,
// or says which client sent what that cannot be. All sizes are bounded by what has arrived.
//
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "impi/wire/command.h"
#include "impi/wire/labels.h"
#include "impi/wire/outcome.h"

namespace tessera::impi {

struct Host {
  std::uint32_t client = 0;
  HostId address{};
  std::uint16_t port = 0;
  std::uint32_t first_process = 0;  // rank in MPI_COMM_WORLD
  std::uint32_t processes = 0;
};

struct Process {
  ProcId id;
  std::uint32_t host = 0;  // index in Directory::hosts
};

struct Limits {
  std::uint32_t datalen = 0;  // most bytes of user data in a packet
  std::uint32_t tag_ub = kLeastTagUb;
  std::uint32_t ackmark = 0;
  std::uint32_t hiwater = 0;
  std::int32_t xsize = kDefaultXsize;
  std::int32_t maxlinear = kDefaultMaxlinear;
  Version version;
};

struct Directory {
  std::uint32_t clients = 0;
  std::vector<Host> hosts;         // by global host rank
  std::vector<Process> processes;  // by rank in MPI_COMM_WORLD
  Limits limits;
};

class DirectoryBuilder {
 public:
  explicit DirectoryBuilder(std::uint32_t clients) : clients_(clients) {}

  Checked take(const CollReply& reply);
  Outcome<Directory> finish() const;

 private:
  struct Gathered {
    std::uint32_t clients = 0;
    Bytes values;
  };
  // The elements that a label has per client: 1, or what the counting labels say.
  Outcome<std::vector<std::uint32_t>> counts(Scope scope) const;
  Outcome<std::uint64_t> expected_bytes(const LabelRule& rule, std::uint32_t clients) const;
  Outcome<std::vector<std::uint32_t>> numbers(Label label, bool all_clients) const;
  Outcome<std::vector<HostId>> addresses(Label label) const;
  Checked fill_hosts(Directory& job) const;
  Checked fill_processes(Directory& job) const;
  Checked fill_limits(Limits& limits) const;
  Checked fill_thresholds(Limits& limits) const;
  std::string who_is_missing(std::uint32_t clients) const;

  std::uint32_t clients_;
  std::map<Label, Gathered> gathered_;
  std::uint32_t last_label_ = 0;
};

}  // namespace tessera::impi
