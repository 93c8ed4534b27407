// SPDX-License-Identifier: BSD-3-Clause
// The processes of one node find each other by an abstract Unix address.
#include "core/boot/node_meeting.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t kCallMs = 5000;    // between a bound name and a maker that listens
constexpr std::int64_t kTellMs = 30'000;  // then the user hears of those who have not come

// What a member says first, and what the maker answers with the descriptor.
struct Hello {
  char magic[8] = {'T', 'E', 'S', 'S', 'N', 'O', 'D', 'E'};
  std::uint32_t layout = 0;
  std::uint32_t local = 0;
};
struct Welcome {
  std::uint32_t layout = 0;  // of the maker; no descriptor comes along when it differs
  std::uint32_t maker = 0;   // its local number
};

std::int64_t now_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

void nap_ms(int ms) noexcept {
  const timespec nap{0, ms * 1'000'000L};
  nanosleep(&nap, nullptr);
}

std::uint64_t hash(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

struct Name {
  sockaddr_un address{};
  socklen_t bytes = 0;
  explicit Name(std::string_view key) noexcept {
    address.sun_family = AF_UNIX;
    const int length =
        std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "tessera/%u/%016llx",
                      geteuid(), static_cast<unsigned long long>(hash(key)));
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   static_cast<std::size_t>(length));
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

int open_socket() noexcept {
  return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

Status cannot_meet(const char* call, int error) {
  return Status::failure(Errc::system, std::string("the processes of this host cannot meet: ") +
                                           call + ": " + strerror(error));
}

Status another_build() {
  return Status::failure(Errc::refused,
                         "the processes of this host use different builds of Tessera; use one for "
                         "the whole job");
}

bool send_descriptor(int socket, const Welcome& welcome, int descriptor) noexcept {
  iovec part{const_cast<Welcome*>(&welcome), sizeof welcome};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof welcome);
}

// The descriptor, or -1; the answer is whole when true.
bool receive_descriptor(int socket, Welcome& welcome, int& descriptor) noexcept {
  iovec part{&welcome, sizeof welcome};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  descriptor = -1;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (got > 0 && head != nullptr && head->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return got == static_cast<ssize_t>(sizeof welcome);
}

bool readable_within(int socket, std::int64_t ms) noexcept {
  pollfd one{socket, POLLIN, 0};
  const std::int64_t end = now_ms() + ms;
  for (;;) {
    const int ready = poll(&one, 1, static_cast<int>(std::max<std::int64_t>(0, end - now_ms())));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace

NodeMeeting::~NodeMeeting() {
  if (listener_ >= 0) close(listener_);
  for (const Link& link : links_) close(link.socket);
}

Status NodeMeeting::call() noexcept {
  const Name name(position_.key);
  for (const std::int64_t end = now_ms() + kCallMs; now_ms() < end; nap_ms(1)) {
    const int socket = open_socket();
    if (socket < 0) return cannot_meet("socket", errno);
    if (bind(socket, name.get(), name.bytes) == 0) {
      listener_ = socket;
      return listen(socket, SOMAXCONN) == 0 ? Status() : cannot_meet("listen", errno);
    }
    if (errno != EADDRINUSE) {
      const Status status = cannot_meet("bind", errno);
      close(socket);
      return status;
    }
    // Refused: its holder does not listen yet, or has just ended. Again: its queue is full.
    if (connect(socket, name.get(), name.bytes) == 0) return connect_to_maker(socket);
    const int error = errno;
    close(socket);
    if (error != ECONNREFUSED && error != EAGAIN && error != EINTR)
      return cannot_meet("connect", error);
  }
  return Status::failure(Errc::refused,
                         "another program holds the address at which the processes of this host "
                         "meet, and does not answer");
}

Status NodeMeeting::connect_to_maker(int socket) noexcept {
  links_.push_back({socket, 0});
  return check_user(socket);
}

Status NodeMeeting::check_user(int socket) const noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0)
    return cannot_meet("SO_PEERCRED", errno);
  if (peer.uid == geteuid()) return {};
  return Status::failure(Errc::refused,
                         "the address at which the processes of this host meet is held by user " +
                             std::to_string(peer.uid) + " (pid " + std::to_string(peer.pid) +
                             "), who is not the one of this job");
}

Result<int> NodeMeeting::join() noexcept {
  Link& link = links_.front();
  Hello hello;
  hello.layout = position_.layout;
  hello.local = position_.local;
  Welcome welcome;
  int memory = -1;
  const bool told = ::send(link.socket, &hello, sizeof hello, MSG_NOSIGNAL) ==
                        static_cast<ssize_t>(sizeof hello) &&
                    readable_within(link.socket, position_.patience_ms) &&
                    receive_descriptor(link.socket, welcome, memory);
  if (told && welcome.layout != position_.layout) return another_build();
  if (!told || memory < 0 || welcome.maker >= position_.ids.size()) {
    return Status::failure(Errc::peer_failed,
                           "the process that makes the shared memory of this host has ended, or "
                           "did not answer");
  }
  link.local = welcome.maker;
  return memory;
}

Status NodeMeeting::admit_all(int memory) noexcept {
  const std::int64_t since = now_ms();
  bool told = false;
  while (links_.size() + 1 < position_.ids.size()) {
    if (Status s = wait_for_arrival(since, told); !s) return s;
    if (Status s = admit_one(memory); !s) return s;
  }
  close(std::exchange(listener_, -1));
  return {};
}

Status NodeMeeting::wait_for_arrival(std::int64_t since_ms, bool& told) noexcept {
  for (;;) {
    const std::int64_t waited = now_ms() - since_ms;
    const std::int64_t next =
        told ? position_.patience_ms : std::min(kTellMs, position_.patience_ms);
    if (readable_within(listener_, next - waited)) return {};
    if (now_ms() - since_ms >= position_.patience_ms) return report_missing();
    told = true;
    const std::string text = "tessera: still waiting for " + missing() + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  }
}

// A caller that says nothing sensible is nobody's member; it costs a tenth of a second at most.
Status NodeMeeting::admit_one(int memory) noexcept {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0)
    return errno == EINTR || errno == ECONNABORTED ? Status() : cannot_meet("accept", errno);
  Hello hello;
  const Hello ours;
  const bool greeted = check_user(socket) && readable_within(socket, 100) &&
                       recv(socket, &hello, sizeof hello, 0) == sizeof hello &&
                       std::memcmp(hello.magic, ours.magic, sizeof ours.magic) == 0;
  const bool fits = greeted && hello.layout == position_.layout;
  const bool known = std::any_of(links_.begin(), links_.end(),
                                 [&](const Link& link) { return link.local == hello.local; });
  const bool valid =
      fits && !known && hello.local < position_.ids.size() && hello.local != position_.local;
  if (greeted && !fits) (void)send_descriptor(socket, {position_.layout, position_.local}, -1);
  if (valid && send_descriptor(socket, {position_.layout, position_.local}, memory)) {
    links_.push_back({socket, hello.local});
    return {};
  }
  close(socket);
  return greeted && !fits ? another_build() : Status();
}

std::string NodeMeeting::missing() const {
  std::string list;
  for (std::uint32_t local = 0; local < position_.ids.size(); ++local) {
    const bool here = local == position_.local ||
                      std::any_of(links_.begin(), links_.end(),
                                  [local](const Link& link) { return link.local == local; });
    if (!here) list += (list.empty() ? "rank " : ", ") + std::to_string(position_.ids[local]);
  }
  return list + " of this host to call MPI_Init";
}

Status NodeMeeting::report_missing() const {
  return Status::failure(
      Errc::peer_failed,
      "waited in vain for " + missing() +
          " (boot_patience). If each process has a network namespace of its own, such as a "
          "container each, set TESSERA_MCA_boot_share=no for all");
}

std::vector<std::uint32_t> NodeMeeting::ended() noexcept {
  std::vector<std::uint32_t> ids;
  std::erase_if(links_, [&](const Link& link) {
    char byte;
    const ssize_t got = recv(link.socket, &byte, sizeof byte, MSG_DONTWAIT);
    if (got != 0 && (got > 0 || errno == EAGAIN || errno == EINTR)) return false;
    ids.push_back(position_.ids[link.local]);
    close(link.socket);
    return true;
  });
  return ids;
}

}  // namespace tessera
