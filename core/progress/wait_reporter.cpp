// SPDX-License-Identifier: BSD-3-Clause
// What this process waits for, in full.
#include "core/progress/wait_reporter.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <string_view>

#include "core/coll/request.h"
#include "core/engine/instance.h"
#include "core/progress/wait_clock.h"
#include "core/request/partitioned.h"
#include "core/request/partitioned_numbers.h"
#include "core/request/requests.h"
#include "core/request/staged_request.h"
#include "core/rma/window_report.h"
#include "tessera/pml.h"

namespace tessera {
namespace {

using Kind = ReportedWait::Kind;

template <std::size_t N>
void copy_text(char (&to)[N], const char* from) noexcept {
  std::strncpy(to, from, N - 1);
  to[N - 1] = 0;
}

// Fills in one report.
class Writing final : public pml::Surveyor, public WindowSurveyor {
 public:
  Writing(Instance& instance, WaitReport& report) noexcept
      : instance_(instance), report_(report), job_(instance.me().name.job) {}

  void write(const WaitNotes& notes) noexcept;
  void see(const pml::Pending& pending) noexcept override;
  void waits(Kind kind, const Win& window, int rank) noexcept override;
  void holds(ReportedHold::Kind kind, const Win& window, int rank) noexcept override;

 private:
  static constexpr std::size_t kSeen = 4096;

  std::int32_t rank_of(const Peer* peer) const noexcept {
    const bool mine = peer != nullptr && peer->name.job == job_;
    return mine ? static_cast<std::int32_t>(peer->name.index) : kNoRank;
  }
  bool has_windows() const noexcept { return instance_.census().windows > 0; }
  std::int32_t index_of(const Communicator* comm) noexcept;
  void describe(const Communicator& comm, ReportedComm& to) noexcept;
  void add_member(ReportedComm& to, const Peer& peer) noexcept;
  ReportedWait* add(Kind kind, const Communicator* comm) noexcept;
  void add_message(ReportedMessage* list, std::uint32_t& count,
                   const pml::Pending& pending) noexcept;

  void write_further(WaitingThread& thread) noexcept;
  void write_call(const WaitNote& note) noexcept;
  void write_point_to_point(Kind kind, const WaitNote& note, int peer, int tag,
                            std::uint64_t bytes) noexcept;
  void write_collective(const WaitNote& note) noexcept;
  void write_requests(const WaitNote& note) noexcept;
  void write_request(const Request& request) noexcept;
  void write_pending(const pml::Pending& pending, const Communicator* comm) noexcept;
  void write_partitioned(const PartitionedRequest& request) noexcept;
  void write_receives() noexcept;
  bool takes_posted(const Communicator& comm, int peer, int tag) noexcept;
  bool unmatched_send(const Communicator& comm, int peer, int tag) const noexcept;

