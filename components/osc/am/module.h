// SPDX-License-Identifier: BSD-3-Clause
// A window over active messages: AmModule, as origin and as target.
#pragma once
//
// Everything that is done to a window's memory is done by its owner, in the engine: when a message
// arrives, or, what is small and its own, in the call. So accumulates are atomic, and those of one
// origin in order, because messages of one origin are. Puts and accumulates are not answered: a
// flush is one message that comes back when all before it is done. Small ones gather at the origin
// (Batch), and what flushes or ends an epoch travels with them. A process waits for room, for
// results and for grants; a handler never waits.
//
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch.h"
#include "network.h"

namespace tessera::osc::am {

// When a thread serves a window while its owner computes.
enum class Agent : std::uint8_t { never, for_far_peers, always };

class AmModule final : public Module {
 public:
  // Collective.
  static Result<std::unique_ptr<AmModule>> make(Window& window, Network& network) noexcept;
  void ask_for_agent(Agent when) noexcept;
  ~AmModule() override;

  Status put(const Local& from, const Remote& to, Ticket*) noexcept override;
  Status get(const Local& into, const Remote& from, Ticket* ticket) noexcept override;
  Status accumulate(const Local& from, const Remote& to, const Combination& how,
                    Ticket*) noexcept override;
  Status get_accumulate(const Local& from, const Local& result, const Remote& to,
                        const Combination& how, Ticket* ticket) noexcept override;
  Status fetch(const void* from, void* result, int rank, Aint displacement,
               const Combination& how) noexcept override;
  Status compare_and_swap(const void* from, const void* compare, void* result, const Datatype& type,
                          int rank, Aint displacement) noexcept override;
  Status flush(int rank) noexcept override;
  Status flush_local(int rank) noexcept override;
  Status sync() noexcept override;

  Status fence(int assertions) noexcept override;
  Status post(std::span<const int> origins, int assertions) noexcept override;
  Status start(std::span<const int> targets, int assertions) noexcept override;
  Status complete(std::span<const int> targets) noexcept override;
  Status wait(std::span<const int> origins) noexcept override;
  Result<bool> test(std::span<const int> origins) noexcept override;
  Status lock(Lock kind, int rank, int assertions) noexcept override;
  Status unlock(int rank) noexcept override;
  Status lock_all(int assertions) noexcept override;
  Status unlock_all() noexcept override;

  Status attach(void* base, Aint bytes) noexcept override;
  Status detach(const void* base) noexcept override;
  void* address(int rank) const noexcept override;
  Status free() noexcept override;
  const char* describe() const noexcept override;
  void survey(Surveyor& surveyor) const noexcept override;

  // A message for this window, and the end of a peer.
  void receive(const Header& header, std::span<const std::byte> payload);
  // Where so many bytes of payload may be written at once, or null; receive_landed() follows then.
  std::byte* landing(const Header& header, std::size_t bytes) noexcept;
  void receive_landed(const Header& header, std::size_t bytes);
  void lost(const Peer& peer) noexcept;
  // Waits until this process has the lock that its epoch at `rank` began with.
  Status take_lock(int rank);

 private:
  // An operation of this process that waits for data.
  struct Pending {
    Local into;
    std::uint64_t left;  // bytes
    int rank;
    Ticket* ticket;
  };
  // What this process knows of a target.
  struct Target {
    std::uint64_t flushes = 0;   // asked for
    std::uint64_t flushed = 0;   // answered
    std::uint64_t lent = 0;      // the one whose answer frees all data that were lent
    std::uint64_t pending = 0;   // operations that wait for data
    std::uint64_t bytes = 0;     // that they wait for
    std::uint32_t posts = 0;     // heard
    std::uint32_t consumed = 0;  // by start
    int dead_holder = -1;        // of the lock that was denied
    bool dirty = false;          // something without an answer was issued since the last flush
    bool started = false;        // MPI_Win_start: its end waits for no answer
    Batch batch;
    Outbox* way = nullptr;  // to it, once it was asked for
    enum class Reply : std::uint8_t { none, granted, denied } reply = Reply::none;
    enum class Held : std::uint8_t { none, unchecked, wanted, asked, locked } held = Held::none;
    Lock kind = Lock::shared;  // that is wanted
    bool awaits_lock() const noexcept { return held == Held::asked && reply == Reply::none; }
    bool has_lock() const noexcept {
      return held == Held::locked || (held == Held::asked && reply == Reply::granted);
    }
    // Nothing was issued that has not been answered.
    bool settled() const noexcept {
      return !dirty && flushed >= flushes && pending == 0 && held != Held::asked;
    }
    // That no start has met; less than 0: a start waits for one.
    std::int32_t open_posts() const noexcept { return static_cast<std::int32_t>(posts - consumed); }
  };
  // What a process asked the lock of this process's memory for, which it waits for.
  struct Waiter {
    Header batch;
    std::vector<std::byte> payload;
  };

