// SPDX-License-Identifier: BSD-3-Clause
// Making, encoding and judging address cards.
#include "card.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "socket.h"

namespace tessera::btl::tcp {
namespace {

constexpr std::byte kCardVersion{3};
constexpr std::size_t kFixedBytes = 4 + 16 + 16 + std::tuple_size_v<HostId> + 1;

// From the system call, or where a sandbox denies it, from the device; false: from neither.
bool fill_random(std::span<std::byte> bytes) noexcept {
  Socket device;
  while (!bytes.empty()) {
    const ssize_t got = device.valid() ? ::read(device.get(), bytes.data(), bytes.size())
                                       : getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      if (device.valid()) return false;
      device = Socket(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
      if (!device.valid()) return false;
    }
  }
  return true;
}

// Differs from that of other processes, but can be guessed.
void fill_unlike_others(std::span<std::byte> bytes) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::uint64_t parts[] = {
      static_cast<std::uint64_t>(now.tv_sec) << 32 ^ static_cast<std::uint64_t>(now.tv_nsec),
      static_cast<std::uint64_t>(getpid())};
  std::memcpy(bytes.data(), parts, std::min(bytes.size(), sizeof parts));
}

// The kernel's boot id without its dashes, packed two digits to a byte; false where it cannot be
// read.
bool read_boot_id(std::byte* out) noexcept {
  const Socket file(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[36];
  if (!file.valid() || ::read(file.get(), text, sizeof text) != sizeof text) return false;
  unsigned digit = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const unsigned value = static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10) & 15u;
    if (digit >= 32) return false;
    out[digit / 2] |= static_cast<std::byte>(value << (digit % 2 == 0 ? 4 : 0));
    ++digit;
  }
  return digit == 32;
}

bool has_family(const std::vector<Interface>& mine, bool is_v4) {
  return std::any_of(mine.begin(), mine.end(), [&](const Interface& i) {
    return i.address.is_v4() == is_v4 && !i.address.is_loopback();
  });
}

bool has_loopback(const std::vector<Interface>& mine, bool is_v4) {
  return std::any_of(mine.begin(), mine.end(), [&](const Interface& i) {
    return i.address.is_v4() == is_v4 && i.address.is_loopback();
  });
}

bool same_subnet(const std::vector<Interface>& mine, const Address& address) {
  return std::any_of(mine.begin(), mine.end(), [&](const Interface& i) {
    return !i.address.is_loopback() && address.in_network(i.address, i.prefix);
  });
}

bool same_kind(const std::vector<Interface>& mine, const Address& address) {
  return std::any_of(mine.begin(), mine.end(), [&](const Interface& i) {
    return !i.address.is_loopback() && i.address.is_v4() == address.is_v4() &&
           i.address.is_private() == address.is_private();
  });
}

// Lower is better; none: not worth a call.
std::optional<int> rank_of(const Address& address, bool same_host,
                           const std::vector<Interface>& mine) {
  if (address.is_loopback()) {
    if (!same_host || !has_loopback(mine, address.is_v4())) return std::nullopt;
    return address.is_v4() ? 0 : 1;
  }
  if (same_subnet(mine, address)) return 2;
  if (!has_family(mine, address.is_v4())) return std::nullopt;
  return same_kind(mine, address) ? 3 : 4;
}

}  // namespace

HostId this_host() noexcept {
  HostId id{};
  // Without a boot id nothing tells two hosts apart, so this one is given an identity that no other
  // has.
  if (!read_boot_id(id.data()) && !fill_random(id)) fill_unlike_others(id);
  struct stat space {};
  const std::uint64_t inode = stat("/proc/self/ns/net", &space) == 0 ? space.st_ino : 0;
  put(id.data() + 16, inode);
  return id;
}

std::string this_node() {
  char name[kNodeBytes + 1] = "";
  (void)gethostname(name, sizeof name);
  name[kNodeBytes] = 0;
  return name;
}

std::optional<Secret> make_secret() noexcept {
  Secret secret;
  if (!fill_random(secret)) return std::nullopt;
  return secret;
}

std::vector<std::byte> Card::encode() const {
  const std::size_t count = std::min(addresses.size(), kMaxAddresses);
  std::vector<std::byte> bytes(kFixedBytes);
  bytes[0] = kCardVersion;
  bytes[1] = static_cast<std::byte>(count);
  put(&bytes[2], port);
  std::memcpy(&bytes[4], door.data(), door.size());
  std::memcpy(&bytes[20], sign.data(), sign.size());
  std::memcpy(&bytes[36], host.data(), host.size());
  const std::string_view name = std::string_view(node).substr(0, kNodeBytes);
  bytes[kFixedBytes - 1] = static_cast<std::byte>(name.size());
  for (const char c : name) bytes.push_back(static_cast<std::byte>(c));
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(addresses[i].size()));
    bytes.insert(bytes.end(), addresses[i].bytes(), addresses[i].bytes() + addresses[i].size());
  }
  return bytes;
}

std::optional<Card> Card::decode(std::span<const std::byte> bytes) {
  if (bytes.size() < kFixedBytes || bytes[0] != kCardVersion) return std::nullopt;
  Card card;
  card.port = take<std::uint16_t>(&bytes[2]);
  std::memcpy(card.door.data(), &bytes[4], card.door.size());
  std::memcpy(card.sign.data(), &bytes[20], card.sign.size());
  std::memcpy(card.host.data(), &bytes[36], card.host.size());
  const auto count = std::to_integer<std::size_t>(bytes[1]);
  const auto name_bytes = std::to_integer<std::size_t>(bytes[kFixedBytes - 1]);
  bytes = bytes.subspan(kFixedBytes);
  if (name_bytes > kNodeBytes || name_bytes > bytes.size()) return std::nullopt;
  card.node.assign(reinterpret_cast<const char*>(bytes.data()), name_bytes);
  bytes = bytes.subspan(name_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = bytes.empty() ? 0 : std::to_integer<std::size_t>(bytes[0]);
    if ((size != 4 && size != 16) || bytes.size() < 1 + size) return std::nullopt;
    card.addresses.push_back(size == 4 ? Address::v4(&bytes[1]) : Address::v6(&bytes[1]));
    bytes = bytes.subspan(1 + size);
  }
  return card;
}

std::vector<Address> rank_addresses(const Card& card, const HostId& my_host,
                                    const std::vector<Interface>& mine, unsigned link) {
  const bool same_host = card.host == my_host;
  std::vector<std::pair<int, Address>> ranked;
  for (const Address& address : card.addresses) {
    if (const auto rank = rank_of(address, same_host, mine)) ranked.emplace_back(*rank, address);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto from = ranked.begin(), to = from; from != ranked.end(); from = to) {
    to =
        std::find_if(from, ranked.end(), [&](const auto& one) { return one.first != from->first; });
    std::rotate(from, from + link % (to - from), to);
  }
  std::vector<Address> result;
  for (const auto& [rank, address] : ranked) result.push_back(address);
  return result;
}

}  // namespace tessera::btl::tcp
