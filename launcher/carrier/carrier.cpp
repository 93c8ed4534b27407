// SPDX-License-Identifier: BSD-3-Clause
// A carrier among the others.
#include "launcher/carrier/carrier.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "core/boot/node_cards.h"
#include "launcher/across/end_mark.h"

namespace tessera::launcher::carrier {
namespace {

enum Token : std::uint64_t { kChannel, kAgent };

constexpr std::int64_t kPatienceMs = 5'000;  // with the others, once the job ends badly

void watch(int poller, int descriptor, std::uint64_t token) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = token;
  epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace

Carrier::Carrier(EngineSession engine, const CarrierOrder& order)
    : engine_(std::move(engine)),
      nodes_(nodes_of(order)),
      node_(engine_.session->place().rank),
      job_id_(order.job_id),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (const across::Share& share : order.shares) hosts_.push_back(share.host);
  watch(poller_, news_, kAgent);
}

Carrier::~Carrier() {
  if (agent_.joinable()) agent_.join();
  close(news_);
  close(poller_);
}

Result<std::unique_ptr<Carrier>> Carrier::join(const CarrierOrder& order, int silence_s) {
  auto engine = open_boot_component();
  if (engine.status().code() == Errc::not_found)
    return Status::failure(Errc::refused, "no boot component joins the job of the engine here");
  if (!engine.ok()) return engine.status();
  const boot::Place& place = engine->session->place();
  if (place.size != order.shares.size())
    return Status::failure(Errc::refused, "the engine started " + std::to_string(place.size) +
                                              " carriers for " +
                                              std::to_string(order.shares.size()) + " hosts");
  std::unique_ptr<Carrier> made(new Carrier(std::move(*engine), order));
  if (made->alone()) return made;
  auto channel = Channel::open(*made->engine_.session, silence_s);
  if (!channel.ok()) return channel.status();
  made->channel_ = std::move(*channel);
  watch(made->poller_, made->channel_->descriptor(), kChannel);
  return made;
}

Status Carrier::start(JobSegment* segment) {
  if (alone()) return {};
  segment_ = segment;
  if (segment != nullptr) {
    auto exchange = HostExchange::of(*segment);
    if (!exchange.ok()) return exchange.status();
    exchange_ = *exchange;
    std::copy(nodes_.begin(), nodes_.end(), exchange_->nodes().begin());
  }
  agent_ = std::thread([this] { run_agent(); });
  return {};
}

void Carrier::ready(CarrierHandler& handler) {
  handler_ = &handler;
  if (channel_) channel_->ready(*this);
  std::uint64_t count = 0;
  if (read(news_, &count, sizeof count) != sizeof count) return;
  const std::lock_guard lock(mutex_);
  if (!failure_.empty() && phase_ != Phase::over) handler.carrier_failed(failure_);
}

void Carrier::told_to_end(bool with_places) {
  handler_->told_to_end(with_places);
}

void Carrier::lost(std::uint32_t node) {
  handler_->carrier_failed("the process that ran the job on " + hosts_[node] +
                           " is gone, or the network to it is cut");
}

void Carrier::asked_for_waits(std::uint32_t question) {
  handler_->asked_for_waits(question);
}

void Carrier::told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) {
  handler_->told_waits(node, question, waits);
}

void Carrier::rank_ended(std::uint32_t local) noexcept {
  if (exchange_) exchange_->rank_ended(local);
}

void Carrier::tell_end(int status, bool with_places) noexcept {
  if (channel_) channel_->tell_end(status, with_places);
}

void Carrier::ask_for_waits(std::uint32_t node, std::uint32_t question) noexcept {
  if (channel_) channel_->ask_for_waits(node, question);
}

bool Carrier::tell_waits(std::uint32_t question, std::string_view waits) noexcept {
  return channel_ && channel_->tell_waits(question, waits);
}

// Hydra needs no mark, and mpiexec would not take it out.
void Carrier::mark_end() noexcept {
  const std::string& engine = engine_.session->place().engine;
  if (!engine.starts_with("Slurm") && !engine.starts_with("a PMIx server")) return;
  const std::string mark = across::text_of({result_, node_}, job_id_);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, mark.data(), mark.size());
}

// The others cannot be waited for any more: the engine ends them. Slurm does so when one has ended
// badly.
void Carrier::give_up(int status) {
  phase_ = Phase::over;
  result_ = status != 0 ? status : 1;
  if (agent_.joinable()) agent_.detach();  // its fence may never return
  mark_end();
  if (engine_.session->place().engine.starts_with("Slurm")) _exit(result_);
  engine_.session->abort(result_, "a host is lost");
  sleep(2);  // or until the engine ends this process
  _exit(result_);
}

bool Carrier::finish(int status, std::int64_t now_ms) {
  if (alone()) {
    result_ = status;
    if (status == 0) mark_end();
    (void)engine_.session->finalize();
    return true;
  }
  if (phase_ == Phase::runs) {
    phase_ = Phase::finished;
    if (exchange_) exchange_->give_up();
    channel_->tell_finished(status);
  }
  const bool bad = channel_->told_end() || channel_->anybody_lost() || status != 0;
  if (bad && give_up_at_ == INT64_MAX) give_up_at_ = now_ms + kPatienceMs;
  const int mine = channel_->is_hub() ? channel_->status() : 0;
  if (now_ms >= give_up_at_ || agent_failed()) give_up(status);
  if (phase_ == Phase::finished && channel_->all_finished()) {
    if (channel_->anybody_lost()) give_up(channel_->is_hub() ? channel_->status() : status);
    channel_->tell_all_finished();
    phase_ = Phase::leaves;
    if (channel_->is_hub() && mine == 0) mark_end();
    const std::lock_guard lock(mutex_);
    may_leave_ = true;
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  if (!has_left_) return false;
  phase_ = Phase::over;
  result_ = mine;
  return true;
}

bool Carrier::agent_failed() {
  const std::lock_guard lock(mutex_);
  return !failure_.empty();
}

void Carrier::run_agent() {
  const Status spoken = speak();
  const std::lock_guard lock(mutex_);
  if (!spoken.ok()) failure_ = spoken.text();  // details stay with this thread
  has_left_ = spoken.ok();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(news_, &one, sizeof one);
}

Status Carrier::speak() {
  if (Status s = exchange_cards(); !s) return s;
  if (exchange_) exchange_->await_ranks(HostExchange::left);
  if (Status s = engine_.session->fence(); !s) return s;
  if (exchange_) exchange_->crossed(HostExchange::left);
  await_leave();
  if (Status s = engine_.session->fence(); !s) return s;
  return engine_.session->finalize();
}

Status Carrier::exchange_cards() {
  boot::Session& session = *engine_.session;
  if (exchange_) exchange_->await_ranks(HostExchange::published);
  Status given = segment_ != nullptr ? NodeCards(session, *segment_, {}).give()
                                     : session.put(NodeCards::kKey, {});
  if (given) given = session.fence();
  if (!given || !exchange_) return given;
  std::vector<std::vector<std::byte>> cards(hosts_.size());
  for (std::uint32_t node = 0; node < cards.size(); ++node) {
    if (node == node_) continue;
    auto card = session.get(node, NodeCards::kKey);
    if (!card.ok()) return card.status();
    cards[node] = std::move(*card);
  }
  if (Status s = exchange_->show_cards(cards); !s) return s;
  exchange_->crossed(HostExchange::published);
  return {};
}

void Carrier::await_leave() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return may_leave_; });
}

}  // namespace tessera::launcher::carrier
