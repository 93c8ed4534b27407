// SPDX-License-Identifier: BSD-3-Clause
// Fences and cards in a region of the job segment.
#include "core/boot/host_exchange.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace tessera {
namespace {

constexpr std::string_view kRegion = "carrier";
constexpr std::string_view kCards = "carrier.cards";
constexpr std::size_t kHeadBytes = 64;
constexpr std::uint32_t kPastAllFences = UINT32_MAX;

// Where the cards of a node are in the region of cards.
struct CardPlace {
  std::uint64_t offset;
  std::uint64_t bytes;
};

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

Result<HostExchange> HostExchange::of(JobSegment& segment) noexcept {
  static_assert(sizeof(Head) <= kHeadBytes);
  const std::size_t bytes =
      kHeadBytes + sizeof(std::uint32_t) * (std::size_t{segment.ranks()} + segment.job_size());
  auto region = segment.region(kRegion, bytes);
  if (!region.ok()) return region.status();
  if (Status s = region->commit(0, bytes); !s) return s;
  return HostExchange(segment, *region);
}

std::span<std::atomic<std::uint32_t>> HostExchange::arrived() const noexcept {
  return {reinterpret_cast<std::atomic<std::uint32_t>*>(region_.base() + kHeadBytes),
          segment_->ranks()};
}

std::span<std::uint32_t> HostExchange::nodes() const noexcept {
  return {reinterpret_cast<std::uint32_t*>(region_.base() + kHeadBytes) + segment_->ranks(),
          segment_->job_size()};
}

void HostExchange::call() noexcept {
  head().calls.fetch_add(1, std::memory_order_seq_cst);
  wake_all(head().calls);
}

void HostExchange::cross(std::uint32_t local, Fence fence) noexcept {
  arrived()[local].store(fence, std::memory_order_seq_cst);
  call();
  for (;;) {
    const std::uint32_t crossed = head().crossed.load(std::memory_order_acquire);
    if (crossed >= fence) return;
    sleep_while(head().crossed, crossed);
  }
}

bool HostExchange::all_at(Fence fence) const noexcept {
  const auto all = arrived();
  return std::all_of(all.begin(), all.end(), [fence](const std::atomic<std::uint32_t>& one) {
    return one.load(std::memory_order_acquire) >= fence;
  });
}

void HostExchange::await_ranks(Fence fence) noexcept {
  for (;;) {
    const std::uint32_t calls = head().calls.load(std::memory_order_seq_cst);
    if (all_at(fence) || head().given_up.load(std::memory_order_acquire) != 0) return;
    sleep_while(head().calls, calls);
  }
}

void HostExchange::rank_ended(std::uint32_t local) noexcept {
  arrived()[local].store(kPastAllFences, std::memory_order_seq_cst);
  call();
}

void HostExchange::give_up() noexcept {
  head().given_up.store(1, std::memory_order_seq_cst);
  call();
}

void HostExchange::crossed(Fence fence) noexcept {
  head().crossed.store(fence, std::memory_order_release);
  wake_all(head().crossed);
}

Status HostExchange::show_cards(const std::vector<std::vector<std::byte>>& cards) noexcept {
  std::uint64_t end = cards.size() * sizeof(CardPlace);
  for (const auto& each : cards) end += each.size();
  auto region = segment_->region(kCards, end);
  if (!region.ok()) return region.status();
  if (Status s = region->commit(0, end); !s) return s;
  auto* const places = reinterpret_cast<CardPlace*>(region->base());
  std::uint64_t offset = cards.size() * sizeof(CardPlace);
  for (std::size_t node = 0; node < cards.size(); ++node) {
    places[node] = {offset, cards[node].size()};
    if (!cards[node].empty())
      std::memcpy(region->base() + offset, cards[node].data(), cards[node].size());
    offset += cards[node].size();
  }
  head().card_bytes = end;
  return {};
}

Result<std::span<const std::byte>> HostExchange::cards_of(std::uint32_t node) noexcept {
  auto region = segment_->region(kCards, head().card_bytes);
  if (!region.ok()) return region.status();
  const CardPlace& place = reinterpret_cast<const CardPlace*>(region->base())[node];
  return std::span<const std::byte>(region->base() + place.offset, place.bytes);
}

}  // namespace tessera
