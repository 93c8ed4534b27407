// SPDX-License-Identifier: BSD-3-Clause
// This host's part in a job over several, as the engine and the other hosts see it: Carrier.
#pragma once
//
// Contract. The engine started one process on each host of the job; this one runs the ranks of its
// host (Runner) and is one process of the engine's job. It opens the engine's session and the
// channel to the other carriers before anything else, so that each failure from then on ends the
// job in order: all hosts end their ranks and pass on their output, then all carriers end. The
// first one has the exit status of the job, the others 0. An agent, a thread, makes the calls of
// the session that block.
//
// Where a carrier is lost (its host has died, a link is cut, somebody has killed it), the others
// end their ranks, and the engine is told to end the job.
//
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/boot/components.h"
#include "core/boot/host_exchange.h"
#include "launcher/carrier/carrier_order.h"
#include "launcher/carrier/channel.h"

namespace tessera::launcher::carrier {

// What the Runner does when others say so.
class CarrierHandler {
 public:
  virtual ~CarrierHandler() = default;
  virtual void told_to_end(bool with_places) = 0;
  virtual void carrier_failed(const std::string& what) = 0;
  // As of ChannelHandler.
  virtual void asked_for_waits(std::uint32_t question) = 0;
  virtual void told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) = 0;
};

class Carrier final : private ChannelHandler {
 public:
  // Failures are of this host; the engine ends the job when the caller ends with a status.
  static Result<std::unique_ptr<Carrier>> join(const CarrierOrder& order, int silence_s);
  ~Carrier() override;

  std::uint32_t node() const noexcept { return node_; }
  std::uint32_t hosts() const noexcept { return static_cast<std::uint32_t>(hosts_.size()); }
  // Ranks are about to start. No segment: they will not.
  Status start(JobSegment* segment);

  // For the event loop of the Runner.
  int descriptor() const noexcept { return poller_; }
  void ready(CarrierHandler& handler);

  void rank_ended(std::uint32_t local) noexcept;
  void tell_end(int status, bool with_places) noexcept;
  // To and of the first host, with several (channel.h).
  void ask_for_waits(std::uint32_t node, std::uint32_t question) noexcept;
  bool tell_waits(std::uint32_t question, std::string_view waits) noexcept;
  // The ranks of this host have ended, with `status`, and their output is passed on. True when all
  // hosts are that far: result() is the exit status then. To be called after each ready() until
  // then.
  bool finish(int status, std::int64_t now_ms);
  int result() const noexcept { return result_; }

 private:
  enum class Phase : std::uint8_t { runs, finished, leaves, over };
  Carrier(EngineSession engine, const CarrierOrder& order);

  void told_to_end(bool with_places) override;
  void lost(std::uint32_t node) override;
  void asked_for_waits(std::uint32_t question) override;
  void told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) override;
  bool alone() const noexcept { return hosts_.size() == 1; }
  [[noreturn]] void give_up(int status);
  void mark_end() noexcept;
  bool agent_failed();
  void run_agent();
  Status speak();
  Status exchange_cards();
  void await_leave();

  EngineSession engine_;
  std::vector<std::string> hosts_;
  std::vector<std::uint32_t> nodes_;
  std::uint32_t node_;
  std::uint64_t job_id_;
  std::unique_ptr<Channel> channel_;  // null: one host
  JobSegment* segment_ = nullptr;
  std::optional<HostExchange> exchange_;
  CarrierHandler* handler_ = nullptr;
  int poller_ = -1;
  int news_ = -1;  // of the agent
  Phase phase_ = Phase::runs;
  int result_ = 0;
  std::int64_t give_up_at_ = INT64_MAX;
  std::thread agent_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool may_leave_ = false;
  bool has_left_ = false;
  std::string failure_;  // of the agent; empty: none
};

}  // namespace tessera::launcher::carrier
