// SPDX-License-Identifier: BSD-3-Clause
// A window whose processes share a machine: everything is done by the caller alone.
#pragma once

#include <string>
#include <vector>

#include "accumulate.h"
#include "memory.h"
#include "regions.h"

namespace tessera::osc::sm {

class SmModule final : public Module {
 public:
  // Collective.
  static Result<std::unique_ptr<Module>> make(Window& window) noexcept;

  Status put(const Local& from, const Remote& to, Ticket*) noexcept override;
  Status get(const Local& into, const Remote& from, Ticket*) noexcept override;
  Status accumulate(const Local& from, const Remote& to, const Combination& how,
                    Ticket*) noexcept override;
  Status get_accumulate(const Local& from, const Local& result, const Remote& to,
                        const Combination& how, Ticket*) noexcept override;
  Status fetch(const void* from, void* result, int rank, Aint displacement,
               const Combination& how) noexcept override;
  Status compare_and_swap(const void* from, const void* compare, void* result, const Datatype& type,
                          int rank, Aint displacement) noexcept override;

  Status flush(int) noexcept override;
  Status flush_local(int) noexcept override { return {}; }
  Status sync() noexcept override { return flush(kAll); }

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

  Status attach(void* base, Aint bytes) noexcept override { return regions_.attach(base, bytes); }
  Status detach(const void* base) noexcept override { return regions_.detach(base); }
  void* address(int rank) const noexcept override;
  std::span<std::byte* const> direct() const noexcept override { return direct_; }
  Status free() noexcept override;
  const char* describe() const noexcept override { return text_.c_str(); }
  void survey(Surveyor& surveyor) const noexcept override;

 private:
  enum class Held : std::uint8_t { none, shared, exclusive, unchecked };

  SmModule(Window& window, std::unique_ptr<Memory> memory);
  // Where the base of a target is; `pid` is 0 if that is an address of this process.
  struct Reach {
    std::byte* base;
    std::int32_t pid;
  };
  Status move(Direction direction, const Local& here, const Remote& there) noexcept;
  Status check(const Remote& remote) noexcept;
  Place place(int rank, const Datatype& element) const noexcept;
  std::int32_t posts(int target) const noexcept;
  bool over() const noexcept;

  Window& window_;
  std::unique_ptr<Memory> memory_;
  Control control_;
  Locks locks_;
  Regions regions_;
  Accumulator accumulator_;
  std::vector<Reach> reaches_;
  std::vector<std::byte*> direct_;       // the bases alone, where all parts are mapped
  bool mapped_;                          // every process can load and store all parts
  std::vector<std::uint32_t> consumed_;  // posts of each target, by start
  std::uint32_t expected_ = 0;           // completions until wait returns
  std::vector<Held> held_;               // empty until the first lock
  bool held_all_ = false;                // the lock of all, and not unchecked
  static constexpr std::uint32_t kFlushesPerPoll = 127;  // a mask
  std::uint32_t flushes_ = 0;
  std::string text_;
  std::span<const int> starting_;  // targets of a start that waits
};

}  // namespace tessera::osc::sm
