// SPDX-License-Identifier: BSD-3-Clause
// From what the user says of each rank to the ranks of each host.
#include "launcher/across/rank_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "launcher/count.h"

namespace tessera::launcher::across {
namespace {

using Numbers = std::vector<std::uint32_t>;

Status failed(std::string text) {
  return Status::failure(Errc::argument, text);
}

// "+n2"; the value is empty for other names.
std::optional<std::uint32_t> relative(const std::string& host) {
  std::uint32_t number = 0;
  if (host.rfind("+n", 0) != 0 && host.rfind("+N", 0) != 0) return {};
  const char* const end = host.data() + host.size();
  const auto [stop, error] = std::from_chars(host.data() + 2, end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

bool same_host(const std::string& a, const std::string& b) {
  return a == b || (is_this_machine(a) && is_this_machine(b));
}

Result<std::uint32_t> find_host(const std::string& name, const HostList& list) {
  const auto& hosts = list.hosts;
  if (const auto number = relative(name)) {
    if (*number < hosts.size()) return *number;
    return failed(fmt::format("'{}' is host {}, counted from 0, and there {} {}", name, *number,
                              hosts.size() == 1 ? "is" : "are", hosts.size()));
  }
  for (std::uint32_t i = 0; i < hosts.size(); ++i)
    if (same_host(hosts[i].name, name)) return i;
  std::string names;
  for (const Host& host : hosts) names += (names.empty() ? "" : ",") + host.name;
  return failed(fmt::format("host '{}' is none of this job's hosts, {}", name, names));
}

// The host of each rank, as a number in `list`.
Result<Numbers> of_rank_file(const std::string& path, const std::vector<RankLine>& lines,
                             const HostList& list, std::uint32_t ranks) {
  Numbers hosts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (rank >= lines.size() || lines[rank].host.empty())
      return failed(fmt::format("rank file '{}' has no line for rank {} of {}", path, rank, ranks));
    auto host = find_host(lines[rank].host, list);
    if (!host.ok())
      return failed(fmt::format("{}:{}: {}", path, lines[rank].line, host.status().text()));
    hosts.push_back(*host);
  }
  return hosts;
}

Result<Numbers> of_entries(const HostList& list, std::uint32_t ranks) {
  if (ranks <= list.entries.size())
    return Numbers(list.entries.begin(),
                   list.entries.begin() + (ranks > 0 ? ranks : list.entries.size()));
  return failed(
      fmt::format("--map-by seq: {} ranks, and the hosts have {} entries: name a host once "
                  "for each of its ranks",
                  ranks, list.entries.size()));
}

// "(vector,(HOST,HOSTS,RANKS),...)": on HOSTS hosts from number HOST on RANKS ranks each.
class VectorReader {
 public:
  explicit VectorReader(std::string_view text) noexcept : text_(text), rest_(text) {}

  Result<Numbers> read() {
    Numbers hosts;
    bool good = take("(vector");
    while (good && take(",")) {
      std::uint32_t block[3] = {};
      good = take("(") && number(block[0]) && take(",") && number(block[1]) && take(",") &&
             number(block[2]) && take(")") && std::uint64_t{block[1]} * block[2] <= kMost;
      for (std::uint32_t i = 0; good && i < block[1]; ++i)
        hosts.insert(hosts.end(), block[2], block[0] + i);
      good = good && hosts.size() <= kMost;
    }
    if (good && take(")") && rest_.empty() && !hosts.empty()) return hosts;
    return failed(
        fmt::format("option --rankmap: '{}' is not (vector,(HOST,HOSTS,RANKS),...): from "
                    "host number HOST on, RANKS ranks on each of HOSTS hosts",
                    text_));
  }

 private:
  static constexpr std::size_t kMost = 1U << 16;

  void skip_blanks() noexcept {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
  }
  bool take(std::string_view word) noexcept {
    skip_blanks();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    skip_blanks();
    return true;
  }
  bool number(std::uint32_t& into) noexcept {
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    if (error != std::errc() || into > kMost) return false;
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
};

// The map begins again where there are more ranks.
Result<Numbers> of_vector(const std::string& text, const HostList& list, std::uint32_t ranks) {
  auto hosts = VectorReader(text).read();
  if (!hosts.ok()) return hosts.status();
  const std::uint32_t highest = *std::max_element(hosts->begin(), hosts->end());
  if (highest >= list.hosts.size())
    return failed(
        fmt::format("option --rankmap: '{}' is about host {}, counted from 0, and there "
                    "{} {}",
                    text, highest, list.hosts.size() == 1 ? "is" : "are", list.hosts.size()));
  const std::size_t period = hosts->size();
  if (ranks > 0 && ranks < period) hosts->resize(ranks);
  while (hosts->size() < ranks) hosts->push_back((*hosts)[hosts->size() - period]);
  return hosts;
}

// In the order of first ranks, with the number of ranks of each.
RankMap number_hosts(const Numbers& hosts, const HostList& list) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  RankMap map;
  Numbers node_of(list.hosts.size(), kNone);
  for (const std::uint32_t host : hosts) {
    if (node_of[host] == kNone) {
      node_of[host] = static_cast<std::uint32_t>(map.shares.size());
      map.shares.push_back({list.hosts[host].name, 0});
    }
    map.nodes.push_back(node_of[host]);
    ++map.shares[node_of[host]].ranks;
  }
  return map;
}

Status check_slots_of(const HostList& list, const RankMap& map, bool limited) {
  for (const Share& share : map.shares)
    for (const Host& host : list.hosts) {
      if (host.name != share.host) continue;
      const std::uint32_t most = limited ? host.slots : host.most;
      if (most > 0 && share.ranks > most)
        return failed(
            fmt::format("{} ranks are to run on host '{}', which has {} slots: give it more "
                        "(HOST:N, slots=N), or --oversubscribe",
                        share.ranks, host.name, most));
    }
  return {};
}

// One entry per rank, unless no line has slots.
std::vector<RankSlots> slots_of(const std::vector<RankLine>& lines, std::size_t ranks) {
  std::vector<RankSlots> slots;
  bool any = false;
  for (std::size_t i = 0; i < std::min(ranks, lines.size()); ++i) {
    slots.push_back({lines[i].slots, lines[i].line});
    any = any || !lines[i].slots.empty();
  }
  return any ? slots : std::vector<RankSlots>();
}

}  // namespace

bool asks_rank_map(const CommandLine& line) noexcept {
  const PlacementRequest& places = line.placement;
  return !places.rank_file.empty() || !places.rank_map.empty() || places.in_sequence;
}

Status check_rank_map(const CommandLine& line) {
  const PlacementRequest& places = line.placement;
  const int ways =
      int{!places.rank_file.empty()} + int{!places.rank_map.empty()} + int{places.in_sequence};
  if (ways > 1)
    return failed(
        "options --rankfile, --rankmap and --map-by seq each say where ranks go: write one of "
        "them");
  const bool by_host = line.ranks_per_machine > 0 ||
                       (places.mapping != Mapping::unsaid && places.map_level == Level::machine);
  if (ways == 1 && by_host)
    return failed(
        "options -ppn and --map-by node say where ranks go, and so does --rankfile, --rankmap "
        "or --map-by seq: write one of them");
  if (places.rank_file.empty()) return {};
  const bool bound = places.binding != Binding::unsaid && places.binding != Binding::none;
  if (bound || places.mapping != Mapping::unsaid || places.cpus_per_rank > 0 ||
      !places.cpu_set.empty() || places.ranking != Ranking::as_mapped)
    return failed(
        "option --rankfile: the file says where each rank goes and to what it is bound: leave "
        "out --map-by, --rank-by, --bind-to and --cpu-set (--bind-to none binds nobody)");
  return {};
}

Result<HostList> hosts_of(const std::string& path, const std::vector<RankLine>& lines) {
  HostList list;
  for (const RankLine& line : lines) {
    if (line.host.empty()) continue;
    if (relative(line.host))
      return failed(
          fmt::format("{}:{}: '{}' counts the hosts of --host, --hostfile or the "
                      "allocation, and there are none",
                      path, line.line, line.host));
    const auto known = std::find_if(list.hosts.begin(), list.hosts.end(), [&](const Host& host) {
      return same_host(host.name, line.host);
    });
    if (known == list.hosts.end())
      list.hosts.push_back({line.host, 1, 0});
    else
      ++known->slots;
  }
  return list;
}

Result<RankMap> map_ranks(const CommandLine& line, const HostList& list,
                          const std::vector<RankLine>& lines, std::uint32_t ranks, bool limited) {
  const PlacementRequest& places = line.placement;
  const auto all = static_cast<std::uint32_t>(lines.size());
  auto hosts = !lines.empty() ? of_rank_file(places.rank_file, lines, list, ranks > 0 ? ranks : all)
               : !places.rank_map.empty() ? of_vector(places.rank_map, list, ranks)
                                          : of_entries(list, ranks);
  if (!hosts.ok()) return hosts.status();
  RankMap map = number_hosts(*hosts, list);
  if (const Status status = check_slots_of(list, map, limited); !status) return status;
  map.slots = slots_of(lines, map.nodes.size());
  return map;
}

}  // namespace tessera::launcher::across
