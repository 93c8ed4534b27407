// SPDX-License-Identifier: BSD-3-Clause
// How two processes come to share exactly one connection.
#pragma once
//
// A meeting belongs to one endpoint and is busy from its first packet, or from a peer's first call,
// until a connection is agreed. It dials the peer's addresses, the most promising first and the
// next one whenever kStaggerUs pass without an answer, and it receives the peer's calls. Who dials
// chooses, by `go` (wire.h). When both dial, the process with the lower number has its way: it
// leaves the other's calls unanswered while it dials itself, but for kPatienceUs at most, so that a
// one-way firewall does not keep them apart. Whichever ends first, no packet was on any other
// connection, so none is lost or overtaken.
//
#include <memory>
#include <string>
#include <vector>

#include "arrival.h"
#include "attempt.h"
#include "station.h"

namespace tessera::btl::tcp {

// Where a meeting leads; implemented by the endpoint.
class MeetingHost {
 public:
  virtual Peer& partner() const noexcept = 0;
  virtual void agreed(Socket socket, std::uint64_t max_packet) noexcept = 0;
  virtual void gave_up(const std::string& why) noexcept = 0;

 protected:
  ~MeetingHost() = default;
};

class Meeting final : public AttemptOwner, public ArrivalOwner {
 public:
  static constexpr std::int64_t kStaggerUs = 250'000;
  static constexpr std::int64_t kPatienceUs = 1'000'000;
  static constexpr int kMaxSlams = 5;  // redials of an address that hung up, whatever the deadline
  static constexpr std::size_t kMaxArrivals = 32;  // calls of one peer at a time

  Meeting(Station& station, MeetingHost& host) noexcept : station_(station), host_(host) {}

  // Dials, unless the peer has called already. Looks up the peer's card, so the first call may wait
  // for its start.
  void call() noexcept;
  // The peer has called.
  void receive(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept;
  bool busy() const noexcept { return wanted_ || !arrivals_.empty(); }
  void tick() noexcept;
  void close(bool politely) noexcept;

  void answered(Attempt& attempt) noexcept override;
  void failed(Attempt& attempt, const std::string& why, bool slammed) noexcept override;
  void committed(Arrival& arrival) noexcept override;
  void gone(Arrival& arrival) noexcept override;

 private:
  struct Candidate {
    Address address;
    enum class State : std::uint8_t { fresh, trying, slammed, failed } state = State::fresh;
    int slams = 0;
    std::string outcome;
  };

  Status read_card();
  Status no_way() const;
  bool dial_next() noexcept;
  bool dial(Candidate& candidate, std::size_t index);
  void hang_up_calls() noexcept;
  void drop(Attempt& attempt) noexcept;
  void fail_overdue(std::int64_t now);
  void redial_slammed(std::int64_t now);
  bool lower() const noexcept { return station_.my_name() < host_.partner().name; }
  void settle() noexcept;
  void welcome_all() noexcept;
  bool redial_later() const noexcept;
  void finish(Socket socket, std::uint64_t max_packet) noexcept;
  std::string report() const;

  Station& station_;
  MeetingHost& host_;
  bool wanted_ = false;     // this side has something to send
  bool have_card_ = false;  // and candidates_
  Card card_;
  std::vector<Candidate> candidates_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  std::vector<std::unique_ptr<Arrival>> arrivals_;
  std::int64_t started_us_ = 0;
  std::int64_t last_dial_us_ = 0;
};

}  // namespace tessera::btl::tcp
