// SPDX-License-Identifier: BSD-3-Clause
// Ports, accept, connect, and joining over a socket (MPI-5.0 §11.9, §11.10.5).
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "api/dynamic/meeting.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int raise_no_info(const char* function) {
  return raise(function, MPI_ERR_INFO,
               "argument `info` is no info object; MPI_INFO_NULL stands for none");
}

bool is_info(MPI_Info info) noexcept {
  return info == MPI_INFO_NULL || find_info(info) != nullptr;
}

// MPI must be active: the port belongs to the engine.
bool active(const char* function, int& code) {
  if (world.active()) return true;
  code = raise_not_active(function);
  return false;
}

template <class Number>
bool read(const std::string& text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

// Info keys ip_address and ip_port; false: they make no sense.
bool read_wishes(MPI_Info info, PortWishes& wishes) {
  wishes.address = info_value(info, "ip_address");
  const std::string port = info_value(info, "ip_port");
  return port.empty() || (read(port, wishes.port) && wishes.port > 0);
}

// Info key timeout, in seconds; negative: not given. False: no number.
bool read_timeout(MPI_Info info, double& seconds) {
  const std::string text = info_value(info, "timeout");
  if (text.empty()) return true;
  return read(text, seconds) && seconds >= 0;
}

int raise_socket(const char* function, int fd, const char* what) {
  return raise(
      function, MPI_ERR_ARG,
      fmt::format("argument `fd` is {}: {}; it must be a connected stream socket", fd, what));
}

// A connected stream socket, or why it is none.
const char* fault_of(int fd) noexcept {
  int kind = 0;
  socklen_t bytes = sizeof kind;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &bytes) != 0)
    return errno == ENOTSOCK ? "it is no socket" : "it is not open";
  if (kind != SOCK_STREAM) return "it is no stream socket";
  sockaddr_storage other{};
  bytes = sizeof other;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&other), &bytes) == 0 ? nullptr
                                                                           : "it is not connected";
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Open_port)
extern "C" int PMPI_Open_port(MPI_Info info, char* port_name) {
  constexpr const char* function = "MPI_Open_port";
  int code = MPI_SUCCESS;
  if (!active(function, code)) return code;
  if (port_name == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("port_name"));
  if (!is_info(info)) return raise_no_info(function);
  PortWishes wishes;
  if (!read_wishes(info, wishes)) {
    return raise(function, MPI_ERR_INFO_VALUE,
                 fmt::format("info key ip_port is '{}'; it must be a number from 1 to 65535",
                             info_value(info, "ip_port")));
  }
  EngineGuard guard(world.engine->progress());
  auto port = world.engine->dynamic().open_port(wishes);
  if (!port.ok()) return raise(function, MPI_ERR_PORT, port.status().text());
  std::memcpy(port_name, port->c_str(), port->size() + 1);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Close_port)
extern "C" int PMPI_Close_port(const char* port_name) {
  constexpr const char* function = "MPI_Close_port";
  int code = MPI_SUCCESS;
  if (!active(function, code)) return code;
  if (port_name == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("port_name"));
  EngineGuard guard(world.engine->progress());
  if (Status s = world.engine->dynamic().close_port(port_name); !s)
    return raise(function, MPI_ERR_PORT, s.text());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Comm_accept)
extern "C" int PMPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                MPI_Comm* newcomm) {
  Arguments arguments("MPI_Comm_accept", comm);
  if (!right_meeting(arguments, root) || !arguments.pointer(newcomm, "newcomm"))
    return arguments.raised();
  Comm& parent = *arguments.comm();
  const bool is_root = parent.rank() == root;
  if (is_root && !(arguments.input(port_name, "port_name") && right_info(arguments, info)))
    return arguments.raised();
  BlockingCall call(arguments.function(), parent);
  auto made = world.engine->dynamic().accept(parent, root, is_root ? port_name : "");
  if (!made.ok()) return raise_meeting(arguments, parent, MPI_ERR_PORT, made.status());
  return conclude(arguments, parent, std::move(made), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_connect)
extern "C" int PMPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                 MPI_Comm* newcomm) {
  Arguments arguments("MPI_Comm_connect", comm);
  if (!right_meeting(arguments, root) || !arguments.pointer(newcomm, "newcomm"))
    return arguments.raised();
  Comm& parent = *arguments.comm();
  const bool is_root = parent.rank() == root;
  double seconds = -1;
  if (is_root &&
      !(arguments.input(port_name, "port_name") && right_info(arguments, info) &&
        arguments.that(read_timeout(info, seconds), MPI_ERR_INFO_VALUE,
                       "info key timeout is no number of seconds; 0 stands for no limit")))
    return arguments.raised();
  BlockingCall call(arguments.function(), parent);
  auto made = world.engine->dynamic().connect(parent, root, is_root ? port_name : "", seconds);
  if (!made.ok()) return raise_meeting(arguments, parent, MPI_ERR_PORT, made.status());
  return conclude(arguments, parent, std::move(made), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_join)
extern "C" int PMPI_Comm_join(int fd, MPI_Comm* intercomm) {
  constexpr const char* function = "MPI_Comm_join";
  int code = MPI_SUCCESS;
  if (!active(function, code)) return code;
  if (intercomm == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("intercomm"));
  if (const char* const fault = fault_of(fd)) return raise_socket(function, fd, fault);
  Arguments arguments(function, no_comm());
  BlockingCall call(function);
  auto made = world.engine->dynamic().join(fd);
  if (!made.ok())
    return raise_meeting(arguments, world.engine->self(), MPI_ERR_OTHER, made.status());
  return conclude(arguments, world.engine->self(), std::move(made), intercomm);
}
