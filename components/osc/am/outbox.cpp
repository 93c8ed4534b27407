// SPDX-License-Identifier: BSD-3-Clause
// Sending what waits, as far as there is room.
#include "outbox.h"

#include <algorithm>
#include <utility>

#include "tessera/cpu.h"

namespace tessera::osc::am {
namespace {

// Whole elements of every size, so that none is cut, and a little more than a power of two: so many
// bytes have no short piece behind them.
constexpr std::size_t kLongest = round_up(64 * 1024, kUnit);
// Measured: docs/decisions/0065.
constexpr std::size_t kLongestDirect = 1024 * 1024;
constexpr std::size_t kLongestOperands =
    round_up(128 * 1024, kUnit);  // they wait in a second-level cache

std::size_t whole_elements(std::size_t most, std::size_t room) noexcept {
  return std::max(kUnit, std::min(most, room / kUnit * kUnit));
}

}  // namespace

// Data that land may be cut anywhere.
Outbox::Outbox(pml::Route route) noexcept : endpoint_(route.endpoint) {
  const std::size_t room = route.attributes->max_packet - btl::kMaxHeader;
  chunk_ = whole_elements(kLongest, room);
  const bool lands = (route.attributes->capabilities & btl::can_land) != 0;
  direct_chunk_ = lands ? std::max(chunk_, std::min(kLongestDirect, room)) : chunk_;
  operand_chunk_ = lands ? whole_elements(kLongestOperands, room) : chunk_;
}

Status Outbox::send(const Header& header, std::span<const std::byte> payload, bool lent) noexcept {
  return endpoint_->send({.channel = btl::Channel::osc,
                          .header_bytes = sizeof header,
                          .header = &header,
                          .payload = payload.data(),
                          .payload_bytes = payload.size(),
                          .lent = lent});
}

void Outbox::post(const Header& header, std::span<const std::byte> payload) {
  if (jobs_.empty() && send(header, payload, false).code() != Errc::again) return;
  lend(header, {}, false);
  Job& job = jobs_.back();
  job.owned.assign(payload.begin(), payload.end());
  job.payload = job.owned;
}

void Outbox::lend(const Header& header, std::span<const std::byte> payload, bool lent) {
  Job& job = jobs_.emplace_back();
  job.header = header;
  job.payload = payload;
  job.lent = lent;
}

void Outbox::post(const ResultStream& stream) {
  Job job;
  job.header = stream.header;
  job.type = stream.type;
  job.base = stream.base;
  job.stream = true;
  jobs_.push_back(std::move(job));
  push();
}

// Results may be lent: whoever may change the window after them has heard from the origin, which
// waits for them before it ends the epoch.
bool Outbox::push(Job& job, bool& some) noexcept {
  if (!job.stream) return send(job.header, job.payload, job.lent).code() != Errc::again;
  std::byte buffer[kLongest];
  while (job.header.position < job.header.total) {
    FlatCursor cursor(job.type.get(), job.base, job.header.total, job.header.position);
    std::span<const std::byte> data = cursor.run();
    const std::uint64_t whole = std::min<std::uint64_t>(direct_chunk_, cursor.remaining());
    const bool direct = (job.header.flags & Flag::lands) != 0 && data.size() >= whole;
    const std::size_t n = direct ? whole : std::min<std::uint64_t>(chunk_, whole);
    if (data.size() < n) {
      cursor.read({buffer, n});
      data = {buffer, n};
    }
    if (send(job.header, data.first(n), direct).code() == Errc::again) return false;
    job.header.position += n;
    some = true;
  }
  return true;
}

// Packets to this process itself are delivered inside, and may be answered by further ones.
// A packet of a peer that is lost is gone: what waits for it ends by itself.
bool Outbox::push() noexcept {
  if (std::exchange(pushing_, true)) return false;
  bool some = false;
  while (!dropped_ && !jobs_.empty() && push(jobs_.front(), some)) {
    jobs_.pop_front();
    some = true;
  }
  pushing_ = false;
  if (dropped_) jobs_.clear();
  return some;
}

}  // namespace tessera::osc::am
