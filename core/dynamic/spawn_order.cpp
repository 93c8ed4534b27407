// SPDX-License-Identifier: BSD-3-Clause
// Orders as bytes, and the sets of the info key soft.
#include "core/dynamic/spawn_order.h"

#include <algorithm>
#include <charconv>

#include "core/dynamic/packing.h"
#include "framework/text.h"

namespace tessera {
namespace {

bool read(std::string_view text, std::int64_t& value) {
  text = text::trim(text);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

// The largest from `from` to `to` by `step` that lies within 0 and most; -1: none.
std::int64_t largest_of_row(std::int64_t from, std::int64_t to, std::int64_t step,
                            std::int64_t most) {
  if (step < 0) {
    const std::int64_t count = from < to ? -1 : (from - to) / -step;
    if (count < 0) return -1;
    to = from;
    from = from + count * step;
    step = -step;
  }
  const std::int64_t end = std::min(to, most);
  if (end < from) return -1;
  const std::int64_t last = from + (end - from) / step * step;
  return last >= 0 ? last : -1;
}

Status no_set(std::string_view set) {
  return Status::failure(Errc::argument,
                         "info key soft is '" + std::string(set) +
                             "'; it lists numbers and triplets begin:end:step, such as 2:10:4,7");
}

}  // namespace

Result<std::uint32_t> largest_of(std::string_view set, std::uint32_t most) {
  std::int64_t largest = -1;
  for (const std::string_view part : text::split(set, ',')) {
    const auto numbers = text::split(part, ':');
    std::int64_t row[3] = {0, 0, 1};
    if (numbers.size() > 3) return no_set(set);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!read(numbers[i], row[i])) return no_set(set);
    }
    if (numbers.size() == 1) row[1] = row[0];
    if (row[2] == 0) return no_set(set);
    largest = std::max(largest, largest_of_row(row[0], row[1], row[2], most));
  }
  if (largest >= 0) return static_cast<std::uint32_t>(largest);
  return Status::failure(Errc::argument, "info key soft is '" + std::string(set) +
                                             "', which has no number from 0 to " +
                                             std::to_string(most));
}

std::uint32_t SpawnOrder::wanted() const noexcept {
  std::uint32_t sum = 0;
  for (const SpawnCommand& command : commands) sum += command.wanted;
  return sum;
}

std::vector<std::byte> SpawnOrder::pack() const {
  Packer packer;
  packer.text(directory);
  packer.text(port);
  packer.number(job);
  packer.number(commands.size());
  for (const SpawnCommand& command : commands) {
    packer.text(command.program);
    packer.texts(command.arguments);
    packer.number(command.most);
    packer.number(command.wanted);
    packer.text(command.directory);
    packer.text(command.path);
    packer.text(command.host);
    packer.text(command.arch);
    packer.texts(command.environment);
  }
  return packer.take();
}

std::optional<SpawnOrder> SpawnOrder::unpack(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  SpawnOrder order;
  order.directory = unpacker.text();
  order.port = unpacker.text();
  order.job = unpacker.number();
  const std::uint64_t count = unpacker.number();
  for (std::uint64_t i = 0; i < count && unpacker.good(); ++i) {
    SpawnCommand command;
    command.program = unpacker.text();
    command.arguments = unpacker.texts();
    command.most = static_cast<std::uint32_t>(unpacker.number());
    command.wanted = static_cast<std::uint32_t>(unpacker.number());
    command.directory = unpacker.text();
    command.path = unpacker.text();
    command.host = unpacker.text();
    command.arch = unpacker.text();
    command.environment = unpacker.texts();
    order.commands.push_back(std::move(command));
  }
  if (!unpacker.finished()) return std::nullopt;
  return order;
}

}  // namespace tessera
