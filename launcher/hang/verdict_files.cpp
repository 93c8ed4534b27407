// SPDX-License-Identifier: BSD-3-Clause
// A verdict for programs (JSON) and as a picture (Graphviz).
#include <fmt/format.h>

#include "framework/json.h"
#include "launcher/hang/verdict.h"

namespace tessera::launcher {
namespace {

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

// -1 stands for any or all.
Json number_or(const char* word, std::int64_t number) {
  return number < 0 ? Json(word) : Json(number);
}

Json hold_as_json(const ReportedHold& hold) {
  return Json::object({{"kind", name_of_hold(hold.kind)},
                       {"window", hold.window},
                       {"rank", hold.rank == kEveryRank ? Json("all") : Json(hold.rank)}});
}

Json comm_as_json(const KnownComm& comm) {
  return Json::object({{"name", comm.name}, {"context", comm.context}});
}

Json wait_as_json(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  const KnownComm* const comm = graph.rank(rank).comm_of(wait);
  Json json = Json::object({{"kind", name_of_wait(wait.kind)}});
  if (wait.thread != 0) json.set("thread", wait.thread);
  const bool on_window = comm != nullptr && comm->flavor != 0;
  if (on_window)
    json.set("window", Json::object({{"name", comm->name}, {"number", comm->context}}));
  else if (comm != nullptr)
    json.set("communicator", comm_as_json(*comm));
  if (wait.kind == Kind::collective) {
    json.set("operation", wait.operation).set("number", wait.number).set("root", wait.root);
  } else if (on_window && wait.kind != Kind::others) {
    json.set("peer", number_or("all", wait.peer));
  } else if (wait.kind != Kind::others && wait.kind != Kind::unknown) {
    json.set("peer", number_or("any", wait.peer));
    json.set("tag", number_or("any", wait.tag)).set("bytes", wait.bytes);
  }
  json.set("waits_for_ranks", graph.servers(rank, wait));
  json.set("hopeless", graph.is_hopeless(rank, wait));
  return json;
}

// `end` says which rank it is: that of the sender or of the receiver.
Json message_as_json(const char* end, const ReportedMessage& message) {
  return Json::object({{end, message.rank},
                       {"tag", message.tag},
                       {"context", message.context},
                       {"bytes", message.bytes}});
}

void add_wait(Json& json, const WaitGraph& graph, std::uint32_t number) {
  const RankWait& rank = graph.rank(number);
  json.set("function", rank.function).set("places", rank.places).set("any_is_enough", rank.any);
  Json further = Json::array(), waits = Json::array(), holds = Json::array();
  for (const ThreadWait& thread : rank.further)
    further.add(Json::object({{"function", thread.function}, {"any_is_enough", thread.any}}));
  for (const ReportedWait& wait : rank.waits) waits.add(wait_as_json(graph, number, wait));
  for (const ReportedHold& hold : rank.holds) holds.add(hold_as_json(hold));
  if (!rank.further.empty()) json.set("further_threads", std::move(further));
  json.set("threads_asleep_outside", rank.outside);
  json.set("waits", std::move(waits)).set("holds", std::move(holds));
}

void add_messages(Json& json, const RankWait& rank) {
  Json arrived = Json::array(), sent = Json::array();
  for (const ReportedMessage& message : rank.arrived)
    arrived.add(message_as_json("from_rank", message));
  for (const ReportedMessage& message : rank.sends)
    if (message.matched == 0) sent.add(message_as_json("to_rank", message));
  json.set("unexpected_messages", std::move(arrived)).set("unreceived_messages", std::move(sent));
}

Json rank_as_json(const WaitGraph& graph, std::uint32_t number) {
  const RankWait& rank = graph.rank(number);
  Json json = Json::object({{"rank", number}, {"stuck", graph.is_stuck(number)}});
  if (rank.state == RankWait::State::active) json.set("state", "active");
  if (rank.state == RankWait::State::gone) json.set("state", rank.standing);
  if (rank.state != RankWait::State::waits) return json;
  json.set("state", "waits");
  add_wait(json, graph, number);
  add_messages(json, rank);
  return json;
}

Json near_miss_as_json(const NearMiss& miss, const WaitGraph& graph) {
  Json sent = Json::object({{"tag", miss.message.tag}, {"bytes", miss.message.bytes}});
  const KnownComm* const came = comm_of(miss, graph);
  if (came != nullptr) sent.set("communicator", comm_as_json(*came));
  if (const std::string place = sent_at(miss, graph); !place.empty()) sent.set("place", place);
  return Json::object(
      {{"sender", sender_of(miss, graph) != nullptr ? Json(miss.message.rank) : Json()},
       {"receiver", miss.receiver},
       {"sent", sent},
       {"waited_for", wait_as_json(graph, miss.receiver, miss.wait)}});
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
  Json causes = Json::array(), near_misses = Json::array(), ranks = Json::array();
  for (const Knot& knot : verdict.knots)
    causes.add(Json::object({{"kind", name_of(knot.kind)},
                             {"ranks", knot.ranks},
                             {"remedy", remedy(verdict, knot, graph)}}));
  for (const NearMiss& miss : verdict.near_misses) near_misses.add(near_miss_as_json(miss, graph));
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank) ranks.add(rank_as_json(graph, rank));
  const Json json = Json::object({{"format", "tessera hang report 1"},
                                  {"blocked_for_s", waited_s},
                                  {"causes", causes},
                                  {"behind", verdict.behind},
                                  {"near_misses", near_misses},
                                  {"ranks", ranks}});
  return json.text() + "\n";
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
