// SPDX-License-Identifier: BSD-3-Clause
// coll/sm on one communicator.
#pragma once

#include <array>
#include <memory>

#include "arena.h"
#include "cma_access.h"
#include "limits.h"
#include "nonblocking.h"
#include "plan.h"
#include "recalibration.h"
#include "shared_segment.h"

namespace tessera::coll::sm {

struct Settings {
  std::size_t memory;  // bytes of the arena
  std::size_t chunk;   // most bytes of a chunk
  bool direct;         // large reductions and long blocks may touch the memory of other processes
  Recalibrate recalibrate;
};

class SmModule;

// The component's share of the job's memory, mapped when the first communicator needs it.
class Common {
 public:
  Common(const Job& job, const Settings& settings, const Limits& limits) noexcept
      : job_(job), settings_(settings), limits_(limits), recalibrator_(job, settings.recalibrate) {}
  const Settings& settings() const noexcept { return settings_; }
  const Limits& limits() const noexcept { return limits_; }
  void use(const Rules& rules) noexcept { limits_.use(rules); }
  Arena* arena() noexcept;  // null: there is no shared memory
  const MachineFigures& machine() noexcept;
  bool knows_machine() const noexcept { return machine_.has_value(); }
  Recalibrator& recalibrator() noexcept { return recalibrator_; }

  // reduction_number(); programs repeat their operations.
  std::uint8_t number_of(const Op* op) noexcept {
    if (op == nullptr) return 0;
    if (op != op_) op_ = op, reduction_ = reduction_number(op);
    return reduction_;
  }

  void add(SmModule& module) noexcept;
  void remove(SmModule& module) noexcept;
  Status end() noexcept;  // of all modules

 private:
  const Job& job_;
  Settings settings_;
  Limits limits_;
  std::optional<Arena> arena_;
  std::optional<MachineFigures> machine_;  // when first asked for
  Recalibrator recalibrator_;
  const Op* op_ = nullptr;  // of the last reduction, and its number
  std::uint8_t reduction_ = 0;
  SmModule* first_ = nullptr;
};

// The segment is made at the first call that this module carries out, which all processes make
// together: rank 0 takes the memory and tells the others where it is, or that there is none; then
// all calls go to the modules below.
class SmModule final : public Module {
 public:
  SmModule(Common& common, Communicator& comm) noexcept;
  ~SmModule() override;
  bool serves(Operation operation) const noexcept override;
  [[gnu::hot]] Status run(const Call& call) noexcept override;
  // The nonblocking calls that go through rounds (nonblocking.h), once there is a segment.
  [[gnu::hot]] Status start(const Call& call, Done done, void* context) noexcept override;
  // Emits nothing: takes down a call that goes as messages, to compare it later.
  Status emit(const Call& call, Schedule& schedule) noexcept override;
  const char* describe(const Call& call) noexcept override;
  Status end() noexcept override;

 private:
  friend Common;
  enum class State : std::uint8_t { before, ready, without };
  // All that a choice rests on. Two words: smaller members would be written one by one and read
  // back together, for which a processor waits until they have left its store buffer.
  struct Key {
    bool operator==(const Key&) const noexcept = default;
    Count bytes = -1;
    std::uint64_t call = 0;  // CallMark::what(), and below it what matters to a reduction
  };
  // The last choices: programs repeat their calls. Those that they make in turn have places of
  // their own (module.cpp).
  struct Choice {
    Key key;
    Plan plan;
  };
  static constexpr std::size_t kPlaces = 6;
  Key key_of(const Call& call) const noexcept;
  const Choice& choice_of(const Call& call) noexcept;
  const Choice& choose(Choice& place, const Call& call, const Key& key) const noexcept;
  Question question(const Call& call) const noexcept;
  Question with_figures(Question asked) const noexcept;
  static CallMark::Kind kind_of(const Key& key) noexcept {
    return CallMark::kind(key.call & CallMark::kWhat, key.bytes);
  }
  const MachineFigures& figures() const noexcept;
  void review_figures() noexcept;
  bool wants_figures(Recalibration& own) noexcept;
  Status carry_out(const Plan& plan, const Call& call) noexcept;
  [[gnu::hot]] Status carry_out_otherwise(const Plan& plan, const Call& call) noexcept;
  Status meet() noexcept;
  std::uint64_t take_memory() noexcept;
  Status run_large(const Plan& plan, const Call& call) noexcept;
  Status move_large(const Plan& plan, const Call& call) noexcept;
  Status bcast_long(const Plan& plan, const Call& call) noexcept;
  [[gnu::hot]] Status move_blocks(const Plan& plan, const Call& call) noexcept;
  const CmaAccess* cma_access() noexcept;  // null where the others' memory may not be used

  Common& common_;
  Communicator& comm_;
  Layout layout_;
  SharedSegment::Shape shape_;
  std::uint64_t offset_ = 0;
  std::optional<SharedSegment> segment_;
  CallMark passed_;                      // before there is a segment: calls that went as messages
  std::unique_ptr<CallLog> passed_log_;  // null: there was none, or no memory for it
  std::unique_ptr<NonblockingCalls> nonblocking_;  // null: there was none
  std::optional<CmaAccess> cma_;                   // tried at the first operation that may use it
  State state_ = State::before;
  std::int64_t until_review_;     // in the unit of Recalibrator::interval()
  std::unique_ptr<Words> words_;  // of the call described last; null: none was
  std::array<Choice, kPlaces> choices_{};
  SmModule* previous_ = nullptr;  // in the list of Common
  SmModule* next_ = nullptr;
};

}  // namespace tessera::coll::sm
