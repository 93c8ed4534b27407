// SPDX-License-Identifier: BSD-3-Clause
// A client's side of the start-up protocol.
#include "core/impi/server_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "impi/auth/challenge.h"
#include "impi/auth/credentials.h"
#include "impi/wire/address.h"

namespace tessera::impi {
namespace {

constexpr std::string_view kServer = "server";  // in traces

}  // namespace

ServerLink::~ServerLink() {
  if (socket_ >= 0) ::close(socket_);
}

Status ServerLink::failure(const std::string& what) const {
  return Status::failure(Errc::system,
                         "the server of this job at " + options_.server + ": " + what);
}

Result<std::unique_ptr<ServerLink>> ServerLink::join(const Options& options) {
  const auto address = resolve(options.server);
  if (!address.ok()) return Status::failure(Errc::argument, address.text());
  const SocketAddress& to = address.value();
  const int fd = ::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Status::failure(Errc::system, std::string("socket: ") + std::strerror(errno));
  std::unique_ptr<ServerLink> link(new ServerLink(options, fd));
  if (::connect(fd, to.get(), to.size) != 0)
    return link->failure(std::string("cannot connect: ") + std::strerror(errno));
  if (Status s = link->open_trace(); !s) return s;
  if (Status s = link->authenticate(); !s) return s;
  if (Status s = link->introduce(); !s) return s;
  return link;
}

// Until it has a rank, this system is known to the server by its address.
Status ServerLink::open_trace() {
  if (options_.trace.empty()) return {};
  SocketAddress mine;
  mine.size = sizeof mine.storage;
  const bool known = ::getsockname(socket_, mine.get(), &mine.size) == 0;
  const Checked opened = trace_.open(options_.trace, known ? text_of(mine) : "client");
  return opened.ok() ? Status() : Status::failure(Errc::argument, opened.text());
}

Status ServerLink::authenticate() {
  const auto credentials = credentials_from_environment();
  if (!credentials.ok()) return Status::failure(Errc::argument, credentials.text());
  const auto wished = options_.methods.empty() ? Outcome<Preferences>(kStrongestFirst)
                                               : parse_preferences(options_.methods);
  if (!wished.ok()) return Status::failure(Errc::argument, wished.text());
  const std::uint32_t mask = credentials.value().mask() & mask_of(wished.value());
  if (mask == 0) return Status::failure(Errc::refused, kNoMethod);
  if (Status s = send(encode_auth(mask)); !s) return s;
  std::byte reply[kAuthReplyBytes];
  if (Status s = receive(reply, sizeof reply, "its choice of authentication"); !s) return s;
  const auto which = load<std::uint32_t>(reply);
  const auto more = load<std::uint32_t>(reply + 4);
  if (which >= 32 || (mask & (1u << which)) == 0 || more > 128)
    return failure("it chose authentication method " + std::to_string(which) +
                   ", which this system did not offer");
  Bytes data(more);
  if (Status s = receive(data.data(), more, "its authentication data"); !s) return s;
  trace_.record(FrameKind::auth_reply, Direction::received, kServer, reply, data);
  if (which == static_cast<std::uint32_t>(AuthMethod::hmac))
    return answer_challenge(credentials.value().secret, data);
  if (which != static_cast<std::uint32_t>(AuthMethod::key)) return {};
  Bytes bytes;
  append_number(bytes, *credentials.value().key);
  return send(bytes, FrameKind::secret);
}

// Both sides prove that they know the secret (impi/auth/challenge.h).
Status ServerLink::answer_challenge(ByteView secret, ByteView data) {
  Nonce theirs;
  if (data.size() != theirs.size()) return failure("its challenge has a wrong length");
  std::copy(data.begin(), data.end(), theirs.begin());
  const Nonce mine = random_nonce();
  Bytes answer(mine.begin(), mine.end());
  append(answer, prove(Prover::client, secret, theirs, mine));
  if (Status s = send(answer, FrameKind::secret); !s) return s;
  Proof proof;
  if (Status s = receive(proof.data(), proof.size(), "its proof that it knows the secret"); !s)
    return s;
  trace_.record(FrameKind::secret, Direction::received, kServer, proof);
  if (!equal(proof, prove(Prover::server, secret, theirs, mine)))
    return failure("it does not know the secret of this job");
  return {};
}

Status ServerLink::introduce() {
  if (Status s = send(encode_impi(static_cast<std::int32_t>(options_.rank))); !s) return s;
  trace_.rename("client " + std::to_string(options_.rank));
  while (true) {
    if (Status s = next("the number of systems"); !s) return s;
    if (reader_.command() == Command::impi) break;
  }
  const auto size = Reader(reader_.payload()).i32();
  if (size < 1 || size > static_cast<std::int32_t>(kMostClients) ||
      options_.rank >= static_cast<std::uint32_t>(size)) {
    return failure("it says that the job has " + std::to_string(size) +
                   " systems; this one was started as number " + std::to_string(options_.rank));
  }
  clients_ = static_cast<std::uint32_t>(size);
  return {};
}

Status ServerLink::send(const Bytes& bytes, FrameKind kind) {
  trace_.record(kind, Direction::sent, kServer, bytes);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failure(std::string("the connection broke: ") + std::strerror(errno));
    sent += static_cast<std::size_t>(n);
  }
  return {};
}

