// SPDX-License-Identifier: BSD-3-Clause
// btl/recorder: stands in front of every transport and counts the packets that pass, per transport
// and peer.
//
// An interposer replaces three things of the transport below: its sinks (to see what arrives), its
// modules and their endpoints (to see what leaves). What it hands up must come from its own
// endpoints, so each endpoint below has exactly one in front of it, made when it is first seen: at
// connect(), or when the first packet arrives.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/btl.h"

namespace {

using namespace tessera;

struct Traffic {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  void add(std::size_t more) noexcept { ++packets, bytes += more; }
};

class RecordedEndpoint final : public btl::Endpoint {
 public:
  explicit RecordedEndpoint(btl::Endpoint& below) noexcept
      : Endpoint(below.peer()), below_(below) {}
  Status send(const btl::Packet& packet) noexcept override {
    const Status status = below_.send(packet);
    if (status.ok()) sent.add(packet.header_bytes + packet.payload_bytes);
    return status;
  }
  Status get(void* local, std::uint64_t remote, std::size_t bytes) noexcept override {
    const Status status = below_.get(local, remote, bytes);
    if (status.ok()) copied.add(bytes);
    return status;
  }
  Status put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept override {
    const Status status = below_.put(local, remote, bytes);
    if (status.ok()) copied.add(bytes);
    return status;
  }
  bool direct() noexcept override { return below_.direct(); }

  Traffic sent, received, copied;

 private:
  btl::Endpoint& below_;
};

// One per endpoint of the transport below.
class Endpoints {
 public:
  RecordedEndpoint& before(btl::Endpoint& below) {
    std::unique_ptr<RecordedEndpoint>& entry = made_[&below];
    if (entry == nullptr) entry = std::make_unique<RecordedEndpoint>(below);
    return *entry;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [below, endpoint] : made_) visit(*endpoint);
  }

 private:
  std::unordered_map<btl::Endpoint*, std::unique_ptr<RecordedEndpoint>> made_;
};

