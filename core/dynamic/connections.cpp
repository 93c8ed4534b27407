// SPDX-License-Identifier: BSD-3-Clause
// Admitting, counting, burying and forgetting processes of other jobs.
#include "core/dynamic/connections.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/dynamic/card_book.h"
#include "core/engine/instance.h"

namespace tessera {
namespace {

constexpr int kMostRounds = 10'000;  // more than any transport holds for one process

int descriptor_of(std::int32_t pid) noexcept {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
#else
  return static_cast<void>(pid), -1;
#endif
}

}  // namespace

Connections::Connections(Instance& instance) noexcept : instance_(instance) {}

void Connections::expect() noexcept {
  instance_.job().use(this);
}

Connections::~Connections() {
  watch(false);
  instance_.job().use(nullptr);
  for (auto& [id, neighbour] : neighbours_) release(neighbour);
}

void Connections::admit(Peer& peer, bool same_host, std::int32_t pid, Sharing sharing) {
  Neighbour& neighbour = neighbours_[peer.id];
  neighbour.peer = &peer;
  neighbour.sharing = std::move(sharing);
  peer.locality = same_host ? Locality::node : Locality::remote;
  peer.pid = same_host ? pid : 0;
  if (neighbour.sharing.memory)
    peer.bell = &neighbour.sharing.segment->page(neighbour.sharing.page).bell;
  if (neighbour.sharing.segment) {
    neighbour.process = descriptor_of(pid);
    watch(true);
  }
  changed();
}

void Connections::watch(bool on) noexcept {
  if (std::exchange(watching_, on) == on) return;
  AdaptiveProgress& progress = instance_.progress();
  if (!on) {
    progress.limit_naps(usual_nap_);
    return progress.remove(*this);
  }
  usual_nap_ = progress.longest_nap();
  progress.limit_naps(Pace::kPeriod_us);
  progress.add(*this);
}

// mpiexec judges a death by the page: it is that of all processes that are connected.
void Connections::changed() noexcept {
  std::uint32_t near = 0;
  for (const auto& [id, neighbour] : neighbours_)
    near += neighbour.peer->locality == Locality::node ? 1 : 0;
  instance_.share_processors_with(near);
  if (RankPage* const page = instance_.job().own_page())
    page->connected.store(static_cast<std::uint32_t>(neighbours_.size()),
                          std::memory_order_release);
}

void Connections::add_to(const Group& group, std::uint32_t change) noexcept {
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto found = neighbours_.find(group.member(rank).id);
    if (found != neighbours_.end()) found->second.communicators += change;
  }
}

void Connections::count(const Comm& comm) noexcept {
  if (neighbours_.empty()) return;
  add_to(*comm.group(), 1);
  if (comm.inter()) add_to(*comm.remote_group(), 1);
}

void Connections::uncount(const Comm& comm) noexcept {
  if (neighbours_.empty()) return;
  add_to(*comm.group(), ~std::uint32_t{0});
  if (comm.inter()) add_to(*comm.remote_group(), ~std::uint32_t{0});
}

void Connections::part(const Group& group) noexcept {
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto found = neighbours_.find(group.member(rank).id);
    if (found != neighbours_.end() && found->second.communicators == 0) forget(*found->second.peer);
  }
}

void Connections::forget(Peer& peer) noexcept {
  const auto found = neighbours_.find(peer.id);
  if (found == neighbours_.end()) return;
  instance_.pml().forget(peer);
  instance_.router().forget(peer);
  instance_.cards().remove(peer);
  Neighbour neighbour = std::move(found->second);
  neighbours_.erase(found);
  (void)instance_.peers().forget(peer);
  release(neighbour);
  const bool watched = std::any_of(neighbours_.begin(), neighbours_.end(), [](const auto& entry) {
    return entry.second.sharing.segment != nullptr;
  });
  watch(watched);
  changed();
}

void Connections::release(Neighbour& neighbour) noexcept {
  if (neighbour.pair.base() != nullptr) munmap(neighbour.pair.base(), neighbour.pair.size());
  if (neighbour.process >= 0) close(neighbour.process);
}

std::shared_ptr<JobSegment> Connections::segment_of(std::uint64_t job) const noexcept {
  for (const auto& [id, neighbour] : neighbours_) {
    const auto& segment = neighbour.sharing.segment;
    if (segment && segment->job_id() == job) return segment;
  }
  return nullptr;
}

Result<SharedRegion> Connections::between(const Peer& peer, std::size_t bytes) noexcept {
  const auto found = neighbours_.find(peer.id);
  if (found == neighbours_.end() || !found->second.sharing.memory) return Errc::not_found;
  Neighbour& neighbour = found->second;
  if (bytes > LinkMemory::kPlaceBytes)
    return Status::failure(Errc::no_space, "two processes of different jobs share 1 MiB");
  if (neighbour.pair.base() == nullptr) {
    auto mapped = neighbour.sharing.memory->map(neighbour.sharing.place);
    if (!mapped.ok()) return mapped;
    neighbour.pair = *mapped;
  }
  return neighbour.pair;
}

int Connections::poll() noexcept {
  if (looking_ || !pace_.due()) return 0;
  looking_ = true;
  const int events = look();
  looking_ = false;
  return events;
}

int Connections::look() noexcept {
  std::vector<pollfd> watched;
  std::vector<std::uint32_t> ids;
  for (const auto& [id, neighbour] : neighbours_) {
    if (neighbour.process < 0) continue;
    watched.push_back({neighbour.process, POLLIN, 0});
    ids.push_back(id);
  }
  if (::poll(watched.data(), watched.size(), 0) <= 0) return 0;
  int events = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (watched[i].revents != 0) events += bury(ids[i]);
  }
  return events;
}

// Delivers its messages before it tells of its loss.
int Connections::bury(std::uint32_t id) noexcept {
  Neighbour& neighbour = neighbours_.at(id);
  close(std::exchange(neighbour.process, -1));
  const RankPage& page = neighbour.sharing.segment->page(neighbour.sharing.page);
  const RankState state = page.state.load(std::memory_order_acquire);
  if (state == RankState::finalized || state == RankState::ended) return 0;
  Peer& peer = *neighbour.peer;
  for (int round = 0; round < kMostRounds && instance_.progress().poll() > 0; ++round) {
  }
  char text[120];
  std::snprintf(text, sizeof text, "rank %u of another job (pid %d) has died without MPI_Finalize",
                peer.name.index, peer.pid);
  instance_.sinks().lost(peer, Status::failure(Errc::peer_failed, text));
  return 1;
}

}  // namespace tessera
