// SPDX-License-Identifier: BSD-3-Clause
// A verdict for programs (JSON) and as a picture (Graphviz).
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "launcher/hang/verdict.h"

namespace tessera::launcher {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ReportedWait::Kind;

const char* name_of_wait(Kind kind) noexcept {
  switch (kind) {
    case Kind::receive:
      return "receive";
    case Kind::probe:
      return "probe";
    case Kind::send:
      return "send";
    case Kind::partitions:
      return "partitioned receive";
    case Kind::marks:
      return "partitioned send";
    case Kind::collective:
      return "collective";
    case Kind::others:
      return "others";
    case Kind::exclusive_lock:
      return "exclusive lock";
    case Kind::shared_lock:
      return "shared lock";
    case Kind::post:
      return "post";
    case Kind::completion:
      return "completion";
    case Kind::arrival:
      return "arrival";
    case Kind::answer:
      return "answer";
    case Kind::unknown:
      break;
  }
  return "unknown";
}

const char* name_of_hold(ReportedHold::Kind kind) noexcept {
  switch (kind) {
    case ReportedHold::Kind::exclusive_lock:
      return "exclusive lock";
    case ReportedHold::Kind::shared_lock:
      return "shared lock";
    case ReportedHold::Kind::exposure:
      return "epoch posted for it";
  }
  return "unknown";
}

Json hold_as_json(const ReportedHold& hold) {
  return {{"kind", name_of_hold(hold.kind)},
          {"window", hold.window},
          {"rank", hold.rank == kEveryRank ? Json("all") : Json(hold.rank)}};
}

Json comm_as_json(const KnownComm& comm) {
  return {{"name", comm.name}, {"context", comm.context}};
}

Json wait_as_json(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  const KnownComm* const comm = graph.rank(rank).comm_of(wait);
  Json json{{"kind", name_of_wait(wait.kind)}};
  if (wait.thread != 0) json["thread"] = wait.thread;
  const bool on_window = comm != nullptr && comm->flavor != 0;
  if (on_window)
    json["window"] = {{"name", comm->name}, {"number", comm->context}};
  else if (comm != nullptr)
    json["communicator"] = comm_as_json(*comm);
  if (wait.kind == Kind::collective) {
    json["operation"] = wait.operation;
    json["number"] = wait.number;
    json["root"] = wait.root;
  } else if (on_window && wait.kind != Kind::others) {
    json["peer"] = wait.peer < 0 ? Json("all") : Json(wait.peer);
  } else if (wait.kind != Kind::others && wait.kind != Kind::unknown) {
    json["peer"] = wait.peer < 0 ? Json("any") : Json(wait.peer);
    json["tag"] = wait.tag < 0 ? Json("any") : Json(wait.tag);
    json["bytes"] = wait.bytes;
  }
  json["waits_for_ranks"] = graph.servers(rank, wait);
  json["hopeless"] = graph.is_hopeless(rank, wait);
  return json;
}

Json rank_as_json(const WaitGraph& graph, std::uint32_t number) {
  const RankWait& rank = graph.rank(number);
  Json json{{"rank", number}, {"stuck", graph.is_stuck(number)}};
  if (rank.state == RankWait::State::active) json["state"] = "active";
  if (rank.state == RankWait::State::gone) json["state"] = rank.standing;
  if (rank.state != RankWait::State::waits) return json;
  json["state"] = "waits";
  json["function"] = rank.function;
  json["places"] = rank.places;
  json["any_is_enough"] = rank.any;
  for (const ThreadWait& thread : rank.further)
    json["further_threads"].push_back(
        {{"function", thread.function}, {"any_is_enough", thread.any}});
  json["threads_asleep_outside"] = rank.outside;
  json["waits"] = Json::array();
  for (const ReportedWait& wait : rank.waits)
    json["waits"].push_back(wait_as_json(graph, number, wait));
  json["holds"] = Json::array();
  for (const ReportedHold& hold : rank.holds) json["holds"].push_back(hold_as_json(hold));
  json["unexpected_messages"] = Json::array();
  for (const ReportedMessage& message : rank.arrived)
    json["unexpected_messages"].push_back({{"from_rank", message.rank},
                                           {"tag", message.tag},
                                           {"context", message.context},
                                           {"bytes", message.bytes}});
  json["unreceived_messages"] = Json::array();
  for (const ReportedMessage& message : rank.sends)
    if (message.matched == 0)
      json["unreceived_messages"].push_back({{"to_rank", message.rank},
                                             {"tag", message.tag},
                                             {"context", message.context},
                                             {"bytes", message.bytes}});
  return json;
}

Json near_miss_as_json(const NearMiss& miss, const WaitGraph& graph) {
  Json sent{{"tag", miss.message.tag}, {"bytes", miss.message.bytes}};
  const KnownComm* const came = comm_of(miss, graph);
  if (came != nullptr) sent["communicator"] = comm_as_json(*came);
  if (const std::string place = sent_at(miss, graph); !place.empty()) sent["place"] = place;
  return {{"sender", sender_of(miss, graph) != nullptr ? Json(miss.message.rank) : Json(nullptr)},
          {"receiver", miss.receiver},
          {"sent", sent},
          {"waited_for", wait_as_json(graph, miss.receiver, miss.wait)}};
}

// In a quoted string of Graphviz.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

}  // namespace

std::string as_json(const Verdict& verdict, const WaitGraph& graph, double waited_s) {
  Json json{{"format", "tessera hang report 1"}, {"blocked_for_s", waited_s}};
  json["causes"] = Json::array();
  for (const Knot& knot : verdict.knots)
    json["causes"].push_back({{"kind", name_of(knot.kind)},
                              {"ranks", knot.ranks},
                              {"remedy", remedy(verdict, knot, graph)}});
  json["behind"] = verdict.behind;
  json["near_misses"] = Json::array();
  for (const NearMiss& miss : verdict.near_misses)
    json["near_misses"].push_back(near_miss_as_json(miss, graph));
  json["ranks"] = Json::array();
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank)
    json["ranks"].push_back(rank_as_json(graph, rank));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string as_dot(const Verdict& verdict, const WaitGraph& graph) {
  std::string text = "digraph hang {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  std::vector<bool> in_knot(graph.size());
  for (const Knot& knot : verdict.knots)
    for (const std::uint32_t rank : knot.ranks) in_knot[rank] = true;
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank) {
    const RankWait& one = graph.rank(rank);
    const std::string place = one.places.empty() ? "" : "\n" + one.places[0];
    text += fmt::format("  {} [label={}{}];\n", rank,
                        quoted(fmt::format("rank {}\n{}{}", rank, one.in_short(), place)),
                        in_knot[rank] ? ", style=filled, fillcolor=\"#f4b6b6\"" : "");
    if (!graph.is_stuck(rank)) continue;
    for (const std::uint32_t other : graph.waits_for(rank))
      text += fmt::format("  {} -> {}{};\n", rank, other, one.any ? " [style=dashed]" : "");
  }
  return text + "}\n";
}

}  // namespace tessera::launcher
