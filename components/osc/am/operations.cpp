// SPDX-License-Identifier: BSD-3-Clause
// Operations at the origin: data leaves in pieces, results come back under a number.
#include <algorithm>
#include <cstring>

#include "waits.h"

namespace tessera::osc::am {
namespace {

// Results that may be on the way from one target, so that it need not queue more.
constexpr std::uint64_t kMostResults = 4u << 20;

std::uint64_t bytes_of(const Local& local) noexcept {
  return static_cast<std::uint64_t>(local.count * local.type->size());
}
std::uint64_t bytes_of(const Remote& remote) noexcept {
  return static_cast<std::uint64_t>(remote.count * remote.type->size());
}

}  // namespace

// All that has gathered, if only what follows it. Other threads may gather meanwhile.
Status AmModule::send_batch(int rank, int flags, std::uint64_t id) {
  if (Status s = await_lock(rank); !s) return s;
  if (target(rank).held == Target::Held::wanted) flags |= lock_flags(rank);
  Batch& batch = target(rank).batch;
  std::vector<std::byte> payload = batch.take();
  Header head = header(Kind::batch);
  head.flags = static_cast<std::uint8_t>(flags);
  head.id = id;
  const Status sent = transmit(rank, head, payload);
  batch.reuse(std::move(payload));
  return sent;
}

Outbox* AmModule::way_to(int rank) {
  Outbox*& way = target(rank).way;
  if (way == nullptr) way = network_.outbox(peer(rank));
  return way;
}

Status AmModule::issue_small(const Local& from, int rank, const Header& operation,
                             const Outbox& out) {
  Target& to = target(rank);
  if (rank == window_.rank() && out.empty() && to.batch.empty())
    return carry_out_here(from, operation), Status();
  to.dirty = true;
  return gather(from, rank, operation, out.chunk());
}

Status AmModule::gather(const Local& from, int rank, const Header& operation, std::size_t packet) {
  Batch& batch = target(rank).batch;
  while (!batch.has_room(operation.total, packet)) {
    if (Status s = send_batch(rank); !s) return s;
  }
  std::byte* const data = batch.add(operation);
  if (from.type->contiguous())
    std::memcpy(data, from.buffer, operation.total);
  else
    PackCursor(*from.type, from.buffer, from.count).pack(data, operation.total);
  return {};
}

// A small operation of this process on its own memory: no message, so nothing to be flushed. The
// data may lie where the operation goes, as those of a batch may.
void AmModule::carry_out_here(const Local& from, const Header& operation) {
  alignas(16) std::byte data[Batch::kMostData];
  if (from.type->contiguous())
    std::memcpy(data, from.buffer, operation.total);
  else
    PackCursor(*from.type, from.buffer, from.count).pack(data, operation.total);
  receive_small(operation, {data, operation.total});
}

// Pieces hold whole elements, and each is right by itself: the target keeps nothing in between.
Status AmModule::stream_out(const Local& from, const Remote& to, Header header, unsigned lent_of) {
  header.displacement = to.displacement;
  header.total = bytes_of(to);
  Outbox* const out = way_to(to.rank);
  if (out == nullptr) return failed_rank(to.rank);
  const bool answered = header.kind == Kind::fetch;
  // Types that are known by number may be forgotten before it leaves.
  if (!answered && to.type->contiguous() && Batch::takes(header.total, out->chunk()))
    return issue_small(from, to.rank, header, *out);
  const auto number = network_.number_at(peer(to.rank), *to.type, window_.number());
  if (!number.ok()) return number.status();
  header.type = number.value();
  header.units = static_cast<std::uint16_t>(out->chunk() / kUnit);
  if (!answered) target(to.rank).dirty = true;
  const bool direct = header.kind == Kind::put && header.type == 0 && from.type->contiguous() &&
                      window_.flavor() != Flavor::dynamic;
  const bool operands = header.kind == Kind::accumulate && from.type->contiguous();
  const std::size_t longest = direct     ? out->direct_chunk()
                              : operands ? out->operand_chunk()
                                         : out->chunk();
  if (!from.type->contiguous()) lent_of = 0;
  unsigned copied = 0;  // since the last one that was lent
  PackCursor cursor(*from.type, from.buffer, from.count);
  const bool none = from.type == to.type && from.buffer == nullptr;
  std::vector<std::byte> piece(
      from.type->contiguous() ? 0 : std::min<std::uint64_t>(out->chunk(), header.total));
  while (header.position < header.total) {
    const std::size_t n = std::min<std::uint64_t>(longest, header.total - header.position);
    std::span<const std::byte> data;
    if (none) {
      data = {};
    } else if (from.type->contiguous()) {
      data = {static_cast<const std::byte*>(from.buffer) + header.position, n};
    } else {
      cursor.pack(piece.data(), n);
      data = {piece.data(), n};
    }
    const bool lent = lent_of != 0 && ++copied == lent_of;
    if (lent) copied = 0, target(to.rank).lent = target(to.rank).flushes + 1;
    if (Status s = send(to.rank, header, data, lent); !s) return s;
    header.position += n;
  }
  return {};
}

// Whether the target answers before the origin's buffer is free: neither the request of an MPI_Rput
// nor the end of an epoch of MPI_Win_start waits for an answer.
bool AmModule::may_lend(int rank, const Ticket* ticket) noexcept {
  return ticket == nullptr && !target(rank).started;
}

Status AmModule::put(const Local& from, const Remote& to, Ticket* ticket) noexcept {
  return stream_out(from, to, header(Kind::put), may_lend(to.rank, ticket) ? 1 : 0);
}

// The target, which combines, receives faster what a processor has just written than what lies in
// memory; the origin sends faster what it does not copy. With a third lent, neither waits for the
// other (docs/decisions/0148).
Status AmModule::accumulate(const Local& from, const Remote& to, const Combination& how,
                            Ticket* ticket) noexcept {
  constexpr unsigned kLentOf = 3;
  Header head = header(Kind::accumulate);
  head.op = how.op_number;
  head.element = how.element_number;
  return stream_out(from, to, head, may_lend(to.rank, ticket) ? kLentOf : 0);
}

std::uint64_t AmModule::expect(const Local& into, int rank, Ticket* ticket) {
  const std::uint64_t id = next_id_++;
  into.type->hold();
  pending_.emplace(id, Pending{into, bytes_of(into), rank, ticket});
  ++target(rank).pending;
  target(rank).bytes += bytes_of(into);
  if (ticket != nullptr) ticket->hold();
  return id;
}

Status AmModule::get(const Local& into, const Remote& from, Ticket* ticket) noexcept {
  const auto number = network_.number_at(peer(from.rank), *from.type, window_.number());
  if (!number.ok()) return number.status();
  Header head = header(Kind::get);
  head.type = number.value();
  head.displacement = from.displacement;
  head.total = bytes_of(from);
  head.flags = into.type->contiguous() ? Flag::lands : 0;
  head.id = expect(into, from.rank, ticket);
  const Status sent = send(from.rank, head);
  if (!sent.ok()) fail(head.id, sent);
  return sent;
}

// Each piece of the answer is held at the target until it has left: not too many at a time.
Status AmModule::get_accumulate(const Local& from, const Local& result, const Remote& to,
                                const Combination& how, Ticket* ticket) noexcept {
  if (Status s = wait_for(to.rank, [&] { return target(to.rank).bytes <= kMostResults; }); !s)
    return s;
  Header head = header(Kind::fetch);
  head.op = how.op_number;
  head.element = how.element_number;
  head.id = expect(result, to.rank, ticket);
  const bool no_operand = how.kind == Combination::Kind::no_op;
  // Without operands the bytes of the target alone are told.
  const Local operands = no_operand ? Local{nullptr, to.count, to.type} : from;
  const Status sent = stream_out(operands, to, head);
  if (!sent.ok()) fail(head.id, sent);
  return sent;
}

// They are nonblocking too, but a result of one element is what the caller waits for at once.
Status AmModule::fetch_result(const Local& into, int rank, Header& head,
                              std::span<const std::byte> payload) {
  head.id = expect(into, rank, nullptr);
  const Status sent = send(rank, head, payload);
  if (!sent.ok()) fail(head.id, sent);
  return sent;
}

Status AmModule::fetch(const void* from, void* result, int rank, Aint displacement,
                       const Combination& how) noexcept {
  const Local into{result, 1, how.element};
  const Local operand{const_cast<void*>(from), 1, how.element};
  return get_accumulate(operand, into, {rank, displacement, 1, how.element}, how, nullptr);
}

Status AmModule::compare_and_swap(const void* from, const void* compare, void* result,
                                  const Datatype& type, int rank, Aint displacement) noexcept {
  const auto bytes = static_cast<std::size_t>(type.size());
  std::byte both[64];
  std::memcpy(both, from, bytes);
  std::memcpy(both + bytes, compare, bytes);
  Header head = header(Kind::swap);
  head.displacement = displacement;
  head.total = bytes;
  return fetch_result({result, 1, &type}, rank, head, {both, 2 * bytes});
}

void AmModule::receive_result(const Header& head, std::span<const std::byte> payload) {
  const auto found = pending_.find(head.id);
  if (found == pending_.end()) return;
  const Pending& pending = found->second;
  PackCursor cursor(*pending.into.type, pending.into.buffer, pending.into.count);
  cursor.seek(head.position);
  cursor.unpack(payload.data(), payload.size());
  count_result(head, payload.size());
}

void AmModule::count_result(const Header& head, std::size_t bytes) {
  const auto found = pending_.find(head.id);
  if (found == pending_.end()) return;
  found->second.left -= bytes;
  target(found->second.rank).bytes -= bytes;
  if (found->second.left == 0) fail(head.id, {});
}

// The end of an operation, good or bad.
void AmModule::fail(std::uint64_t id, const Status& why) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  const Pending pending = found->second;
  pending_.erase(found);
  --target(pending.rank).pending;
  target(pending.rank).bytes -= pending.left;
  pending.into.type->drop();
  if (pending.ticket != nullptr) pending.ticket->done(why);
}

void AmModule::receive_failure(const Header& head, std::span<const std::byte> payload) {
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (error_.ok()) error_text_ = text;
  if (error_.ok()) error_ = Errc::argument;
  if (head.id != 0) fail(head.id, Status::failure(Errc::argument, text));
}

}  // namespace tessera::osc::am
