// SPDX-License-Identifier: BSD-3-Clause
// Rosters as bytes.
#include "core/dynamic/roster.h"

namespace tessera {
namespace {

std::uint64_t bits(std::int32_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}
std::int32_t number(std::uint64_t bits) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

}  // namespace

void Row::write(Packer& packer) const {
  packer.number(name.job);
  packer.number(name.index);
  packer.number(host);
  packer.number(bits(pid));
  packer.number(bits(descriptor));
  packer.number(page);
  packer.number(memory ? 1 : 0);
  packer.bytes(cards);
}

Row Row::read(Unpacker& unpacker) {
  Row row;
  row.name.job = unpacker.number();
  row.name.index = static_cast<std::uint32_t>(unpacker.number());
  row.host = unpacker.number();
  row.pid = number(unpacker.number());
  row.descriptor = number(unpacker.number());
  row.page = static_cast<std::uint32_t>(unpacker.number());
  row.memory = unpacker.number() != 0;
  const auto cards = unpacker.bytes();
  row.cards.assign(cards.begin(), cards.end());
  return row;
}

std::vector<std::byte> Roster::pack() const {
  Packer packer;
  packer.number(bits(memory_pid));
  packer.number(bits(memory_descriptor));
  packer.number(memory_id);
  packer.number(rows.size());
  for (const Row& row : rows) row.write(packer);
  return packer.take();
}

Result<Roster> Roster::unpack(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  Roster roster;
  roster.memory_pid = number(unpacker.number());
  roster.memory_descriptor = number(unpacker.number());
  roster.memory_id = unpacker.number();
  const std::uint64_t count = unpacker.number();
  for (std::uint64_t i = 0; i < count && unpacker.good(); ++i)
    roster.rows.push_back(Row::read(unpacker));
  if (!unpacker.finished())
    return Status::failure(Errc::argument, "the other group's list of processes is damaged");
  return roster;
}

}  // namespace tessera
