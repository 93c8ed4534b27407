// SPDX-License-Identifier: BSD-3-Clause
// Joining a job of several systems, its end, and the loss of a system.
#include "core/impi/systems.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "core/coll/table.h"
#include "core/comm/agreement.h"
#include "core/engine/instance.h"
#include "core/impi/collectives.h"
#include "core/impi/listener.h"
#include "core/impi/spanned.h"
#include "core/impi/topics.h"
#include "core/job/abort_status.h"
#include "impi/wire/address.h"
#include "impi/wire/environment.h"
#include "impi/wire/labels.h"

namespace tessera::impi {

// What a process of our own system tells the one that speaks with the server.
struct Presence {
  HostId address;
  std::int64_t pid;
  std::uint32_t port;
};

namespace {

constexpr int kRosterTag = 2;  // on ContextIds::control; core/engine/instance.h has 0 and 1
// The server ends when a system is lost, and may be seen to do so first.
constexpr int kServerGoesLater = 500;  // ms
constexpr int kLostCode = 1;           // the exit code of a system that lost another one

PeerGroup own_job(Instance& instance, const std::vector<Peer*>& peers) {
  return {instance.pml(),      instance.progress(), peers, static_cast<int>(instance.job().my_id()),
          ContextIds::control, kRosterTag,          {}};
}

std::vector<Peer*> own_peers(const EngineJob& job) {
  std::vector<Peer*> peers;
  for (std::uint32_t id = 0; id < job.size(); ++id) peers.push_back(&job.peer(id));
  return peers;
}

// A name under which no job of ours is known: the peers of another system.
constexpr std::uint64_t job_of(std::uint32_t client) noexcept {
  return 0x494d'5049'0000'0000 | client;
}

}  // namespace

Result<std::unique_ptr<Systems>> Systems::join(Instance& instance) {
  std::unique_ptr<Systems> systems(new Systems(instance));
  systems->with_lam_ = instance.params().boolean("impi_lam");
  if (Status s = systems->open_listener(); !s) return s;
  if (Status s = systems->exchange_roster(); !s) return s;
  if (Status s = systems->admit_processes(); !s) return s;
  const auto patience = static_cast<int>(instance.params().integer("impi_patience"));
  Systems* const self = systems.get();
  systems->agent_ = std::make_unique<Agent>(
      systems->roster_, systems->my_rank_,
      [self](std::uint32_t client, const std::string& why) { self->lost(client, why); });
  if (Status s = systems->agent_->trace(instance.params().text(kTraceParam)); !s) return s;
  if (Status s = systems->agent_->connect(systems->listener_, patience); !s) return s;
  ::close(std::exchange(systems->listener_, -1));
  if (systems->server_) {
    if (Status s = systems->agent_->watch_server(systems->server_->descriptor(),
                                                 [self] { self->server_lost(); });
        !s)
      return s;
  }
  if (Status s = systems->agent_->start(); !s) return s;
  systems->pml_ = std::make_unique<ForeignPml>(
      instance.pml(), instance.progress(), systems->roster_, *systems->agent_, systems->my_rank_,
      systems->rank_of_id_, instance.job().size());
  systems->collectives_ = make_collectives(*systems);
  return systems;
}

Systems::~Systems() {
  leaving_ = true;
  pml_.reset();
  agent_.reset();
  if (listener_ >= 0) ::close(listener_);
}

Status Systems::open_listener() {
  const ParamRegistry& params = instance_.params();
  auto opened = listen_at(params.text("impi_address"), params.text("impi_server"));
  if (!opened.ok()) return opened.status();
  listener_ = opened->descriptor;
  address_ = opened->address;
  port_ = opened->port;
  return {};
}

// All processes tell the first one where they are; it speaks with the server and tells the others
// what came of it, or with no bytes that nothing did.
Status Systems::exchange_roster() {
  const std::vector<Peer*> peers = own_peers(instance_.job());
  const PeerGroup group = own_job(instance_, peers);
  const Presence mine{address_, ::getpid(), port_};
  std::vector<Presence> own(peers.size());
  if (Status s = allgather(group, &mine, sizeof mine, own.data()); !s) return s;
  Bytes bytes;
  Status outcome;
  if (group.me == 0) {
    auto answer = ask_server(own);
    outcome = answer.ok() ? Status() : answer.status();
    if (answer.ok()) bytes = std::move(*answer);
  }
  std::uint64_t size = bytes.size();
  if (Status s = broadcast(group, 0, &size, sizeof size); !s) return s;
  if (!outcome.ok()) return outcome;
  if (size == 0)
    return Status::failure(Errc::peer_failed, "the first process could not join the other systems");
  bytes.resize(size);
  if (Status s = broadcast(group, 0, bytes.data(), bytes.size()); !s) return s;
  auto roster = roster_from(bytes);
  if (!roster.ok()) return roster.status();
  roster_ = std::move(*roster);
  return {};
}

Result<Bytes> Systems::ask_server(const std::vector<Presence>& own) {
  const ParamRegistry& params = instance_.params();
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(params.integer(name));
  };
  auto link =
      ServerLink::join({params.text(kServerParam), number(kRankParam), params.text(kAuthParam),
                        static_cast<int>(number("impi_patience")), params.text(kTraceParam)});
  if (!link.ok()) return link.status();
  server_ = std::move(*link);
  const auto one = [](std::uint32_t value) {
    const std::uint32_t values[] = {value};
    return encode_values(values);
  };
  const auto each = [&](auto value) {
    std::vector<std::decay_t<decltype(value(own.front()))>> values;
    for (const Presence& presence : own) values.push_back(value(presence));
    return encode_values(values);
  };
  const auto all = [&](std::uint32_t value) {
    return each([=](const Presence&) { return value; });
  };
  const auto count = static_cast<std::uint32_t>(own.size());
  const std::pair<Label, Bytes> values[] = {
      {Label::c_version, encode_values(std::span<const Version>(versions()))},
      {Label::c_nhosts, one(count)},
      {Label::c_nprocs, one(count)},
      {Label::c_datalen, one(number("impi_datalen"))},
      {Label::c_tagub, one(static_cast<std::uint32_t>(kMaxTag))},
      {Label::c_coll_xsize, one(number("impi_coll_xsize"))},
      {Label::c_coll_maxlinear, one(number("impi_coll_maxlinear"))},
      {Label::h_ipv6, each([](const Presence& p) { return p.address; })},
      {Label::h_port, each([](const Presence& p) { return p.port; })},
      {Label::h_nprocs, all(1)},
      {Label::h_ackmark, all(number("impi_ackmark"))},
      {Label::h_hiwater, all(number("impi_hiwater"))},
      {Label::p_ipv6, each([](const Presence& p) { return p.address; })},
      {Label::p_pid, each([](const Presence& p) { return p.pid; })}};
  Answers answers;
  for (const auto& [label, bytes] : values) {
    if (Status s = server_->gather(label, bytes, answers); !s) return s;
  }
  if (Status s = server_->done(answers); !s) return s;
  return encode_answers(answers, server_->clients());
}

