// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing lines of PMI-1, and bytes.
#include "wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace tessera::boot::pmi {
namespace {

constexpr std::size_t kLongestAnswer = 1 << 20;

Status gone(const char* call, int error) {
  return Status::failure(Errc::system, std::string("the process manager (PMI) is gone: ") + call +
                                           ": " + (error != 0 ? strerror(error) : "end of file"));
}

}  // namespace

std::optional<std::string_view> Line::value(std::string_view key) const noexcept {
  const std::string_view text = text_;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && word.substr(0, equals) == key)
      return key == "value" || key == "msg" ? text.substr(at + equals + 1)
                                            : word.substr(equals + 1);
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Line::number(std::string_view key) const noexcept {
  const auto text = value(key);
  std::int64_t number = 0;
  if (!text) return std::nullopt;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || (stop != text->data() + text->size() && *stop != ' '))
    return std::nullopt;
  return number;
}

Wire::~Wire() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status Wire::send(std::string_view request) noexcept {
  return write(std::string(request) + '\n');
}

Status Wire::write(std::string_view bytes) noexcept {
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t sent = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return gone("send", errno);
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Status Wire::receive_more() noexcept {
  char bytes[4096];
  ssize_t got = -1;
  do got = ::recv(descriptor_, bytes, sizeof bytes, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return gone("recv", got < 0 ? errno : 0);
  pending_.append(bytes, static_cast<std::size_t>(got));
  return {};
}

Result<std::string> Wire::read(std::size_t count) noexcept {
  while (pending_.size() < count) {
    if (Status s = receive_more(); !s) return s;
  }
  std::string bytes = pending_.substr(0, count);
  pending_.erase(0, count);
  return bytes;
}

Result<Line> Wire::receive() noexcept {
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      Line line(pending_.substr(0, end));
      pending_.erase(0, end + 1);
      return line;
    }
    if (pending_.size() > kLongestAnswer)
      return Status::failure(Errc::refused, "the process manager (PMI) sends no lines");
    if (Status s = receive_more(); !s) return s;
  }
}

Result<Line> Wire::ask(std::string_view request, std::string_view expected) noexcept {
  if (Status s = send(request); !s) return s;
  auto answer = receive();
  if (!answer.ok() || answer->command() == expected) return answer;
  return Status::failure(Errc::refused, "the process manager (PMI) answered '" +
                                            std::string(answer->text()).substr(0, 200) + "' to '" +
                                            std::string(request.substr(0, 80)) + "'");
}

}  // namespace tessera::boot::pmi
