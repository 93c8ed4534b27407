// SPDX-License-Identifier: BSD-3-Clause
// The collectives of one communicator: which modules serve which operation, and the four ways to
// call them.
#pragma once
//
// Contract. Made at a communicator's first collective operation, by every process alike; deleted
// with the communicator. The calls come with checked arguments. run() blocks; start() returns an
// active (or already complete) request; init() an inactive persistent one. The requests keep
// communicator, datatypes and op alive by themselves.
//
#include <array>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/coll/request.h"
#include "tessera/coll.h"
#include "tessera/coll_interposer.h"

namespace tessera {
class Comm;
class Explanation;
class Member;
struct Decision;
}  // namespace tessera

namespace tessera::coll {

class Guards;

// An opened component with its name and its priority (parameter or manifest).
struct Candidate {
  Component& component;
  std::string name;
  int priority;
  const Member* member = nullptr;  // whose code it is; null: the engine's own
};

class Table {
 public:
  // Asks all candidates. With an explanation, it is told who was asked what, and later which
  // algorithm ran for which operation and size; it must outlive the table.
  static Result<std::unique_ptr<Table>> make(Communicator& comm,
                                             std::span<const Candidate> candidates,
                                             Explanation* explanation = nullptr) noexcept;
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Before the first call: what stands in front of it.
  void guard(std::unique_ptr<Guards> guards) noexcept;
  // A communicator is being made of this one. A failure means that it must not.
  Status enter(Making making, CallForm form) noexcept;

  // This process makes no further call. A failure tells of calls that did not match; what stands in
  // front tells more, and by itself.
  Status end() noexcept;

  [[gnu::hot]] Status run(const Call& call) noexcept;
  Result<Request*> start(const Call& call) noexcept;
  Result<Request*> init(const Call& call) noexcept;

  std::span<Module* const> modules(Operation operation) const noexcept {
    return stacks_[static_cast<std::size_t>(operation)];
  }

 private:
  using Stacks = std::array<std::span<Module* const>, kOperations>;
  struct Layer {
    std::unique_ptr<Module> module;
    std::string name;
    int priority;
    std::unique_ptr<Stacks> below;
  };

  explicit Table(Explanation* explanation) noexcept;
  void ask(Communicator& comm, std::span<const Candidate> candidates);
  void stack();
  void stack(Operation operation);
  void tell_displaced();
  [[gnu::hot]] Status run_through_modules(const Call& call) noexcept;
  Status run_otherwise(const Call& call) noexcept;  // than by the first module's own way
  Status run_guarded(const Call& call) noexcept;
  Result<CollectiveRequest*> take(const Call& call, bool persistent) noexcept;
  Status start_or_emit(const Call& call, CollectiveRequest& request) noexcept;
  Status nobody(const Call& call) const noexcept;

  void note_query(const Communicator& comm) const;
  Decision describe(const Call& call, Module& module, const Schedule* schedule) const;
  void note_choice(const Call& call, Module& module, const Schedule* schedule) noexcept;
  void observe(const Call& call, Module& module, const Schedule* schedule) noexcept {
    if (explanation_ != nullptr) [[unlikely]]
      note_choice(call, module, schedule);
  }

  std::vector<Layer> layers_;
  std::vector<Module*> order_;  // the memory of stacks_
  Stacks stacks_{};
  std::vector<std::pair<std::string, std::string>>
      refusals_;  // name and reason of those that gave no module
  Explanation* explanation_;
  std::unique_ptr<Guards> guards_;  // null: nothing stands in front
  using Seen = std::tuple<Operation, int, const Module*, std::string>;
  std::set<Seen> seen_;  // choices already explained
  RequestPool requests_;
};

}  // namespace tessera::coll