// Other systems of ours on machines like this one know the versions that are not the protocol's.
std::vector<Version> Systems::versions() const {
  std::vector<Version> versions{{0, 0}};
  if (with_lam_ || std::endian::native != std::endian::little) return versions;
  versions.push_back(kOwnVersion);
  if (instance_.params().boolean("impi_free_collectives")) versions.push_back(kFreeVersion);
  return versions;
}

coll::Candidate Systems::collectives() const {
  constexpr int kFirst = 100, kBelowLevels = 50;  // coll/hierarchy has 60
  return {*collectives_, "impi", roster_.terms.free_choice() ? kBelowLevels : kFirst};
}

// Our own processes have the ids of their places in the job, those of others what the table gives.
Status Systems::admit_processes() {
  EngineJob& job = instance_.job();
  const auto client = static_cast<std::uint32_t>(instance_.params().integer(kRankParam));
  const std::uint32_t first = roster_.first_of(client);
  std::map<std::uint32_t, std::uint32_t> next;  // place in its system, by client
  for (std::uint32_t rank = 0; rank < roster_.processes.size(); ++rank) {
    const std::uint32_t owner = roster_.processes[rank].client;
    if (owner == client) {
      world_.push_back(&job.peer(rank - first));
      continue;
    }
    auto admitted = job.peers().admit({job_of(owner), next[owner]++});
    if (!admitted.ok()) return admitted.status();
    world_.push_back(*admitted);
  }
  rank_of_id_.assign(job.end_id(), 0);
  for (std::uint32_t rank = 0; rank < world_.size(); ++rank) rank_of_id_[world_[rank]->id] = rank;
  my_rank_ = first + job.my_id();
  return {};
}

