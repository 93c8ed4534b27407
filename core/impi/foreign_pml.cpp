// SPDX-License-Identifier: BSD-3-Clause
// ForeignPml: routing, matching, and the answers that sends wait for.
#include "core/impi/foreign_pml.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/datatype/external32.h"

namespace tessera::impi {

ForeignPml::ForeignPml(pml::Module& below, Progress& progress, const Roster& roster, Agent& agent,
                       std::uint32_t my_rank, std::vector<std::uint32_t> rank_of_id,
                       std::uint32_t local_size)
    : Interposer(below),
      progress_(progress),
      roster_(roster),
      agent_(agent),
      me_(my_rank),
      rank_of_id_(std::move(rank_of_id)),
      local_size_(local_size) {
  progress_.add(*this);
  (void)progress_.watch(agent_.descriptor(), EPOLLIN);
  (void)progress_.watch(agent_.doorbell(), EPOLLIN);
}

ForeignPml::~ForeignPml() {
  progress_.unwatch(agent_.descriptor());
  progress_.unwatch(agent_.doorbell());
  progress_.remove(*this);
}

Packet ForeignPml::header(std::uint32_t to, PacketType type, std::uint64_t request) const noexcept {
  Packet packet;
  packet.type = type;
  packet.source = roster_.processes[me_].id;
  packet.destination = roster_.processes[to].id;
  packet.source_request = request;
  return packet;
}

// ---- calls ----

Status ForeignPml::wait_for(Request& request) noexcept {
  progress_.wait_until([&request] { return request.complete(); });
  const Status outcome = request.error();
  request.free();
  return outcome;
}

Status ForeignPml::send(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().send(args);
  auto request = isend(args);
  return request.ok() ? wait_for(**request) : request.status();
}

Status ForeignPml::recv(const pml::RecvArgs& args, MessageStatus& status) noexcept {
  if (!meets_foreigners(args.peer, args.context)) return below().recv(args, status);
  auto made = irecv(args);
  if (!made.ok()) return made.status();
  Request& request = **made;
  progress_.wait_until([&request] { return request.complete(); });
  status = request.status();
  status.error = request.error();
  request.free();
  return status.error;
}

Result<Request*> ForeignPml::isend(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().isend(args);
  auto made = make_send(args, false);
  if (!made.ok()) return made.status();
  if (Status s = (*made)->start(); !s) return (*made)->free(), s;
  return static_cast<Request*>(*made);
}

Result<Request*> ForeignPml::send_init(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().send_init(args);
  auto made = make_send(args, true);
  if (!made.ok()) return made.status();
  return static_cast<Request*>(*made);
}

Result<Request*> ForeignPml::irecv(const pml::RecvArgs& args) noexcept {
  if (!meets_foreigners(args.peer, args.context)) return below().irecv(args);
  auto made = make_receive(args, false);
  if (!made.ok()) return made.status();
  if (Status s = (*made)->start(); !s) return (*made)->free(), s;
  return static_cast<Request*>(*made);
}

Result<Request*> ForeignPml::recv_init(const pml::RecvArgs& args) noexcept {
  if (!meets_foreigners(args.peer, args.context)) return below().recv_init(args);
  auto made = make_receive(args, true);
  if (!made.ok()) return made.status();
  return static_cast<Request*>(*made);
}

namespace {

Status not_carried() {
  return Status::failure(Errc::unsupported,
                         "the protocol between the MPI systems of this job does not carry this "
                         "operation to another system");
}

}  // namespace

Result<ForeignSend*> ForeignPml::make_send(const pml::SendArgs& args, bool persistent) noexcept {
  if (!has_cid(args.context)) return not_carried();
  if (args.tag > roster_.terms.tag_ub) {
    return Status::failure(Errc::argument, "the tag is " + std::to_string(args.tag) +
                                               "; between the systems of this job, tags end at " +
                                               std::to_string(roster_.terms.tag_ub) +
                                               " (MPI_TAG_UB)");
  }
  auto* made = new (std::nothrow) ForeignSend(*this, args, rank_of_id_[args.peer->id], persistent);
  if (made == nullptr) return Errc::no_memory;
  return made;
}

Result<ForeignReceive*> ForeignPml::make_receive(const pml::RecvArgs& args,
                                                 bool persistent) noexcept {
  if (args.peer != nullptr && !has_cid(args.context)) return not_carried();
  auto* made = new (std::nothrow) ForeignReceive(*this, args, persistent);
  if (made == nullptr) return Errc::no_memory;
  return made;
}

void ForeignPml::drain() noexcept {
  progress_.wait_until([this] { return sends_.empty() && agent_.idle(); });
  below().drain();
}

// ---- progress ----

int ForeignPml::poll() noexcept {
  if (handling_) return 0;  // entered from an upcall; the outer round goes on
  const int events = agent_.take(events_);
  if (events == 0) return 0;
  handling_ = true;
  for (const std::uint64_t id : events_.handed) {
    const auto found = sends_.find(id);
    if (found == sends_.end()) continue;
    found->second->left_ = true;
    found->second->settle();
  }
  for (ReceivedPacket& received : events_.packets) handle(received);
  events_.clear();
  handling_ = false;
  return events;
}

void ForeignPml::handle(ReceivedPacket& received) {
  switch (received.packet.type) {
    case PacketType::data:
    case PacketType::datasync:
      if (is_fragment(received.packet)) return continue_message(received);
      if (received.packet.cid > kMostCid)
        return agent_.break_off(received.source, "a message has the context id " +
                                                     std::to_string(received.packet.cid) +
                                                     ", which no communicator has");
      return match({received.packet, received.source, std::move(received.data)});
    case PacketType::cancel:
      return cancel_wanted(received);
    case PacketType::syncack:
    case PacketType::cancelyes:
    case PacketType::cancelno:
      return answered(received);
    case PacketType::protoack:
    case PacketType::fini:
      return;
  }
}

// ---- matching ----

void ForeignPml::match(Arrival arrival) {
  MatchQueues& queues = queues_[cid_context(arrival.packet.cid)];
  if (!cancellable_.empty()) cancellable_.erase({arrival.source, arrival.packet.source_request});
  for (auto at = queues.posted.begin(); at != queues.posted.end();) {
    ForeignReceive* request = *at++;
    if (!request->admits(arrival.packet)) continue;
    if (!request->withdraw_half()) continue;
    queues.posted.remove(request);
    return accept(*request, std::move(arrival));
  }
  keep(queues, std::move(arrival));
}

void ForeignPml::keep(MatchQueues& queues, Arrival arrival) {
  const std::pair key{arrival.source, arrival.packet.source_request};
  cancellable_[key] = queues.unexpected.insert(queues.unexpected.end(), std::move(arrival));
}

Arrival ForeignPml::take(MatchQueues& queues, std::list<Arrival>::iterator at) {
  const auto last = cancellable_.find({at->source, at->packet.source_request});
  if (last != cancellable_.end() && last->second == at) cancellable_.erase(last);
  Arrival arrival = std::move(*at);
  queues.unexpected.erase(at);
  return arrival;
}

void ForeignPml::accept(ForeignReceive& request, Arrival arrival) noexcept {
  const Packet& packet = arrival.packet;
  const auto& type = as_object(*request.args_.type);
  request.phase_ = ForeignReceive::Phase::receiving;
  request.from_ = arrival.source;
  request.status_ = {};
  request.status_.source = packet.source_rank;
  request.status_.tag = packet.tag;
  request.form_ = form_of(cid_context(packet.cid), packet.tag);
  request.length_ = packet.message_length;
  request.received_ = 0;
  request.room_ = static_cast<std::uint64_t>(
      tessera::packed_size(type, request.args_.count, request.form_).value());
  request.direct_ =
      lies_packed(type, request.form_) ? static_cast<std::byte*>(request.args_.buffer) : nullptr;
  if (packet.type == PacketType::datasync) {
    Packet answer = header(arrival.source, PacketType::syncack, packet.source_request);
    if (arrival.data.size() < request.length_) {
      request.id_ = next_id_++;
      receiving_.emplace(request.id_, &request);
    }
    answer.destination_request = request.id_;
    if (request.id_ != 0 && request.direct_ != nullptr && request.room_ >= request.length_)
      agent_.receive_into(request.id_, arrival.source,
                          {request.direct_ + arrival.data.size(),
                           static_cast<std::size_t>(request.length_ - arrival.data.size())});
    agent_.submit(arrival.source, {.packet = answer, .data = nullptr});
  }
  take_data(request, arrival.data);
}

void ForeignPml::continue_message(const ReceivedPacket& received) {
  const auto found = receiving_.find(received.packet.destination_request);
  if (found == receiving_.end() || found->second->from_ != received.source) {
    return agent_.break_off(received.source,
                            "it sent a part of a message that nobody has asked for");
  }
  const ForeignReceive& receive = *found->second;
  if (received.packet.length > receive.length_ - receive.received_)
    return agent_.break_off(received.source, "it sent more of a message than the message has");
  if (received.in_place) return advance(*found->second, received.packet.length);
  take_data(*found->second, received.data);
}

// Passes over data that the buffer has no room for.
void ForeignPml::take_data(ForeignReceive& request, ByteView data) {
  const std::uint64_t room = request.room_ - std::min(request.room_, request.received_);
  const ByteView usable = data.first(std::min<std::uint64_t>(data.size(), room));
  if (request.direct_ == nullptr)
    append(request.data_, usable);
  else if (!usable.empty())
    std::memcpy(request.direct_ + request.received_, usable.data(), usable.size());
  advance(request, data.size());
}

void ForeignPml::advance(ForeignReceive& request, std::uint64_t bytes) {
  request.received_ += bytes;
  if (request.received_ < request.length_) return;
  if (request.id_ != 0) receiving_.erase(request.id_);
  finish_receive(request);
}

void ForeignPml::finish_receive(ForeignReceive& request) noexcept {
  const auto& type = as_object(*request.args_.type);
  const std::uint64_t usable = std::min(request.room_, request.length_);
  request.status_.bytes = usable;
  if (request.direct_ == nullptr && request.form_ == PackedForm::native) {
    PackCursor(type, request.args_.buffer, request.args_.count)
        .unpack(request.data_.data(), static_cast<std::size_t>(usable));
  } else if (request.direct_ == nullptr) {
    request.status_.bytes = static_cast<std::uint64_t>(
        external32_unpack_some(type, request.args_.buffer, request.args_.count,
                               request.data_.data(), static_cast<std::size_t>(usable)));
  }
  Status outcome;
  if (request.length_ > request.room_) {
    outcome = Status::failure(
        Errc::truncated, "the message from source " + std::to_string(request.status_.source) +
                             " with tag " + std::to_string(request.status_.tag) + ", of " +
                             roster_.name_of(roster_.processes[request.from_].client) + ", has " +
                             std::to_string(request.length_) +
                             " bytes in external32, but the receive buffer has room for " +
                             std::to_string(request.room_));
  }
  request.end(outcome);
}

// Takes an unexpected message, unless the half was matched.
bool ForeignPml::take_unexpected(MatchQueues& queues, ForeignReceive& request) noexcept {
  const auto found = std::find_if(queues.unexpected.begin(), queues.unexpected.end(),
                                  [&](const Arrival& a) { return request.admits(a.packet); });
  if (found == queues.unexpected.end() || !request.withdraw_half()) return false;
  accept(request, take(queues, found));
  return true;
}

Status ForeignPml::post(ForeignReceive& request) noexcept try {
  MatchQueues& queues = queues_[request.args_.context];
  if (take_unexpected(queues, request)) return {};
  if (request.args_.peer == nullptr) {
    auto half = below().irecv(request.args_);
    if (!half.ok()) return half.status();
    request.half_ = *half;
    if (request.half_->complete()) return request.half_done(), Status();
    request.half_->then(
        [](Request&, void* self) noexcept { static_cast<ForeignReceive*>(self)->half_done(); },
        &request);
    if (take_unexpected(queues, request)) return {};  // it has come meanwhile
  }
  request.phase_ = ForeignReceive::Phase::posted;
  queues.posted.push_back(&request);
  return {};
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void ForeignPml::unpost(ForeignReceive& request) noexcept {
  queues_[request.args_.context].posted.remove(&request);
}

// ---- answers, and requests to cancel ----

void ForeignPml::answered(const ReceivedPacket& received) {
  const auto found = sends_.find(received.packet.source_request);
  if (found == sends_.end() || found->second->to_ != received.source) return;
  ForeignSend& request = *found->second;
  if (received.packet.type == PacketType::syncack) {
    request.awaited_ = false;
  } else if (request.cancel_ == ForeignSend::Cancel::asked) {
    request.cancel_ = ForeignSend::Cancel::none;
    // A matched message cannot be cancelled, whatever the answer says: its data is on its way.
    if (received.packet.type == PacketType::cancelyes && request.awaited_) {
      agent_.drop_body(request.id_);
      return request.end({}, true);
    }
  }
  request.settle();
}

void ForeignPml::cancel_wanted(const ReceivedPacket& received) {
  PacketType answer = PacketType::cancelno;
  const auto found = cancellable_.find({received.source, received.packet.source_request});
  if (found != cancellable_.end()) {
    take(queues_[cid_context(found->second->packet.cid)], found->second);
    answer = PacketType::cancelyes;
  }
  agent_.submit(received.source, {.packet = answer_to(received.packet, answer)});
}

}  // namespace tessera::impi
