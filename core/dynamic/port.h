// SPDX-License-Identifier: BSD-3-Clause
// An open port: Port, and the caller's side, dial().
#pragma once
//
// Contract. A port listens at an abstract Unix address, and on TCP where other hosts may call. It
// looks at its callers while somebody waits in take() only; until then the kernel keeps them in its
// queue. A caller shows the key first. One that has not done so is a stranger: it costs a
// descriptor, at most kStrangers of them at a time, for kPatienceMs at most, and never delays
// take(). A port leaves nothing behind when it is closed, or when its process ends.
//
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dynamic/line.h"
#include "core/dynamic/port_name.h"

namespace tessera {

struct PortWishes {
  bool other_hosts = true;
  std::string address;     // the only one to listen at; empty: all
  std::uint16_t port = 0;  // 0: any
};

class Port {
 public:
  static constexpr std::size_t kStrangers = 64;
  static constexpr std::int64_t kPatienceMs = 5'000;

  // system: the address cannot be had; the text says why.
  static Result<std::unique_ptr<Port>> open(const PortWishes& wishes) noexcept;
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const PortName& name() const noexcept { return name_; }

  // The next caller that has shown the key. cancelled: the deadline has passed; or `given_up`,
  // which is looked at beside, holds.
  template <class GivenUp>
  Result<Line> take(const Deadline& deadline, GivenUp&& given_up) noexcept {
    watch(deadline.progress(), true);
    int caller = -1;
    bool stop = false;
    deadline.progress().wait_trying([&] {
      caller = next();
      stop = caller < 0 && (given_up() || deadline.over());
      return caller >= 0 || stop;
    });
    watch(deadline.progress(), false);
    if (caller < 0) return Errc::cancelled;
    return Line(caller);
  }

 private:
  struct Stranger {
    int socket;
    std::int64_t since_ms;
    std::size_t got = 0;
    std::byte bytes[24] = {};
  };
  Port() = default;
  Status listen_here() noexcept;
  Status listen_everywhere(const PortWishes& wishes);
  int next() noexcept;
  void let_in(int listener) noexcept;
  bool listens(Stranger& stranger, int& known) noexcept;
  void watch(Progress& progress, bool on) noexcept;

  PortName name_;
  int epoll_ = -1;  // all of it behind one descriptor
  int here_ = -1;
  int everywhere_ = -1;
  std::vector<Stranger> strangers_;  // the eldest first
};

// A connection to a port, with the key shown. not_found: nobody has this port; peer_failed: its
// host cannot be reached.
Result<Line> dial(const PortName& name, const Deadline& deadline) noexcept;

}  // namespace tessera
