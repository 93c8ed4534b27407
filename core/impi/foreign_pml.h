// SPDX-License-Identifier: BSD-3-Clause
// The pml's front door in a job of several MPI systems: ForeignPml.
#pragma once
//
// Contract. The ForeignPml stands in front of the pml and passes on all that stays within our own
// system. Messages to and from processes of other systems it matches itself and gives to the Agent,
// in the protocol's packets and external32. A receive from any source is posted twice: in front,
// and as its half in the pml below; whichever is matched first withdraws the other, so that
// receives match in the order posted and messages of one sender in the order sent. All under the
// engine's lock.
//
// Contexts of communicators that span systems come from cid_context(); a message for another
// context has no number in the protocol, and sending it is refused (unsupported).
//
#include <list>
#include <map>
#include <memory>
#include <unordered_map>

#include "core/datatype/packed.h"
#include "core/impi/agent.h"
#include "core/object/freed_objects.h"
#include "tessera/pml.h"

namespace tessera::impi {

// The engine's context ids for the protocol's: in a range from which no process of a job draws.
inline constexpr ContextId kContextBase = 0xffff'0000'0000'0000;
inline constexpr std::uint64_t kMostCid = (1ull << 31) - 1;
constexpr ContextId cid_context(std::uint64_t cid) noexcept {
  return kContextBase | cid;
}
constexpr bool has_cid(ContextId context) noexcept {
  return context >> 31 == kContextBase >> 31;
}
constexpr std::uint64_t cid_of(ContextId context) noexcept {
  return context & kMostCid;
}

// Of operations that the protocol does not have: their messages, under collective contexts, go as
// data lies in memory, and have tags from here on.
inline constexpr int kFirstOwnTag = 1 << 30;

// Whether the packed bytes of a type lie in memory as they go.
bool lies_packed(const TypeObject& type, PackedForm form) noexcept;

class ForeignPml;

// A message of another system that no receive has matched yet.
struct Arrival {
  Packet packet;
  std::uint32_t source = 0;  // world rank
  Bytes data;                // the first packet's
};

class ForeignSend final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  ForeignSend(ForeignPml& pml, const pml::SendArgs& args, std::uint32_t to,
              bool persistent) noexcept;
  Status start() noexcept override;
  void cancel() noexcept override;
  void free() noexcept override;

 private:
  friend class ForeignPml;
  ~ForeignSend() override;
  void settle() noexcept;  // completes when nothing is missing
  void end(Status why, bool cancelled) noexcept;

  ForeignPml& pml_;
  pml::SendArgs args_;
  std::uint32_t to_;
  std::uint64_t id_ = 0;
  std::shared_ptr<const Bytes> packed_;  // null: sent from where it lies
  bool left_ = false;                    // all packets
  bool awaited_ = false;                 // an answer to the first packet is expected
  bool long_ = false;
  enum class Cancel : std::uint8_t { none, asked } cancel_ = Cancel::none;
  bool abandoned_ = false;
};

class ForeignReceive final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  ForeignReceive(ForeignPml& pml, const pml::RecvArgs& args, bool persistent) noexcept;
  Status start() noexcept override;
  void cancel() noexcept override;
  void free() noexcept override;

 private:
  friend class ForeignPml;
  ~ForeignReceive() override;
  bool admits(const Packet& packet) const noexcept;
  // Whether the half in the pml below has not been matched, and is gone now.
  bool withdraw_half() noexcept;
  void half_done() noexcept;
  void end(Status why) noexcept;

  ForeignPml& pml_;
  pml::RecvArgs args_;
  Request* half_ = nullptr;
  std::uint64_t id_ = 0;
  std::uint32_t from_ = 0;  // world rank, once matched
  PackedForm form_ = PackedForm::external32;
  std::uint64_t length_ = 0;     // of the message
  std::uint64_t received_ = 0;   // of it
  std::uint64_t room_ = 0;       // of it, for which the buffer has room
  std::byte* direct_ = nullptr;  // the buffer, if the bytes lie there as they come
  Bytes data_;                   // else what has come, to be unpacked
  enum class Phase : std::uint8_t { idle, posted, receiving } phase_ = Phase::idle;
  bool abandoned_ = false;
};

