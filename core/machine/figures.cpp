// SPDX-License-Identifier: BSD-3-Clause
// The figures of the machine, once for all processes of the node.
#include "core/machine/figures.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>

#include "core/machine/names.h"
#include "tessera/peer.h"

namespace tessera {

namespace machine {

namespace {

std::string known_names() {
  std::string names;
  for (const MachineFigure& figure : kMachineFigures)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", figure.name);
  return names;
}

Status refused(std::string_view item, std::string_view reason) {
  return Status::failure(Errc::argument,
                         fmt::format("parameter machine_figures: \"{}\": {}", item, reason));
}

Status replace_one(std::string_view item, MachineFigures& figures) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const auto* figure = std::find_if(kMachineFigures.begin(), kMachineFigures.end(),
                                    [&](const MachineFigure& one) { return one.name == name; });
  if (figure == kMachineFigures.end())
    return refused(item, fmt::format("expected FIGURE=VALUE; figures are {}", known_names()));
  const std::string_view digits =
      equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value == 0)
    return refused(item, "expected a number from 1 to 4294967295");
  figures.*figure->value = value;
  return {};
}

}  // namespace

Status replace(std::string_view text, MachineFigures& figures) {
  MachineFigures replaced = figures;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (Status s = replace_one(text.substr(0, comma), replaced); !s) return s;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  figures = replaced;
  return {};
}

namespace {

// In the job segment, at first zero. `owner` is the process that measures, or kReady; `given` has
// the figures that a parameter gives, and the caches of the first process that asked, in the order
// of kMachineFigures, and zero for others.
struct Shared {
  static constexpr std::int32_t kReady = -1;
  std::atomic<std::int32_t> owner;
  std::array<std::atomic<std::uint32_t>, kMachineFigures.size()> given;
  MachineFigures figures;

  // False: some are not given.
  bool take_given(MachineFigures& found) const noexcept {
    bool all = true;
    for (std::size_t i = 0; i < kMachineFigures.size(); ++i) {
      const std::uint32_t value = given[i].load(std::memory_order_relaxed);
      if (value != 0) found.*kMachineFigures[i].value = value;
      all = all && value != 0;
    }
    return all;
  }
};

// Null: the job has no shared memory.
Shared* shared_of(const Job& job) noexcept {
  const Result<SharedRegion> region = job.shared("machine", sizeof(Shared));
  if (!region || !region.value().commit(0, sizeof(Shared))) return nullptr;
  return reinterpret_cast<Shared*>(region.value().base());
}

cpu_set_t processors_of_others(const Job& job) noexcept {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    const Peer& peer = job.peer(id);
    if (id == job.my_id() || peer.pid <= 0) continue;
    if (sched_getaffinity(peer.pid, sizeof one, &one) == 0) CPU_OR(&all, &all, &one);
  }
  return all;
}

// On a processor with several kinds of cores the caches depend on where a process runs: those of
// the first one hold for all.
void agree_on_caches(Shared& shared) noexcept {
  MachineFigures here;
  for (const MachineFigure& figure : kMachineFigures) here.*figure.value = 0;
  read_caches(here);
  for (std::size_t i = 0; i < kMachineFigures.size(); ++i) {
    std::uint32_t none = 0;
    const std::uint32_t value = here.*kMachineFigures[i].value;
    if (value != 0) shared.given[i].compare_exchange_strong(none, value, std::memory_order_relaxed);
  }
}

void find_out(const Job& job, Shared& shared) noexcept {
  MachineFigures found;
  agree_on_caches(shared);
  if (!shared.take_given(found)) {
    measure(found, processors_of_others(job));
    shared.take_given(found);
  }
  shared.figures = found;
}

bool is_gone(std::int32_t pid) noexcept {
  return kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

// A figure that the text does not name is zero afterwards, since nobody may give that value.
Status replace_for_job(std::string_view text, const Job& job) {
  MachineFigures replaced;
  for (const MachineFigure& figure : kMachineFigures) replaced.*figure.value = 0;
  if (Status s = replace(text, replaced); !s) return s;
  Shared* shared = shared_of(job);
  if (shared == nullptr) return {};  // nor will anybody be there to agree with
  for (std::size_t i = 0; i < kMachineFigures.size(); ++i)
    if (const std::uint32_t value = replaced.*kMachineFigures[i].value; value != 0)
      shared->given[i].store(value, std::memory_order_relaxed);
  return {};
}

}  // namespace machine

MachineFigures given_figures(const Job& job) noexcept {
  MachineFigures found;
  if (machine::Shared* shared = machine::shared_of(job)) {
    machine::agree_on_caches(*shared);
    shared->take_given(found);
  }
  return found;
}

// Caches are known to all.
std::optional<MachineFigures> measure_again(const Job& job) noexcept {
  machine::Shared* shared = machine::shared_of(job);
  if (shared == nullptr) return {};
  for (std::size_t i = 0; i < kMachineFigures.size(); ++i) {
    if (kMachineFigures[i].unit != "bytes" && shared->given[i].load(std::memory_order_relaxed) != 0)
      return {};
  }
  MachineFigures found;
  shared->take_given(found);
  machine::measure(found, machine::processors_of_others(job));
  return found;
}

// A process that waits sleeps, so that it takes no processor from the measurement.
MachineFigures machine_figures(const Job& job) noexcept {
  using machine::Shared;
  Shared* shared = machine::shared_of(job);
  if (shared == nullptr) return {};
  const auto me = static_cast<std::int32_t>(getpid());
  for (;;) {
    std::int32_t owner = shared->owner.load(std::memory_order_acquire);
    if (owner == Shared::kReady) return shared->figures;
    if (owner == 0 || machine::is_gone(owner)) {
      if (!shared->owner.compare_exchange_strong(owner, me)) continue;
      machine::find_out(job, *shared);
      shared->owner.store(Shared::kReady, std::memory_order_release);
      continue;
    }
    const timespec pause{0, 100'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace tessera
