// SPDX-License-Identifier: BSD-3-Clause
// Deciding where the ranks of a job go.
#include "launcher/across/plan.h"

#include <algorithm>

#include "launcher/across/rank_map.h"

namespace tessera::launcher::across {
namespace {

std::uint32_t said_ranks(const CommandLine& line) noexcept {
  std::uint32_t sum = 0;
  for (const App& app : line.apps) sum += app.ranks;
  return sum;
}

Status too_many(std::uint32_t ranks, const HostList& hosts) {
  std::string names;
  for (const Host& host : hosts.hosts) names += (names.empty() ? "" : ",") + host.name;
  return Status::failure(Errc::argument, std::to_string(ranks) + " ranks, but " + names + " ha" +
                                             (hosts.hosts.size() == 1 ? "s " : "ve ") +
                                             std::to_string(hosts.slots()) +
                                             " slots: give more (HOST:N, slots=N), fewer ranks "
                                             "(-n), or --oversubscribe");
}

Status over_the_limit(std::uint32_t ranks) {
  return Status::failure(
      Errc::argument, std::to_string(ranks) + " ranks are more than max_slots of all hosts permit");
}

std::string elsewhere(const std::vector<std::string>& names) {
  const auto other = std::find_if_not(names.begin(), names.end(), is_this_machine);
  return other == names.end() ? "" : *other;
}

std::vector<std::string> names_of(const HostList& list) {
  std::vector<std::string> names;
  for (const Host& host : list.hosts) names.push_back(host.name);
  return names;
}

std::string say(const Nested& nested) {
  if (!nested.first) return {};
  const std::string copies = std::to_string(nested.copies);
  return nested.engine + " started mpiexec " + copies + " times, which makes " + copies +
         " jobs: start it once, or start the program itself with " + nested.engine;
}

// The hosts that the user named, or those of the allocation.
struct Where {
  HostList named;
  std::vector<std::string> hosts;
  std::vector<RankLine> rank_lines;  // of the rank file
  bool allocated = false;
};

// The rank file, whose hosts count where none are named elsewhere.
Status read_rank_lines(const std::string& path, Where& where) {
  auto lines = read_rank_file(path);
  if (!lines.ok()) return lines.status();
  where.rank_lines = std::move(lines).value();
  if (!where.hosts.empty()) return {};
  auto hosts = hosts_of(path, where.rank_lines);
  if (!hosts.ok()) return hosts.status();
  where.named = std::move(hosts).value();
  where.hosts = names_of(where.named);
  return {};
}

Result<Where> where_to(const CommandLine& line, const Surroundings& around) {
  Where where;
  auto named = read_hosts(line);
  if (!named.ok()) return named.status();
  where.named = std::move(named).value();
  where.hosts = names_of(where.named);
  where.allocated = around.allocation.has_value();
  if (where.hosts.empty() && where.allocated) where.hosts = around.allocation->hosts;
  const std::string& rank_file = line.placement.rank_file;
  if (const Status status = rank_file.empty() ? Status() : read_rank_lines(rank_file, where);
      !status)
    return status;
  return where;
}

// -ppn, and --map-by ppr:N:node.
std::uint32_t per_host_of(const CommandLine& line) noexcept {
  if (line.ranks_per_machine > 0) return line.ranks_per_machine;
  const PlacementRequest& places = line.placement;
  const bool node = places.mapping == Mapping::ppr && places.map_level == Level::machine;
  return node ? places.per_object : 0;
}

// Slots count where the user wrote them; an allocation has tasks.
std::uint32_t default_ranks(const CommandLine& line, const Where& where,
                            const Surroundings& around) noexcept {
  if (per_host_of(line) > 0)
    return per_host_of(line) *
           static_cast<std::uint32_t>(std::max<std::size_t>(where.hosts.size(), 1));
  if (!where.named.hosts.empty())
    return where.named.counted || !elsewhere(where.hosts).empty() ? where.named.slots() : 0;
  return around.allocation ? around.allocation->tasks : 0;
}

Status too_far(const std::string& host) {
  return Status::failure(Errc::argument, "option --launcher fork: host '" + host +
                                             "' is not this machine ('" + host_name() + "')");
}

Status only_here(const char* option, const char* why) {
  return Status::failure(Errc::argument, std::string("option ") + option +
                                             " holds for jobs on one machine only: " + why);
}

// By node, so many on each node, and binding to one kind of object, are what all engines know.
Status check_placement(const PlacementRequest& places, bool carried) {
  if (carried && places.ranking == Ranking::as_mapped) return {};
  const bool by_object = places.mapping == Mapping::object || places.mapping == Mapping::ppr;
  if (by_object && places.map_level != Level::machine)
    return only_here("--map-by", "across hosts write slot, node or ppr:N:node");
  if (places.cpus_per_rank > 0) return only_here("--map-by :pe=N", "say it to the engine itself");
  if (places.ranking != Ranking::as_mapped)
    return only_here("--rank-by", "ranks are numbered as they are mapped");
  const Level level = places.bind_level;
  const bool known = level == Level::hwthread || level == Level::core || level == Level::numa ||
                     level == Level::package;
  const bool simple = places.binding == Binding::unsaid || places.binding == Binding::none ||
                      (places.binding == Binding::object && places.bind_count == 1 && known);
  if (!simple || !places.cpu_set.empty())
    return only_here("--cpu-set, --bind-to with numbers",
                     "write --bind-to hwthread, core, numa or package");
  if (places.report_bindings || places.display_map || places.display_allocation)
    return only_here("--report-bindings, --display", "--dry-run shows what the engine is told");
  return {};
}

// Whether an engine has to start the job, and for which host.
bool needs_engine(const Wish& wish, const Where& where, const std::string& other) {
  if (!other.empty()) return true;
  if (!wish.engine_named) return false;
  return wish.kind != Kind::slurm || where.allocated;
}

}  // namespace

Result<std::vector<Share>> hand_out(const HostList& list, std::uint32_t ranks,
                                    std::uint32_t per_host, bool limited) {
  if (limited && per_host == 0 && ranks > list.slots()) return too_many(ranks, list);
  std::vector<Share> shares;
  for (const Host& host : list.hosts) shares.push_back({host.name, 0});
  for (std::uint32_t left = ranks, before = ranks + 1; left > 0;) {
    if (left == before) return over_the_limit(ranks);
    before = left;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Host& host = list.hosts[i];
      const std::uint32_t room = host.most > 0 ? host.most - shares[i].ranks : left;
      const std::uint32_t round = per_host > 0 ? per_host : host.slots;
      const std::uint32_t its = std::min({left, room, round});
      shares[i].ranks += its;
      left -= its;
    }
  }
  std::erase_if(shares, [](const Share& share) { return share.ranks == 0; });
  return shares;
}

