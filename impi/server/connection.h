// SPDX-License-Identifier: BSD-3-Clause
// One connection to the server, as a state machine over bytes.
#pragma once
//
// Contract. No sockets: receive() takes what arrived, answers stand in take_output(). Phases:
// AUTH, the bytes of the method, admitted, joined (the rank is known), finished. What a connection
// does wrong ends it: fault() says why, and the caller closes it. Bytes that arrive while the
// server waits for something else (labels behind the rank) are taken at once and queued by the
// Rendezvous. The trace gets each frame; keys and proofs as secrets.
//
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "impi/auth/challenge.h"
#include "impi/auth/credentials.h"
#include "impi/server/rendezvous.h"
#include "impi/wire/command.h"
#include "impi/wire/trace_writer.h"

namespace tessera::impi {

struct Admission {
  Credentials credentials;
  Preferences preferences = kStrongestFirst;
};

class Connection {
 public:
  enum class Phase : std::uint8_t { greeting, key, proof, admitted, joined, finished, broken };

  Connection(const Admission& admission, Rendezvous& job, TraceWriter& trace, std::string address);

  void receive(ByteView bytes);
  Phase phase() const noexcept { return phase_; }
  bool authenticated() const noexcept {
    return phase_ >= Phase::admitted && phase_ != Phase::broken;
  }
  bool joined() const noexcept { return rank_.has_value(); }
  std::uint32_t rank() const noexcept { return *rank_; }
  AuthMethod method() const noexcept { return method_; }
  const std::string& fault() const noexcept { return fault_; }
  // "client 2 (10.0.0.1:4000)", or the address alone before the rank is known.
  std::string name() const;
  Bytes take_output() { return std::exchange(output_, {}); }

 private:
  void handle_command();
  void handle_auth();
  void handle_impi();
  void handle_coll();
  void start_method();
  void take_secret(ByteView& bytes);
  void break_off(std::string fault);
  void answer(FrameKind kind, ByteView bytes);
  void check(const Checked& checked);
  std::string peer() const;

  const Admission& admission_;
  Rendezvous& job_;
  TraceWriter& trace_;
  std::string address_;
  Phase phase_ = Phase::greeting;
  CommandReader reader_;
  std::optional<BlockReader> block_;
  Nonce nonce_{};
  AuthMethod method_{};
  std::optional<std::uint32_t> rank_;
  std::string fault_;
  Bytes output_;
};

}  // namespace tessera::impi