  Instance& instance_;
  WaitReport& report_;
  std::uint64_t job_;
  const Communicator* known_[WaitReport::kComms] = {};
  pml::Pending seen_[kSeen];
  std::bitset<kSeen> waited_for_;  // of these, what the call waits for
  std::size_t seen_count_ = 0;
  std::uint32_t thread_ = 0;  // ReportedWait::thread of what is written now
};

void Writing::see(const pml::Pending& pending) noexcept {
  using Pending = pml::Pending;
  if (pending.kind == Pending::Kind::unexpected) {
    ++report_.unexpected_in_all;
    return add_message(report_.arrived, report_.unexpected, pending);
  }
  if (seen_count_ == kSeen) return static_cast<void>(report_.whole = 0);
  seen_[seen_count_++] = pending;
  if (pending.kind != Pending::Kind::send) return;
  ++report_.sends_in_all;
  if (report_.sends == WaitReport::kMessages) report_.whole = 0;
  add_message(report_.send, report_.sends, pending);
}

// Of more waits than fit, that for any call of any process of the window stands for all.
void Writing::waits(Kind kind, const Win& window, int rank) noexcept {
  if (report_.waits == WaitReport::kWaits) {
    report_.waits = 0;
    kind = Kind::others;
    rank = osc::kAll;
  }
  if (report_.waits == 1 && report_.wait[0].kind == Kind::others) return;
  ReportedWait* const wait = add(kind, &window.comm());
  if (wait == nullptr || rank < 0) return;
  wait->peer = rank;
  wait->rank = rank_of(&window.comm().peer(rank));
}

void Writing::holds(ReportedHold::Kind kind, const Win& window, int rank) noexcept {
  if (report_.holds == WaitReport::kHolds) return;
  const std::int32_t in_job = rank < 0 ? kEveryRank : rank_of(&window.comm().peer(rank));
  if (in_job != kNoRank) report_.hold[report_.holds++] = {kind, in_job, window.number()};
}

void Writing::add_message(ReportedMessage* list, std::uint32_t& count,
                          const pml::Pending& pending) noexcept {
  if (count == WaitReport::kMessages) return;
  list[count++] = {pending.source,  rank_of(pending.peer), pending.tag, pending.matched ? 1u : 0u,
                   pending.context, pending.bytes};
}

std::int32_t Writing::index_of(const Communicator* comm) noexcept {
  if (comm == nullptr) return -1;
  for (std::uint32_t i = 0; i < report_.comms; ++i)
    if (known_[i] == comm) return static_cast<std::int32_t>(i);
  if (report_.comms == WaitReport::kComms) return -1;
  known_[report_.comms] = comm;
  describe(*comm, report_.comm[report_.comms]);
  return static_cast<std::int32_t>(report_.comms++);
}

void Writing::describe(const Communicator& comm, ReportedComm& to) noexcept {
  to = {};
  to.context = comm.context();
  const Win* const window = has_windows() ? Win::of(comm) : nullptr;
  copy_text(to.name, window != nullptr ? window->name().c_str() : comm.name());
  to.flavor = window != nullptr ? static_cast<std::uint32_t>(window->flavor()) : 0;
  to.calls = static_cast<const Comm&>(comm).calls();
  to.all_members = 1;
  for (int i = 0; i < comm.size(); ++i) add_member(to, comm.local_peer(i));
  for (int i = 0; comm.inter() && i < comm.remote_size(); ++i) add_member(to, comm.peer(i));
}

void Writing::add_member(ReportedComm& to, const Peer& peer) noexcept {
  ++to.processes;
  if (peer.name.job != job_) return static_cast<void>(to.all_members = 0);
  const std::uint32_t rank = peer.name.index;
  if (to.runs > 0) {
    ReportedComm::Run& last = to.run[to.runs - 1];
    if (last.count == 1 && rank > last.first) last.step = rank - last.first;
    if (rank == last.first + last.count * last.step) return static_cast<void>(++last.count);
  }
  if (to.runs == ReportedComm::kRuns) return static_cast<void>(to.all_members = 0);
  to.run[to.runs++] = {rank, 1, 1};
}

ReportedWait* Writing::add(Kind kind, const Communicator* comm) noexcept {
  if (report_.waits == WaitReport::kWaits) return report_.whole = 0, nullptr;
  ReportedWait& wait = report_.wait[report_.waits++];
  wait = {};
  wait.kind = kind;
  wait.peer = kAnySource;
  wait.rank = kNoRank;
  wait.tag = kAnyTag;
  wait.thread = thread_;
  wait.comm = index_of(comm);
  if (comm != nullptr && wait.comm < 0) report_.whole = 0;
  return &wait;
}

void Writing::write(const WaitNotes& notes) noexcept {
  copy_text(report_.function, notes.own.function);
  report_.whole = notes.all ? 1 : 0;
  report_.threads = instance_.progress().locking() ? 1 : 0;
  report_.thread = this_thread();
  report_.agent = notes.agent;
  if (!instance_.pml().survey(*this)) report_.whole = 0;
  index_of(&instance_.world());
  const bool on_window = has_windows() && instance_.one_sided().waiting() != nullptr;
  if (has_windows()) survey_windows(instance_.one_sided(), *this);
  if (!on_window) write_call(notes.own);
  notes.beside.for_each([this](WaitingThread& thread) { write_further(thread); });
  write_receives();
  write_sends(instance_, {known_, report_.comms}, report_.sent);
  if (on_window && report_.further > 0) report_.whole = 0;  // whose wait this is, is not known
}

// One that is about to wake up may do anything.
void Writing::write_further(WaitingThread& thread) noexcept {
  if (thread.note() == nullptr) return;
  if (thread.look() || report_.further == WaitReport::kThreads)
    return static_cast<void>(report_.whole = 0);
  ReportedThread& further = report_.further_thread[report_.further++];
  further.id = thread.thread();
  copy_text(further.function, thread.note()->function);
  thread_ = report_.further;
  write_call(*thread.note());
}

Kind kind_of(std::string_view function) noexcept {
  if (function.starts_with("MPI_Recv")) return Kind::receive;
  if (function.starts_with("MPI_Probe") || function.starts_with("MPI_Mprobe")) return Kind::probe;
  for (const char* name : {"MPI_Send", "MPI_Ssend", "MPI_Rsend"})
    if (function.starts_with(name)) return Kind::send;
  return Kind::others;
}

// These wait for processes of other jobs, for a transfer that is under way, or for a device.
bool is_served_otherwise(std::string_view function) noexcept {
  for (const char* name :
       {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_spawn", "MPI_Comm_join", "MPI_Mrecv",
        "MPI_Lookup_name", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Comm_disconnect"})
    if (function.starts_with(name)) return true;
  return false;
}

void Writing::write_call(const WaitNote& note) noexcept {
  const WaitDetail* const detail = note.detail;
  if (detail != nullptr && detail->collective > 0) return write_collective(note);
  if (detail != nullptr && detail->request != nullptr) return write_requests(note);
  const auto bytes = note.type != nullptr
                         ? static_cast<std::uint64_t>(note.count * note.type->size())
                         : std::uint64_t{0};
  if (detail != nullptr) {
    if (note.peer != kProcNull)
      write_point_to_point(Kind::receive, note, note.peer, note.tag, bytes);
    if (detail->to != kProcNull)
      write_point_to_point(Kind::send, note, detail->to, detail->send_tag, detail->send_bytes);
    return;
  }
  const Kind kind = kind_of(note.function);
  if (is_served_otherwise(note.function)) return static_cast<void>(add(Kind::unknown, note.comm));
  if (kind == Kind::others || note.comm == nullptr)
    return static_cast<void>(add(Kind::others, note.comm));
  write_point_to_point(kind, note, note.peer, note.tag, bytes);
}

// Of a call that both sends and receives, what is done already is left out.
void Writing::write_point_to_point(Kind kind, const WaitNote& note, int peer, int tag,
                                   std::uint64_t bytes) noexcept {
  const Communicator& comm = *note.comm;
  const bool open = kind == Kind::receive ? takes_posted(comm, peer, tag)
                    : kind == Kind::send  ? unmatched_send(comm, peer, tag)
                                          : true;
  if (!open && note.detail != nullptr) return;
  ReportedWait* const wait = add(kind, &comm);
  if (wait == nullptr) return;
  wait->peer = peer;
  wait->tag = tag;
  wait->bytes = bytes;
  wait->matched = open ? 0 : 1;
  if (peer >= 0) wait->rank = rank_of(&comm.peer(peer));
}

// Of several with these arguments the call's own is the last one.
bool Writing::takes_posted(const Communicator& comm, int peer, int tag) noexcept {
  for (std::size_t i = seen_count_; i-- > 0;) {
    const pml::Pending& one = seen_[i];
    const bool fits = one.kind == pml::Pending::Kind::receive && !one.matched &&
                      one.context == comm.context() && one.source == peer && one.tag == tag;
    if (fits) return waited_for_.set(i), true;
  }
  return false;
}

// Messages inside collective operations have odd contexts and are nobody's business.
void Writing::write_receives() noexcept {
  for (std::size_t i = 0; i < seen_count_; ++i) {
    const pml::Pending& one = seen_[i];
    const bool waits = one.kind == pml::Pending::Kind::receive && !one.matched;
    if (!waits || waited_for_[i] || one.context % 2 != 0) continue;
    ++report_.receives_in_all;
    add_message(report_.receive, report_.receives, one);
  }
}

bool Writing::unmatched_send(const Communicator& comm, int peer, int tag) const noexcept {
  return std::any_of(seen_, seen_ + seen_count_, [&](const pml::Pending& one) {
    return one.kind == pml::Pending::Kind::send && !one.matched && one.context == comm.context() &&
           one.peer == &comm.peer(peer) && one.tag == tag;
  });
}

void Writing::write_collective(const WaitNote& note) noexcept {
  ReportedWait* const wait = add(Kind::collective, note.comm);
  if (wait == nullptr) return;
  const coll::Call& call = *note.detail->call;
  wait->number = note.detail->collective;
  wait->root = call.root;
  wait->bytes = static_cast<std::uint64_t>(std::max<Count>(coll::amount(call), 0));
  copy_text(wait->operation, coll::name(call.operation));
}

void Writing::write_requests(const WaitNote& note) noexcept {
  const WaitDetail& detail = *note.detail;
  (thread_ == 0 ? report_.any : report_.further_thread[thread_ - 1].any) = detail.any ? 1 : 0;
  const Count count = std::max<Count>(note.count, 1);
  for (Count i = 0; i < count; ++i) {
    const Request* request = detail.request(detail.list, i);
    if (request != nullptr && !request->complete()) write_request(*request);
  }
}

void Writing::write_request(const Request& request) noexcept {
  if (const auto* staged = dynamic_cast<const StagedRequest*>(&request); staged != nullptr)
    return write_request(staged->operation());
  const auto* mine = std::find_if(seen_, seen_ + seen_count_,
                                  [&](const pml::Pending& one) { return one.request == &request; });
  if (mine != seen_ + seen_count_) {
    waited_for_.set(static_cast<std::size_t>(mine - seen_));
    return write_pending(*mine, request.owner());
  }
  const auto* partitioned = dynamic_cast<const PartitionedRequest*>(&request);
  if (partitioned != nullptr && request.owner() != nullptr) return write_partitioned(*partitioned);
  const auto* collective = dynamic_cast<const coll::CollectiveRequest*>(&request);
  ReportedWait* const wait =
      add(collective != nullptr ? Kind::collective : Kind::unknown, request.owner());
  if (wait == nullptr || collective == nullptr) return;
  wait->nonblocking = 1;
  wait->number = static_cast<std::uint64_t>(collective->tag()) + 1;
  wait->root = collective->root();
  copy_text(wait->operation, coll::name(collective->operation()));
}

// Its messages are told from those of collective operations by their source numbers: any such
// message between the two processes may be its own.
void Writing::write_partitioned(const PartitionedRequest& request) noexcept {
  const Communicator& comm = *request.owner();
  const PartitionedArgs& args = request.args();
  const Peer* const peer = args.rank >= 0 ? &comm.peer(args.rank) : nullptr;
  const auto pending = [&](bool matched) {
    return std::any_of(seen_, seen_ + seen_count_, [&](const pml::Pending& one) {
      return one.context == comm.collective_context() && is_partitioned(one.source) &&
             one.peer == peer && one.matched == matched;
    });
  };
  const auto* send = dynamic_cast<const PartitionedSend*>(&request);
  const bool all_marked = send != nullptr && send->all_marked();
  const Kind kind = send == nullptr ? Kind::partitions : all_marked ? Kind::send : Kind::marks;
  ReportedWait* const wait = add(kind, &comm);
  if (wait == nullptr) return;
  wait->peer = args.rank;
  wait->rank = rank_of(peer);
  wait->tag = args.tag;
  wait->bytes = request.total_bytes();
  wait->matched = kind != Kind::marks && (pending(true) || (all_marked && !pending(false)));
}

void Writing::write_pending(const pml::Pending& pending, const Communicator* comm) noexcept {
  const bool receives = pending.kind == pml::Pending::Kind::receive;
  ReportedWait* const wait = add(receives ? Kind::receive : Kind::send, comm);
  if (wait == nullptr) return;
  wait->rank = rank_of(pending.peer);
  wait->tag = pending.tag;
  wait->bytes = pending.bytes;
  wait->matched = pending.matched ? 1 : 0;
  wait->peer = receives ? pending.source : kAnySource;
  for (int i = 0; comm != nullptr && !receives && i < comm->remote_size(); ++i)
    if (&comm->peer(i) == pending.peer) wait->peer = i;
}

}  // namespace

Result<std::span<WaitReport>> wait_reports(JobSegment& segment) noexcept {
  const std::size_t bytes = segment.ranks() * sizeof(WaitReport);
  auto region = segment.region(kWaitReportsName, bytes);
  if (!region.ok()) return region.status();
  return std::span(reinterpret_cast<WaitReport*>(region->base()), segment.ranks());
}

void WaitReporter::tell(const WaitNotes& notes) noexcept {
  const std::uint32_t asked = question_.asked.load(std::memory_order_acquire);
  if (report_ == nullptr) report_ = instance_.boot().report();
  if (report_ != nullptr) {
    *report_ = {};
    report_->since_ns = instance_.boot().blocked()->read().since_ns;
    report_->standstill = instance_.progress().standstills();
    if (const std::unique_ptr<Writing> writing{new (std::nothrow) Writing(instance_, *report_)})
      writing->write(notes);
    write_places(report_->places);
    write_inventory(instance_, report_->inventory);
  }
  question_.answered.store(asked, std::memory_order_release);
}

}  // namespace tessera
