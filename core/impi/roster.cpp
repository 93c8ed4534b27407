// SPDX-License-Identifier: BSD-3-Clause
// From the labels that the server gathered to a Roster.
#include "core/impi/roster.h"

#include <new>

#include "impi/wire/address.h"
#include "impi/wire/directory.h"

namespace tessera::impi {
namespace {

Status wrong(const std::string& what) {
  return Status::failure(Errc::argument, "the systems of this job do not fit together: " + what);
}

Roster roster_of(const Directory& directory) {
  Roster roster;
  roster.clients = directory.clients;
  for (const impi::Host& host : directory.hosts)
    roster.hosts.push_back({host.address, host.port, host.client});
  for (const Process& process : directory.processes)
    roster.processes.push_back({process.id, process.host, roster.hosts[process.host].client});
  const Limits& limits = directory.limits;
  roster.terms = {
      limits.datalen, limits.ackmark,   limits.hiwater, static_cast<std::int32_t>(limits.tag_ub),
      limits.xsize,   limits.maxlinear, limits.version};
  return roster;
}

}  // namespace

std::uint32_t Roster::first_of(std::uint32_t client) const noexcept {
  std::uint32_t rank = 0;
  while (rank < processes.size() && processes[rank].client < client) ++rank;
  return rank;
}

std::string Roster::name_of(std::uint32_t client) const {
  const ProcessEntry& first = processes[first_of(client)];
  return "system " + std::to_string(client) + " (" + text_of(hosts[first.host].address) + ")";
}

Bytes encode_answers(const Answers& answers, std::uint32_t clients) {
  Bytes bytes;
  append_number(bytes, clients);
  for (const auto& [label, gathered] : answers) {
    append_number(bytes, label);
    append_number(bytes, gathered.clients);
    append_number(bytes, static_cast<std::uint32_t>(gathered.values.size()));
    append(bytes, gathered.values);
  }
  return bytes;
}

Result<Roster> roster_from(ByteView bytes) noexcept try {
  Reader reader(bytes);
  DirectoryBuilder builder(reader.u32());
  while (reader.ok() && reader.left() > 0) {
    const std::uint32_t label = reader.u32();
    const std::uint32_t clients = reader.u32();
    const CollReply reply{label, clients, reader.take(reader.u32())};
    if (const Checked taken = builder.take(reply); !taken.ok()) return wrong(taken.text());
  }
  const auto directory = builder.finish();
  if (!directory.ok()) return wrong(directory.text());
  return roster_of(directory.value());
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

}  // namespace tessera::impi
