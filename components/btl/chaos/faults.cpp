// SPDX-License-Identifier: BSD-3-Clause
// Drawing faults from a seed.
#include "faults.h"

#include "tessera/peer.h"

namespace tessera::btl::chaos {
namespace {

// The finalizer of splitmix64: each bit of the result depends on each bit of `value`.
std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

Settings Settings::of(const Params& params, const Job& job) noexcept {
  Settings settings;
  settings.seed = static_cast<std::uint64_t>(params.integer("seed"));
  settings.delay_us = params.integer("delay_time");
  settings.after = static_cast<std::uint64_t>(params.integer("after"));
  const std::int64_t only = params.integer("rank");
  if (only >= 0 && only != job.peer(job.my_id()).name.index) return settings;
  settings.delay = params.real("delay");
  settings.reorder = params.real("reorder");
  settings.refuse = params.real("refuse");
  settings.partial = params.real("partial");
  settings.corrupt = params.real("corrupt");
  settings.drop = params.real("drop");
  return settings;
}

// Not from the names' job numbers, which differ from run to run.
Faults::Faults(const Settings& settings, const ProcessName& from, const ProcessName& to) noexcept
    : settings_(settings), pair_(mix(mix(settings.seed) ^ from.index) ^ mix(to.index)) {}

std::uint64_t Faults::draw(Fault fault, std::uint64_t number, std::uint64_t which) const noexcept {
  return mix(mix(pair_ ^ number) ^ (static_cast<std::uint64_t>(fault) << 8 | which));
}

bool Faults::happens(Fault fault, std::uint64_t number) const noexcept {
  const bool harms = fault == Fault::corrupt || fault == Fault::drop;
  if (harms && number < settings_.after) return false;
  constexpr double kUnit = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
  return static_cast<double>(draw(fault, number, 0) >> 11) * kUnit < share(fault);
}

std::uint64_t Faults::below(std::uint64_t limit, Fault fault, std::uint64_t number) const noexcept {
  return limit == 0 ? 0 : draw(fault, number, 1) % limit;
}

double Faults::share(Fault fault) const noexcept {
  switch (fault) {
    case Fault::delay:
      return settings_.delay;
    case Fault::reorder:
      return settings_.reorder;
    case Fault::refuse:
      return settings_.refuse;
    case Fault::partial:
      return settings_.partial;
    case Fault::corrupt:
      return settings_.corrupt;
    case Fault::drop:
      return settings_.drop;
  }
  return 0;
}

}  // namespace tessera::btl::chaos
