// SPDX-License-Identifier: BSD-3-Clause
// Reads the values of --map-by, --rank-by, --bind-to and --cpu-set.
#include "launcher/placement/request.h"

#include <algorithm>
#include <optional>

#include "framework/text.h"
#include "launcher/count.h"

namespace tessera::launcher {
namespace {

constexpr std::string_view kObjects =
    "hwthread, core, l1cache, l2cache, l3cache, numa, package (socket)";

struct LevelName {
  std::string_view name;
  Level level;
};
constexpr LevelName kLevelNames[] = {{"hwthread", Level::hwthread},
                                     {"pu", Level::hwthread},
                                     {"core", Level::core},
                                     {"l1cache", Level::l1},
                                     {"l1", Level::l1},
                                     {"l2cache", Level::l2},
                                     {"l2", Level::l2},
                                     {"l3cache", Level::l3},
                                     {"l3", Level::l3},
                                     {"numa", Level::numa},
                                     {"numanode", Level::numa},
                                     {"package", Level::package},
                                     {"socket", Level::package},
                                     {"machine", Level::machine},
                                     {"node", Level::machine}};

std::optional<Level> level_named(std::string_view name) {
  for (const LevelName& one : kLevelNames)
    if (text::equal_ignoring_case(one.name, name)) return one.level;
  return {};
}

// With the nearest of the words that are allowed.
Status not_known(std::string_view word, const std::string& allowed) {
  std::vector<std::string> words;
  for (const LevelName& one : kLevelNames) words.emplace_back(one.name);
  for (std::string_view more : text::split(allowed, ','))
    words.emplace_back(text::trim(more.substr(0, more.find('='))));
  return Status::failure(Errc::argument, "'" + std::string(word) + "' is none of " + allowed +
                                             text::did_you_mean(word, words));
}

bool is(std::string_view word, std::string_view name) {
  return text::equal_ignoring_case(word, name);
}

Status read_count(std::string_view text, std::uint32_t& into) {
  const auto count = parse_count(text);
  if (!count.ok()) return count.status();
  into = count.value();
  return {};
}

// After the first colon of --map-by, separated by ',' or ':'.
Status read_map_modifier(PlacementRequest& request, std::string_view word) {
  if (word.size() > 3 && is(word.substr(0, 3), "pe=")) {
    if (const Status status = read_count(word.substr(3), request.cpus_per_rank); !status.ok())
      return Status::failure(Errc::argument, "pe=" + std::string(status.text()));
    request.mapping_binds = true;
    return {};
  }
  if (is(word, "oversubscribe")) return request.oversubscribe = true, Status();
  if (is(word, "nooversubscribe")) return request.oversubscribe = false, Status();
  if (is(word, "hwtcpus")) return request.hwthreads = true, Status();
  if (is(word, "corecpus")) return request.hwthreads = false, Status();
  // One machine is spanned as it is; spawned jobs are not placed.
  if (is(word, "span") || is(word, "inherit") || is(word, "noinherit")) return {};
  return not_known(word, "pe=N, oversubscribe, nooversubscribe, span, hwtcpus, corecpus");
}

Status read_modifiers(PlacementRequest& request, std::string_view text,
                      Status (*read)(PlacementRequest&, std::string_view)) {
  for (std::string_view part : text::split(text, ':')) {
    for (std::string_view word : text::split(part, ',')) {
      if (word.empty()) continue;
      if (const Status status = read(request, word); !status.ok()) return status;
    }
  }
  return {};
}

// "rankfile:file=PATH"
Status name_rank_file(PlacementRequest& request, std::string_view text) {
  constexpr std::string_view kBegin = "rankfile:file=";
  if (text.size() <= kBegin.size() || !is(text.substr(0, kBegin.size()), kBegin))
    return Status::failure(Errc::argument, "'" + std::string(text) + "' is not rankfile:file=FILE");
  request.rank_file = text.substr(kBegin.size());
  return {};
}

// "ppr:2:package" and what follows it.
Status read_ppr(PlacementRequest& request, std::string_view& text) {
  const std::size_t colon = text.find(':');
  const std::string_view resource =
      colon == std::string_view::npos
          ? ""
          : text.substr(colon + 1, text.find(':', colon + 1) - colon - 1);
  if (const Status status = read_count(text.substr(0, colon), request.per_object); !status.ok())
    return Status::failure(Errc::argument,
                           "ppr:N:RESOURCE begins with a number: " + std::string(status.text()));
  const auto level = level_named(resource);
  if (!level) return not_known(resource, "the resources of ppr: node, " + std::string(kObjects));
  request.mapping = Mapping::ppr;
  request.map_level = *level;
  const std::size_t end = text.find(':', colon + 1);
  text = end == std::string_view::npos ? "" : text.substr(end + 1);
  return {};
}

Status read_mapping(PlacementRequest& request, std::string_view word) {
  if (word.empty() || is(word, "slot") || is(word, "seq")) {
    if (!word.empty()) request.mapping = Mapping::slot;
    request.in_sequence = is(word, "seq");
    return {};
  }
  if (is(word, "dist") || word.substr(0, 7) == "pe-list")
    return Status::failure(Errc::argument,
                           "'" + std::string(word) +
                               "' is not supported; --bind-to user:0,2+3 gives each rank its CPUs");
  const auto level = level_named(word);
  if (!level)
    return not_known(
        word, "slot, node, " + std::string(kObjects) + ", ppr:N:RESOURCE, seq, rankfile:file=FILE");
  request.mapping = *level == Level::machine ? Mapping::slot : Mapping::object;
  request.map_level = *level;
  return {};
}

Status read_cpus(std::string_view text, char separator, PlacementRequest::Cpus& into) {
  for (std::string_view word : text::split(text, separator))
    if (const Status status = parse_cpus(word, into); !status.ok()) return status;
  return {};
}

// "0+2,1+3": rank 0 on CPUs 0 and 2, rank 1 on 1 and 3.
Status read_listed(PlacementRequest& request, std::string_view text) {
  for (std::string_view one : text::split(text, ',')) {
    request.listed.emplace_back();
    if (const Status status = read_cpus(one, '+', request.listed.back()); !status.ok())
      return status;
  }
  request.binding = Binding::listed;
  return {};
}

Status read_bind_modifier(PlacementRequest& request, std::string_view word) {
  if (is(word, "overload-allowed")) return request.overload_allowed = true, Status();
  if (is(word, "no-overload")) return request.overload_allowed = false, Status();
  if (is(word, "if-supported")) return request.if_supported = true, Status();
  if (is(word, "report")) return request.report_bindings = true, Status();
  if (is(word, "ordered") && request.binding == Binding::cpu_set)
    return request.binding = Binding::ordered, Status();
  if (read_count(word, request.bind_count).ok()) return {};
  return not_known(word, "overload-allowed, if-supported, report, N (so many of them)");
}

Status read_binding(PlacementRequest& request, std::string_view word) {
  if (is(word, "none")) return request.binding = Binding::none, Status();
  if (is(word, "cpu-list")) return request.binding = Binding::cpu_set, Status();
  const bool in_turn = is(word, "rr") || is(word, "slot");
  const auto level = in_turn ? std::optional(Level::core) : level_named(word);
  if (!level)
    return not_known(word, "none, " + std::string(kObjects) + ", user:CPUS, cpu-list:ordered, rr");
  request.binding = Binding::object;
  request.bind_level = *level;
  return {};
}

}  // namespace

Status read_map_by(PlacementRequest& request, std::string_view text, Dialect dialect) {
  PlacementRequest read = request;
  Status status;
  if (is(text.substr(0, text.find(':')), "rankfile")) return name_rank_file(request, text);
  if (text.size() >= 4 && is(text.substr(0, 4), "ppr:")) {
    text.remove_prefix(4);
    status = read_ppr(read, text);
  } else {
    const std::size_t colon = text.find(':');
    status = read_mapping(read, text.substr(0, colon));
    text = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  }
  if (!status.ok()) return status;
  read.mapping_binds = dialect == Dialect::open_mpi && read.mapping != Mapping::slot &&
                       read.mapping != Mapping::unsaid && read.map_level != Level::machine;
  status = read_modifiers(read, text, read_map_modifier);
  if (status.ok()) request = std::move(read);
  return status;
}

Status read_rank_by(PlacementRequest& request, std::string_view text) {
  const std::string_view word = text.substr(0, text.find(':'));
  if (is(word, "slot") || is(word, "node") || is(word, "span")) {
    request.ranking = Ranking::as_mapped;
    return {};
  }
  if (is(word, "fill")) return request.ranking = Ranking::fill, Status();
  const auto level = level_named(word);
  if (!level) return not_known(word, "slot, node, fill, span, " + std::string(kObjects));
  request.ranking = Ranking::object;
  request.rank_level = *level;
  return {};
}

Status read_bind_to(PlacementRequest& request, std::string_view text) {
  PlacementRequest read = request;
  read.listed.clear();
  read.bind_count = 1;
  Status status;
  if (text.substr(0, 5) == "user:") {
    status = read_listed(read, text.substr(5));
  } else {
    const std::size_t colon = text.find(':');
    // ":overload-allowed" alone leaves the rest as it is.
    if (colon != 0) status = read_binding(read, text.substr(0, colon));
    if (status.ok() && colon != std::string_view::npos)
      status = read_modifiers(read, text.substr(colon + 1), read_bind_modifier);
  }
  if (status.ok()) request = std::move(read);
  return status;
}

Status read_cpu_set(PlacementRequest& request, std::string_view text) {
  PlacementRequest::Cpus cpus;
  if (const Status status = read_cpus(text, ',', cpus); !status.ok()) return status;
  request.cpu_set = std::move(cpus);
  return {};
}

}  // namespace tessera::launcher
