// SPDX-License-Identifier: BSD-3-Clause
// What is done to a file as a whole, all processes together, and what an access is made with.
#include "core/io/file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/engine/instance.h"
#include "core/io/engine.h"
#include "core/io/operation.h"
#include "core/io/together.h"

namespace tessera::io {

Status File::idle(const char* what) const noexcept {
  if (pending_ == 0 && split_.kind == nullptr) return {};
  return Status::failure(
      kPending, split_.kind != nullptr
                    ? fmt::format("to {} is wrong while a split collective operation is in "
                                  "progress; its end comes first",
                                  what)
                    : fmt::format("to {} is wrong while {} nonblocking operation(s) have not been "
                                  "completed",
                                  what, pending_));
}

// The same value at all processes, and nothing wrong at any of them.
Status File::agree(Offset value, const char* what, Status mine) noexcept {
  if (comm_->size() == 1) return mine;
  struct Said {
    Offset value;
    Errc error;
  };
  auto all = gather_all(*comm_, Said{value, mine.code()});
  if (!all.ok()) return all.status();
  if (!mine.ok()) return mine;
  for (std::size_t rank = 0; rank < all->size(); ++rank) {
    const Said& other = (*all)[rank];
    if (other.error != Errc::ok)
      return Status::failure(other.error, fmt::format("the call of rank {} is wrong", rank));
    if (other.value == all->front().value) continue;
    return Status::failure(
        kNotSame,
        fmt::format("argument `{}` is {} at rank 0 and {} at rank {}; it must be the same at all "
                    "processes",
                    what, all->front().value, other.value, rank));
  }
  return {};
}

namespace {

// What rank 0 alone does to the file, and all hear of.
template <class Action>
Status by_one(Comm& comm, Action&& action) noexcept {
  const Status mine = comm.rank() == 0 ? action() : Status();
  return comm.size() == 1 ? mine : worst_of(comm, mine);
}

}  // namespace

Status File::set_size(Offset size, Status mine) noexcept {
  if (mine.ok()) mine = idle("set its size");
  if (Status agreed = agree(size, "size", mine); !agreed) return agreed;
  return by_one(*comm_, [&] { return driver_->resize(size); });
}

Status File::preallocate(Offset size, Status mine) noexcept {
  if (mine.ok()) mine = idle("preallocate");
  if (Status agreed = agree(size, "size", mine); !agreed) return agreed;
  return by_one(*comm_, [&]() -> Status {
    auto now = driver_->size();
    if (!now.ok()) return now.status();
    return driver_->reserve(size);
  });
}

// A failure of one process's storage concerns what all of them have written.
Status File::sync(Status mine) noexcept {
  if (mine.ok()) mine = idle("synchronize");
  if (mine.ok() && writable()) mine = driver_->sync();
  return comm_->size() == 1 ? mine : worst_of(*comm_, mine);
}

Status File::set_atomicity(bool atomic, Status mine) noexcept {
  if (mine.ok()) mine = idle("change its atomicity");
  if (mine.ok() && atomic && !driver_->facts().locks) {
    mine = Status::failure(Errc::unsupported,
                           fmt::format("file \"{}\" is on storage without locks ({}), which "
                                       "atomic mode needs",
                                       path_, driver_->facts().storage));
  }
  if (Status agreed = agree(atomic ? 1 : 0, "flag", mine); !agreed) return agreed;
  atomic_ = atomic;
  return {};
}

// Rank 0 decides on the hints that all must agree on.
Status File::set_hints(const Info* info, std::vector<std::string>& notes, Status mine) noexcept {
  Hints hints = hints_;
  if (info != nullptr) hints.take(*info, notes);
  hints.shared.permission = hints_.shared.permission;  // acts at creation only
  struct Said {
    SharedHints hints;
    Errc error;
  };
  auto all = gather_all(*comm_, Said{hints.shared, mine.code()});
  if (!all.ok()) return all.status();
  if (!mine.ok()) return mine;
  hints_ = hints;
  hints_.shared = all->front().hints;
  explain_hints(info);
  return {};
}

void File::describe(Transfer& transfer, bool writing) noexcept {
  transfer.driver = driver_.get();
  transfer.view = view_;
  transfer.writing = writing;
  transfer.sieve_buffer = hints_.sieve_read == Choice::never ? 0 : hints_.read_buffer;
  transfer.alone = atomic_ || !positioned_ ? &one_at_a_time_ : nullptr;
  transfer.locked = atomic_;
}

Result<Offset> File::advance(Pointer pointer, Offset etypes) noexcept {
  if (pointer == Pointer::individual) return Offset{position_.fetch_add(etypes)};
  if (shared_.available()) return shared_.fetch_and_add(etypes);
  return Status::failure(Errc::unsupported,
                         "the processes of the file share no memory for a shared file pointer");
}

Result<Offset> File::shared_position() noexcept {
  if (shared_.available()) return shared_.get();
  return advance(Pointer::shared, 0);
}

// One exchange. All have entered when it ends, so the furthest that any of them has seen of the
// pointer is where it stands; then the first to leave moves it, and the others find it moved,
// perhaps further already. Only other threads may use the pointer meanwhile: then it is moved by
// rank 0, which tells the others from where.
Result<Offset> File::take_turn(Offset etypes, Status mine) noexcept {
  if (!shared_.available()) return advance(Pointer::shared, 0);
  struct Said {
    Offset pointer;
    Offset etypes;
    Errc error;
    bool threads;
  };
  auto all = gather_all(*comm_, Said{shared_.get(), mine.ok() ? etypes : 0, mine.code(),
                                     comm_->instance().progress().locking()});
  if (!all.ok()) return all.status();
  Offset base = 0, before = 0, total = 0;
  bool threads = false;
  for (int rank = 0; rank < comm_->size(); ++rank) {
    const Said& said = (*all)[static_cast<std::size_t>(rank)];
    base = std::max(base, said.pointer);
    if (rank < comm_->rank()) before += said.etypes;
    total += said.etypes;
    threads = threads || said.threads;
  }
  if (!threads) shared_.move(base, base + total);
  if (threads && comm_->rank() == 0) base = shared_.fetch_and_add(total);
  if (threads)
    if (Status told = broadcast(*comm_, 0, &base, sizeof base); !told) return told;
  if (!mine.ok()) return mine;
  return base + before;
}

void File::run_in_turn(Operation* operation) noexcept {
  for (int rank = 0; rank < comm_->size(); ++rank) {
    if (rank == comm_->rank() && operation != nullptr) operation->run();
    (void)barrier(*comm_);
  }
}

}  // namespace tessera::io
