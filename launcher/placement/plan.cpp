// SPDX-License-Identifier: BSD-3-Clause
// Maps, numbers and binds ranks.
#include "launcher/placement/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "launcher/placement/slot_list.h"

namespace tessera::launcher {
namespace {

using Numbers = std::vector<std::uint32_t>;

// What is given to a rank at a time: a core or a hwthread. The first one says where it lies.
struct Unit {
  const Cpu* first;
  Numbers cpus;
};
using Units = std::vector<Unit>;

// Where a rank was mapped to.
struct Spot {
  Numbers cpus;      // of its units
  const Cpu* first;  // of them
  std::size_t group;
};

std::string count_of(std::size_t number, const std::string& one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

class Planner {
 public:
  Planner(const CpuMap& map, const PlacementRequest& request) : map_(map), request_(request) {}

  Result<PlacementPlan> run(std::uint32_t ranks) {
    for (Status (Planner::*step)() : {&Planner::choose_levels, &Planner::choose_units}) {
      if (const Status status = (this->*step)(); !status.ok()) return status;
    }
    make_groups();
    if (const Status status = check_count(ranks); !status.ok()) return status;
    std::vector<Spot> spots;
    for (std::uint32_t i = 0; i < ranks; ++i) spots.push_back(spot_of(i));
    number(spots);
    PlacementPlan plan;
    for (const Spot& spot : spots) plan.places.push_back({cpus_for(spot, plan.places.size())});
    if (ranks > units_.size() && binding_ == Binding::unsaid) plan.places.assign(ranks, {});
    add_notes(plan);
    return plan;
  }

  std::uint32_t default_ranks() {
    if (!choose_levels().ok() || !choose_units().ok()) return 0;
    make_groups();
    if (request_.mapping == Mapping::ppr)
      return request_.per_object * static_cast<std::uint32_t>(groups_.size());
    if (request_.cpus_per_rank == 0 && request_.cpu_set.empty()) return 0;
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, units_.size() / width()));
  }

 private:
  Status missing(Level level) const {
    return Status::failure(Errc::unsupported, fmt::format("this machine shows no {}; it has {}",
                                                          name_of(level), levels_of_machine()));
  }

  std::string levels_of_machine() const {
    std::string names;
    for (std::size_t i = 1; i < kLevels; ++i) {
      const Level level = static_cast<Level>(i);
      if (map_.has(level)) names += (names.empty() ? "" : ", ") + std::string(name_of(level));
    }
    return names;
  }

  // Of what is not said: an object that ranks are bound to is what they are mapped to.
  Status choose_levels() {
    binding_ = request_.binding;
    mapping_ = request_.mapping;
    map_level_ = request_.map_level;
    if (binding_ == Binding::object && !map_.has(request_.bind_level)) {
      if (!request_.if_supported) return missing(request_.bind_level);
      binding_ = Binding::none;
    }
    if (mapping_ == Mapping::unsaid && binding_ == Binding::object) {
      mapping_ = Mapping::object;
      map_level_ = request_.bind_level;
    }
    if (mapping_ == Mapping::unsaid) mapping_ = Mapping::slot;
    if (mapping_ != Mapping::slot && !map_.has(map_level_)) return missing(map_level_);
    if (request_.ranking == Ranking::object && !map_.has(request_.rank_level))
      return missing(request_.rank_level);
    const bool threads = request_.hwthreads || !map_.has(Level::core) ||
                         (mapping_ != Mapping::slot && map_level_ == Level::hwthread) ||
                         (binding_ == Binding::object && request_.bind_level == Level::hwthread);
    unit_ = threads ? Level::hwthread : Level::core;
    return {};
  }

  Status choose_units() {
    std::map<std::int32_t, std::size_t> place;
    for (const Cpu& cpu : map_.cpus) {
      const auto [found, made] = place.try_emplace(cpu.object(unit_), units_.size());
      if (made) units_.push_back({&cpu, {}});
      units_[found->second].cpus.push_back(cpu.number);
    }
    if (request_.cpu_set.empty()) return {};
    Units chosen;
    for (const std::uint32_t wanted : request_.cpu_set) {
      const auto found = place.find(static_cast<std::int32_t>(wanted));
      if (found == place.end())
        return Status::failure(Errc::argument,
                               fmt::format("there is no {} {} for this job: it may use {} (their "
                                           "logical numbers, from {} to {})",
                                           name_of(unit_), wanted,
                                           count_of(units_.size(), std::string(name_of(unit_))),
                                           place.begin()->first, place.rbegin()->first));
      chosen.push_back(units_[found->second]);
    }
    units_ = std::move(chosen);
    return {};
  }