bool goes_in_turn(const CommandLine& line) noexcept {
  const PlacementRequest& places = line.placement;
  return places.mapping == Mapping::slot && places.map_level == Level::machine;
}

Status check_options(const CommandLine& line, bool carried) {
  if (line.recovers) return only_here("--enable-recovery", "engines end a job when a rank dies");
  if (line.on_hang == OnHang::stop)
    return only_here("--on-hang stop", "ranks of other hosts would go on");
  if (line.reader && *line.reader != 0) return only_here("--stdin N", "engines give it to rank 0");
  if (carried) return check_placement(line.placement, true);
  if (line.on_hang == OnHang::abort)
    return only_here("--on-hang", "nobody sees the ranks of all hosts");
  if (!line.hang_report.empty())
    return only_here("--hang-report", "nobody sees the ranks of all hosts");
  if (!line.hang_graph.empty())
    return only_here("--hang-graph", "nobody sees the ranks of all hosts");
  if (line.print_exit_codes)
    return only_here("--print-all-exitcodes", "an engine tells one exit status");
  if (line.output.to_files() || line.output.timestamps || line.output.tags == Tags::pattern)
    return only_here("--output and its like",
                     "the engine carries output; only -l and --tag-output");
  return check_placement(line.placement, false);
}

namespace {

HostList hosts_of(const Allocation& allocation) {
  HostList list;
  for (std::size_t i = 0; i < allocation.counts.size(); ++i)
    list.hosts.push_back({allocation.hosts[i], allocation.counts[i], 0});
  return list;
}

// In turn: one to each host that has a slot left, and again; more ranks than slots go round as
// ever.
Result<std::vector<Share>> share_out(const CommandLine& line, HostList hosts, std::uint32_t ranks,
                                     bool limited) {
  if (goes_in_turn(line) && ranks <= hosts.slots()) {
    for (Host& host : hosts.hosts) host.most = host.slots;
    return hand_out(hosts, ranks, 1, limited);
  }
  return hand_out(hosts, ranks, per_host_of(line), limited);
}

// The shares of all hosts have to be known: some engines find out themselves where they are.
Status plan_carriers(const CommandLine& line, Plan& plan, const Surroundings& around,
                     std::uint32_t ranks) {
  if (plan.shares.empty() && around.allocation && !around.allocation->counts.empty() && ranks > 0) {
    auto shares = share_out(line, hosts_of(*around.allocation), ranks, false);
    if (!shares.ok()) return shares.status();
    plan.shares = std::move(shares).value();
  }
  plan.carried = !plan.shares.empty();
  return {};
}

}  // namespace

