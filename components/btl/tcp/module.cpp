// SPDX-License-Identifier: BSD-3-Clause
// Opening, polling and closing the module.
#include "module.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "ticks.h"

namespace tessera::btl::tcp {
namespace {

// A connection that speaks alone is read without asking the kernel which one is ready; the others
// are looked after this often meanwhile. It loses the privilege after a silence. In the middle of a
// large payload the kernel is asked after all: each receive takes the lock of the socket, and one
// that finds nothing only holds up the packets coming in (measured: 2.7 instead of 7 GB/s on
// loopback; docs/decisions/0065).
constexpr std::uint64_t kLookWhileListening = 2 * kTicksPerUs;
// The same where there is no other, for those who call and for the clock (measured between two
// hosts and a wire, where a line takes 240 ns: latency of 8 bytes 0.96 of the time, of 16 KiB
// 0.97).
constexpr std::uint64_t kLookForNewcomers = 20 * kTicksPerUs;
constexpr std::uint64_t kSilence = 200 * kTicksPerUs;

// Without traffic the kernel is asked less and less often, down to this. After a sleep more time
// than that has passed, so that whoever woke us is found at once.
constexpr std::uint64_t kLookWhenQuiet = 5 * kTicksPerUs;

// Each receive takes the lock of the socket, which the kernel needs for packets that arrive, and
// makes it acknowledge packets one by one. A process that has received kUnanswered times without
// sending waits kRest between two receives while packets keep coming (measured: bandwidth of 1 KiB
// between two hosts and a wire 0.237 GB/s in place of 0.207, of 8 bytes 1.95 MB/s in place
// of 1.86).
constexpr std::uint32_t kUnanswered = 8;
constexpr std::uint64_t kRest = 5 * kTicksPerUs;
constexpr std::uint64_t kEndOfStream = 4 * kRest;
// For the same reason a receive that finds nothing is not repeated at once (measured: latency of 8
// bytes over loopback 0.95 of the time, of a compare-and-swap 0.96 where a line takes 60 ns and
// 0.95 where it takes 240 ns; with twice as long a pause 1.03 and 0.93).
constexpr std::uint64_t kPause = kTicksPerUs;

void pause_briefly() noexcept {
  pollfd nobody{-1, 0, 0};
  (void)::poll(&nobody, 1, 1);
}

}  // namespace

TcpModule::TcpModule(const Host& host, const Sinks& sinks, const Settings& settings,
                     unsigned link) noexcept
    : station_(host, sinks, settings, link) {}

TcpModule::~TcpModule() {
  if (!registered_) return;
  station_.host.progress.unwatch(station_.reactor.descriptor());
  station_.host.progress.remove(*this);
}

Status TcpModule::choose_interfaces() {
  auto all = list_interfaces();
  if (!all) return all.status();
  auto chosen = select_interfaces(*all, station_.settings.if_include, station_.settings.if_exclude);
  if (!chosen) return chosen.status();
  if (chosen->empty()) return Status::failure(Errc::refused, "no network interface is up");
  station_.interfaces = std::move(*chosen);
  return {};
}

Status TcpModule::publish() {
  Card& card = station_.card;
  card.port = listener_.port();
  const auto door = make_secret(), sign = make_secret();
  if (!door || !sign)
    return Status::failure(Errc::system,
                           "the system gives no random numbers: neither getrandom(2) nor "
                           "/dev/urandom may be used here");
  card.door = *door;
  card.sign = *sign;
  card.host = this_host();
  card.node = this_node();
  for (const Interface& one : station_.interfaces) card.addresses.push_back(one.address);
  return station_.host.bootstrap.publish(station_.card_key(), card.encode());
}

void TcpModule::describe_self() {
  if (station_.settings.links > 1)
    description_.append("link ").append(std::to_string(station_.link)).append(", ");
  description_.append("port ").append(std::to_string(listener_.port())).append(" on");
  for (const Interface& one : station_.interfaces) {
    if (listener_.near() && !one.address.is_loopback()) continue;
    description_.append(" ").append(one.address.text()).append(" (").append(one.name).append(")");
  }
}

Status TcpModule::open() noexcept {
  if (Status s = choose_interfaces(); !s) return s;
  if (Status s = station_.reactor.open(); !s) return s;
  if (Status s = listener_.open(); !s) {
    return s == Errc::unsupported ? Status::failure(Errc::refused, "this system has no IP sockets")
                                  : s;
  }
  if (Status s = publish(); !s) return s;
  describe_self();
  endpoints_.resize(station_.host.job.size());
  if (Status s = station_.host.progress.watch(station_.reactor.descriptor(), EPOLLIN); !s) return s;
  station_.host.progress.add(*this);
  registered_ = true;
  return {};
}

bool TcpModule::reaches(const Peer& peer) const noexcept {
  if (peer.id == station_.my_id()) return false;
  if (peer.locality == Locality::node) return true;
  return std::any_of(station_.interfaces.begin(), station_.interfaces.end(),
                     [](const Interface& one) { return !one.address.is_loopback(); });
}

TcpEndpoint& TcpModule::endpoint(Peer& peer) {
  if (peer.id >= endpoints_.size()) endpoints_.resize(peer.id + std::size_t{1});
  auto& slot = endpoints_[peer.id];
  if (!slot) slot = std::make_unique<TcpEndpoint>(peer, station_);
  return *slot;
}

Result<Endpoint*> TcpModule::connect(Peer& peer) noexcept {
  if (station_.link > 0 && !station_.card_of(peer))
    return Status::failure(Errc::unsupported, process(peer.id).append(" has fewer links"));
  if (reaches(peer)) {
    if (Status s = peer.locality == Locality::remote ? listener_.widen() : Status(); !s) return s;
    return static_cast<Endpoint*>(&endpoint(peer));
  }
  return Status::failure(Errc::argument,
                         std::string("btl/tcp does not reach ").append(process(peer.id)));
}

// The connection ends in order, so that the peer takes nobody for dead.
void TcpModule::disconnect(Peer& peer) noexcept {
  if (peer.id >= endpoints_.size() || !endpoints_[peer.id]) return;
  TcpEndpoint& one = *endpoints_[peer.id];
  one.say_bye();
  const std::int64_t deadline = now_us() + station_.settings.linger_ms * std::int64_t{1000};
  while (!one.delivered() && now_us() < deadline) pause_briefly();
  one.close();
  std::erase(station_.meeting, &one);
  std::erase(station_.fallen, &one);
  station_.reactor.bury(std::move(endpoints_[peer.id]));
}

void TcpModule::receive(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept {
  endpoint(*station_.caller(hello)).called(std::move(arrival), hello);
}

bool TcpModule::flushed() noexcept {
  return std::all_of(endpoints_.begin(), endpoints_.end(),
                     [](const auto& one) { return !one || one->flushed(); });
}

int TcpModule::poll() noexcept {
  const std::uint64_t now = ticks();
  TcpEndpoint* const speaker = station_.lone_speaker();
  const bool in_bulk = speaker != nullptr && speaker->mid_packet();
  const bool listening = speaker != nullptr && !in_bulk;
  if (listening && resting(now)) return 0;
  int events = listening ? receive_from(*speaker, now) : 0;
  if (events == 0 && (in_bulk || look_now(now, listening))) events = look(now);
  if (!station_.fallen.empty()) [[unlikely]]
    events += tell_fallen();
  if (events != 0 || station_.spoke) {
    if (station_.spoke) unanswered_ = 0;
    station_.spoke = false;
    last_event_ = now;
  }
  return events;
}

bool TcpModule::resting(std::uint64_t now) const noexcept {
  if (in_vain_ && now - last_receive_ < kPause) return true;
  return unanswered_ >= kUnanswered && !station_.spoke && station_.writers == 0 &&
         now - last_receive_ < kRest && now - last_event_ < kEndOfStream;
}

int TcpModule::receive_from(TcpEndpoint& speaker, std::uint64_t now) noexcept {
  const int events = speaker.receive();
  last_receive_ = now;
  in_vain_ = events == 0;
  if (!in_vain_) ++unanswered_;
  return events;
}

bool TcpModule::look_now(std::uint64_t now, bool listening) noexcept {
  if (station_.writers != 0) return true;
  const std::uint64_t quiet = now - last_event_;
  if (listening && quiet > kSilence) station_.forget_speaker();
  const bool only_one = station_.counts.connections == 1;
  const std::uint64_t pause = !listening ? std::min(quiet / 8, kLookWhenQuiet)
                              : only_one ? kLookForNewcomers
                                         : kLookWhileListening;
  return now - last_look_ >= pause;
}

int TcpModule::look(std::uint64_t now) noexcept {
  last_look_ = now;
  const int events = station_.reactor.dispatch();
  if (station_.reactor.ticked()) [[unlikely]]
    tick();
  return events;
}

void TcpModule::tick() noexcept {
  listener_.resume();
  // A tick may make progress, and so end other meetings, begin new ones, and come here again.
  for (TcpEndpoint* one : std::exchange(station_.meeting, {})) {
    if (one->tick()) station_.meeting.push_back(one);
  }
  const bool strangers = listener_.tick(now_us());
  const bool watched = watch_connections() || strangers;
  station_.reactor.tick(!station_.meeting.empty() ? Reactor::kTickMs
                        : watched                 ? Reactor::kSlowTickMs
                                                  : 0);
}

// Looks after the open connections once a second, however often ticks come; false: there are none.
bool TcpModule::watch_connections() noexcept {
  if (station_.settings.silence_s == 0) return false;
  const std::int64_t now = now_us();
  const bool due = now - last_watch_us_ >= Reactor::kSlowTickMs * std::int64_t{900};
  if (due) last_watch_us_ = now;
  bool any = false;
  for (auto& one : endpoints_) {
    if (!one || !one->open()) continue;
    any = true;
    if (due) one->watch(now);
  }
  return any;
}

int TcpModule::tell_fallen() noexcept {
  const std::vector<TcpEndpoint*> fallen = std::move(station_.fallen);
  station_.fallen.clear();
  for (TcpEndpoint* one : fallen) station_.sinks.lost(one->peer(), one->why());
  return static_cast<int>(fallen.size());
}

// Gives the kernel time to hand over what was sent, to all peers at once.
void TcpModule::linger() noexcept {
  const std::int64_t deadline = now_us() + station_.settings.linger_ms * std::int64_t{1000};
  for (;;) {
    bool done = true;
    for (auto& one : endpoints_) done &= !one || one->delivered();
    if (done || now_us() >= deadline) return;
    pause_briefly();
  }
}

void TcpModule::close() noexcept {
  listener_.close();
  for (auto& one : endpoints_) {
    if (one) one->say_bye();
  }
  linger();
  for (auto& one : endpoints_) {
    if (one) one->close();
  }
}

}  // namespace tessera::btl::tcp
