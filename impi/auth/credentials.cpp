// SPDX-License-Identifier: BSD-3-Clause
#include "impi/auth/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "impi/wire/environment.h"

namespace tessera::impi {
namespace {

constexpr std::uint32_t bit(AuthMethod method) noexcept {
  return 1U << static_cast<std::uint32_t>(method);
}

template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && stop == text.data() + text.size();
}

Checked check_secret(const Bytes& secret, const std::string& from) {
  if (secret.size() >= kLeastSecret && secret.size() <= kMostSecret) return Nothing{};
  return Fault{"the secret of " + from + " has " + std::to_string(secret.size()) +
               " bytes, it needs " + std::to_string(kLeastSecret) + " to " +
               std::to_string(kMostSecret)};
}

// A file that others may read holds no secret.
Checked check_file(int file, const std::string& name) {
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return Fault{name + " is not a file"};
  if ((about.st_mode & 077) != 0)
    return Fault{name + " may be used by others than its owner: chmod 600 it"};
  if (about.st_uid != geteuid() && geteuid() != 0) return Fault{name + " is not yours"};
  return Nothing{};
}

Bytes read_up_to(int file, std::size_t most) {
  Bytes bytes(most);
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count = read(file, bytes.data() + size, most - size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

// Without the line end that editors put at the end of a file.
Outcome<Bytes> secret_of_file(const std::string& path) {
  const std::string name = std::string(kAuthSecretFile) + "='" + path + "'";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return Fault{name + " cannot be read: " + std::strerror(errno)};
  const auto good = check_file(file, name);
  Bytes secret = good.ok() ? read_up_to(file, kMostSecret + 2) : Bytes{};
  close(file);
  if (!good.ok()) return good.fault();
  while (!secret.empty() && (secret.back() == std::byte{'\n'} || secret.back() == std::byte{'\r'}))
    secret.pop_back();
  if (auto fits = check_secret(secret, name); !fits.ok()) return fits.fault();
  return secret;
}

Outcome<Bytes> secret_from_environment() {
  const char* const path = std::getenv(kAuthSecretFile);
  if (path != nullptr && *path != 0) return secret_of_file(path);
  const char* const text = std::getenv(kAuthSecret);
  if (text == nullptr) return Bytes{};
  const auto bytes = std::as_bytes(std::span(text, std::strlen(text)));
  Bytes secret(bytes.begin(), bytes.end());
  if (auto fits = check_secret(secret, kAuthSecret); !fits.ok()) return fits.fault();
  return secret;
}

}  // namespace

std::uint32_t Credentials::mask() const noexcept {
  return (none ? bit(AuthMethod::none) : 0) | (key ? bit(AuthMethod::key) : 0) |
         (secret.empty() ? 0 : bit(AuthMethod::hmac));
}

Outcome<Credentials> credentials_from_environment() {
  Credentials credentials;
  credentials.none = std::getenv(kAuthNone) != nullptr;
  if (const char* const text = std::getenv(kAuthKey)) {
    std::uint64_t key = 0;
    if (!parse_number(text, key))
      return Fault{std::string(kAuthKey) + " is not a decimal number of 64 bits"};
    credentials.key = key;
  }
  auto secret = secret_from_environment();
  if (!secret.ok()) return secret.fault();
  credentials.secret = std::move(secret).value();
  return credentials;
}

Outcome<Preferences> parse_preferences(const std::string& text) {
  Preferences list;
  const auto wrong = [&](const std::string& part) {
    return Fault{"'" + part + "' in the list of methods '" + text +
                 "' is neither a number of 0 to 31 nor a range such as 1-0"};
  };
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t dash = std::min(part.find('-'), part.size());
    std::uint32_t first = 0;
    if (!parse_number(std::string_view(part).substr(0, dash), first)) return wrong(part);
    std::uint32_t last = first;
    if (dash < part.size() && !parse_number(std::string_view(part).substr(dash + 1), last))
      return wrong(part);
    if (first > 31 || last > 31) return wrong(part);
    for (std::uint32_t m = first;; m = m < last ? m + 1 : m - 1) {
      if (std::find(list.begin(), list.end(), m) == list.end()) list.push_back(m);
      if (m == last) break;
    }
    at = end + 1;
  }
  return list;
}

std::uint32_t mask_of(const Preferences& preferences) noexcept {
  std::uint32_t mask = 0;
  for (const std::uint32_t method : preferences) mask |= 1U << method;
  return mask;
}

std::optional<AuthMethod> choose(const Preferences& preferences, std::uint32_t mine,
                                 std::uint32_t theirs) noexcept {
  for (const std::uint32_t method : preferences) {
    if (((mine & theirs) >> method & 1) != 0) return static_cast<AuthMethod>(method);
  }
  return std::nullopt;
}

}  // namespace tessera::impi