bool Systems::spans(const Group& group) const noexcept {
  for (int rank = 0; rank < group.size(); ++rank) {
    if (pml_->foreign(group.member(rank))) return true;
  }
  return false;
}

bool Systems::spans(const Communicator& comm) const noexcept {
  const auto foreign = [this](const Peer& peer) { return pml_->foreign(peer); };
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (foreign(comm.local_peer(rank))) return true;
  }
  for (int rank = 0; comm.inter() && rank < comm.remote_size(); ++rank) {
    if (foreign(comm.peer(rank))) return true;
  }
  return false;
}

Systems* spanned_by(const Comm& comm) noexcept {
  Systems* const systems = comm.instance().systems();
  return systems != nullptr && systems->spans(comm) ? systems : nullptr;
}

PackedForm packed_form(const Comm& comm, const Peer& peer) noexcept {
  const Systems* const systems = comm.instance().systems();
  return systems != nullptr && systems->foreign(peer) ? PackedForm::external32 : PackedForm::native;
}

PackedForm packed_form(const Comm& comm) noexcept {
  return spanned_by(comm) != nullptr ? PackedForm::external32 : PackedForm::native;
}

Status within_one_system(const Comm& comm, const char* what) noexcept {
  if (spanned_by(comm) == nullptr) return {};
  return Status::failure(Errc::unsupported,
                         std::string("the protocol between the MPI systems of this job has no ") +
                             what + "; split the communicator by IMPI_CLIENT_COLOR");
}

// ---- the end ----

Status Systems::meet() {
  Comm& world = instance_.world();
  auto table = world.collectives();
  if (!table.ok()) return table.status();
  return (*table)->run(coll::Call(coll::Operation::barrier, world));
}

void Systems::send_fini() {
  leaving_ = true;
  agent_->send_fini();
  instance_.progress().wait_until([this] { return agent_->all_finished(); });
}

Status Systems::leave() {
  return server_ ? server_->finish() : Status();
}

void Systems::lost(std::uint32_t client, const std::string& why) noexcept {
  end_job(help_text(topics::system_lost, roster_.name_of(client), why));
}

void Systems::server_lost() noexcept {
  std::byte unexpected[256];
  if (leaving_.load() ||
      ::recv(server_->descriptor(), unexpected, sizeof unexpected, MSG_DONTWAIT) > 0)
    return;
  if (agent_->lost_one_within(kServerGoesLater)) return;
  end_job(help_text(topics::server_lost, server_->name()));
}

// As where a process of our own dies: the launcher ends the others.
void Systems::end_job(const std::string& text) noexcept {
  std::fflush(nullptr);
  if (!instance_.boot().aborted()) print_help(text);  // else another process of ours has said it
  instance_.boot().abort(kLostCode);
  ::_exit(abort_status(kLostCode));
}

}  // namespace tessera::impi
