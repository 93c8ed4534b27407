// SPDX-License-Identifier: BSD-3-Clause
// What is known of a message that came instead of the one that is waited for.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launcher/hang/wait_words.h"

namespace tessera::launcher {
namespace {

bool same_envelope(const ReportedMessage& one, const ReportedMessage& other) noexcept {
  return one.rank == other.rank && one.tag == other.tag && one.context == other.context;
}

bool sends_in_place(std::string_view function) noexcept {
  return function.starts_with("MPI_Send") || function.starts_with("MPI_Ssend") ||
         function.starts_with("MPI_Rsend");
}

// " at heat.c:95 (exchange)", or nothing.
std::string at_place(const std::string& place) {
  return place.empty() ? place : " at " + place;
}

// Of several messages that look alike nobody knows which one the sender is about to send.
bool is_in_send(const RankWait& sender, const NearMiss& miss, const RankWait& receiver) noexcept {
  const auto alike = std::count_if(
      receiver.arrived.begin(), receiver.arrived.end(),
      [&](const ReportedMessage& message) { return same_envelope(message, miss.message); });
  return sends_in_place(sender.function) && alike == 1 &&
         std::any_of(sender.waits.begin(), sender.waits.end(), [&](const ReportedWait& wait) {
           const KnownComm* const comm = sender.comm_of(wait);
           return wait.kind == ReportedWait::Kind::send && wait.tag == miss.message.tag &&
                  wait.rank == static_cast<std::int32_t>(miss.receiver) && comm != nullptr &&
                  comm->context == miss.message.context;
         });
}

// Of messages that look alike and were sent from several places, nobody knows which one this is.
std::string noted_place(const RankWait& sender, const NearMiss& miss) {
  std::string place;
  for (const SendPlace& send : sender.sent_from) {
    if (!is_of(send, miss)) continue;
    if (!place.empty()) return {};
    place = send.place;
  }
  return place;
}

std::string whereabouts(const NearMiss& miss, const RankWait& sender) {
  if (sender.state == RankWait::State::active) return {};
  const std::string where = sender.state == RankWait::State::gone
                                ? sender.standing
                                : fmt::format("is {}{} now", sender.function.empty() ? "" : "in ",
                                              sender.in_short() + at_place(place_of(sender)));
  return fmt::format("; rank {} {}", miss.message.rank, where);
}

}  // namespace

std::string place_of(const RankWait& rank) {
  return rank.places.empty() ? "" : rank.places[0];
}

const RankWait* sender_of(const NearMiss& miss, const WaitGraph& graph) noexcept {
  const auto rank = static_cast<std::uint32_t>(miss.message.rank);
  return miss.message.rank >= 0 && rank < graph.size() ? &graph.rank(rank) : nullptr;
}

// The receiver may know nothing of the communicator.
const KnownComm* comm_of(const NearMiss& miss, const WaitGraph& graph) noexcept {
  const KnownComm* const mine = graph.rank(miss.receiver).comm_with(miss.message.context);
  const RankWait* const sender = sender_of(miss, graph);
  return mine != nullptr || sender == nullptr ? mine : sender->comm_with(miss.message.context);
}

bool is_of(const SendPlace& send, const NearMiss& miss) noexcept {
  return send.rank == static_cast<std::int32_t>(miss.receiver) && send.tag == miss.message.tag &&
         send.context == miss.message.context;
}

std::string sent_at(const NearMiss& miss, const WaitGraph& graph) {
  const RankWait* const sender = sender_of(miss, graph);
  if (sender == nullptr) return {};
  return is_in_send(*sender, miss, graph.rank(miss.receiver)) ? place_of(*sender)
                                                              : noted_place(*sender, miss);
}

std::string describe(const NearMiss& miss, const WaitGraph& graph) {
  const RankWait& receiver = graph.rank(miss.receiver);
  const KnownComm* const wanted = receiver.comm_of(miss.wait);
  const KnownComm* const came = comm_of(miss, graph);
  const RankWait* const sender = sender_of(miss, graph);
  const bool same_comm = wanted != nullptr && wanted->context == miss.message.context;
  const std::string place = sent_at(miss, graph);
  return fmt::format(
      "  near miss: {} has sent rank {} a message with tag {} on {} ({} bytes){}, but rank {} "
      "waits for {}{}{}{}\n",
      sender != nullptr ? fmt::format("rank {}", miss.message.rank) : "a process of another job",
      miss.receiver, miss.message.tag,
      came != nullptr ? name_of_comm(came) : "another communicator", miss.message.bytes,
      at_place(place), miss.receiver, tag_text(miss.wait.tag),
      same_comm ? "" : " on " + name_of_comm(wanted), at_place(place_of(receiver)),
      place.empty() && sender != nullptr ? whereabouts(miss, *sender) : "");
}

}  // namespace tessera::launcher
