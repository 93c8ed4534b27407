// SPDX-License-Identifier: BSD-3-Clause
// A module that counts what passes through it to the one that serves the window.
#pragma once

#include <string>
#include <vector>

#include "account.h"
#include "tessera/osc.h"
#include "tessera/traffic.h"

namespace tessera::osc::monitoring {

class Monitor;

// What all windows of a process share; the component's.
struct Book {
  traffic::Traffic traffic;
  std::string table;                 // name of the file; empty: standard error
  std::vector<const Monitor*> open;  // windows that are not freed
};

class Monitor final : public Interposer {
 public:
  // Takes over the module below only when there is memory for all that is needed.
  static Result<std::unique_ptr<Module>> make(const Window& window, std::unique_ptr<Module>& below,
                                              Book& book) noexcept;
  ~Monitor() override;

  Status put(const Local& from, const Remote& to, Ticket* ticket) noexcept override;
  Status get(const Local& into, const Remote& from, Ticket* ticket) noexcept override;
  Status accumulate(const Local& from, const Remote& to, const Combination& how,
                    Ticket* ticket) noexcept override;
  Status get_accumulate(const Local& from, const Local& result, const Remote& to,
                        const Combination& how, Ticket* ticket) noexcept override;
  Status fetch(const void* from, void* result, int rank, Aint displacement,
               const Combination& how) noexcept override;
  Status compare_and_swap(const void* from, const void* compare, void* result, const Datatype& type,
                          int rank, Aint displacement) noexcept override;
  Status flush(int rank) noexcept override;
  Status flush_local(int rank) noexcept override;
  Status sync() noexcept override;
  Status fence(int assertions) noexcept override;
  Status post(std::span<const int> origins, int assertions) noexcept override;
  Status start(std::span<const int> targets, int assertions) noexcept override;
  Status complete(std::span<const int> targets) noexcept override;
  Status wait(std::span<const int> origins) noexcept override;
  Result<bool> test(std::span<const int> origins) noexcept override;
  Status lock(Lock kind, int rank, int assertions) noexcept override;
  Status unlock(int rank) noexcept override;
  Status lock_all(int assertions) noexcept override;
  Status unlock_all() noexcept override;
  // Writes down what was counted; bad_alloc.
  void tell() const;
  const char* describe() const noexcept override { return description_.c_str(); }

 private:
  Monitor(const Window& window, std::unique_ptr<Module>& below, Book& book, Account account,
          std::string description) noexcept
      : Interposer(std::move(below)),
        window_(window),
        book_(book),
        account_(std::move(account)),
        description_(std::move(description)) {}
  // What `call` answers; counted if it succeeds.
  template <class Call>
  auto timed(What what, int target, std::uint64_t bytes, Call call) noexcept;
  // The same of an operation that moves data between this process and the target.
  template <class Call>
  Status moved(What what, int target, std::uint64_t bytes, Call call) noexcept;

  const Window& window_;
  Book& book_;
  Account account_;
  std::string description_;
};

}  // namespace tessera::osc::monitoring