  // Ranks go from group to group in turn, and inside from unit to unit.
  void make_groups() {
    if (mapping_ == Mapping::slot || (mapping_ == Mapping::object && map_level_ >= unit_)) {
      groups_ = {units_};
      return;
    }
    const bool chunks = binding_ == Binding::object && request_.bind_level == map_level_;
    const std::int32_t together =
        chunks ? static_cast<std::int32_t>(request_.bind_count) : std::int32_t{1};
    std::map<std::int32_t, std::size_t> place;
    for (const Unit& unit : units_) {
      const auto [found, made] =
          place.try_emplace(unit.first->object(map_level_) / together, groups_.size());
      if (made) groups_.emplace_back();
      groups_[found->second].push_back(unit);
    }
  }

  Status check_count(std::uint32_t ranks) const {
    if (mapping_ == Mapping::ppr && ranks > request_.per_object * groups_.size())
      return Status::failure(
          Errc::argument,
          fmt::format("ppr:{}:{} makes room for {} on this machine, and {} are to be started",
                      request_.per_object, name_of(map_level_),
                      count_of(request_.per_object * groups_.size(), "rank"), ranks));
    if (!request_.oversubscribe && ranks * width() > units_.size())
      return Status::failure(
          Errc::argument,
          fmt::format("{} of {} each do not fit on {}, and nooversubscribe forbids to share them",
                      count_of(ranks, "rank"), count_of(width(), std::string(name_of(unit_))),
                      count_of(units_.size(), std::string(name_of(unit_)))));
    return {};
  }

  // Units per rank.
  std::size_t width() const noexcept {
    if (request_.cpus_per_rank != 0) return request_.cpus_per_rank;
    return binding_ == Binding::object && request_.bind_level == unit_ ? request_.bind_count : 1;
  }

  Spot spot_of(std::size_t i) {
    const std::size_t per = request_.per_object;
    const std::size_t g = mapping_ == Mapping::ppr ? i / per : i % groups_.size();
    const std::size_t k = mapping_ == Mapping::ppr ? i % per : i / groups_.size();
    const Units& group = groups_[g];
    const std::size_t rooms = std::max<std::size_t>(1, group.size() / width());
    wrapped_ = wrapped_ || k >= rooms;
    short_ = short_ || group.size() < width();
    const std::size_t begin = k % rooms * width();
    Spot spot{{}, group[begin].first, g};
    for (std::size_t u = begin; u < std::min(group.size(), begin + width()); ++u)
      spot.cpus.insert(spot.cpus.end(), group[u].cpus.begin(), group[u].cpus.end());
    return spot;
  }

  // `spots` come in the order of mapping and leave in the order of ranks.
  void number(std::vector<Spot>& spots) const {
    if (request_.ranking == Ranking::as_mapped) return;
    std::map<std::int64_t, std::vector<Spot>> piles;
    for (Spot& spot : spots) {
      const std::int64_t pile = request_.ranking == Ranking::fill
                                    ? static_cast<std::int64_t>(spot.group)
                                    : spot.first->object(request_.rank_level);
      piles[pile].push_back(std::move(spot));
    }
    const std::size_t all = spots.size();
    spots.clear();
    if (request_.ranking == Ranking::fill) {
      for (auto& [pile, members] : piles) spots.insert(spots.end(), members.begin(), members.end());
      return;
    }
    for (std::size_t turn = 0; spots.size() < all; ++turn)
      for (auto& [pile, members] : piles)
        if (turn < members.size()) spots.push_back(members[turn]);
  }

