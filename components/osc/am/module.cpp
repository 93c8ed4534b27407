// SPDX-License-Identifier: BSD-3-Clause
// Life of a window over active messages: its memory, its targets, what ends when a peer is lost.
#include "module.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace tessera::osc::am {

AmModule::AmModule(Window& window, Network& network)
    : window_(window),
      network_(network),
      targets_(static_cast<std::size_t>(window.size())),
      holders_(targets_.size()),
      met_(targets_.size()) {}

AmModule::~AmModule() {
  network_.forget_locks(*this);
  network_.remove(window_.number());
  if (allocated_ != nullptr) munmap(allocated_, allocated_bytes_);
}

Result<std::unique_ptr<AmModule>> AmModule::make(Window& window, Network& network) noexcept try {
  std::unique_ptr<AmModule> module(new AmModule(window, network));
  if (window.flavor() == Flavor::allocate && window.own().size > 0) {
    const std::size_t alignment = std::max<std::size_t>(4096, window.hints().alignment);
    const auto size = static_cast<std::size_t>(window.own().size);
    if (size > (std::size_t{1} << 47))
      return Status::failure(Errc::no_memory, "a window of " + std::to_string(size) +
                                                  " bytes is more than a process can address");
    module->allocated_bytes_ = size + alignment;
    void* memory = mmap(nullptr, module->allocated_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return Status::failure(
          Errc::no_memory,
          "mmap for " + std::to_string(size) + " bytes of window memory: " + std::strerror(errno));
    }
    module->allocated_ = memory;
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    window.set_base(reinterpret_cast<void*>((start + alignment - 1) / alignment * alignment));
  }
  module->base_ = reinterpret_cast<std::byte*>(window.own().base);
  network.add(window.number(), *module);
  return module;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

const char* AmModule::describe() const noexcept {
  return served_ ? "by active messages; the target serves them in MPI calls, and the progress "
                   "agent while it computes"
                 : "by active messages; the target serves them whenever it is in an MPI call";
}

// A process without a bell is reached by a network.
void AmModule::ask_for_agent(Agent when) noexcept {
  bool far = false;
  for (int rank = 0; rank < window_.size(); ++rank)
    far |= rank != window_.rank() && peer(rank).bell == nullptr;
  const bool wanted =
      when == Agent::for_far_peers ? far && !window_.hints().no_locks : when == Agent::always;
  served_ = wanted && window_.size() > 1;
  if (served_) window_.serve_while_computing();
}

void* AmModule::address(int rank) const noexcept {
  return rank == window_.rank() ? base_ : nullptr;
}

Header AmModule::header(Kind kind) const noexcept {
  Header header{};
  header.kind = kind;
  header.sender = static_cast<std::uint32_t>(window_.rank());
  header.window = window_.number();
  return header;
}

// In the order of issue.
Status AmModule::send(int rank, const Header& header, std::span<const std::byte> payload,
                      bool lent) {
  if (!target(rank).batch.empty()) {
    if (Status s = send_batch(rank); !s) return s;
  }
  if (Status s = take_lock(rank); !s) return s;
  return transmit(rank, header, payload, lent);
}

Status AmModule::transmit(int rank, const Header& header, std::span<const std::byte> payload,
                          bool lent) {
  const Status sent = network_.send(peer(rank), header, payload, lent);
  return sent == Errc::peer_failed ? failed_rank(rank) : sent;
}

void AmModule::answer(int rank, const Header& header, std::span<const std::byte> payload) {
  network_.post(peer(rank), header, payload);
}

Status AmModule::failed_rank(int rank) const {
  return Status::failure(Errc::peer_failed,
                         "rank " + std::to_string(rank) + " of the window has died");
}

// What a target could not do is told once.
Status AmModule::take_error() noexcept {
  if (error_.ok()) return {};
  const Status told = Status::failure(error_.code(), error_text_);
  error_ = {};
  return told;
}

void AmModule::lost(const Peer& dead) noexcept {
  for (int rank = 0; rank < window_.size(); ++rank) {
    if (&peer(rank) != &dead) continue;
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, pending] : pending_) {
      if (pending.rank == rank) waiting.push_back(id);
    }
    for (const std::uint64_t id : waiting) fail(id, failed_rank(rank));
    std::erase_if(waiters_, [rank](const Waiter& waiter) {
      return static_cast<int>(waiter.batch.sender) == rank;
    });
    if (holders_[static_cast<std::size_t>(rank)] != 0) keep_for(rank);
  }
}

Status AmModule::attach(void* base, Aint bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  regions_[begin] = begin + static_cast<std::uintptr_t>(bytes);
  return {};
}

Status AmModule::detach(const void* base) noexcept {
  regions_.erase(reinterpret_cast<std::uintptr_t>(base));
  return {};
}

Status AmModule::free() noexcept {
  return barrier();
}

Status AmModule::barrier() {
  const std::uint8_t here = 1;
  return window_.allgather(&here, 1, met_.data());
}

}  // namespace tessera::osc::am
