// SPDX-License-Identifier: BSD-3-Clause
// coll/seeded: an allreduce with one mistake, chosen by the parameter `bug`; the contract suite
// must find each of them and accept the algorithm without any.
#include <string_view>
#include <vector>

#include "tessera/coll.h"

namespace {

using namespace tessera;
using coll::Buffer;
using coll::Schedule;
using coll::Space;
using coll::StepId;

class Exchange {
 public:
  Exchange(const coll::Call& call, Schedule& schedule, std::string_view bug)
      : call_(call), schedule_(schedule), bug_(bug) {}

  void emit() {
    const Buffer result = vector(Space::receive);
    const Buffer mine = call_.in_place ? result : vector(Space::send);
    for (int rank = 0; rank < call_.size; ++rank) exchange_with(rank, mine);
    const StepId last = schedule_.copy(parts_.back(), result, {reduced()});
    if (bug_ != "unordered") {
      for (const StepId send : sends_) schedule_.order(send, last);
    }
    if (bug_ == "cycle") schedule_.order(last, arrived_.front());
  }

 private:
  Buffer vector(Space space) const { return {space, 0, call_.receive.count, call_.receive.type}; }

  void exchange_with(int rank, const Buffer& mine) {
    parts_.push_back(schedule_.scratch(mine.count, mine.type));
    if (rank == call_.rank) {
      arrived_.push_back(schedule_.copy(mine, parts_.back()));
      return;
    }
    const bool forgotten = bug_ == "lost" && rank == 0;
    const Buffer what = bug_ == "short" ? mine.part(0, mine.count - 1) : mine;
    if (!forgotten) sends_.push_back(schedule_.send(rank, what));
    arrived_.push_back(schedule_.recv(rank, parts_.back()));
  }

  // Into the last part: a0 op (a1 op ...); "swapped" takes the first two the other way round.
  StepId reduced() {
    if (bug_ == "swapped" && parts_.size() > 1) {
      std::swap(parts_[0], parts_[1]);
      std::swap(arrived_[0], arrived_[1]);
    }
    StepId sum = arrived_.back();
    for (int rank = call_.size - 2; rank >= 0; --rank) {
      const auto i = static_cast<std::size_t>(rank);
      sum = bug_ == "early" ? schedule_.reduce(parts_[i], parts_.back(), {sum})
                            : schedule_.reduce(parts_[i], parts_.back(), {arrived_[i], sum});
    }
    return sum;
  }

  const coll::Call& call_;
  Schedule& schedule_;
  std::string_view bug_;
  std::vector<Buffer> parts_;  // of each rank
  std::vector<StepId> arrived_;
  std::vector<StepId> sends_;
};

class Seeded final : public coll::Module {
 public:
  explicit Seeded(std::string_view bug) noexcept : bug_(bug) {}
  bool serves(coll::Operation operation) const noexcept override {
    return operation == coll::Operation::allreduce;
  }
  Status emit(const coll::Call& call, Schedule& schedule) noexcept override try {
    if (bug_ == "undecided" && call.rank == 1) return Errc::unsupported;
    if (bug_ != "unlabelled") schedule.label("exchange", "");
    if (call.receive.count > 0) Exchange(call, schedule, bug_).emit();
    return schedule.status();
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

 private:
  std::string_view bug_;
};

class SeededComponent final : public coll::Component {
 public:
  Status open(const Host& host) noexcept override {
    bug_ = host.params.text("bug");
    return {};
  }
  Result<coll::Module*> query(Communicator& comm) noexcept override {
    if (comm.inter()) return Status::failure(Errc::refused, "serves intracommunicators only");
    coll::Module* module = new (std::nothrow) Seeded(bug_);
    if (module == nullptr) return Errc::no_memory;
    return module;
  }

 private:
  std::string_view bug_;
};

}  // namespace

TESSERA_COMPONENT(coll, seeded, "1.0.0", 90, SeededComponent, "An allreduce with a chosen mistake",
                  TESSERA_PARAM("bug", text, "none", "", "", 9, "The mistake."))
