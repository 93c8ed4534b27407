// SPDX-License-Identifier: BSD-3-Clause
// ForeignPml: probes and matched messages.
#include <algorithm>
#include <new>

#include "core/datatype/external32.h"
#include "core/impi/foreign_pml.h"

namespace tessera::impi {

// Taken out of the queues, not received yet.
class ForeignPml::ForeignMessage final : public Message {
 public:
  ForeignMessage(Arrival arrival, const MessageStatus& status) : arrival_(std::move(arrival)) {
    status_ = status;
  }
  Arrival take() noexcept { return std::move(arrival_); }

 private:
  Arrival arrival_;
};

// The type is not known yet: the count is of bytes as they came.
MessageStatus ForeignPml::status_of(const Packet& packet) const noexcept {
  MessageStatus status;
  status.source = packet.source_rank;
  status.tag = packet.tag;
  status.bytes = packet.message_length;
  if (form_of(cid_context(packet.cid), packet.tag) == PackedForm::external32)
    status.bytes |= kExternal32Bytes;
  return status;
}

Arrival* ForeignPml::find(const pml::ProbeArgs& args, MatchQueues** queues,
                          std::list<Arrival>::iterator* at) noexcept {
  const auto found = queues_.find(args.context);
  if (found == queues_.end()) return nullptr;
  *queues = &found->second;
  *at = std::find_if(
      (*queues)->unexpected.begin(), (*queues)->unexpected.end(), [&](const Arrival& arrival) {
        return (args.source == kAnySource || args.source == arrival.packet.source_rank) &&
               (args.tag == kAnyTag || args.tag == arrival.packet.tag);
      });
  return *at == (*queues)->unexpected.end() ? nullptr : &**at;
}

Result<bool> ForeignPml::iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept {
  if (!meets_foreigners(args.peer, args.context)) return below().iprobe(args, status);
  MatchQueues* queues = nullptr;
  std::list<Arrival>::iterator at;
  const Arrival* arrival = find(args, &queues, &at);
  if (arrival == nullptr && args.peer == nullptr) {
    auto local = below().iprobe(args, status);
    if (!local.ok() || *local) return local;
    arrival = find(args, &queues, &at);
  } else if (arrival == nullptr) {
    progress_.poll();
    arrival = find(args, &queues, &at);
  }
  if (arrival == nullptr) return false;
  status = status_of(arrival->packet);
  return true;
}

Result<Message*> ForeignPml::improbe(const pml::ProbeArgs& args) noexcept try {
  if (!meets_foreigners(args.peer, args.context)) return below().improbe(args);
  MessageStatus status;
  MatchQueues* queues = nullptr;
  std::list<Arrival>::iterator at;
  if (find(args, &queues, &at) == nullptr) {
    if (args.peer == nullptr) {
      auto local = below().improbe(args);
      if (!local.ok() || *local != nullptr) return local;
    } else if (auto there = iprobe(args, status); !there.ok()) {
      return there.status();
    }
    if (find(args, &queues, &at) == nullptr) return static_cast<Message*>(nullptr);
  }
  const MessageStatus found = status_of(at->packet);
  return static_cast<Message*>(new ForeignMessage(take(*queues, at), found));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Result<Request*> ForeignPml::imrecv(Message& message, void* buffer, Count count,
                                    const Datatype& type) noexcept {
  auto* const mine = dynamic_cast<ForeignMessage*>(&message);
  if (mine == nullptr) return below().imrecv(message, buffer, count, type);
  const pml::RecvArgs args{buffer, count, &type, nullptr, kAnySource, kAnyTag, 0};
  auto made = make_receive(args, false);
  if (!made.ok()) return made.status();
  Arrival arrival = mine->take();
  mine->release();
  (*made)->begin();
  accept(**made, std::move(arrival));
  return static_cast<Request*>(*made);
}

}  // namespace tessera::impi
