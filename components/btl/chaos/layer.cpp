// SPDX-License-Identifier: BSD-3-Clause
// Standing between a transport and its users.
#include "layer.h"

#include <algorithm>
#include <new>

namespace tessera::btl::chaos {

void ChannelSink::deliver(Endpoint& from, std::span<const std::byte> header,
                          std::span<const std::byte> payload) noexcept {
  layer_->before(from).arrived(layer_->above()[channel_], header, payload);
}

// The transport tells the sink of each channel; those above hear it once.
void ChannelSink::lost(Peer& peer, Status why) noexcept {
  if (channel_ == Channel::pml) layer_->above().lost(peer, why);
}

// All bytes go by packets: what one process copies out of another has no checksum.
ChaosModule::ChaosModule(Module& below, Layer& layer) noexcept
    : below_(below), layer_(layer), attributes_(below.attributes()) {
  attributes_.capabilities &= can_land;
  attributes_.get_threshold = 0;
  attributes_.max_packet -= sizeof(Piece);
  attributes_.eager_limit = std::min(attributes_.eager_limit, attributes_.max_packet - kMaxHeader);
}

Result<Endpoint*> ChaosModule::connect(Peer& peer) noexcept try {
  auto endpoint = below_.connect(peer);
  if (!endpoint) return endpoint.status();
  return static_cast<Endpoint*>(&layer_.before(*endpoint.value()));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void ChaosModule::disconnect(Peer& peer) noexcept {
  below_.disconnect(peer);
  layer_.forget(peer);
}

bool ChaosModule::flushed() noexcept {
  return layer_.empty() && below_.flushed();
}

Layer::Layer(const Host& host, const Sinks& above, const char* transport, Counters& counters)
    : progress_(host.progress),
      above_(above),
      shared_{Settings::of(host.params, host.job), host.job.peer(host.job.my_id()).name, transport,
              counters},
      alarm_(host.progress) {
  for (std::size_t i = 0; i < kChannels; ++i) {
    channel_sinks_[i].attach(*this, static_cast<Channel>(i));
    sinks_.set(static_cast<Channel>(i), &channel_sinks_[i]);
  }
}

Result<std::span<Module* const>> Layer::open(Wrapped& below) noexcept try {
  if (Status s = alarm_.open(); !s) return s;
  auto modules = below.open(sinks_);
  if (!modules) return modules.status();
  for (Module* module : modules.value()) {
    lands_ = lands_ || (module->attributes().capabilities & can_land) != 0;
    modules_.push_back(std::make_unique<ChaosModule>(*module, *this));
    offered_.push_back(modules_.back().get());
  }
  progress_.add(*this);
  registered_ = true;
  return std::span<Module* const>(offered_);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void Layer::retire() noexcept {
  if (registered_) progress_.remove(*this);
  registered_ = false;
}

ChaosEndpoint& Layer::before(Endpoint& below) {
  ChaosEndpoint*& known = before_[&below];
  if (known == nullptr) {
    endpoints_.push_back(std::make_unique<ChaosEndpoint>(below, lands_, shared_));
    known = endpoints_.back().get();
  }
  return *known;
}

void Layer::forget(const Peer& peer) noexcept {
  std::erase_if(before_, [&](const auto& entry) { return &entry.second->peer() == &peer; });
  std::erase_if(endpoints_, [&](const auto& one) { return &one->peer() == &peer; });
}

bool Layer::empty() const noexcept {
  return std::all_of(endpoints_.begin(), endpoints_.end(),
                     [](const auto& one) { return one->empty(); });
}

// Whoever is first changes from round to round, so that no peer is always served before another.
int Layer::poll() noexcept {
  const std::int64_t now = now_us();
  std::int64_t next = shared_.retry_us > now ? shared_.retry_us : Alarm::kNever;
  const std::size_t count = endpoints_.size();
  int events = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ChaosEndpoint& one = *endpoints_[(first_ + i) % count];
    events += one.pump(now);
    next = std::min(next, one.due(now));
  }
  ++first_;
  events += tell_fallen();
  alarm_.set(next);
  return events;
}

// The sinks may connect to others meanwhile.
int Layer::tell_fallen() noexcept {
  int events = 0;
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    ChaosEndpoint& one = *endpoints_[i];
    if (!one.fell()) continue;
    above_.lost(one.peer(), one.why());
    ++events;
  }
  return events;
}

}  // namespace tessera::btl::chaos
