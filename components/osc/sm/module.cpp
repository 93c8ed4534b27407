// SPDX-License-Identifier: BSD-3-Clause
// Operations by load, store and atomic instruction; synchronisation by words in shared memory.
#include "module.h"

#include <algorithm>
#include <new>

namespace tessera::osc::sm {
namespace {

bool ours(Flavor flavor) noexcept {
  return flavor == Flavor::allocate || flavor == Flavor::shared;
}

Layout layout(const Local& local) noexcept {
  return {local.buffer, local.count, local.type};
}

std::byte* moved(std::byte* base, Aint by) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                      static_cast<std::uintptr_t>(by));
}

}  // namespace

Result<std::unique_ptr<Module>> SmModule::make(Window& window) noexcept try {
  auto memory = std::make_unique<Memory>();
  if (Status s = memory->make(window, Control::bytes(window.size())); !s) return s;
  if (ours(window.flavor())) window.set_base(memory->part(window.rank()));
  return std::unique_ptr<Module>(new SmModule(window, std::move(memory)));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

SmModule::SmModule(Window& window, std::unique_ptr<Memory> memory)
    : window_(window),
      memory_(std::move(memory)),
      control_(memory_->control(), window),
      locks_(control_),
      regions_(window, control_, *memory_),
      accumulator_(control_, window.rank()),
      mapped_(ours(window.flavor()) || window.size() == 1),
      consumed_(static_cast<std::size_t>(window.size())) {
  for (int rank = 0; rank < window.size(); ++rank) {
    if (ours(window.flavor())) {
      reaches_.push_back({memory_->part(rank), 0});
      continue;
    }
    const bool own = rank == window.rank();
    reaches_.push_back(
        {reinterpret_cast<std::byte*>(window.part(rank).base), own ? 0 : memory_->pid(rank)});
  }
  if (mapped_) {
    for (const Reach& reach : reaches_) direct_.push_back(reach.base);
  }
  text_ = mapped_ ? "in shared memory, by load and store; nothing waits for the target"
                  : "by process_vm_readv and _writev, locks in shared memory; nothing waits for "
                    "the target";
}

void* SmModule::address(int rank) const noexcept {
  const Reach& reach = reaches_[static_cast<std::size_t>(rank)];
  return reach.pid == 0 ? reach.base : nullptr;
}

// Only dynamic windows need it: of others the engine knows the bounds.
Status SmModule::check(const Remote& remote) noexcept {
  const Datatype& type = *remote.type;
  const Aint span = (remote.count - 1) * type.extent();
  const Aint first = type.true_lb() + std::min<Aint>(span, 0);
  const Aint last = type.true_lb() + type.true_extent() + std::max<Aint>(span, 0);
  const auto at = static_cast<std::uintptr_t>(remote.displacement);
  return regions_.check(remote.rank, at + static_cast<std::uintptr_t>(first),
                        at + static_cast<std::uintptr_t>(last));
}

Status SmModule::move(Direction direction, const Local& here, const Remote& there) noexcept {
  if (window_.flavor() == Flavor::dynamic) {
    if (Status s = check(there); !s) return s;
  }
  const Reach& reach = reaches_[static_cast<std::size_t>(there.rank)];
  const Layout far{moved(reach.base, there.displacement), there.count, there.type};
  if (reach.pid != 0) return move_foreign(direction, reach.pid, layout(here), far);
  if (direction == Direction::write)
    copy_layouts(far, layout(here));
  else
    copy_layouts(layout(here), far);
  return {};
}

Status SmModule::put(const Local& from, const Remote& to, Ticket*) noexcept {
  return move(Direction::write, from, to);
}

Status SmModule::get(const Local& into, const Remote& from, Ticket*) noexcept {
  return move(Direction::read, into, from);
}

Place SmModule::place(int rank, const Datatype& element) const noexcept {
  const Reach& reach = reaches_[static_cast<std::size_t>(rank)];
  const bool coarse = window_.hints().granularity > static_cast<std::uint64_t>(element.extent());
  const bool alone = !held_.empty() && held_[static_cast<std::size_t>(rank)] == Held::exclusive;
  return {mapped_ ? reinterpret_cast<std::uintptr_t>(reach.base) : 0, reach.pid, rank,
          coarse || !mapped_, alone};
}

Status SmModule::accumulate(const Local& from, const Remote& to, const Combination& how,
                            Ticket*) noexcept {
  return get_accumulate(from, {nullptr, 0, nullptr}, to, how, nullptr);
}

Status SmModule::get_accumulate(const Local& from, const Local& result, const Remote& to,
                                const Combination& how, Ticket*) noexcept {
  if (window_.flavor() == Flavor::dynamic) {
    if (Status s = check(to); !s) return s;
  }
  const Reach& reach = reaches_[static_cast<std::size_t>(to.rank)];
  const Layout target{moved(reach.base, to.displacement), to.count, to.type};
  const Layout operands = layout(from);
  const Layout results = layout(result);
  return accumulator_.run(&operands, result.type != nullptr ? &results : nullptr, target,
                          place(to.rank, *how.element), how);
}

Status SmModule::fetch(const void* from, void* result, int rank, Aint displacement,
                       const Combination& how) noexcept {
  if (window_.flavor() == Flavor::dynamic) {
    if (Status s = check({rank, displacement, 1, how.element}); !s) return s;
  }
  const Reach& reach = reaches_[static_cast<std::size_t>(rank)];
  return accumulator_.fetch(from, result, moved(reach.base, displacement),
                            place(rank, *how.element), how);
}

Status SmModule::compare_and_swap(const void* from, const void* compare, void* result,
                                  const Datatype& type, int rank, Aint displacement) noexcept {
  if (window_.flavor() == Flavor::dynamic) {
    if (Status s = check({rank, displacement, 1, &type}); !s) return s;
  }
  const Reach& reach = reaches_[static_cast<std::size_t>(rank)];
  return accumulator_.swap(from, compare, result, static_cast<std::size_t>(type.size()),
                           moved(reach.base, displacement), place(rank, type));
}

// A process that flushes again and again, until others have done something, serves them meanwhile.
Status SmModule::flush(int) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((++flushes_ & kFlushesPerPoll) == 0) [[unlikely]]
    window_.comm().progress().poll();
  return {};
}