  Numbers cpus_for(const Spot& spot, std::size_t rank) const {
    Numbers cpus;
    switch (binding_) {
      case Binding::none:
        return {};
      case Binding::unsaid:
        cpus = cpus_unasked(spot);
        break;
      case Binding::object:
        cpus = cpus_of_object(spot);
        break;
      case Binding::cpu_set:
        cpus = all_cpus();
        break;
      case Binding::ordered:
        cpus = units_[rank % units_.size()].cpus;
        break;
      case Binding::listed:
        cpus = request_.listed[rank % request_.listed.size()];
        break;
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
  }

  Numbers cpus_unasked(const Spot& spot) const {
    if (request_.mapping_binds) {
      if (request_.cpus_per_rank != 0 || map_level_ >= unit_) return spot.cpus;
      return objects_from(map_level_, spot.first, 1);
    }
    return request_.cpu_set.empty() ? Numbers() : all_cpus();
  }

  Numbers cpus_of_object(const Spot& spot) const {
    if (request_.bind_level == unit_ ||
        (request_.cpus_per_rank != 0 && request_.bind_level == Level::core))
      return spot.cpus;
    return objects_from(request_.bind_level, spot.first, request_.bind_count);
  }

  // The usable CPUs of `count` objects from the one of `first` on; behind the last comes the first.
  Numbers objects_from(Level level, const Cpu* first, std::uint32_t count) const {
    std::vector<std::int32_t> order;
    for (const Unit& unit : units_)
      if (std::find(order.begin(), order.end(), unit.first->object(level)) == order.end())
        order.push_back(unit.first->object(level));
    const auto begin = static_cast<std::size_t>(
        std::find(order.begin(), order.end(), first->object(level)) - order.begin());
    Numbers cpus;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, order.size()); ++i)
      for (const Unit& unit : units_)
        if (unit.first->object(level) == order[(begin + i) % order.size()])
          cpus.insert(cpus.end(), unit.cpus.begin(), unit.cpus.end());
    return cpus;
  }

  Numbers all_cpus() const {
    Numbers cpus;
    for (const Unit& unit : units_) cpus.insert(cpus.end(), unit.cpus.begin(), unit.cpus.end());
    return cpus;
  }

  void add_notes(PlacementPlan& plan) const {
    const bool mapped = request_.mapping == Mapping::object || request_.cpus_per_rank != 0;
    if (!plan.binds() && binding_ == Binding::unsaid &&
        (mapped || request_.ranking != Ranking::as_mapped))
      plan.notes.emplace_back(kNotBound);
    const bool chosen = binding_ == Binding::cpu_set || binding_ == Binding::listed;  // by the user
    if (!plan.binds() || request_.overload_allowed || chosen) return;
    const std::string unit(name_of(unit_));
    if (short_)
      plan.notes.push_back(fmt::format(
          "a rank is to have {}, and where ranks are mapped there are fewer: it gets all of them",
          count_of(width(), unit)));
    if (wrapped_ && plan.cpus_in_use() < plan.places.size() * width())
      plan.notes.push_back(
          fmt::format("{} share {}: some are bound to the same one (--bind-to :overload-allowed: "
                      "that is meant)",
                      count_of(plan.places.size(), "rank"), count_of(units_.size(), unit)));
  }

  const CpuMap& map_;
  const PlacementRequest& request_;
  Mapping mapping_ = Mapping::slot;
  Binding binding_ = Binding::unsaid;
  Level map_level_ = Level::core;
  Level unit_ = Level::core;
  Units units_;
  std::vector<Units> groups_;
  bool wrapped_ = false;  // a unit was given twice
  bool short_ = false;    // a group has less than what a rank is to get
};

}  // namespace

bool PlacementPlan::binds() const noexcept {
  return std::any_of(places.begin(), places.end(),
                     [](const RankPlace& place) { return !place.cpus.empty(); });
}

std::uint32_t PlacementPlan::cpus_in_use() const {
  std::set<std::uint32_t> cpus;
  std::map<Numbers, std::size_t> ranks_on;
  bool shared = false;
  for (const RankPlace& place : places) {
    cpus.insert(place.cpus.begin(), place.cpus.end());
    shared = shared || ++ranks_on[place.cpus] > place.cpus.size();
  }
  const std::size_t most = shared ? std::max<std::size_t>(1, places.size() - 1) : cpus.size();
  return static_cast<std::uint32_t>(std::min(cpus.size(), most));
}

Result<PlacementPlan> plan_placement(const CpuMap& map, const PlacementRequest& request,
                                     std::uint32_t ranks) {
  if (!request.slots_by_rank.empty()) return plan_slots(map, request);
  for (const auto& listed : request.listed)
    for (const std::uint32_t number : listed)
      if (std::none_of(map.cpus.begin(), map.cpus.end(),
                       [&](const Cpu& cpu) { return cpu.number == number; }))
        return Status::failure(Errc::argument,
                               fmt::format("CPU {} is none that this job may use", number));
  return Planner(map, request).run(ranks);
}

std::uint32_t ranks_of_placement(const CpuMap& map, const PlacementRequest& request) {
  return Planner(map, request).default_ranks();
}

}  // namespace tessera::launcher
