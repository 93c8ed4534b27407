// SPDX-License-Identifier: BSD-3-Clause
// Counting and timing the calls on a window; telling when it goes.
#include "monitor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "tessera/clock.h"

namespace tessera::osc::monitoring {
namespace {

constexpr const char* kHeader =
    "process               window  kind       target  what                     calls             "
    "bytes"
    "    microseconds\n";
constexpr const char* kFlavors[] = {"", "create", "allocate", "dynamic", "shared"};

std::uint64_t bytes_of(const Remote& side) noexcept {
  return static_cast<std::uint64_t>(side.count * side.type->size());
}

// One write, so that the rows of several processes do not mix.
void append(const std::string& table, const std::string& text) noexcept {
  const int descriptor =
      table.empty() ? STDERR_FILENO
                    : ::open(table.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  ssize_t written = -1;
  do {
    if (descriptor >= 0) written = ::write(descriptor, text.data(), text.size());
  } while (descriptor >= 0 && written < 0 && errno == EINTR);
  if (written < 0)
    std::fprintf(stderr, "osc/monitoring: cannot write %s: %s\n",
                 table.empty() ? "the standard error" : table.c_str(), std::strerror(errno));
  if (descriptor >= 0 && !table.empty()) (void)::close(descriptor);
}

}  // namespace

Result<std::unique_ptr<Module>> Monitor::make(const Window& window, std::unique_ptr<Module>& below,
                                              Book& book) noexcept try {
  Account account(window.size());
  std::string description = std::string("counted by osc/monitoring; ") + below->describe();
  if (book.open.size() == book.open.capacity()) book.open.reserve(2 * book.open.size() + 16);
  auto* monitor = new Monitor(window, below, book, std::move(account), std::move(description));
  book.open.push_back(monitor);
  return std::unique_ptr<Module>(monitor);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Monitor::~Monitor() {
  std::erase(book_.open, this);
  try {
    tell();
  } catch (const std::bad_alloc&) {
    std::fputs("osc/monitoring: no memory to write down what was counted\n", stderr);
  }
}

void Monitor::tell() const {
  const std::uint32_t process = book_.traffic.me();
  char before[64];
  std::snprintf(before, sizeof before, "%7u  %19llu  %-8s  ", process,
                static_cast<unsigned long long>(window_.number()),
                kFlavors[static_cast<int>(window_.flavor())]);
  const std::string rows = account_.report(before);
  if (!rows.empty()) append(book_.table, window_.rank() == 0 ? kHeader + rows : rows);
}

template <class Call>
auto Monitor::timed(What what, int target, std::uint64_t bytes, Call call) noexcept {
  const std::uint64_t begin = now_ns();
  auto answer = call();
  if (answer.ok()) account_.add(what, target, bytes, now_ns() - begin);
  return answer;
}

template <class Call>
Status Monitor::moved(What what, int target, std::uint64_t bytes, Call call) noexcept {
  const Status done = timed(what, target, bytes, call);
  if (done.ok()) book_.traffic.sent(window_.comm().peer(target).id, bytes, traffic::Kind::window);
  return done;
}

Status Monitor::put(const Local& from, const Remote& to, Ticket* ticket) noexcept {
  return moved(What::put, to.rank, bytes_of(to), [&] { return below().put(from, to, ticket); });
}
Status Monitor::get(const Local& into, const Remote& from, Ticket* ticket) noexcept {
  return moved(What::get, from.rank, bytes_of(from),
               [&] { return below().get(into, from, ticket); });
}
Status Monitor::accumulate(const Local& from, const Remote& to, const Combination& how,
                           Ticket* ticket) noexcept {
  return moved(What::accumulate, to.rank, bytes_of(to),
               [&] { return below().accumulate(from, to, how, ticket); });
}
Status Monitor::get_accumulate(const Local& from, const Local& result, const Remote& to,
                               const Combination& how, Ticket* ticket) noexcept {
  return moved(What::get_accumulate, to.rank, bytes_of(to),
               [&] { return below().get_accumulate(from, result, to, how, ticket); });
}
Status Monitor::fetch(const void* from, void* result, int rank, Aint displacement,
                      const Combination& how) noexcept {
  return moved(What::fetch_and_op, rank, static_cast<std::uint64_t>(how.element->size()),
               [&] { return below().fetch(from, result, rank, displacement, how); });
}
Status Monitor::compare_and_swap(const void* from, const void* compare, void* result,
                                 const Datatype& type, int rank, Aint displacement) noexcept {
  return moved(What::compare_and_swap, rank, static_cast<std::uint64_t>(type.size()), [&] {
    return below().compare_and_swap(from, compare, result, type, rank, displacement);
  });
}

Status Monitor::flush(int rank) noexcept {
  return timed(What::flush, rank, 0, [&] { return below().flush(rank); });
}
Status Monitor::flush_local(int rank) noexcept {
  return timed(What::flush_local, rank, 0, [&] { return below().flush_local(rank); });
}
Status Monitor::sync() noexcept {
  return timed(What::sync, kAll, 0, [&] { return below().sync(); });
}
Status Monitor::fence(int assertions) noexcept {
  return timed(What::fence, kAll, 0, [&] { return below().fence(assertions); });
}
Status Monitor::post(std::span<const int> origins, int assertions) noexcept {
  return timed(What::post, kAll, 0, [&] { return below().post(origins, assertions); });
}
Status Monitor::start(std::span<const int> targets, int assertions) noexcept {
  return timed(What::start, kAll, 0, [&] { return below().start(targets, assertions); });
}
Status Monitor::complete(std::span<const int> targets) noexcept {
  return timed(What::complete, kAll, 0, [&] { return below().complete(targets); });
}
Status Monitor::wait(std::span<const int> origins) noexcept {
  return timed(What::wait, kAll, 0, [&] { return below().wait(origins); });
}
Result<bool> Monitor::test(std::span<const int> origins) noexcept {
  return timed(What::test, kAll, 0, [&] { return below().test(origins); });
}
Status Monitor::lock(Lock kind, int rank, int assertions) noexcept {
  return timed(What::lock, rank, 0, [&] { return below().lock(kind, rank, assertions); });
}
Status Monitor::unlock(int rank) noexcept {
  return timed(What::unlock, rank, 0, [&] { return below().unlock(rank); });
}
Status Monitor::lock_all(int assertions) noexcept {
  return timed(What::lock_all, kAll, 0, [&] { return below().lock_all(assertions); });
}
Status Monitor::unlock_all() noexcept {
  return timed(What::unlock_all, kAll, 0, [&] { return below().unlock_all(); });
}

}  // namespace tessera::osc::monitoring