  AmModule(Window& window, Network& network);
  Peer& peer(int rank) const noexcept { return window_.comm().peer(rank); }
  Target& target(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
  Header header(Kind kind) const noexcept;
  // `lent`: as of btl::Packet.
  Status send(int rank, const Header& header, std::span<const std::byte> payload = {},
              bool lent = false);
  Status transmit(int rank, const Header& header, std::span<const std::byte> payload = {},
                  bool lent = false);
  void answer(int rank, const Header& header, std::span<const std::byte> payload = {});
  template <class Done>
  Status wait_for(int rank, Done done, Waiting::What what = Waiting::What::answer);
  template <class Done>
  Status wait_for_all(Done done);
  int dead_rank() const noexcept;  // of the window, or -1
  Status failed_rank(int rank) const;
  Status take_error() noexcept;

  // Operations.
  // Of contiguous data, each `lent_of`-th piece leaves without a copy; 0: none.
  Status stream_out(const Local& from, const Remote& to, Header header, unsigned lent_of = 0);
  bool may_lend(int rank, const Ticket* ticket) noexcept;
  Outbox* way_to(int rank);
  Status issue_small(const Local& from, int rank, const Header& header, const Outbox& out);
  Status gather(const Local& from, int rank, const Header& header, std::size_t packet);
  void carry_out_here(const Local& from, const Header& header);
  Status send_batch(int rank, int flags = 0, std::uint64_t id = 0);
  std::uint64_t expect(const Local& into, int rank, Ticket* ticket);
  Status fetch_result(const Local& into, int rank, Header& header,
                      std::span<const std::byte> payload);
  void receive_result(const Header& header, std::span<const std::byte> payload);
  void count_result(const Header& header, std::size_t bytes);
  void receive_failure(const Header& header, std::span<const std::byte> payload);
  void fail(std::uint64_t id, const Status& why);

  // Synchronisation.
  Status complete_at(int rank, bool& waits);
  Status await_results(int rank);
  Status ask_flush(int rank);
  Status await_flush(int rank);
  Status barrier();
  int lock_flags(int rank) noexcept;
  Status ask_lock(int rank, bool may_wait);
  Status await_lock(int rank);
  Waiting::What lock_of(int rank) const noexcept;
  bool try_all(int first, int& refused, Status& failure);

  // As target.
  std::byte* place(const Header& header, KnownType& type, std::uint64_t bytes);
  void receive_data(const Header& header, std::span<const std::byte> payload);
  void receive_small(const Header& header, std::span<const std::byte> payload);
  void receive_batch(const Header& header, std::span<const std::byte> payload);
  void carry_out(const Header& batch, std::span<const std::byte> payload);
  void confirm(const Header& header);
  const Combination* combination(const Header& header);
  void receive_get(const Header& header);
  void receive_accumulate(const Header& header, std::span<const std::byte> payload);
  void receive_swap(const Header& header, std::span<const std::byte> payload);
  void refuse(const Header& header, const std::string& why);
  bool admit(const Header& batch, std::span<const std::byte> payload);
  void release_lock(int rank);
  bool grantable(const Header& batch) const noexcept;
  void hold_lock(const Header& batch) noexcept;
  void grant(const Waiter& waiter);
  void deny(const Header& batch);
  void keep_for(int dead);
  void grant_next();

  Window& window_;
  Network& network_;
  bool served_ = false;  // by the agent
  std::byte* base_ = nullptr;
  void* allocated_ = nullptr;
  std::size_t allocated_bytes_ = 0;
  std::map<std::uintptr_t, std::uintptr_t> regions_;  // attached: begin, end
  std::vector<Target> targets_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::uint64_t next_id_ = 1;
  Status error_;  // of an operation, found by a target; told by the next synchronisation
  std::string error_text_;
  Combination last_combination_{};  // that an origin asked for; without an element: none
  std::uint32_t completed_ = 0;     // by origins
  std::uint32_t expected_ = 0;
  bool all_unchecked_ = false;
  bool has_all_ = false;           // the locks of all
  std::span<const int> starting_;  // targets of a start that waits
  std::deque<Waiter> waiters_;
  std::vector<std::uint8_t> holders_;  // by rank: holds the lock of this process's memory
  std::vector<std::uint8_t> met_;      // by rank: what a barrier brings
  int readers_ = 0;
  bool writer_ = false;
  bool granting_ = false;
  int overtaken_ = 0;
  int dead_holder_ = -1;  // of this process's memory: what it guards may be half done
};

}  // namespace tessera::osc::am