// With no_precede nobody has anything to wait for; operations that follow must wait all the same,
// since a target's stores before its fence may not be overtaken.
Status SmModule::fence(int) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return control_.barrier();
}

Status SmModule::post(std::span<const int> origins, int) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  expected_ += static_cast<std::uint32_t>(origins.size());
  for (const int origin : origins)
    control_.post(origin, window_.rank()).fetch_add(1, std::memory_order_release);
  control_.changed();
  return {};
}

// That no start has met; less than 0: a start waits for one.
std::int32_t SmModule::posts(int target) const noexcept {
  const std::uint32_t all = control_.post(window_.rank(), target).load(std::memory_order_acquire);
  return static_cast<std::int32_t>(all - consumed_[static_cast<std::size_t>(target)]);
}

Status SmModule::start(std::span<const int> targets, int) noexcept {
  for (const int target : targets) ++consumed_[static_cast<std::size_t>(target)];
  for (const int target : targets) {
    const auto posted = [this, target] { return posts(target) >= 0; };
    if (posted()) continue;
    starting_ = targets;
    const Status waited = control_.wait(posted, Waiting::What::posts);
    starting_ = {};
    if (!waited.ok()) return waited;
  }
  return {};
}

Status SmModule::complete(std::span<const int> targets) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const int target : targets)
    control_.slot(target).completed.fetch_add(1, std::memory_order_release);
  control_.changed();
  return {};
}

bool SmModule::over() const noexcept {
  return control_.slot(window_.rank()).completed.load(std::memory_order_acquire) == expected_;
}

Status SmModule::wait(std::span<const int>) noexcept {
  return control_.wait([this] { return over(); }, Waiting::What::completions);
}

Result<bool> SmModule::test(std::span<const int>) noexcept {
  if (over()) return true;
  if (control_.lost()) [[unlikely]]
    return control_.a_process_failed();
  return false;
}

Status SmModule::lock(Lock kind, int rank, int assertions) noexcept {
  if (held_.empty()) held_.resize(static_cast<std::size_t>(window_.size()));
  Held now = kind == Lock::exclusive ? Held::exclusive : Held::shared;
  if ((assertions & no_check) != 0) {
    now = Held::unchecked;
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else if (Status s = kind == Lock::exclusive ? locks_.exclusive(rank) : locks_.shared(rank);
             !s) {
    return s;
  }
  held_[static_cast<std::size_t>(rank)] = now;
  return {};
}

Status SmModule::unlock(int rank) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Held& held = held_[static_cast<std::size_t>(rank)];
  const Held was = std::exchange(held, Held::none);
  if (was == Held::exclusive) locks_.release_exclusive(rank);
  if (was == Held::shared) locks_.release_shared(rank);
  return {};
}

Status SmModule::lock_all(int assertions) noexcept {
  if ((assertions & no_check) != 0) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return {};
  }
  const Status locked = locks_.all();
  held_all_ = locked.ok();
  return locked;
}

Status SmModule::unlock_all() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (std::exchange(held_all_, false)) locks_.release_all();
  return {};
}

void SmModule::survey(Surveyor& surveyor) const noexcept {
  using Kind = Standing::Kind;
  if (held_all_) surveyor.see({Kind::holds_shared, kAll});
  for (int rank = 0; rank < window_.size(); ++rank) {
    const Held held = held_.empty() ? Held::none : held_[static_cast<std::size_t>(rank)];
    if (held == Held::exclusive) surveyor.see({Kind::holds_exclusive, rank});
    if (held == Held::shared) surveyor.see({Kind::holds_shared, rank});
    const std::int32_t open = posts(rank);
    if (open > 0) surveyor.see({Kind::posted, rank});
    if (open < 0) surveyor.see({Kind::awaited, rank});
  }
  for (const int target : starting_)
    if (posts(target) == 0) surveyor.see({Kind::posted, target});
}

// The barrier also keeps the memory in place until nobody waits in it any more.
Status SmModule::free() noexcept {
  const std::uint8_t here = 1;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(window_.size()));
  return window_.allgather(&here, 1, all.data());
}

}  // namespace tessera::osc::sm
