// SPDX-License-Identifier: BSD-3-Clause
#include "impi/server/server.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "impi/server/listener.h"

namespace tessera::impi {
namespace {

constexpr std::size_t kChunk = 64U << 10;
constexpr int kMostReadsInARow = 16;  // then others get their turn

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::chrono::milliseconds as_time(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)), job_(options_.clients) {}

Server::~Server() {
  close_all();
  for (const int file : wake_) {
    if (file >= 0) ::close(file);
  }
}

Checked Server::open() {
  if (!options_.trace.empty()) {
    if (auto opened = trace_.open(options_.trace, "server"); !opened.ok()) return opened;
  }
  auto listener = listen_at(options_.address, options_.port);
  if (!listener.ok()) return listener.fault();
  listener_ = listener.value().socket;
  printed_ = listener.value().address;
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0)
    return Fault{std::string("no pipe: ") + std::strerror(errno)};
  return Nothing{};
}

void Server::stop() noexcept {
  const int before = errno;
  const char byte = 0;
  if (write(wake_[1], &byte, 1) < 0) errno = before;  // full: it is awake anyway
  errno = before;
}

Ending Server::run() {
  begun_ = Clock::now();
  while (!failed_ && !stopped_ && !job_.all_finished()) turn();
  const bool finished = job_.all_finished() && !failed_;
  close_all();
  if (finished) return Ending::finished;
  return stopped_ ? Ending::stopped : Ending::failed;
}

