// SPDX-License-Identifier: BSD-3-Clause
// Tells which component was being opened when this process died.
#include "framework/load_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>

#include "framework/text.h"

namespace tessera {
namespace {

// What a handler of signals can know is in memory of the process.
constinit std::atomic<const LoadWatch*> current{nullptr};
constinit std::mutex one_at_a_time;

const char* name_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

// Of a long name its end is worth more.
constexpr std::size_t kLongestPath = 160;

}  // namespace

std::string blame(const Candidate& candidate) {
  const std::string path = text::printable(candidate.path);
  const std::size_t cut = path.size() - std::min(path.size(), kLongestPath);
  return fmt::format(
      "{}{}: the file is damaged, or its own code fails; install or build it again, or leave it "
      "out "
      "with --mca {:.24} ^{:.40}",
      cut == 0 ? "" : "...", path.substr(cut), candidate.framework, candidate.name);
}

LoadWatch::LoadWatch(const Candidate& candidate, LoadNote* note)
    : lock_(one_at_a_time),
      note_(note != nullptr ? note : &own_),
      noted_(note_, "opened", blame(candidate)) {
  current.store(this, std::memory_order_release);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

// A handler that code of the file has set stays.
LoadWatch::~LoadWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    const bool ours = sigaction(kSignals[i], nullptr, &now) == 0 && now.sa_sigaction == on_fault;
    if (ours) sigaction(kSignals[i], &before_[i], nullptr);
  }
  current.store(nullptr, std::memory_order_release);
}

// Returning repeats the fault; what somebody has sent is sent again.
void LoadWatch::on_fault(int signal, siginfo_t* info, void*) {
  const LoadWatch* const watch = current.load(std::memory_order_acquire);
  if (watch == nullptr) return;
  char text[512];
  const int length = std::snprintf(
      text, sizeof text, "tessera: signal %d (%s) came while the process %s [component-kills]\n",
      signal, name_of(signal), watch->note_->text);
  if (length > 0) {
    const auto bytes = std::min(static_cast<std::size_t>(length), sizeof text - 1);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, bytes);
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal) sigaction(signal, &watch->before_[i], nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace tessera