namespace {

// What --rankmap and relative names count: named hosts, the allocation's, or this machine.
HostList hosts_to_count(const Where& where, const std::optional<Allocation>& allocation) {
  if (!where.named.hosts.empty()) return where.named;
  HostList list;
  if (allocation)
    for (const std::string& host : allocation->hosts) list.hosts.push_back({host, 0, 0});
  if (list.hosts.empty()) list.hosts.push_back({host_name(), 0, 0});
  for (std::uint32_t i = 0; i < list.hosts.size(); ++i) list.entries.push_back(i);
  return list;
}

Status plan_each_rank(const CommandLine& line, const Where& where, const Surroundings& around,
                      bool limited, Plan& plan) {
  const HostList hosts = hosts_to_count(where, around.allocation);
  auto map = map_ranks(line, hosts, where.rank_lines, said_ranks(line), limited);
  if (!map.ok()) return map.status();
  plan.shares = std::move(map->shares);
  plan.nodes = std::move(map->nodes);
  plan.slots_by_rank = std::move(map->slots);
  plan.ranks = static_cast<std::uint32_t>(plan.nodes.size());
  return {};
}

Status plan_shares(const CommandLine& line, const Where& where, const Surroundings& around,
                   Plan& plan) {
  const std::uint32_t ranks = said_ranks(line) > 0 ? said_ranks(line) : plan.ranks;
  const bool limited = line.slots_are_limits && where.named.stated && !line.oversubscribes;
  // Entries of no list are those of this machine.
  const bool sequence = line.placement.in_sequence && where.hosts.empty();
  if (asks_rank_map(line) && !sequence) return plan_each_rank(line, where, around, limited, plan);
  if (where.named.hosts.empty() || ranks == 0) return {};
  auto shares = share_out(line, where.named, ranks, limited);
  if (!shares.ok()) return shares.status();
  plan.shares = std::move(shares).value();
  return {};
}

}  // namespace

Result<Plan> plan_job(const CommandLine& line, const Look& look, const Find& find) {
  Plan plan;
  auto around = look_around(look);
  if (!around.ok()) return around.status();
  if (around->nested) plan.warning = say(*around->nested);
  auto wish = wish_of(line.launcher);
  if (!wish.ok()) return wish.status();
  if (const Status status = check_rank_map(line); !status) return status;
  auto where = where_to(line, *around);
  if (!where.ok()) return where.status();
  plan.per_host = per_host_of(line);
  plan.ranks = default_ranks(line, *where, *around);
  plan.slots = where->named.counted ? where->named.slots() : 0;
  const std::string other = elsewhere(where->hosts);
  if (wish->here && !other.empty()) return too_far(other);
  if (const Status status = plan_shares(line, *where, *around, plan); !status) return status;
  if (!needs_engine(*wish, *where, other)) return plan;
  auto engine = choose_engine(*wish, where->allocated, other, find);
  if (!engine.ok()) return engine.status();
  plan.engine = std::move(engine).value();
  const std::uint32_t ranks = said_ranks(line) > 0 ? said_ranks(line) : plan.ranks;
  if (Status s = plan_carriers(line, plan, *around, ranks); !s) return s;
  if (Status s = check_options(line, plan.carried); !s) return s;
  return plan;
}

}  // namespace tessera::launcher::across
