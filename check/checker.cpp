// SPDX-License-Identifier: BSD-3-Clause
// Calls, the threads that make them, and what they leave behind.
#include "check/checker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "check/places.h"
#include "check/report.h"

namespace tessera::check {
namespace {

// Of this thread.
struct Inside {
  int calls = 0;                    // callbacks of the program may call MPI again
  const Site* operation = nullptr;  // of the reduction operation it is in
};
thread_local Inside inside;

constexpr std::uintptr_t kEndOfPredefined = 0x1000;

bool is_key(Kind kind) noexcept {
  return kind == Kind::comm_key || kind == Kind::type_key || kind == Kind::window_key;
}

void complain_of_operation(const Site& site) {
  complain(site, fmt::format("{} is called inside a reduction operation, that of {}; there only "
                             "calls that do not communicate are allowed, and MPI_Abort",
                             text_of(site), text_of(*inside.operation)));
}

}  // namespace

Checker& Checker::instance() {
  static Checker& checker = *new Checker;
  return checker;
}

void Checker::began(int thread_level, const Site& site) {
  main_ = ::pthread_self();
  init_ = site.function;
  level_.store(thread_level, std::memory_order_release);
  in_world_.store(true, std::memory_order_release);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tell_as(rank);
}

// A session that goes on has a level of its own.
void Checker::ended() {
  level_.store(MPI_THREAD_MULTIPLE, std::memory_order_release);
  in_world_.store(false, std::memory_order_release);
  session_ended();
}

void Checker::session_ended() {
  if (!in_world() && sessions() == 0) tell_what_is_left();
}

void Checker::tell_what_is_left() {
  open_all_guards();
  tell_all(ledger.take_lines());
}

// Not that of a process which the program has made by fork(2).
void Checker::watch_exit() {
  if (watched_process_.exchange(getpid()) == getpid()) return;
  std::atexit([] {
    Checker& checker = instance();
    if (checker.watched_process_ == getpid() && !checker.in_world()) checker.tell_what_is_left();
  });
}

void Checker::complain_of_thread(const Site& site, const std::string& text) {
  if (!complained_.exchange(true)) complain(site, text);
}

void Checker::thread_enters(const Site& site) {
  const int others = inside_.fetch_add(1, std::memory_order_relaxed);
  const char* const function = function_.exchange(site.function, std::memory_order_relaxed);
  const int level = level_.load(std::memory_order_acquire);
  if (level == MPI_THREAD_MULTIPLE) return;
  if (level < MPI_THREAD_SERIALIZED && ::pthread_equal(::pthread_self(), main_) == 0) {
    const char* const name =
        level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
    complain_of_thread(
        site, fmt::format("{} is called by another thread than {}, which has provided {}; ask "
                          "MPI_Init_thread for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE",
                          text_of(site), init_, name));
  } else if (level == MPI_THREAD_SERIALIZED && others > 0) {
    complain_of_thread(
        site, fmt::format("{} is called while another thread is in {}, and {} has provided "
                          "MPI_THREAD_SERIALIZED; ask MPI_Init_thread for MPI_THREAD_MULTIPLE",
                          text_of(site), function, init_));
  }
}

Call::Call(const char* function, const void* caller, bool communicates) noexcept
    : site_{function, program_place(caller)}, entered_(inside.calls++ == 0) {
  if (entered_) Checker::instance().thread_enters(site_);
  tell_touches();
  if (communicates && inside.operation != nullptr) complain_of_operation(site_);
}

Call::~Call() {
  if (entered_) Checker::instance().pending.look_at_kept();
  --inside.calls;
  if (entered_) Checker::instance().thread_leaves();
}

void Call::note_made(Kind kind, std::uintptr_t value) noexcept {
  if (is_key(kind) || value >= kEndOfPredefined)
    Checker::instance().ledger.made(kind, value, site_);
  if (kind == Kind::session) Checker::instance().watch_exit();
}

void Call::note_freed(Kind kind, std::uintptr_t value) noexcept {
  Checker::instance().ledger.freed(kind, value);
}

void Call::prepares(std::initializer_list<Buffer> buffers) noexcept {
  Checker::instance().pending.prepare(buffers);
}

void Call::uses(std::initializer_list<Buffer> buffers) noexcept {
  Checker::instance().pending.use(site_, buffers);
}

void Call::started(int code, const MPI_Request* request, bool persistent,
                   std::initializer_list<Buffer> buffers) noexcept {
  Shadow none;
  started(code, request, persistent, buffers, none);
}

void Call::started(int code, const MPI_Request* request, bool persistent,
                   std::initializer_list<Buffer> buffers, Shadow& shadow) noexcept {
  const std::uintptr_t value = code == MPI_SUCCESS ? value_of(request) : 0;
  if (value < kEndOfPredefined) return;
  Checker::instance().ledger.made(Kind::request, value, site_);
  Checker::instance().pending.start(value, site_, persistent, buffers, std::move(shadow));
}

InOperation::InOperation(const Site& made) noexcept
    : before_(std::exchange(inside.operation, &made)) {}

InOperation::~InOperation() {
  inside.operation = before_;
}

}  // namespace tessera::check
