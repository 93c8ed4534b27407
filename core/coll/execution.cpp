// SPDX-License-Identifier: BSD-3-Clause
// Runs one schedule over a communicator's point-to-point layer.
#include "core/coll/execution.h"

#include <cstdio>
#include <memory>
#include <optional>

#include "core/coll/local_copy.h"
#include "core/datatype/predefined.h"
#include "core/job/failures.h"

namespace tessera::coll {

namespace {

const Datatype& type_of(const Buffer& buffer) noexcept {
  return buffer.type != nullptr ? *buffer.type : byte_type();
}

// A schedule knows what each message brings. `rank`: as steps count; `got`: empty where it was more
// than there is room for.
Status wrong_length(const Communicator& comm, int rank, std::optional<std::uint64_t> got,
                    Count expected) noexcept {
  const bool own_group = rank >= comm.remote_size();
  char amount[80];
  if (got)
    std::snprintf(amount, sizeof amount, "%llu bytes where this operation expects %lld",
                  static_cast<unsigned long long>(*got), static_cast<long long>(expected));
  else
    std::snprintf(amount, sizeof amount, "more than the %lld bytes that this operation expects",
                  static_cast<long long>(expected));
  char text[320];
  std::snprintf(text, sizeof text,
                "rank %d%s sent %s: it calls a different operation, or passes a different amount "
                "of data or a different root, or the operation failed there; mpiexec --check "
                "compares the calls argument by argument",
                own_group ? rank - comm.remote_size() : rank,
                comm.inter() && !own_group ? " of the other group" : "", amount);
  return Status::failure(Errc::truncated, text);
}

// What a process says that has lost one that takes part: a message of one byte, where other
// failures bring none (and one where none are expected).
constexpr Count kLostOne = 1;

Status gave_up() noexcept {
  return Status::failure(Errc::peer_failed,
                         "another process could not go on with this collective operation, since a "
                         "process that takes part has died");
}

// The first process of the communicator that is dead, if any is.
const Peer* first_dead(const Communicator& comm) noexcept {
  for (int rank = 0; rank < comm.remote_size(); ++rank) {
    if (comm.peer(rank).failed.load(std::memory_order_relaxed)) return &comm.peer(rank);
  }
  for (int rank = 0; comm.inter() && rank < comm.size(); ++rank) {
    if (comm.local_peer(rank).failed.load(std::memory_order_relaxed)) return &comm.local_peer(rank);
  }
  return nullptr;
}

bool has_dead(const Communicator& comm) noexcept {
  return comm.progress().deaths() != 0 && first_dead(comm) != nullptr;
}

}  // namespace

Execution::Execution(const Call& call, const Schedule& schedule, int tag) noexcept
    : schedule_(schedule),
      comm_(*call.comm),
      op_(call.op),
      spaces_{static_cast<std::byte*>(call.send.buffer),
              static_cast<std::byte*>(call.receive.buffer), nullptr},
      tag_(tag) {}

Execution::~Execution() {
  if (reinterpret_cast<std::byte*>(slots_) != inline_slots_) ::operator delete(slots_);
}

Status Execution::prepare(std::byte* scratch) noexcept {
  const std::span<const Step> steps = schedule_.steps();
  if (steps.size() > Schedule::kInline && reinterpret_cast<std::byte*>(slots_) == inline_slots_) {
    void* block = ::operator new(steps.size() * sizeof(Slot), std::nothrow);
    if (block == nullptr)
      return Status::failure(Errc::no_memory, "no memory to run a collective operation");
    slots_ = static_cast<Slot*>(block);
  }
  spaces_[static_cast<int>(Space::scratch)] = scratch;
  open_ = static_cast<std::uint32_t>(steps.size());
  in_flight_ = head_ = tail_ = 0;
  status_ = Status();
  std::uint32_t places = 1;  // bits: those that occur
  for (StepId id = 0; id < open_; ++id) {
    slots_[id].predecessors = steps[id].predecessors;
    slots_[id].message = nullptr;
    if (steps[id].predecessors != 0) continue;
    const int place = place_of(steps[id]);
    places |= 1u << place;
    if (place == 0) push_ready(id);
  }
  sends_from_ = (places & 1u << 1) != 0 ? tail_ : 0;
  for (int place = 1; places >> place != 0; ++place) {
    for (StepId id = 0; id < open_; ++id) {
      if (steps[id].predecessors == 0 && place_of(steps[id]) == place) push_ready(id);
    }
  }
  return {};
}

// A long message waits until the receives stand: what the others send meanwhile finds its buffer,
// and the pml knows that messages go both ways. A long copy waits until messages are on their way,
// and so does one that a receive could make at once: otherwise the other process, which finds
// nothing to copy meanwhile, would copy only afterwards (docs/decisions/0156). Short ones cost less
// than a second thing to look after.
int Execution::place_of(const Step& step) const noexcept {
  if (step.kind == StepKind::send) return step.from.bytes() > kLong ? 1 : 0;
  return step.kind == StepKind::copy && step.to.bytes() > kLong ? 2 : 0;
}

Status Execution::run() noexcept {
  blocking_ = true;
  patient_ = !comm_.job().recovers();
  if (!patient_) look_for_dead();
  while (true) {
    issue_ready();
    if (open_ == 0) return outcome();
    const Status waited = comm_.progress().wait_until(
        [this] { return head_ != tail_ || open_ == 0; }, [this] { return has_dead(comm_); });
    if (!waited) return give_up();
  }
}

// Also where this process only sends, and would never wait: the others need to know.
void Execution::look_for_dead() noexcept {
  comm_.progress().notice_failures();
  if (has_dead(comm_)) status_ = died(*first_dead(comm_));
}

// A failure that a death has caused somewhere is told as such.
Status Execution::outcome() noexcept {
  if (!status_.ok() && !patient_) look_for_dead();
  return status();
}

void Execution::cancel_messages() noexcept {
  if (const Peer* dead = first_dead(comm_)) fail(died(*dead));
  for (StepId id = 0; id < schedule_.steps().size(); ++id) {
    if (slots_[id].message != nullptr) slots_[id].message->cancel();
  }
}

// Data of a message that has begun may still be moved: the memory stays until all have ended.
Status Execution::give_up() noexcept {
  cancel_messages();
  comm_.progress().wait_until([this] { return in_flight_ == 0; });
  return status();
}

// The same without waiting; may destroy this object.
int Execution::give_up_if_lost() noexcept {
  if (given_up_ || issuing_ || !has_dead(comm_)) return 0;
  given_up_ = issuing_ = true;
  cancel_messages();
  issuing_ = false;
  issue_ready();
  return 1;
}

void Execution::start(WhenDone when_done, void* owner) noexcept {
  blocking_ = false;
  patient_ = !comm_.job().recovers();
  given_up_ = false;
  when_done_ = when_done;
  owner_ = owner;
  if (!patient_) {
    look_for_dead();
    comm_.progress().add(watch_.emplace(*this));
  }
  issue_ready();
}

void Execution::conclude() noexcept {
  open_ = 0;
  static_cast<void>(outcome());
  if (watch_) comm_.progress().remove(*watch_);
  watch_.reset();
  when_done_(owner_);
}

// Entered again from the continuation of a message that completes while another is being started:
// the outer call goes on with what the inner one made ready. May destroy this object through
// when_done_.
void Execution::issue_ready() noexcept {
  if (issuing_) return;
  issuing_ = true;
  while (head_ != tail_ && !given_up_) issue(slots_[head_++].ready);
  issuing_ = false;
  if (!blocking_ && (open_ == 0 || (given_up_ && in_flight_ == 0))) conclude();
}

void Execution::issue(StepId id) noexcept {
  const Step& step = schedule_.steps()[id];
  if (step.kind == StepKind::reduce || step.kind == StepKind::copy) {
    compute(step);
    release(step, true);
    done(step);
  } else if (blocking_ && alone(step)) {
    communicate_blocking(step);
  } else {
    communicate(id, step);
  }
}

void Execution::compute(const Step& step) noexcept {
  if (!status_.ok()) return;
  if (step.kind == StepKind::copy) {
    local_copy(address(step.from), step.from.count, step.from.type, address(step.to), step.to.count,
               step.to.type);
  } else if (const Status outcome =
                 op_->apply(address(step.from), address(step.to), step.to.count, type_of(step.to));
             !outcome) {
    fail(outcome);
  }
}

// Whether nothing else can happen before this message completes, so that it may as well be waited
// for right here.
bool Execution::alone(const Step& step) const noexcept {
  if (in_flight_ != 0 || head_ != tail_ || !patient_) return false;
  for (std::uint32_t i = step.first_edge; i != kNoEdge; i = schedule_.edge(i).next) {
    if (schedule_.edge(i).issue_only) return false;
  }
  return true;
}

void Execution::communicate_blocking(const Step& step) noexcept {
  MessageStatus message;
  if (step.kind == StepKind::send) {
    message.error = comm_.pml().send(send_args(step));
  } else if (const Status outcome = comm_.pml().recv(recv_args(step), message); !outcome) {
    message.error = outcome;
  }
  settle(step, message);
  done(step);
}

void Execution::communicate(StepId id, const Step& step) noexcept {
  if (step.kind == StepKind::recv) {
    pml::RecvArgs args = recv_args(step);
    args.sends_follow = head_ <= sends_from_;
    return follow(id, step, comm_.pml().irecv(args));
  }
  const pml::SendArgs args = send_args(step);
  if (!comm_.pml().inject(args)) return follow(id, step, comm_.pml().isend(args));
  release(step, true);
  done(step);
}

void Execution::follow(StepId id, const Step& step, Result<Request*> request) noexcept {
  release(step, true);
  if (!request) {
    fail(request.status());
    done(step);
  } else if (request.value()->complete()) {
    settle(step, request.value()->status());
    request.value()->free();
    done(step);
  } else {
    ++in_flight_;
    slots_[id].execution = this;
    slots_[id].message = request.value();
    request.value()->then(&Execution::arrived, &slots_[id]);
  }
}

void Execution::arrived(Request& request, void* argument) noexcept {
  Slot* slot = static_cast<Slot*>(argument);
  Execution& self = *slot->execution;
  const Step& step = self.schedule_.steps()[static_cast<std::size_t>(slot - self.slots_)];
  --self.in_flight_;
  slot->message = nullptr;
  self.settle(step, request.status());
  request.free();
  self.done(step);
  if (!self.blocking_) self.issue_ready();
}

void Execution::settle(const Step& step, const MessageStatus& message) noexcept {
  const Count expected = step.to.bytes();
  if (!message.error.ok()) {
    const bool lost_one = step.kind == StepKind::recv && expected == 0 &&
                          message.error == Errc::truncated && !patient_;
    if (step.kind == StepKind::recv && message.error == Errc::truncated && !lost_one)
      return fail(wrong_length(comm_, step.peer, std::nullopt, expected));
    fail(lost_one ? gave_up() : message.error);
  } else if (step.kind == StepKind::recv && message.bytes != static_cast<std::uint64_t>(expected)) {
    if (!status_.ok()) return;
    const bool lost_one = message.bytes == kLostOne && expected > kLostOne;
    fail(lost_one ? gave_up() : wrong_length(comm_, step.peer, message.bytes, expected));
  }
}

void Execution::fail(Status why) noexcept {
  if (status_.ok()) status_ = why;
}

void Execution::done(const Step& step) noexcept {
  --open_;
  release(step, false);
}

inline void Execution::release(const Step& step, bool issued) noexcept {
  for (std::uint32_t i = step.first_edge; i != kNoEdge; i = schedule_.edge(i).next) {
    const Edge& edge = schedule_.edge(i);
    if (edge.issue_only == issued && --slots_[edge.step].predecessors == 0) push_ready(edge.step);
  }
}

std::byte* Execution::address(const Buffer& buffer) const noexcept {
  // In integers: the base may be null, with addresses in the datatype (MPI_BOTTOM).
  const auto base = reinterpret_cast<std::uintptr_t>(spaces_[static_cast<int>(buffer.space)]);
  return reinterpret_cast<std::byte*>(base + static_cast<std::uintptr_t>(buffer.offset));
}

// To a process of the same side of an intercommunicator, this one is remote_size + rank.
pml::SendArgs Execution::send_args(const Step& step) const noexcept {
  const bool local = step.peer >= comm_.remote_size();
  Peer& peer = local ? comm_.local_peer(step.peer - comm_.remote_size()) : comm_.peer(step.peer);
  const int source = local ? comm_.remote_size() + comm_.rank() : comm_.rank();
  const Buffer& what = step.from;
  if (!status_.ok()) [[unlikely]] {
    static const std::byte signal{};
    const bool lost_one = status_ == Errc::peer_failed && what.bytes() > kLostOne;
    return {&signal,
            what.bytes() == 0 || lost_one ? 1 : 0,
            &byte_type(),
            &peer,
            source,
            tag_,
            comm_.collective_context(),
            pml::Mode::standard};
  }
  return {address(what),
          what.count,
          &type_of(what),
          &peer,
          source,
          tag_,
          comm_.collective_context(),
          pml::Mode::standard};
}

pml::RecvArgs Execution::recv_args(const Step& step) const noexcept {
  const bool local = step.peer >= comm_.remote_size();
  Peer& peer = local ? comm_.local_peer(step.peer - comm_.remote_size()) : comm_.peer(step.peer);
  return {address(step.to), step.to.count, &type_of(step.to),         &peer,
          step.peer,        tag_,          comm_.collective_context()};
}

namespace {

constexpr std::size_t kStackScratch = 1024;

// Scratch memory of one blocking operation: on the stack when it is small.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) noexcept
      : heap_(bytes > kStackScratch ? new (std::nothrow) std::byte[bytes] : nullptr),
        base_(bytes > kStackScratch ? heap_.get() : stack_) {}
  std::byte* base() noexcept { return base_; }

 private:
  std::unique_ptr<std::byte[]> heap_;
  std::byte* base_;
  alignas(16) std::byte stack_[kStackScratch];
};

}  // namespace

Status execute(const Call& call, const Schedule& schedule) noexcept {
  // Taken in any case: the processes must agree on the number of tags used, whatever their part or
  // their fortune.
  const int tag = call.comm->next_collective_tag();
  if (!schedule.status()) return schedule.status();
  if (schedule.steps().empty()) return {};
  Scratch scratch(schedule.scratch_bytes());
  if (scratch.base() == nullptr) {
    return Status::failure(Errc::no_memory,
                           "no memory for the intermediate results of a collective operation");
  }
  Execution execution(call, schedule, tag);
  if (const Status prepared = execution.prepare(scratch.base()); !prepared) return prepared;
  return execution.run();
}

}  // namespace tessera::coll
