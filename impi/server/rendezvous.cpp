// SPDX-License-Identifier: BSD-3-Clause
#include "impi/server/rendezvous.h"

#include <algorithm>

#include "impi/wire/command.h"
#include "impi/wire/labels.h"

namespace tessera::impi {
namespace {

std::string client_text(std::uint32_t rank) {
  return "client " + std::to_string(rank);
}

std::string joined_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

Checked Rendezvous::join(std::int32_t rank) {
  if (rank < 0 || rank >= static_cast<std::int32_t>(clients_.size()))
    return Fault{"rank " + std::to_string(rank) + " is not one of 0 to " +
                 std::to_string(clients_.size() - 1)};
  Client& client = clients_[static_cast<std::size_t>(rank)];
  if (client.joined) return Fault{"rank " + std::to_string(rank) + " is taken"};
  client.joined = true;
  return Nothing{};
}

bool Rendezvous::all_joined() const noexcept {
  return std::all_of(clients_.begin(), clients_.end(), [](const Client& c) { return c.joined; });
}

bool Rendezvous::all_finished() const noexcept {
  return std::all_of(clients_.begin(), clients_.end(), [](const Client& c) { return c.finished; });
}

Checked Rendezvous::submit(std::uint32_t rank, std::uint32_t label, ByteView values) {
  Client& client = clients_[rank];
  const std::string name = name_of(static_cast<Label>(label));
  if (client.done) return Fault{client_text(rank) + " sent " + name + " after DONE"};
  if (label <= client.last_label)
    return Fault{client_text(rank) + " sent " + name + " after " +
                 name_of(static_cast<Label>(client.last_label)) + ", labels ascend"};
  if (client.items.size() >= kMostLabels || client.queued + values.size() > kMostQueued)
    return Fault{client_text(rank) + " sent more labels than the others, " +
                 std::to_string(kMostLabels) + " or " + std::to_string(kMostQueued >> 20) +
                 " MiB are kept"};
  client.last_label = label;
  client.queued += values.size();
  client.items.push_back({label, false, Bytes(values.begin(), values.end())});
  return Nothing{};
}

Checked Rendezvous::done(std::uint32_t rank) {
  Client& client = clients_[rank];
  if (client.done) return Fault{client_text(rank) + " sent DONE twice"};
  client.done = true;
  client.items.push_back({0, true, {}});
  return Nothing{};
}

Checked Rendezvous::fini(std::uint32_t rank) {
  if (!started_) return Fault{client_text(rank) + " sent FINI before the start-up was over"};
  clients_[rank].finished = true;
  return Nothing{};
}

bool Rendezvous::each_has_an_item() const noexcept {
  return std::none_of(clients_.begin(), clients_.end(),
                      [](const Client& c) { return c.items.empty(); });
}

// The lowest label at the begin of a queue, of all clients that sent it; DONE where there is none.
Bytes Rendezvous::next_reply() {
  const Item* lowest = nullptr;
  for (const Client& client : clients_) {
    const Item& first = client.items.front();
    if (!first.done && (lowest == nullptr || first.label < lowest->label)) lowest = &first;
  }
  if (lowest == nullptr) {
    started_ = true;
    for (Client& client : clients_) client.items.clear();
    return encode_command(Command::done);
  }
  const std::uint32_t label = last_reply_ = lowest->label;
  std::uint32_t mask = 0;
  Bytes values;
  for (std::uint32_t rank = 0; rank < clients_.size(); ++rank) {
    Client& client = clients_[rank];
    if (client.items.front().done || client.items.front().label != label) continue;
    mask |= 1U << rank;
    append(values, client.items.front().values);
    client.queued -= client.items.front().values.size();
    client.items.pop_front();
  }
  return encode_coll_reply(label, mask, values);
}

std::vector<Bytes> Rendezvous::collect() {
  std::vector<Bytes> replies;
  while (!started_ && each_has_an_item()) replies.push_back(next_reply());
  return replies;
}

std::string Rendezvous::who_is_missing() const {
  std::vector<std::string> absent, silent, running;
  std::uint32_t waiting_for = 0;
  for (std::uint32_t rank = 0; rank < clients_.size(); ++rank) {
    const Client& client = clients_[rank];
    if (!client.joined) absent.push_back(client_text(rank));
    if (client.joined && client.items.empty()) silent.push_back(client_text(rank));
    if (!client.finished) running.push_back(client_text(rank));
    if (!client.items.empty() && !client.items.front().done)
      waiting_for = std::max(waiting_for, client.items.front().label);
  }
  const std::string of_all = " of " + std::to_string(clients_.size());
  if (!absent.empty()) return joined_text(absent) + of_all + " did not come";
  if (started_) return joined_text(running) + of_all + " did not send FINI";
  const std::string label =
      waiting_for == 0 ? "" : name_of(static_cast<Label>(waiting_for)) + " or ";
  return joined_text(silent) + of_all + " did not send " + label + "DONE";
}

}  // namespace tessera::impi
