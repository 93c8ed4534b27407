// SPDX-License-Identifier: BSD-3-Clause
// Dialling, receiving calls, and agreeing on one connection.
#include "meeting.h"

#include <algorithm>
#include <system_error>

#include "names.h"

namespace tessera::btl::tcp {
namespace {

template <class T>
void bury(Reactor& reactor, std::vector<std::unique_ptr<T>>& list, T& one) {
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const auto& owned) { return owned.get() == &one; });
  one.close();
  reactor.bury(std::move(*at));
  list.erase(at);
}

template <class T>
void bury_all(Reactor& reactor, std::vector<std::unique_ptr<T>>& list) {
  for (auto& one : list) {
    one->close();
    reactor.bury(std::move(one));
  }
  list.clear();
}

}  // namespace

Status Meeting::read_card() {
  if (have_card_) return {};
  const Peer& peer = host_.partner();
  const auto card = station_.card_of(peer);
  if (have_card_) return {};  // read within the wait
  if (!card) {
    return Status::failure(
        Errc::peer_failed,
        process(peer.id).append(" published no TCP address that this version understands; select "
                                "btl/tcp, and the same version, in all processes"));
  }
  card_ = *card;
  have_card_ = true;
  for (const Address& address :
       rank_addresses(card_, station_.card.host, station_.interfaces, station_.link)) {
    candidates_.push_back({address, Candidate::State::fresh, 0, {}});
  }
  return candidates_.empty() ? no_way() : Status();
}

Status Meeting::no_way() const {
  std::string text = "no interface of this process reaches ";
  text.append(station_.name_of(host_.partner())).append(" at");
  for (const Address& address : card_.addresses) text.append(" ").append(address.text());
  return Status::failure(Errc::peer_failed,
                         text.append("; see btl_tcp_if_include and btl_tcp_if_exclude"));
}

void Meeting::call() noexcept {
  if (wanted_) return;
  wanted_ = true;
  started_us_ = now_us();
  settle();
}

// The next address that was not tried, or those behind it if it fails at once. False: none is being
// tried.
bool Meeting::dial_next() noexcept {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].state == Candidate::State::fresh && dial(candidates_[i], i)) return true;
  }
  return !attempts_.empty();
}

bool Meeting::dial(Candidate& candidate, std::size_t index) {
  candidate.state = Candidate::State::trying;
  last_dial_us_ = now_us();
  auto attempt = std::make_unique<Attempt>(station_, *this, index);
  const ProcessName& me = station_.my_name();
  const Hello hello{
      me.index, host_.partner().name.index, station_.settings.attributes.max_packet, me.job, {},
      {}};
  const int error = attempt->start(candidate.address, card_, hello);
  if (error == 0) {
    attempts_.push_back(std::move(attempt));
    return true;
  }
  candidate.state = Candidate::State::failed;
  candidate.outcome = std::generic_category().message(error);
  return false;
}