class RecordedModule final : public btl::Module {
 public:
  RecordedModule(btl::Module& below, Endpoints& endpoints) noexcept
      : below_(below), endpoints_(endpoints) {}
  const btl::Attributes& attributes() const noexcept override { return below_.attributes(); }
  bool reaches(const Peer& peer) const noexcept override { return below_.reaches(peer); }
  bool flushed() noexcept override { return below_.flushed(); }
  const char* describe() const noexcept override { return below_.describe(); }
  Result<btl::Endpoint*> connect(Peer& peer) noexcept override try {
    Result<btl::Endpoint*> endpoint = below_.connect(peer);
    if (!endpoint) return endpoint.status();
    return &endpoints_.before(*endpoint.value());
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

 private:
  btl::Module& below_;
  Endpoints& endpoints_;
};

// Listens on one channel in place of the sink that `above` has for it, which may come later.
class Ear final : public btl::Sink {
 public:
  void listen(const btl::Sinks& above, btl::Channel channel, Endpoints& endpoints) noexcept {
    above_ = &above, channel_ = channel, endpoints_ = &endpoints;
  }
  void deliver(btl::Endpoint& from, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override {
    RecordedEndpoint& endpoint = heard(from, header.size() + payload.size());
    if (btl::Sink* sink = (*above_)[channel_]) sink->deliver(endpoint, header, payload);
  }
  std::byte* landing(btl::Endpoint& from, std::span<const std::byte> header,
                     std::size_t payload_bytes) noexcept override {
    btl::Sink* sink = (*above_)[channel_];
    return sink != nullptr ? sink->landing(endpoints_->before(from), header, payload_bytes)
                           : nullptr;
  }
  void landed(btl::Endpoint& from, std::span<const std::byte> header,
              std::size_t payload_bytes) noexcept override {
    RecordedEndpoint& endpoint = heard(from, header.size() + payload_bytes);
    if (btl::Sink* sink = (*above_)[channel_]) sink->landed(endpoint, header, payload_bytes);
  }
  void lost(Peer& peer, Status why) noexcept override {
    if (btl::Sink* sink = (*above_)[channel_]) sink->lost(peer, why);
  }

 private:
  RecordedEndpoint& heard(btl::Endpoint& from, std::size_t bytes) noexcept {
    RecordedEndpoint& endpoint = endpoints_->before(from);
    endpoint.received.add(bytes);
    return endpoint;
  }
  const btl::Sinks* above_ = nullptr;
  btl::Channel channel_{};
  Endpoints* endpoints_ = nullptr;
};

// One transport with the recorder in front of it.
class Recording {
 public:
  Recording(const char* transport, const btl::Sinks& above) : transport_(transport) {
    for (std::size_t i = 0; i < btl::kChannels; ++i) {
      const auto channel = static_cast<btl::Channel>(i);
      ears_[i].listen(above, channel, endpoints_);
      sinks_.set(channel, &ears_[i]);
    }
  }
  const btl::Sinks& sinks() const noexcept { return sinks_; }
  std::span<btl::Module* const> wrap(std::span<btl::Module* const> below) {
    for (btl::Module* module : below) {
      modules_.push_back(std::make_unique<RecordedModule>(*module, endpoints_));
      offered_.push_back(modules_.back().get());
    }
    return offered_;
  }
  void report(std::FILE* out, std::uint32_t me) const noexcept {
    endpoints_.each([&](const RecordedEndpoint& endpoint) {
      if (endpoint.sent.packets + endpoint.received.packets + endpoint.copied.packets == 0) return;
      std::fprintf(out,
                   "btl/recorder: rank %u and %u over %s: sent %llu packets, %llu bytes; received "
                   "%llu, %llu; copied directly %llu, %llu\n",
                   me, endpoint.peer().id, transport_.c_str(), number(endpoint.sent.packets),
                   number(endpoint.sent.bytes), number(endpoint.received.packets),
                   number(endpoint.received.bytes), number(endpoint.copied.packets),
                   number(endpoint.copied.bytes));
    });
  }

 private:
  static unsigned long long number(std::uint64_t value) noexcept { return value; }
  std::string transport_;
  Endpoints endpoints_;
  std::array<Ear, btl::kChannels> ears_;
  btl::Sinks sinks_;
  std::vector<std::unique_ptr<RecordedModule>> modules_;
  std::vector<btl::Module*> offered_;
};

class RecorderComponent final : public btl::Component {
 public:
  Result<std::span<btl::Module* const>> open(const Host&, const btl::Sinks&) noexcept override {
    return Status::failure(Errc::unsupported,
                           "records other transports, but reaches nobody itself");
  }
  Result<std::span<btl::Module* const>> wrap(const Host& host, const btl::Sinks& sinks,
                                             btl::Wrapped& below) noexcept override try {
    me_ = host.job.my_id();
    file_ = host.params.text("file");
    recordings_.push_back(std::make_unique<Recording>(below.name(), sinks));
    Recording& recording = *recordings_.back();
    Result<std::span<btl::Module* const>> modules = below.open(recording.sinks());
    if (!modules) return modules.status();
    return recording.wrap(modules.value());
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }
  // The transports are closed by now: nobody calls the ears any more.
  void close() noexcept override {
    std::FILE* out =
        file_.empty() ? stderr : std::fopen((file_ + "." + std::to_string(me_)).c_str(), "w");
    if (out == nullptr) return;
    for (const auto& recording : recordings_) recording->report(out, me_);
    if (out != stderr) std::fclose(out);
    recordings_.clear();
  }

 private:
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::string file_;
  std::uint32_t me_ = 0;
};

}  // namespace

TESSERA_COMPONENT(btl, recorder, "1.0.0", 50, RecorderComponent,
                  "Counts the packets of other transports",
                  TESSERA_FACT("interposes", "always")
                      TESSERA_PARAM("file", text, "", "", "", 3,
                                    "Where to report: <file>.<rank>; empty for standard error."))