int Server::poll_limit_ms() const {
  auto next = Clock::time_point::max();
  if (options_.startup_s > 0 && !job_.started()) next = begun_ + as_time(options_.startup_s);
  for (const auto& client : clients_) {
    if (client->connection.authenticated() && client->connection.joined()) continue;
    next = std::min(next, client->opened + as_time(options_.authentication_s));
  }
  if (next == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

void Server::turn() {
  std::vector<pollfd> polled = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
  for (const auto& client : clients_) {
    const short write = client->output.empty() ? short{0} : short{POLLOUT};
    polled.push_back({client->socket, static_cast<short>(POLLIN | write), 0});
  }
  const std::size_t known = clients_.size();
  if (poll(polled.data(), polled.size(), poll_limit_ms()) < 0) return;
  if (polled[0].revents != 0) stopped_ = true;
  for (std::size_t i = 0; i < known; ++i) {
    if ((polled[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(*clients_[i]);
    if ((polled[i + 2].revents & POLLOUT) != 0) write_to(*clients_[i]);
  }
  if (polled[1].revents != 0) accept_all();
  broadcast();
  sweep();
  check_time();
}

// A connection without a rank gives way to a newer one: who holds many open must not keep others
// out.
void Server::make_room() {
  std::size_t strangers = 0;
  Client* oldest = nullptr;
  for (const auto& client : clients_) {
    if (client->connection.joined() || client->gone) continue;
    ++strangers;
    if (oldest == nullptr) oldest = client.get();
  }
  if (strangers < kMostStrangers) return;
  oldest->gone = true;
  oldest->why = "gave way to a newer connection, " + std::to_string(kMostStrangers) +
                " without a rank are kept";
}

void Server::accept_all() {
  for (std::size_t i = 0; i < kMostStrangers; ++i) {
    SocketAddress from;
    from.size = sizeof from.storage;
    const int socket = accept4(listener_, from.get(), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    make_room();
    clients_.push_back(std::unique_ptr<Client>(
        new Client{socket,
                   Connection(options_.admission, job_, trace_, text_of(from)),
                   Clock::now(),
                   {},
                   0,
                   0,
                   false,
                   false,
                   {}}));
    trace_.note(text_of(from), "connected");
  }
}

void Server::announce(Client& client) {
  if (client.announced || !client.connection.authenticated()) return;
  client.announced = true;
  if (client.connection.method() == AuthMethod::none)
    options_.say("warning: " + client.connection.name() + " was admitted without authentication");
}

void Server::read_from(Client& client) {
  std::byte chunk[kChunk];
  for (int i = 0; i < kMostReadsInARow && client.connection.fault().empty(); ++i) {
    const ssize_t count = recv(client.socket, chunk, sizeof chunk, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      client.gone = true;
      client.why = count == 0 ? "closed the connection" : std::strerror(errno);
      break;
    }
    client.connection.receive(ByteView(chunk, static_cast<std::size_t>(count)));
    announce(client);
    if (Bytes output = client.connection.take_output(); !output.empty())
      send(client, std::make_shared<const Bytes>(std::move(output)));
  }
}

void Server::send(Client& client, std::shared_ptr<const Bytes> bytes) {
  client.waiting += bytes->size();
  client.output.push_back(std::move(bytes));
  write_to(client);
  if (client.waiting <= kMostOutput) return;
  client.gone = true;
  client.why = "does not read what it is sent";
}

void Server::write_to(Client& client) {
  while (!client.output.empty() && !client.gone) {
    const Bytes& first = *client.output.front();
    const ssize_t count =
        ::send(client.socket, first.data() + client.sent, first.size() - client.sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return;  // reading will say why
    client.sent += static_cast<std::size_t>(count);
    client.waiting -= static_cast<std::size_t>(count);
    if (client.sent < first.size()) return;
    client.output.pop_front();
    client.sent = 0;
  }
}

void Server::broadcast() {
  std::vector<Bytes> replies;
  if (!size_sent_ && job_.all_joined()) {
    size_sent_ = true;
    replies.push_back(encode_impi(static_cast<std::int32_t>(job_.size())));
    close(listener_);  // nobody is waited for any more
    listener_ = -1;
  }
  if (size_sent_) {
    for (Bytes& reply : job_.collect()) replies.push_back(std::move(reply));
  }
  for (Bytes& reply : replies) {
    const auto shared = std::make_shared<const Bytes>(std::move(reply));
    for (const auto& client : clients_) {
      if (!client->connection.joined() || client->gone) continue;
      trace_.record(FrameKind::command, Direction::sent,
                    "client " + std::to_string(client->connection.rank()), *shared);
      send(*client, shared);
    }
  }
}

// What a connection that ended means for the job.
void Server::judge(Client& client) {
  const Connection& connection = client.connection;
  if (connection.phase() == Connection::Phase::finished) return;
  const std::string why = connection.fault().empty() ? client.why : connection.fault();
  trace_.note(
      connection.joined() ? "client " + std::to_string(connection.rank()) : connection.name(),
      "closed: " + why);
  if (connection.joined()) return fail(connection.name() + " was lost: " + why);
  options_.say("closed the connection from " + connection.name() + ": " + why);
}

void Server::sweep() {
  for (auto& client : clients_) {
    const bool over = client->gone || !client->connection.fault().empty() ||
                      client->connection.phase() == Connection::Phase::finished;
    if (!over) continue;
    judge(*client);
    ::close(client->socket);
    client.reset();
  }
  std::erase(clients_, nullptr);
}

void Server::check_time() {
  const auto now = Clock::now();
  for (const auto& client : clients_) {
    if (client->connection.joined()) continue;
    if (now < client->opened + as_time(options_.authentication_s)) continue;
    client->gone = true;
    client->why = "did not say who it is within " + seconds_text(options_.authentication_s);
  }
  sweep();
  if (options_.startup_s <= 0 || job_.started()) return;
  if (now >= begun_ + as_time(options_.startup_s))
    fail(job_.who_is_missing() + " within " + seconds_text(options_.startup_s));
}

void Server::fail(const std::string& text) {
  if (!failed_ && !stopped_) options_.say(text);
  failed_ = true;
}

void Server::close_all() noexcept {
  for (const auto& client : clients_) {
    if (client->socket >= 0) ::close(client->socket);
  }
  clients_.clear();
  if (listener_ >= 0) ::close(listener_);
  listener_ = -1;
}

}  // namespace tessera::impi
