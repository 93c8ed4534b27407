// SPDX-License-Identifier: BSD-3-Clause
// What one process did to one window, and its rows.
#include "account.h"

#include <cstdio>
#include <new>

namespace tessera::osc::monitoring {
namespace {

constexpr const char* kNames[kKinds] = {
    "put",       "get",         "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap",
    "flush",     "flush_local", "sync",       "fence",          "post",         "start",
    "complete",  "wait",        "test",       "lock",           "unlock",       "lock_all",
    "unlock_all"};

std::string row(const std::string& target, const char* what, const Sum& sum) {
  char text[120];
  std::snprintf(text, sizeof text, "%7s  %-16s  %12llu  %16llu  %14.1f\n", target.c_str(), what,
                static_cast<unsigned long long>(sum.calls),
                static_cast<unsigned long long>(sum.bytes), static_cast<double>(sum.time_ns) / 1e3);
  return text;
}

}  // namespace

void Account::add(What what, int target, std::uint64_t bytes, std::uint64_t time_ns) noexcept {
  std::unique_ptr<Target>& sums = targets_[static_cast<std::size_t>(target + 1)];
  if (sums == nullptr) sums.reset(new (std::nothrow) Target{});
  if (sums == nullptr) {
    ++lost_;
    return;
  }
  Sum& sum = (*sums)[static_cast<std::size_t>(what)];
  ++sum.calls;
  sum.bytes += bytes;
  sum.time_ns += time_ns;
}

std::string Account::report(std::string_view before) const {
  std::string text;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i] == nullptr) continue;
    const std::string target = i == 0 ? "-" : std::to_string(i - 1);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Sum& sum = (*targets_[i])[kind];
      if (sum.calls > 0) text.append(before).append(row(target, kNames[kind], sum));
    }
  }
  if (lost_ > 0) text.append(before).append(row("-", "not counted", {lost_, 0, 0}));
  return text;
}

}  // namespace tessera::osc::monitoring
