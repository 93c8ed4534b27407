// SPDX-License-Identifier: BSD-3-Clause
// One word for all that carriers need to know.
#include "launcher/carrier/carrier_order.h"

#include <algorithm>

#include "launcher/carrier/fields.h"

namespace tessera::launcher {

template <class Way>
void describe(Way& way, EnvironmentRules& rules) {
  describe_all(way, rules.base, rules.names, rules.set);
}

template <class Way>
void describe(Way& way, App& app) {
  describe_all(way, app.ranks, app.words, app.directory, app.search_path, app.environment);
}

template <class Way>
void describe(Way& way, across::Share& share) {
  describe_all(way, share.host, share.ranks);
}

template <class Way>
void describe(Way& way, RankSlots& slots) {
  describe_all(way, slots.slots, slots.line);
}

template <class Way>
void describe(Way& way, PlacementRequest& places) {
  describe_all(way, places.mapping, places.map_level, places.mapping_binds, places.per_object,
               places.cpus_per_rank, places.ranking, places.rank_level, places.binding,
               places.bind_level, places.bind_count, places.listed, places.cpu_set,
               places.rank_file, places.slots_by_rank, places.kernel_numbers, places.hwthreads,
               places.overload_allowed, places.if_supported, places.oversubscribe,
               places.report_bindings, places.display_map, places.display_allocation);
}

template <class Way>
void describe(Way& way, OutputRequest& output) {
  describe_all(way, output.tags, output.pattern, output.timestamps, output.merge_streams,
               output.directory, output.file, output.out_pattern, output.err_pattern,
               output.keep_on_terminal);
}

template <class Way>
void describe(Way& way, carrier::CarrierOrder& order) {
  CommandLine& line = order.line;
  describe_all(way, line.apps, line.environment, line.params, line.universe, line.timeout_s,
               line.on_hang, line.hang_report, line.hang_graph, line.placement, line.output,
               line.reader, line.print_exit_codes, line.checks, line.quiet, line.verbose,
               order.directory, order.shares, order.in_turn, order.nodes, order.job_id);
}

namespace carrier {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kLongestWord = 120 * 1024;  // the kernel's limit is 128 KiB
constexpr std::string_view kVersion = "tessera-carrier-3 " TESSERA_VERSION;

std::string to_text(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  return text;
}

std::string from_text(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t at = kAlphabet.find(c);
    if (at == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(at);
    if (count += 6; count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return bytes;
}

// What says something of each rank does so of all of them.
bool fits(const CarrierOrder& order) noexcept {
  std::vector<std::uint64_t> ranks(order.shares.size());
  std::uint64_t all = 0;
  for (const across::Share& share : order.shares) all += share.ranks;
  for (const std::uint32_t node : order.nodes)
    if (node >= ranks.size() || ++ranks[node] > order.shares[node].ranks) return false;
  const std::size_t slots = order.line.placement.slots_by_rank.size();
  return (order.nodes.empty() || order.nodes.size() == all) && (slots == 0 || slots == all);
}

}  // namespace

Result<std::string> encode(const CarrierOrder& order) {
  CarrierOrder copy = order;
  Writer writer;
  std::string version(kVersion);
  describe(writer, version);
  describe(writer, copy);
  std::string word = to_text(writer.text);
  if (word.size() <= kLongestWord) return word;
  return Status::failure(Errc::argument,
                         "what the hosts have to be told (programs, arguments, variables) has " +
                             std::to_string(word.size()) + " bytes, and a word of a command line " +
                             "at most " + std::to_string(kLongestWord) +
                             ": pass long arguments in a file");
}

Result<CarrierOrder> decode(std::string_view word) {
  const std::string bytes = from_text(word);
  Reader reader(bytes);
  std::string version;
  describe(reader, version);
  if (version != kVersion)
    return Status::failure(
        Errc::refused, "this host has mpiexec (Tessera) " TESSERA_VERSION
                       ", and the job was started by another version: install one on all hosts");
  CarrierOrder order;
  describe(reader, order);
  if (!reader.damaged && reader.ended() && !order.shares.empty() && fits(order)) return order;
  return Status::failure(Errc::refused, "the order of the job has come damaged");
}

std::vector<std::uint32_t> nodes_of(const CarrierOrder& order) {
  if (!order.nodes.empty()) return order.nodes;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> left;
  for (const across::Share& share : order.shares) left.push_back(share.ranks);
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t node = 0; node < left.size(); ++node) {
      const std::uint32_t count = order.in_turn ? std::min(left[node], 1u) : left[node];
      nodes.insert(nodes.end(), count, node);
      left[node] -= count;
      more = more || left[node] > 0;
    }
  }
  return nodes;
}

HostPart part_of(const CarrierOrder& order, std::uint32_t node, CommandLine& line) {
  HostPart part;
  const std::vector<std::uint32_t> nodes = nodes_of(order);
  part.job_size = static_cast<std::uint32_t>(nodes.size());
  part.node = node;
  part.nodes = static_cast<std::uint32_t>(order.shares.size());
  part.job_id = order.job_id;
  line = order.line;
  const std::vector<RankSlots>& slots = order.line.placement.slots_by_rank;
  line.placement.slots_by_rank.clear();
  std::uint32_t rank = 0;
  for (App& app : line.apps) {
    const std::uint32_t end = rank + std::exchange(app.ranks, 0);
    for (; rank < end && rank < nodes.size(); ++rank) {
      if (nodes[rank] != node) continue;
      ++app.ranks;
      part.ids.push_back(rank);
      if (rank < slots.size()) line.placement.slots_by_rank.push_back(slots[rank]);
    }
  }
  return part;
}

}  // namespace carrier
}  // namespace tessera::launcher
