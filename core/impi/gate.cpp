// SPDX-License-Identifier: BSD-3-Clause
// Gate: routing, matching, and the answers that sends wait for.
#include "core/impi/gate.h"

#include <sys/epoll.h>

#include <algorithm>
#include <new>

#include "core/datatype/external32.h"

namespace tessera::impi {

Gate::Gate(pml::Module& below, Progress& progress, const Roster& roster, Carrier& carrier,
           std::uint32_t my_rank, std::vector<std::uint32_t> rank_of_id, std::uint32_t local_size)
    : Interposer(below),
      progress_(progress),
      roster_(roster),
      carrier_(carrier),
      me_(my_rank),
      rank_of_id_(std::move(rank_of_id)),
      local_size_(local_size) {
  progress_.add(*this);
  (void)progress_.watch(carrier_.descriptor(), EPOLLIN);
  (void)progress_.watch(carrier_.doorbell(), EPOLLIN);
}

Gate::~Gate() {
  progress_.unwatch(carrier_.descriptor());
  progress_.unwatch(carrier_.doorbell());
  progress_.remove(*this);
}

Packet Gate::header(std::uint32_t to, PacketType type, std::uint64_t request) const noexcept {
  Packet packet;
  packet.type = type;
  packet.source = roster_.processes[me_].id;
  packet.destination = roster_.processes[to].id;
  packet.source_request = request;
  return packet;
}

// ---- calls ----

Status Gate::wait_for(Request& request) noexcept {
  progress_.wait_until([&request] { return request.complete(); });
  const Status outcome = request.error();
  request.free();
  return outcome;
}

Status Gate::send(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().send(args);
  auto request = isend(args);
  return request.ok() ? wait_for(**request) : request.status();
}

Status Gate::recv(const pml::RecvArgs& args, MessageStatus& status) noexcept {
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

Result<Request*> Gate::isend(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().isend(args);
  auto made = make_send(args, false);
  if (!made.ok()) return made.status();
  if (Status s = (*made)->start(); !s) return (*made)->free(), s;
  return static_cast<Request*>(*made);
}

Result<Request*> Gate::send_init(const pml::SendArgs& args) noexcept {
  if (!foreign(*args.peer)) return below().send_init(args);
  auto made = make_send(args, true);
  if (!made.ok()) return made.status();
  return static_cast<Request*>(*made);
}

Result<Request*> Gate::irecv(const pml::RecvArgs& args) noexcept {
  if (!meets_foreigners(args.peer, args.context)) return below().irecv(args);
  auto made = make_receive(args, false);
  if (!made.ok()) return made.status();
  if (Status s = (*made)->start(); !s) return (*made)->free(), s;
  return static_cast<Request*>(*made);
}

Result<Request*> Gate::recv_init(const pml::RecvArgs& args) noexcept {
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

Result<ForeignSend*> Gate::make_send(const pml::SendArgs& args, bool persistent) noexcept {
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

Result<ForeignReceive*> Gate::make_receive(const pml::RecvArgs& args, bool persistent) noexcept {
  if (args.peer != nullptr && !has_cid(args.context)) return not_carried();
  auto* made = new (std::nothrow) ForeignReceive(*this, args, persistent);
  if (made == nullptr) return Errc::no_memory;
  return made;
}

void Gate::drain() noexcept {
  progress_.wait_until([this] { return sends_.empty() && carrier_.idle(); });
  below().drain();
}

// ---- progress ----

int Gate::poll() noexcept {
  if (handling_) return 0;  // entered from an upcall; the outer round goes on
  const int events = carrier_.take(harvest_);
  if (events == 0) return 0;
  handling_ = true;
  for (const std::uint64_t id : harvest_.handed) {
    const auto found = sends_.find(id);
    if (found == sends_.end()) continue;
    found->second->left_ = true;
    found->second->settle();
  }
  for (Parcel& parcel : harvest_.parcels) handle(parcel);
  harvest_.clear();
  handling_ = false;
  return events;
}

void Gate::handle(Parcel& parcel) {
  switch (parcel.packet.type) {
    case PacketType::data:
    case PacketType::datasync:
      if (is_fragment(parcel.packet)) return continue_message(parcel);
      return match({parcel.packet, parcel.source, std::move(parcel.data)});
    case PacketType::cancel:
      return cancel_wanted(parcel);
    case PacketType::syncack:
    case PacketType::cancelyes:
    case PacketType::cancelno:
      return answered(parcel);
    case PacketType::protoack:
    case PacketType::fini:
      return;
  }
}

// ---- matching ----

void Gate::match(Arrival arrival) {
  Lane& lane = lanes_[cid_context(arrival.packet.cid)];
  for (auto at = lane.posted.begin(); at != lane.posted.end();) {
    ForeignReceive* request = *at++;
    if (!request->admits(arrival.packet)) continue;
    if (!request->withdraw_half()) continue;
    lane.posted.remove(request);
    return accept(*request, std::move(arrival));
  }
  lane.unexpected.push_back(std::move(arrival));
}

void Gate::accept(ForeignReceive& request, Arrival arrival) noexcept {
  request.phase_ = ForeignReceive::Phase::receiving;
  request.from_ = arrival.source;
  request.length_ = arrival.packet.message_length;
  request.status_ = {};
  request.status_.source = arrival.packet.source_rank;
  request.status_.tag = arrival.packet.tag;
  request.data_ = std::move(arrival.data);
  const bool whole = request.data_.size() >= request.length_;
  if (arrival.packet.type == PacketType::datasync) {
    Packet answer = header(arrival.source, PacketType::syncack, arrival.packet.source_request);
    if (!whole) {
      request.id_ = next_id_++;
      receiving_.emplace(request.id_, &request);
      request.data_.reserve(static_cast<std::size_t>(request.length_));
    }
    answer.destination_request = request.id_;
    carrier_.submit(arrival.source, {.packet = answer, .data = nullptr});
  }
  if (whole) finish_receive(request);
}

void Gate::continue_message(const Parcel& parcel) {
  const auto found = receiving_.find(parcel.packet.destination_request);
  if (found == receiving_.end() || found->second->from_ != parcel.source) {
    return lost(roster_.processes[parcel.source].client,
                "it sent a part of a message that nobody has asked for");
  }
  append_data(*found->second, parcel.data);
}

void Gate::append_data(ForeignReceive& request, ByteView data) {
  append(request.data_, data);
  if (request.data_.size() < request.length_) return;
  receiving_.erase(request.id_);
  finish_receive(request);
}

void Gate::finish_receive(ForeignReceive& request) noexcept {
  const auto& type = static_cast<const TypeObject&>(*request.args_.type);
  const Count room = request.args_.count * external32_size(type);
  const Count usable = std::min<Count>(room, static_cast<Count>(request.length_));
  request.status_.bytes = static_cast<std::uint64_t>(
      external32_unpack_some(type, request.args_.buffer, request.args_.count, request.data_.data(),
                             static_cast<std::size_t>(usable)));
  Status outcome;
  if (static_cast<Count>(request.length_) > room) {
    outcome = Status::failure(
        Errc::truncated, "the message from source " + std::to_string(request.status_.source) +
                             " with tag " + std::to_string(request.status_.tag) + ", of " +
                             roster_.name_of(roster_.processes[request.from_].client) + ", has " +
                             std::to_string(request.length_) +
                             " bytes in external32, but the receive buffer has room for " +
                             std::to_string(room));
  }
  request.end(outcome);
}

// Takes an unexpected message, unless the half was matched.
bool Gate::take_unexpected(Lane& lane, ForeignReceive& request) noexcept {
  const auto found = std::find_if(lane.unexpected.begin(), lane.unexpected.end(),
                                  [&](const Arrival& a) { return request.admits(a.packet); });
  if (found == lane.unexpected.end() || !request.withdraw_half()) return false;
  Arrival arrival = std::move(*found);
  lane.unexpected.erase(found);
  accept(request, std::move(arrival));
  return true;
}

Status Gate::post(ForeignReceive& request) noexcept try {
  Lane& lane = lanes_[request.args_.context];
  if (take_unexpected(lane, request)) return {};
  if (request.args_.peer != nullptr) {
    const auto gone = lost_.find(roster_.processes[rank_of_id_[request.args_.peer->id]].client);
    if (gone != lost_.end())
      return Status::failure(Errc::peer_failed,
                             roster_.name_of(gone->first) + " is lost: " + gone->second);
  } else {
    auto half = below().irecv(request.args_);
    if (!half.ok()) return half.status();
    request.half_ = *half;
    if (request.half_->complete()) return request.half_done(), Status();
    request.half_->then(
        [](Request&, void* self) noexcept { static_cast<ForeignReceive*>(self)->half_done(); },
        &request);
    if (take_unexpected(lane, request)) return {};  // it has come meanwhile
  }
  request.phase_ = ForeignReceive::Phase::posted;
  lane.posted.push_back(&request);
  return {};
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void Gate::unpost(ForeignReceive& request) noexcept {
  lanes_[request.args_.context].posted.remove(&request);
}

// ---- answers, and requests to cancel ----

void Gate::answered(const Parcel& parcel) {
  const auto found = sends_.find(parcel.packet.source_request);
  if (found == sends_.end() || found->second->to_ != parcel.source) return;
  ForeignSend& request = *found->second;
  if (parcel.packet.type == PacketType::syncack) {
    request.awaited_ = false;
  } else if (request.cancel_ == ForeignSend::Cancel::asked) {
    request.cancel_ = ForeignSend::Cancel::none;
    if (parcel.packet.type == PacketType::cancelyes) {
      carrier_.drop_body(request.id_);
      return request.end({}, true);
    }
  }
  request.settle();
}

// The last message with that number is meant: numbers are used again.
void Gate::cancel_wanted(const Parcel& parcel) {
  PacketType answer = PacketType::cancelno;
  for (auto& [context, lane] : lanes_) {
    const auto found =
        std::find_if(lane.unexpected.rbegin(), lane.unexpected.rend(), [&](const Arrival& arrival) {
          return arrival.source == parcel.source &&
                 arrival.packet.source_request == parcel.packet.source_request;
        });
    if (found == lane.unexpected.rend()) continue;
    lane.unexpected.erase(std::next(found).base());
    answer = PacketType::cancelyes;
    break;
  }
  carrier_.submit(parcel.source, {.packet = answer_to(parcel.packet, answer)});
}

void Gate::lost(std::uint32_t client, const std::string& why) noexcept try {
  if (!lost_.emplace(client, why).second) return;
  const Status failure =
      Status::failure(Errc::peer_failed, roster_.name_of(client) + " is lost: " + why);
  std::vector<ForeignReceive*> receives;
  for (auto& [id, request] : receiving_) {
    if (roster_.processes[request->from_].client == client) receives.push_back(request);
  }
  for (ForeignReceive* request : receives) receiving_.erase(request->id_);
  for (auto& [context, lane] : lanes_) {
    for (auto at = lane.posted.begin(); at != lane.posted.end();) {
      const Peer* peer = (*at)->args_.peer;
      const bool concerned =
          peer != nullptr && roster_.processes[rank_of_id_[peer->id]].client == client;
      if (concerned) receives.push_back(*at);
      at = concerned ? lane.posted.erase(at) : std::next(at);
    }
  }
  std::vector<ForeignSend*> sends;
  for (auto& [id, request] : sends_) {
    if (roster_.processes[request->to_].client == client) sends.push_back(request);
  }
  for (ForeignReceive* request : receives) request->end(failure);
  for (ForeignSend* request : sends) request->end(failure, false);
} catch (const std::bad_alloc&) {  // the job ends anyway
}

}  // namespace tessera::impi
