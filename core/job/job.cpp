// SPDX-License-Identifier: BSD-3-Clause
// Job and Bootstrap over the job segment, and for a process that is alone.
#include "core/job/job.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

#include "core/boot/node_cards.h"
#include "core/job/failures.h"
#include "core/machine/usable_cpus.h"
#include "core/progress/store_watch.h"

namespace tessera {
namespace {

using Bytes = std::span<const std::byte>;

// One entry of RankPage::cards: two sizes, then key and value.
struct CardSizes {
  std::uint16_t key;
  std::uint16_t value;
};

const std::byte* find_card(Bytes cards, std::string_view key, std::size_t& bytes) noexcept {
  const std::byte* at = cards.data();
  const std::byte* const end = at + cards.size();
  while (at < end) {
    CardSizes sizes;
    std::memcpy(&sizes, at, sizeof sizes);
    at += sizeof sizes;
    if (key == std::string_view(reinterpret_cast<const char*>(at), sizes.key)) {
      bytes = sizes.value;
      return at + sizes.key;
    }
    at += sizes.key + sizes.value;
  }
  return nullptr;
}

Bytes cards_in(const RankPage& page) noexcept {
  return {page.cards, page.card_used};
}

void append_card(RankPage& page, std::string_view key, Bytes value) noexcept {
  const CardSizes sizes{static_cast<std::uint16_t>(key.size()),
                        static_cast<std::uint16_t>(value.size())};
  std::byte* at = page.cards + page.card_used;
  std::memcpy(at, &sizes, sizeof sizes);
  std::memcpy(at + sizeof sizes, key.data(), key.size());
  if (!value.empty()) std::memcpy(at + sizeof sizes + key.size(), value.data(), value.size());
  page.card_used += static_cast<std::uint32_t>(sizeof sizes + key.size() + value.size());
  page.card_values += static_cast<std::uint32_t>(value.size());
}

bool fits(const RankPage& page, std::string_view key, Bytes value) noexcept {
  return page.card_values + value.size() <= kCardValueBytes &&
         page.card_used + sizeof(CardSizes) + key.size() + value.size() <= sizeof page.cards;
}

Status bad_key(std::string_view key, const char* why) noexcept {
  return Status::failure(Errc::argument, "cannot publish '" + std::string(key) + "': " + why);
}

Status check_key(std::string_view key) noexcept {
  if (key.empty() || key.size() > kCardKeyBytes)
    return bad_key(key, "a key has 1 to 63 characters");
  return {};
}

Status cards_full(std::string_view key, std::size_t bytes) noexcept {
  return Status::failure(Errc::no_space, "cannot publish '" + std::string(key) + "' (" +
                                             std::to_string(bytes) +
                                             " bytes): a process publishes at most " +
                                             std::to_string(kCardValueBytes) + " bytes");
}

// One process manager as it shows in the environment of its processes.
struct Marker {
  const char* variable;  // the rank
  const char* size;      // number of processes; null: not told, and taken for several
  std::string_view name;
};

bool says_one(const char* variable) noexcept {
  const char* const text = getenv(variable);
  return text != nullptr && std::atoi(text) == 1;
}

bool is_one_of_several(const Marker& marker) noexcept {
  if (getenv(marker.variable) == nullptr) return false;
  if (marker.size == nullptr &&
      (says_one("OMPI_COMM_WORLD_SIZE") || says_one("SLURM_STEP_NUM_TASKS")))
    return false;
  if (marker.size == nullptr) return true;
  const char* const size = getenv(marker.size);
  return size != nullptr && std::atoi(size) > 1;
}

}  // namespace

Result<std::unique_ptr<SegmentJob>> SegmentJob::join(JobView view) noexcept try {
  if (const Status status = view.claim(); !status.ok()) return status;
  view.segment().join_barriers();
  view.page().bell.install();
  std::unique_ptr<SegmentJob> job(new SegmentJob(std::move(view)));
  for (std::uint32_t id = 0; id < job->size(); ++id) {
    Peer& peer = job->peers_[id];
    const auto local = job->view_.segment().local_of(id);
    if (!local) continue;
    peer.locality = id == job->my_id() ? Locality::self : Locality::node;
    peer.bell = &job->view_.segment().page(*local).bell;
  }
  return job;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Peer& SegmentJob::peer(std::uint32_t id) const noexcept {
  Peer& peer = peers_[id];
  if (peer.pid == 0 && id < size() && peer.locality != Locality::remote) {
    JobSegment& segment = view_.segment();
    peer.pid = segment.page(*segment.local_of(id)).pid.load(std::memory_order_acquire);
  }
  return peer;
}

Status SegmentBootstrap::publish(std::string_view key, Bytes value) noexcept {
  if (const Status status = check_key(key); !status.ok()) return status;
  RankPage& page = view_.page();
  if (page.published.load(std::memory_order_relaxed) != 0)
    return bad_key(key, "publishing is over");
  std::size_t bytes = 0;
  if (find_card(cards_in(page), key, bytes) != nullptr)
    return bad_key(key, "it was published before");
  if (!fits(page, key, value)) return cards_full(key, value.size());
  append_card(page, key, value);
  return {};
}

Result<Bytes> SegmentBootstrap::lookup(const Peer& peer, std::string_view key) noexcept {
  auto cards = cards_of(peer);
  if (!cards.ok()) return cards.status();
  std::size_t bytes = 0;
  const std::byte* const value = find_card(*cards, key, bytes);
  if (value == nullptr) return Errc::not_found;
  return Bytes(value, bytes);
}

Result<Bytes> SegmentBootstrap::cards_of(const Peer& peer) noexcept {
  const auto local = view_.segment().local_of(peer.id);
  if (!local) return others_ != nullptr ? others_->of(peer.id) : Result<Bytes>(Errc::not_found);
  const RankPage& page = view_.segment().page(*local);
  const Status waited = progress_->wait_for(
      peer, [&page] { return page.published.load(std::memory_order_acquire) != 0; });
  return waited ? Result<Bytes>(cards_in(page)) : Result<Bytes>(died(peer));
}

// Only where several hosts take part; there a death ends the job.
void SegmentBootstrap::await_node() noexcept {
  JobSegment& segment = view_.segment();
  for (std::uint32_t local = 0; local < segment.ranks(); ++local) {
    const RankPage& page = segment.page(local);
    progress_->wait_until([&page] { return page.published.load(std::memory_order_acquire) != 0; });
  }
}

void SegmentBootstrap::publishing_done() noexcept {
  JobSegment& segment = view_.segment();
  view_.page().published.store(1, std::memory_order_release);
  for (std::uint32_t local = 0; local < segment.ranks(); ++local) segment.page(local).bell.ring();
}

SingletonJob::SingletonJob()
    : peers_(JobSegment::random_id(), 1), usable_cpus_(tessera::usable_cpus()) {
  bell_.install();
  peers_[0].locality = Locality::self;
  peers_[0].pid = getpid();
  peers_[0].bell = &bell_;
}

Result<SharedRegion> SingletonJob::shared(std::string_view, std::size_t) const noexcept {
  return Errc::unsupported;
}

Result<Stand> SingletonJob::stand() noexcept {
  if (segment_) return Stand{segment_->descriptor(), 0};
  JobSegment::Options options;
  options.usable_cpus = usable_cpus_;
  options.job_id = peers_[0].name.job;
  options.launched = false;
  auto made = JobSegment::create(1, options);
  if (!made.ok()) return made.status();
  segment_ = std::move(*made);
  RankPage& page = segment_->page(0);
  page.bell.install();
  page.pid.store(getpid(), std::memory_order_relaxed);
  page.state.store(state_, std::memory_order_release);
  peers_[0].bell = &page.bell;
  return Stand{segment_->descriptor(), 0};
}

void SingletonJob::set_state(RankState state) noexcept {
  state_ = state;
  if (segment_) segment_->page(0).state.store(state, std::memory_order_release);
}

Status SingletonBootstrap::publish(std::string_view key, Bytes value) noexcept {
  if (const Status status = check_key(key); !status.ok()) return status;
  std::size_t used = value.size();
  for (const auto& card : cards_) {
    if (card->key == key) return bad_key(key, "it was published before");
    used += card->value.size();
  }
  if (used > kCardValueBytes) return cards_full(key, value.size());
  cards_.push_back(std::make_unique<Card>(Card{std::string(key), {value.begin(), value.end()}}));
  return {};
}

Result<Bytes> SingletonBootstrap::lookup(const Peer&, std::string_view key) noexcept {
  for (const auto& card : cards_) {
    if (card->key == key) return Bytes(card->value);
  }
  return Errc::not_found;
}

std::string_view foreign_launcher() noexcept {
  static constexpr Marker markers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "the mpirun of Open MPI"},
      {"PMI_RANK", "PMI_SIZE",
       "a PMI process manager (the mpiexec of MPICH or Intel MPI, or srun)"},
      {"PMI_ID", nullptr, "the mpiexec of MPICH (-pmi-port)"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "the mpirun_rsh of MVAPICH"},
      {"SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "srun of Slurm"},
      {"PALS_RANKID", "PALS_SIZE", "the mpiexec of PALS"},
      {"PMIX_RANK", nullptr, "a PMIx process manager"},
  };
  for (const Marker& marker : markers) {
    if (is_one_of_several(marker)) return marker.name;
  }
  return {};
}

}  // namespace tessera