void Meeting::receive(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept {
  Arrival& one = *arrival;
  if (arrivals_.size() >= kMaxArrivals) bury(station_.reactor, arrivals_, *arrivals_.front());
  arrivals_.push_back(std::move(arrival));
  one.moved(*this, hello, now_us());
  if (lower() && !attempts_.empty()) return;  // ours comes first
  if (!one.welcome()) gone(one);
}

void Meeting::answered(Attempt& attempt) noexcept {
  if (attempt.say_go()) {
    finish(attempt.take_socket(), attempt.max_packet());
  } else {
    failed(attempt, "connection closed", true);
  }
}

void Meeting::committed(Arrival& arrival) noexcept {
  finish(arrival.take_socket(), arrival.max_packet());
}

void Meeting::finish(Socket socket, std::uint64_t max_packet) noexcept {
  close(false);
  host_.agreed(std::move(socket), max_packet);
}

void Meeting::failed(Attempt& attempt, const std::string& why, bool slammed) noexcept {
  Candidate& candidate = candidates_[attempt.candidate()];
  candidate.outcome = why;
  candidate.state = slammed ? Candidate::State::slammed : Candidate::State::failed;
  // Who did not look for long is a stranger to the peer meanwhile (Listener::tick).
  const std::int64_t long_us = station_.settings.connect_timeout_s * std::int64_t{500'000};
  if (slammed && now_us() - attempt.since_us() < long_us) ++candidate.slams;
  drop(attempt);
  settle();
}

void Meeting::gone(Arrival& arrival) noexcept {
  bury(station_.reactor, arrivals_, arrival);
  settle();
}

void Meeting::drop(Attempt& attempt) noexcept {
  bury(station_.reactor, attempts_, attempt);
}

// What next? Nothing while something is under way.
void Meeting::settle() noexcept {
  if (!attempts_.empty() || !wanted_) return;
  welcome_all();
  if (!arrivals_.empty()) return;
  const Status card = read_card();
  // Waiting for the card makes progress: the peer may have called, all may be settled.
  if (!wanted_ || !arrivals_.empty() || !attempts_.empty()) return;
  if (card && (dial_next() || redial_later())) return;
  wanted_ = false;
  host_.gave_up(card ? report() : card.text());
}

bool Meeting::redial_later() const noexcept {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [](const Candidate& c) { return c.state == Candidate::State::slammed; });
}

void Meeting::welcome_all() noexcept {
  for (std::size_t i = arrivals_.size(); i-- > 0;) {
    if (!arrivals_[i]->welcome()) bury(station_.reactor, arrivals_, *arrivals_[i]);
  }
}

void Meeting::hang_up_calls() noexcept {
  for (Candidate& candidate : candidates_) {
    if (candidate.state == Candidate::State::trying) candidate.state = Candidate::State::fresh;
  }
  bury_all(station_.reactor, attempts_);
}

void Meeting::tick() noexcept {
  const std::int64_t now = now_us();
  const bool out_of_patience = std::any_of(
      arrivals_.begin(), arrivals_.end(),
      [&](const auto& one) { return !one->welcomed() && now - one->since_us() > kPatienceUs; });
  if (out_of_patience) hang_up_calls();
  fail_overdue(now);
  if (now - last_dial_us_ > kStaggerUs) {
    redial_slammed(now);
    if (wanted_ && arrivals_.empty()) (void)dial_next();
  }
  settle();
}

void Meeting::fail_overdue(std::int64_t now) {
  const std::int64_t limit = station_.settings.connect_timeout_s * std::int64_t{1'000'000};
  for (std::size_t i = attempts_.size(); i-- > 0;) {
    Attempt& attempt = *attempts_[i];
    if (!attempt.connecting() || now - attempt.since_us() < limit) continue;
    Candidate& candidate = candidates_[attempt.candidate()];
    candidate.state = Candidate::State::failed;
    candidate.outcome =
        "no answer within " + std::to_string(station_.settings.connect_timeout_s) + " s";
    drop(attempt);
  }
}

void Meeting::redial_slammed(std::int64_t now) {
  const std::int64_t limit = station_.settings.connect_timeout_s * std::int64_t{1'000'000};
  for (Candidate& candidate : candidates_) {
    if (candidate.state != Candidate::State::slammed) continue;
    const bool again = candidate.slams < kMaxSlams || now - started_us_ < limit;
    candidate.state = again ? Candidate::State::fresh : Candidate::State::failed;
  }
}

void Meeting::close(bool politely) noexcept {
  wanted_ = false;
  if (politely) {
    for (auto& arrival : arrivals_) arrival->say_bye();
  }
  bury_all(station_.reactor, attempts_);
  bury_all(station_.reactor, arrivals_);
}

std::string Meeting::report() const {
  std::string text = "cannot reach ";
  text.append(station_.name_of(host_.partner()));
  if (card_.node != station_.card.node) text.append(" from ").append(station_.card.node);
  text.append(" over TCP:");
  const char* separator = " ";
  for (const Candidate& candidate : candidates_) {
    text.append(separator)
        .append(with_port(candidate.address, card_.port))
        .append(": ")
        .append(candidate.outcome);
    separator = "; ";
  }
  return text +
         ". Is it still running, have both processes descriptors left (ulimit -n), and does a "
         "firewall let its port through (btl_tcp_ports, btl_tcp_if_include)?";
}

}  // namespace tessera::btl::tcp
