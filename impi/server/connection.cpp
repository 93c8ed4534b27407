// SPDX-License-Identifier: BSD-3-Clause
#include "impi/server/connection.h"

#include <algorithm>

namespace tessera::impi {
namespace {

std::string methods_text(std::uint32_t mask) {
  std::string text;
  for (std::uint32_t m = 0; m < 32; ++m) {
    if ((mask >> m & 1) != 0) text += (text.empty() ? "" : ", ") + std::to_string(m);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Connection::Connection(const Admission& admission, Rendezvous& job, TraceWriter& trace,
                       std::string address)
    : admission_(admission), job_(job), trace_(trace), address_(std::move(address)) {}

std::string Connection::peer() const {
  return rank_ ? "client " + std::to_string(*rank_) : address_;
}

std::string Connection::name() const {
  return rank_ ? peer() + " (" + address_ + ")" : address_;
}

void Connection::break_off(std::string fault) {
  fault_ = std::move(fault);
  phase_ = Phase::broken;
  trace_.note(peer(), fault_);
}

void Connection::check(const Checked& checked) {
  if (!checked.ok()) break_off(checked.text());
}

void Connection::answer(FrameKind kind, ByteView bytes) {
  trace_.record(kind, Direction::sent, peer(), bytes);
  append(output_, bytes);
}

void Connection::receive(ByteView bytes) {
  while (!bytes.empty() && phase_ != Phase::broken && phase_ != Phase::finished) {
    if (block_) {
      take_secret(bytes);
      continue;
    }
    const Fed fed = reader_.feed(bytes);
    if (fed == Fed::broken) break_off(reader_.fault());
    if (phase_ == Phase::greeting && reader_.has_skipped())
      return break_off("its first command is unknown, not AUTH");
    if (fed == Fed::complete) handle_command();
  }
}

void Connection::handle_command() {
  const Command command = reader_.command();
  trace_.record(FrameKind::command, Direction::received, peer(),
                encode_command(command, reader_.payload()));
  if (phase_ == Phase::greeting && command != Command::auth)
    return break_off("its first command is " + name_of(command) + ", not AUTH");
  if (phase_ != Phase::greeting && command == Command::auth)
    return break_off("it sent AUTH a second time");
  if (phase_ == Phase::admitted && command != Command::impi)
    return break_off("it sent " + name_of(command) + " before its rank");
  switch (command) {
    case Command::auth:
      return handle_auth();
    case Command::impi:
      return handle_impi();
    case Command::coll:
      return handle_coll();
    case Command::done:
      return check(job_.done(*rank_));
    case Command::fini:
      check(job_.fini(*rank_));
      if (phase_ != Phase::broken) phase_ = Phase::finished;
  }
}

// Only the methods of the first word exist; further words are of a client that knows more.
void Connection::handle_auth() {
  const ByteView masks = reader_.payload();
  if (masks.size() % 4 != 0)
    return break_off("the masks of AUTH have " + std::to_string(masks.size()) +
                     " bytes, not a multiple of 4");
  const std::uint32_t theirs = load<std::uint32_t>(masks.data());
  const std::uint32_t ours = admission_.credentials.mask() & mask_of(admission_.preferences);
  const auto method = choose(admission_.preferences, ours, theirs);
  if (!method)
    return break_off("no authentication method in common: it has " + methods_text(theirs) +
                     ", the server " + methods_text(ours));
  method_ = *method;
  start_method();
}

void Connection::start_method() {
  switch (method_) {
    case AuthMethod::none:
      phase_ = Phase::admitted;
      return answer(FrameKind::auth_reply, encode_auth_reply(method_));
    case AuthMethod::key:
      phase_ = Phase::key;
      block_.emplace(kKeyBytes);
      return answer(FrameKind::auth_reply, encode_auth_reply(method_));
    case AuthMethod::hmac:
      phase_ = Phase::proof;
      nonce_ = random_nonce();
      block_.emplace(kNonceBytes + kProofBytes);
      return answer(FrameKind::auth_reply, encode_auth_reply(method_, nonce_));
  }
}

// The whole proof, or the whole key.
void Connection::take_secret(ByteView& bytes) {
  if (!block_->feed(bytes)) return;
  const ByteView block = block_->bytes();
  trace_.record(FrameKind::secret, Direction::received, peer(), block);
  if (phase_ == Phase::key) {
    Bytes key;
    append_number(key, *admission_.credentials.key);
    if (!equal(key, block)) return break_off("it sent a wrong key");
  } else {
    Nonce theirs;
    std::copy_n(block.begin(), theirs.size(), theirs.begin());
    const ByteView secret = admission_.credentials.secret;
    if (!equal(prove(Prover::client, secret, nonce_, theirs), block.subspan(kNonceBytes)))
      return break_off("it does not know the secret");
    answer(FrameKind::secret, prove(Prover::server, secret, nonce_, theirs));
  }
  block_.reset();
  phase_ = Phase::admitted;
}

void Connection::handle_impi() {
  if (rank_) return break_off("it sent its rank a second time");
  const std::int32_t rank = load<std::int32_t>(reader_.payload().data());
  check(job_.join(rank));
  if (phase_ == Phase::broken) return;
  rank_ = static_cast<std::uint32_t>(rank);
  phase_ = Phase::joined;
}

void Connection::handle_coll() {
  Reader payload(reader_.payload());
  const std::uint32_t label = payload.u32();
  check(job_.submit(*rank_, label, payload.rest()));
}

}  // namespace tessera::impi
