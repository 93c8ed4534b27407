// SPDX-License-Identifier: BSD-3-Clause
// Sending through the ring; single copies.
#include "endpoint.h"

#include <cstdio>

#include "single_copy.h"
#include "tessera/cma.h"

namespace tessera::btl::sm {

Status Shared::commit(std::size_t offset, std::size_t bytes) const noexcept {
  const Status status = region.commit(offset, bytes);
  if (status.ok()) return status;
  char text[512];
  std::snprintf(text, sizeof text,
                "shared memory for the ring of %zu bytes to another process could not be taken "
                "(%s); a smaller btl_sm_ring_size or btl_sm_slots needs less",
                bytes, status.text());
  return Status::failure(status.code(), text);
}

Status SmEndpoint::send(const Packet& packet) noexcept {
  if (!outbox_.has_slot()) [[unlikely]] {
    if (Status status = make_slot(); !status) return status;
  }
  if (packet.header_bytes + packet.payload_bytes > kInline) return send_long(packet);
  outbox_.put_inline(packet);
  ring_bell();
  return {};
}

Status SmEndpoint::send_long(const Packet& packet) noexcept {
  if (!outbox_.put_long(packet)) [[unlikely]] {
    if (Status status = make_data(packet); !status) return status;
    if (!outbox_.put_long(packet))
      return peer().failed.load(std::memory_order_relaxed) ? Errc::peer_failed : Errc::again;
  }
  ring_bell();
  return {};
}

Status SmEndpoint::make_slot() noexcept {
  if (Status status = open(); !status) return status;
  outbox_.collect_credit();
  if (outbox_.has_slot()) return {};
  return peer().failed.load(std::memory_order_relaxed) ? Errc::peer_failed : Errc::again;
}

Status SmEndpoint::make_data(const Packet& packet) noexcept {
  if (packet.header_bytes + packet.payload_bytes > shared_.geometry.max_packet()) {
    return Status::failure(Errc::argument, "a packet for btl sm is longer than its max_packet");
  }
  if (data_open_) {
    outbox_.collect_credit();
    return {};
  }
  const Geometry& geometry = shared_.geometry;
  const std::size_t offset = geometry.pair(shared_.me, number_) + geometry.data_offset();
  if (Status status = shared_.commit(offset, geometry.data); !status) return status;
  outbox_.admit_data();
  data_open_ = true;
  return {};
}

Status SmEndpoint::open() noexcept {
  if (open_) return {};
  const Geometry& geometry = shared_.geometry;
  const std::size_t offset = geometry.pair(shared_.me, number_);
  if (Status status = shared_.commit(offset, geometry.data_offset()); !status) return status;
  outbox_.admit_slots();
  open_ = true;
  announce();
  return {};
}

// Two senders may announce themselves at the same time: each takes a place first and fills it then;
// the receiver reads the list up to the first empty place.
void SmEndpoint::announce() noexcept {
  ProcessEntry& theirs = shared_.process_entry(number_);
  const std::uint32_t place = theirs.openings.fetch_add(1, std::memory_order_relaxed);
  theirs.opened()[place].store(shared_.me + 1, std::memory_order_release);
  ring_bell();
}

Status SmEndpoint::get(void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  if (Status status = reach(); !status) return status;
  ++copies_;
  copied_bytes_ += bytes;
  return read_process(shared_.process_entry(number_).pid.load(std::memory_order_relaxed), local,
                      remote, bytes);
}

Status SmEndpoint::put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  if (Status status = reach(); !status) return status;
  ++copies_;
  copied_bytes_ += bytes;
  return write_process(shared_.process_entry(number_).pid.load(std::memory_order_relaxed), local,
                       remote, bytes);
}

Status SmEndpoint::reach() noexcept {
  if (reach_ == Reach::granted || direct()) [[likely]]
    return {};
  return Errc::unsupported;
}

// A peer that has not opened this btl yet is asked again at the next call. Who demands cma gets its
// errors from get().
bool SmEndpoint::direct() noexcept {
  if (reach_ != Reach::unknown) return reach_ == Reach::granted;
  const ProcessEntry& theirs = shared_.process_entry(number_);
  const std::int32_t pid = theirs.pid.load(std::memory_order_acquire);
  if (pid == 0) return false;
  const CmaProbe probe{theirs.probe_address.load(std::memory_order_relaxed),
                       theirs.probe_value.load(std::memory_order_relaxed)};
  const bool granted = shared_.single_copy == SingleCopy::cma ||
                       (shared_.single_copy == SingleCopy::automatic && try_probe(pid, probe) == 0);
  reach_ = granted ? Reach::granted : Reach::denied;
  return granted;
}

}  // namespace tessera::btl::sm
