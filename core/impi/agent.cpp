// SPDX-License-Identifier: BSD-3-Clause
// Agent: queues and accounts of the pairs, reading and writing the streams.
#include "core/impi/agent.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tessera::impi {
namespace {

constexpr std::size_t kReadBytes = 256 << 10;
constexpr std::uint64_t kServerMark = ~0ull;

bool is_answer(PacketType type) noexcept {
  return type == PacketType::syncack || type == PacketType::cancelyes ||
         type == PacketType::cancelno;
}

}  // namespace

Agent::Agent(const Roster& roster, std::uint32_t my_rank, OnLoss on_loss)
    : roster_(roster),
      me_(my_rank),
      on_loss_(std::move(on_loss)),
      streams_(roster.hosts.size()),
      pairs_(roster.processes.size()),
      scratch_(kReadBytes) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  doorbell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

Agent::~Agent() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    if (::write(stop_, &one, sizeof one) == sizeof one) thread_.join();
  }
  for (const int descriptor : {epoll_, doorbell_, stop_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

Stream* Agent::stream_to(std::uint32_t rank) noexcept {
  return streams_[roster_.processes[rank].host].get();
}

// ---- out ----

void Agent::submit(std::uint32_t to, Outgoing item) {
  std::lock_guard lock(mutex_);
  if (is_answer(item.packet.type))
    pairs_[to].answers.push_back(item.packet);
  else
    pairs_[to].queue.push_back(std::move(item));
  enqueue(to);
  flush(*stream_to(to));
}

void Agent::send_body_after(std::uint32_t to, Outgoing item) {
  std::lock_guard lock(mutex_);
  const std::uint64_t request = item.request;
  bodies_.emplace(request, Body{to, std::move(item)});
}

bool Agent::withdraw(std::uint32_t to, std::uint64_t request) {
  std::lock_guard lock(mutex_);
  auto& queue = pairs_[to].queue;
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const Outgoing& item) {
    return item.packet.source_request == request && item.begin == 0 &&
           carries_data(item.packet.type);
  });
  if (found == queue.end()) return false;
  queue.erase(found);
  bodies_.erase(request);
  return true;
}

void Agent::drop_body(std::uint64_t request) {
  std::lock_guard lock(mutex_);
  bodies_.erase(request);
}

void Agent::enqueue(std::uint32_t rank) {
  Pair& pair = pairs_[rank];
  if (std::exchange(pair.queued, true)) return;
  stream_to(rank)->waiting.push_back(rank);
}

// In turn, a packet each, until the socket is full or nobody may send.
void Agent::flush(Stream& stream) {
  if (!stream.open()) return;
  if (!stream.clear()) {
    const Status wrote = stream.write_rest();
    if (wrote == Errc::again) return want(stream);
    if (!wrote.ok()) return lost(stream, wrote.text());
  }
  while (!stream.waiting.empty() && stream.clear()) {
    const std::uint32_t rank = stream.waiting.front();
    stream.waiting.pop_front();
    Pair& pair = pairs_[rank];
    pair.queued = false;
    const bool emitted = emit(stream, rank);
    if (!stream.open()) return;
    const bool more = pair.acks_due > 0 || (!pair.idle() && may_send(pair));
    if (emitted && more) enqueue(rank);
    if (!emitted) {
      pair.queued = true;
      stream.waiting.push_front(rank);
      return want(stream);
    }
  }
  if (!stream.clear()) return want(stream);
  if (stream.fini_wanted && !stream.fini_sent && stream.waiting.empty()) {
    Packet packet;
    packet.type = PacketType::fini;
    stream.fini_sent = write(stream, packet, {}).ok();
    if (!stream.fini_sent) want(stream);
  }
}

// One packet of the pair. False: there is no room; true also where the pair may not send.
bool Agent::emit(Stream& stream, std::uint32_t rank) {
  Pair& pair = pairs_[rank];
  Packet packet;
  if (pair.acks_due > 0) {
    packet.type = PacketType::protoack;
    packet.source = roster_.processes[me_].id;
    packet.destination = roster_.processes[rank].id;
  } else if (!may_send(pair)) {
    return true;
  } else if (!pair.answers.empty()) {
    packet = pair.answers.front();
  } else {
    return pair.queue.empty() || emit_next(stream, pair, pair.queue.front());
  }
  const Status wrote = write(stream, packet, {});
  if (wrote == Errc::again) return false;
  if (!wrote.ok()) return lost(stream, wrote.text()), false;
  if (pair.acks_due > 0) return --pair.acks_due, true;
  pair.answers.pop_front();
  ++pair.sent;
  return true;
}

