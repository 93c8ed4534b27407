// SPDX-License-Identifier: BSD-3-Clause
// boot/pmi: the component, its manifest, and how it reaches the server.
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "number.h"
#include "session.h"

namespace tessera::boot::pmi {
namespace {

template <class Number>
bool from_environment(const char* name, Number& number) noexcept {
  const char* const text = getenv(name);
  return text != nullptr && parse_number(text, number);
}

Status bad_marker(const char* name) {
  return Status::failure(Errc::refused, std::string(name) + "=" + getenv(name) +
                                            " is not what a process manager sets; unset it to run "
                                            "alone");
}

// Read from the environment alone, as all that matters before parameters are.
Result<PmiSession::Versions> versions() noexcept {
  const char* const text = getenv("TESSERA_MCA_boot_pmi_version");
  const std::string_view value = text != nullptr ? text : "any";
  if (value == "any") return PmiSession::Versions::any;
  if (value == "1") return PmiSession::Versions::only_1;
  if (value == "2") return PmiSession::Versions::only_2;
  return Status::failure(
      Errc::argument, "TESSERA_MCA_boot_pmi_version=" + std::string(value) + ": write any, 1 or 2");
}

Result<std::unique_ptr<Session>> open_session(std::unique_ptr<Wire> wire, std::uint32_t rank,
                                              std::uint32_t size) noexcept {
  auto wanted = versions();
  if (!wanted.ok()) return wanted.status();
  return PmiSession::open(std::move(wire), rank, size, *wanted);
}

bool is_socket(int descriptor) noexcept {
  struct stat facts {};
  return fstat(descriptor, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

// The variable is inherited by everybody, the socket only by whom the engine started: a program
// that a rank starts must not become that rank once more.
Result<std::unique_ptr<Session>> open_inherited() noexcept {
  int descriptor = -1;
  std::uint32_t rank = 0, size = 0;
  if (!from_environment("PMI_FD", descriptor)) return bad_marker("PMI_FD");
  if (!from_environment("PMI_RANK", rank) || !from_environment("PMI_SIZE", size) || rank >= size)
    return Status::failure(Errc::refused, "PMI_FD is set without a PMI_RANK below PMI_SIZE");
  if (!is_socket(descriptor)) {
    return Status::failure(
        Errc::refused,
        "rank " + std::to_string(rank) +
            " of the job started this process, or a program between "
            "it and its process manager closed descriptor " +
            std::to_string(descriptor) +
            ": a rank runs one MPI program. Start a second one with PMI_FD unset, to run alone");
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return open_session(std::make_unique<Wire>(descriptor), rank, size);
}

Result<int> call(const std::string& host, const std::string& port) noexcept {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list); error != 0) {
    return Status::failure(Errc::system,
                           "PMI_PORT names host '" + host + "': " + gai_strerror(error));
  }
  int descriptor = -1, error = 0;
  for (const addrinfo* one = list; one != nullptr && descriptor < 0; one = one->ai_next) {
    descriptor = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, one->ai_addr, one->ai_addrlen) == 0) break;
    error = errno;
    if (descriptor >= 0) close(std::exchange(descriptor, -1));
  }
  freeaddrinfo(list);
  if (descriptor >= 0) return descriptor;
  return Status::failure(Errc::system, "the process manager at PMI_PORT=" + host + ":" + port +
                                           " does not answer: " + strerror(error));
}

// `initack` is answered by one line that only acknowledges and three that set a value each.
Result<std::unique_ptr<Session>> greet_port(std::unique_ptr<Wire> wire) noexcept {
  const char* const id = getenv("PMI_ID");
  if (id == nullptr) return Status::failure(Errc::refused, "PMI_PORT is set without PMI_ID");
  if (Status s = wire->ask(std::string("cmd=initack pmiid=") + id, "initack").status(); !s)
    return s;
  std::int64_t size = -1, rank = -1;
  for (int line = 0; line < 3; ++line) {
    auto set = wire->receive();
    if (!set.ok()) return set.status();
    size = set->number("size").value_or(size);
    rank = set->number("rank").value_or(rank);
  }
  if (rank < 0 || rank >= size)
    return Status::failure(Errc::refused, "the process manager at PMI_PORT tells no rank");
  return open_session(std::move(wire), static_cast<std::uint32_t>(rank),
                      static_cast<std::uint32_t>(size));
}

Result<std::unique_ptr<Session>> open_port() noexcept {
  const std::string where = getenv("PMI_PORT");
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos) return bad_marker("PMI_PORT");
  auto descriptor = call(where.substr(0, colon), where.substr(colon + 1));
  if (!descriptor.ok()) return descriptor.status();
  return greet_port(std::make_unique<Wire>(*descriptor));
}

}  // namespace

class PmiComponent final : public Component {
 public:
  Result<std::unique_ptr<Session>> open() noexcept override {
    if (getenv("PMI_FD") != nullptr) return open_inherited();
    if (getenv("PMI_PORT") != nullptr) return open_port();
    return Errc::not_found;
  }
};

}  // namespace tessera::boot::pmi

// clang-format off
TESSERA_COMPONENT(boot, pmi, "1.1.0", 50, tessera::boot::pmi::PmiComponent,
  "PMI-1 and PMI-2 process managers: Hydra, srun --mpi=pmi2",
  TESSERA_FACT("marker", "PMI_FD") TESSERA_FACT("marker", "PMI_PORT")
  TESSERA_PARAM("version", text, "any", "any,1,2", "", 5,
    "Version of PMI to speak. any: PMI-1, and PMI-2 where the process manager refuses PMI-1. Read "
    "from the environment alone."))
// clang-format on