Status ServerLink::receive(std::byte* to, std::size_t bytes, const char* what) {
  std::size_t have = 0;
  while (have < bytes) {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, options_.patience_s * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      return failure("it has not sent " + std::string(what) + " for " +
                     std::to_string(options_.patience_s) +
                     " seconds; have all systems of the job been started?");
    }
    const ssize_t n = ::recv(socket_, to + have, bytes - have, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0)
      return failure("it disconnected instead of sending " + std::string(what) +
                     " (wrong authentication key, or another system has failed?)");
    if (n < 0) return failure(std::string("the connection broke: ") + std::strerror(errno));
    have += static_cast<std::size_t>(n);
  }
  return {};
}

Status ServerLink::next(const char* what) {
  Bytes piece;
  while (true) {
    // Never beyond the command that is expected: its header first, then its length.
    std::byte header[kCommandBytes];
    if (Status s = receive(header, sizeof header, what); !s) return s;
    const auto length = load<std::uint32_t>(header + 4);
    ByteView view(header);
    Fed fed = reader_.feed(view);
    for (std::size_t left = length; fed == Fed::need_more && left > 0;) {
      piece.resize(std::min<std::size_t>(left, 65536));
      if (Status s = receive(piece.data(), piece.size(), what); !s) return s;
      left -= piece.size();
      view = piece;
      fed = reader_.feed(view);
    }
    if (fed == Fed::broken) return failure(reader_.fault());
    if (fed != Fed::complete) continue;
    if (trace_.is_open()) {
      trace_.record(FrameKind::command, Direction::received, kServer,
                    encode_command(reader_.command(), reader_.payload()));
    }
    return {};
  }
}

Status ServerLink::gather(Label label, const Bytes& values, Answers& answers) {
  const auto number = static_cast<std::uint32_t>(label);
  if (Status s = send(encode_coll(number, values)); !s) return s;
  while (true) {
    if (Status s = next("the values of all systems"); !s) return s;
    if (reader_.command() == Command::done)
      return failure("it ended the start-up before all labels were there");
    CollReply reply;
    if (reader_.command() != Command::coll || !decode_coll_reply(reader_.payload(), reply))
      continue;
    Gathered& gathered = answers[reply.label];
    gathered.clients = reply.clients;
    gathered.values.assign(reply.values.begin(), reply.values.end());
    if (reply.label == number) return {};
  }
}

Status ServerLink::done(Answers& answers) {
  if (Status s = send(encode_command(Command::done)); !s) return s;
  while (true) {
    if (Status s = next("the end of the start-up"); !s) return s;
    if (reader_.command() == Command::done) return {};
    CollReply reply;
    if (reader_.command() != Command::coll || !decode_coll_reply(reader_.payload(), reply))
      continue;
    answers[reply.label] = {reply.clients, Bytes(reply.values.begin(), reply.values.end())};
  }
}

Status ServerLink::finish() {
  if (Status s = send(encode_command(Command::fini)); !s) return s;
  ::close(socket_);
  socket_ = -1;
  return {};
}

}  // namespace tessera::impi