bool Agent::emit_next(Stream& stream, Pair& pair, Outgoing& item) {
  const std::uint64_t bytes =
      std::min<std::uint64_t>(item.end - item.begin, roster_.terms.most_data);
  item.packet.length = static_cast<std::uint32_t>(bytes);
  // The next packet follows in this round, so that segments need not end where packets do.
  const bool more = item.begin + bytes < item.end && pair.sent + 1 < roster_.terms.hiwater;
  const Status wrote = write(stream, item.packet,
                             ByteView(bytes > 0 ? item.data + item.begin : nullptr, bytes), more);
  if (wrote == Errc::again) return false;
  if (!wrote.ok()) return lost(stream, wrote.text()), false;
  ++pair.sent;
  item.begin += bytes;
  if (item.begin < item.end) return true;
  if (item.request != 0) events_.handed.push_back(item.request);
  pair.queue.pop_front();
  return true;
}

Status Agent::write(Stream& stream, const Packet& packet, ByteView data, bool more) noexcept {
  const Status wrote = stream.write(packet, data, more);
  if (wrote.ok() && trace_.is_open())
    trace_.record(FrameKind::packet, Direction::sent, stream.name(), encode(packet), data);
  return wrote;
}

void Agent::want(Stream& stream) {
  if (std::exchange(stream.wants_room, true)) return;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.u64 = stream.host();
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, stream.socket(), &event);
}

bool Agent::idle() {
  std::lock_guard lock(mutex_);
  const bool pairs = std::all_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) {
    return pair.queue.empty() && pair.answers.empty();
  });
  return pairs && bodies_.empty() &&
         std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) {
           return stream == nullptr || !stream->open() || stream->clear();
         });
}

void Agent::send_fini() {
  std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) {
    if (stream == nullptr) continue;
    stream->fini_wanted = true;
    flush(*stream);
  }
}

bool Agent::all_finished() {
  std::lock_guard lock(mutex_);
  return std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) {
    return stream == nullptr || !stream->open() ||
           (stream->fini_received && stream->fini_sent && stream->clear());
  });
}

// ---- in ----

int Agent::take(AgentEvents& events) {
  polls_.fetch_add(1, std::memory_order_relaxed);
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  if (rung_.load(std::memory_order_relaxed)) {
    std::uint64_t rings;
    if (::read(doorbell_, &rings, sizeof rings) == sizeof rings) rung_.store(false);
  }
  serve(0);
  std::swap(events, events_);
  return static_cast<int>(events.packets.size() + events.handed.size());
}

// Handles the streams that are ready; `most` milliseconds for the first one.
int Agent::serve(int most) {
  epoll_event events[16];
  const int ready = ::epoll_wait(epoll_, events, 16, most);
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u64 == kServerMark) {
      if (on_server_) on_server_();
      continue;
    }
    Stream& stream = *streams_[events[i].data.u64];
    if ((events[i].events & EPOLLOUT) != 0 && stream.wants_room) {
      stream.wants_room = false;
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = stream.host();
      ::epoll_ctl(epoll_, EPOLL_CTL_MOD, stream.socket(), &event);
      flush(stream);
    }
    if ((events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(stream);
  }
  return std::max(ready, 0);
}

// ---- the thread ----

void Agent::run() noexcept {
  std::uint64_t seen = ~0ull;
  bool serving = false;  // and the engine has not come back since
  while (true) {
    const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
    if (polls != seen) {
      seen = polls;
      serving = false;
      if (!wait_a_while()) return;
      continue;
    }
    if (!wait_for_streams()) return;
    // An engine that sleeps in a call of MPI is woken by the same event, and goes first.
    if (!serving && !wait_a_while()) return;
    if (polls_.load(std::memory_order_relaxed) != seen) continue;
    serving = true;
    std::lock_guard lock(mutex_);
    serve(0);
    if (events_.empty()) continue;
    rung_.store(true);
    const std::uint64_t one = 1;
    if (::write(doorbell_, &one, sizeof one) < 0) continue;  // full: it is rung
  }
}

}  // namespace tessera::impi