class ForeignPml final : public pml::Interposer, public Poller {
 public:
  ForeignPml(pml::Module& below, Progress& progress, const Roster& roster, Agent& agent,
             std::uint32_t my_rank, std::vector<std::uint32_t> rank_of_id,
             std::uint32_t local_size);
  ~ForeignPml() override;

  Status send(const pml::SendArgs& args) noexcept override;
  Status recv(const pml::RecvArgs& args, MessageStatus& status) noexcept override;
  Result<Request*> isend(const pml::SendArgs& args) noexcept override;
  Result<Request*> irecv(const pml::RecvArgs& args) noexcept override;
  Result<Request*> send_init(const pml::SendArgs& args) noexcept override;
  Result<Request*> recv_init(const pml::RecvArgs& args) noexcept override;
  Result<bool> iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept override;
  Result<Message*> improbe(const pml::ProbeArgs& args) noexcept override;
  Result<Request*> imrecv(Message& message, void* buffer, Count count,
                          const Datatype& type) noexcept override;
  void drain() noexcept override;
  int poll() noexcept override;

  bool foreign(const Peer& peer) const noexcept {
    return peer.id >= local_size_ && peer.id < rank_of_id_.size();
  }
  PackedForm form_of(ContextId context, int tag) const noexcept {
    const bool own = (context & 1) != 0 && tag >= kFirstOwnTag && roster_.terms.all_ours();
    return own ? PackedForm::native : PackedForm::external32;
  }

 private:
  friend class ForeignSend;
  friend class ForeignReceive;
  class ForeignMessage;
  struct MatchQueues {
    std::list<ForeignReceive*> posted;
    std::list<Arrival> unexpected;
  };

  Result<ForeignSend*> make_send(const pml::SendArgs& args, bool persistent) noexcept;
  Result<ForeignReceive*> make_receive(const pml::RecvArgs& args, bool persistent) noexcept;
  bool meets_foreigners(const Peer* peer, ContextId context) const noexcept {
    return peer == nullptr ? has_cid(context) : foreign(*peer);
  }
  Status launch(ForeignSend& request) noexcept;
  Status post(ForeignReceive& request) noexcept;
  void unpost(ForeignReceive& request) noexcept;
  bool take_unexpected(MatchQueues& queues, ForeignReceive& request) noexcept;

  void handle(ReceivedPacket& received);
  void match(Arrival arrival);
  void keep(MatchQueues& queues, Arrival arrival);
  Arrival take(MatchQueues& queues, std::list<Arrival>::iterator at);
  void accept(ForeignReceive& request, Arrival arrival) noexcept;
  void continue_message(const ReceivedPacket& received);
  void take_data(ForeignReceive& request, ByteView data);
  void advance(ForeignReceive& request, std::uint64_t bytes);
  void finish_receive(ForeignReceive& request) noexcept;
  void answered(const ReceivedPacket& received);
  void cancel_wanted(const ReceivedPacket& received);
  Arrival* find(const pml::ProbeArgs& args, MatchQueues** queues,
                std::list<Arrival>::iterator* at) noexcept;
  MessageStatus status_of(const Packet& packet) const noexcept;
  Packet header(std::uint32_t to, PacketType type, std::uint64_t request) const noexcept;
  Status wait_for(Request& request) noexcept;

  Progress& progress_;
  const Roster& roster_;
  Agent& agent_;
  std::uint32_t me_;
  std::vector<std::uint32_t> rank_of_id_;  // world ranks of the table's peers
  std::uint32_t local_size_;
  std::unordered_map<ContextId, MatchQueues> queues_;
  std::unordered_map<std::uint64_t, ForeignSend*> sends_;
  std::unordered_map<std::uint64_t, ForeignReceive*> receiving_;
  // By sender and request: the message that CANCEL means, while nothing has matched it. Numbers of
  // requests are used again, for the last message alone.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::list<Arrival>::iterator> cancellable_;
  std::uint64_t next_id_ = 1;
  AgentEvents events_;
  bool handling_ = false;
};

}  // namespace tessera::impi
