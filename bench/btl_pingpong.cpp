// SPDX-License-Identifier: BSD-3-Clause
// What a btl costs by itself: latency, message rate and bandwidth between two pinned processes,
// beside the raw limits.
//
//   btl_pingpong FILE.so [--set PARAMETER=VALUE]...
//
// No launcher and no pml: the component is opened on the contract suite's fakes, and the sinks only
// copy. All times are the best of several repetitions, one way, in nanoseconds; bandwidths are in
// 10^9 bytes per second.
//
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "fakes.h"
#include "plugin.h"
#include "tessera/btl.h"

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

// Many short repetitions: on a busy machine some of them find both processes running all the time.
constexpr int kRepetitions = 60;
constexpr std::size_t kHeader = 24;
constexpr std::size_t kLargest = std::size_t{4} << 20;

constexpr std::uint32_t kRawLines =
    60;  // how far a line travels depends on its address: take turns among some

struct alignas(64) Line {
  std::atomic<std::uint32_t> value;
};
constexpr std::size_t kSharedBytes = (2 * kRawLines + 2) * sizeof(Line);

double elapsed_ns(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// The best of some repetitions of `body`, which does `rounds` of something; nanoseconds per round.
template <class Body>
double best_of(int rounds, Body&& body) {
  double best = 1e18;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const Clock::time_point start = Clock::now();
    body(rounds);
    best = std::min(best, elapsed_ns(start) / rounds);
  }
  return best;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Everything one of the two processes has.
class Side final : public btl::Sink {
 public:
  Side(contract::Segment& segment, contract::Plugin& plugin, std::uint32_t me)
      : job_(segment, me),
        progress_(segment.bell(me), contract::Waiting::spin),
        bootstrap_(segment, me, progress_),
        component_(plugin.create()),
        buffer_(kLargest) {
    const Host host{plugin.params(), job_, progress_, bootstrap_};
    auto offered = static_cast<btl::Component&>(*component_).open(host, {this, this, this, this});
    if (!offered || offered.value().empty()) throw std::runtime_error(offered.status().text());
    module_ = offered.value()[0];
    segment.publishing_done(me);
    auto endpoint = module_->connect(job_.peer(1 - me));
    if (!endpoint) throw std::runtime_error(endpoint.status().text());
    to_ = endpoint.value();
    std::fill(buffer_.begin(), buffer_.end(), std::byte{1});
  }
  ~Side() { component_->close(); }

  void deliver(btl::Endpoint&, std::span<const std::byte>,
               std::span<const std::byte> payload) noexcept override {
    if (landed_ + payload.size() > buffer_.size()) landed_ = 0;
    std::memcpy(buffer_.data() + landed_, payload.data(), payload.size());
    landed_ += payload.size();
    ++packets_;
  }
  void lost(Peer&, Status) noexcept override {}

  // One message in packets of at most `cell` bytes.
  void send(std::size_t bytes, std::size_t cell) {
    std::size_t sent = 0;
    do {
      const std::size_t part = std::min(cell, bytes - sent);
      const btl::Packet packet{btl::Channel::pml, kHeader, header_, buffer_.data() + sent, part};
      while (!to_->send(packet).ok()) module_poll();
      sent += part;
    } while (sent < bytes);
  }
  // The message that the other side sent with the same arguments. What arrives early counts for the
  // next call.
  void receive(std::size_t bytes, std::size_t cell) {
    receive_packets(bytes == 0 ? 1 : (bytes + cell - 1) / cell);
  }
  void receive_packets(std::uint64_t count) {
    while (packets_ < count) module_poll();
    packets_ -= count;
    landed_ = 0;
  }
  void module_poll() { progress_.poll(); }
  btl::Endpoint& to() { return *to_; }
  const btl::Attributes& attributes() const { return module_->attributes(); }
  const char* describe() const { return module_->describe(); }
  std::byte* buffer() { return buffer_.data(); }

 private:
  contract::FakeJob job_;
  contract::FakeProgress progress_;
  contract::FakeBootstrap bootstrap_;
  std::unique_ptr<Component> component_;
  btl::Module* module_ = nullptr;
  btl::Endpoint* to_ = nullptr;
  std::vector<std::byte> buffer_;
  std::size_t landed_ = 0;
  std::uint64_t packets_ = 0;
  std::byte header_[kHeader] = {};
};

// Both sides run every measurement; rank 0 prints.
class Bench {
 public:
  Bench(contract::Segment& segment, contract::Plugin& plugin, Line* lines, std::uint32_t me)
      : me_(me), lines_(lines), side_(segment, plugin, me) {}

  void run() {
    if (me_ == 0) std::printf("%s\n", side_.describe());
    for (int warm_up = 0; warm_up < 2; ++warm_up) raw_line();
    print_raw_line();
    if (me_ == 0) std::printf("memcpy of 1 MiB          %8.2f GB/s\n", memcpy_rate());
    for (const std::size_t bytes : {0, 8, 32, 33, 64, 128, 256, 512, 1024, 2048, 4096})
      latency(bytes);
    rate(8);
    rate(64);
    rate(1024);
    print_raw_line();
    for (std::size_t bytes = 4096; bytes <= kLargest; bytes *= 4) transfer(bytes);
    print_raw_line();
  }

 private:
  double raw_line() {
    return best_of(600,
                   [&](int rounds) {
                     for (int i = 0; i < rounds; ++i) {
                       const std::uint32_t value = ++counter_;
                       Line* lines = lines_ + 2 * (value % kRawLines);
                       if (me_ == 0) lines[0].value.store(value, std::memory_order_release);
                       while (lines[me_ == 0].value.load(std::memory_order_acquire) != value)
                         continue;
                       if (me_ == 1) lines[1].value.store(value, std::memory_order_release);
                     }
                   }) /
           2;
  }

  void print_raw_line() {
    const double ns = raw_line();
    if (me_ == 0) std::printf("raw line, one way        %8.1f ns\n", ns);
  }

  double memcpy_rate() {
    std::vector<std::byte> other(1 << 20);
    const double ns = best_of(5, [&](int rounds) {
      for (int i = 0; i < rounds; ++i) std::memcpy(other.data(), side_.buffer(), other.size());
    });
    return static_cast<double>(other.size()) / ns;
  }

  double ping_pong(std::size_t bytes, std::size_t cell, int rounds) {
    return best_of(rounds,
                   [&](int count) {
                     for (int i = 0; i < count; ++i) {
                       if (me_ == 0) side_.send(bytes, cell);
                       side_.receive(bytes, cell);
                       if (me_ == 1) side_.send(bytes, cell);
                     }
                   }) /
           2;
  }

  void latency(std::size_t bytes) {
    const double ns = ping_pong(bytes, bytes + 1, 300);
    if (me_ == 0) std::printf("latency %7zu B         %8.1f ns\n", bytes, ns);
  }

  void rate(std::size_t bytes) {
    const double ns = best_of(10000, [&](int count) {
      for (int i = 0; me_ == 0 && i < count; ++i) side_.send(bytes, bytes);
      if (me_ == 1) side_.receive_packets(static_cast<std::uint64_t>(count));
      if (me_ == 1) side_.send(8, 8);
      if (me_ == 0) side_.receive(8, 8);
    });
    if (me_ == 0)
      std::printf("stream  %7zu B         %8.1f ns each, %.1f M/s\n", bytes, ns, 1e3 / ns);
  }

  void transfer(std::size_t bytes) {
    const int rounds =
        static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 20) / bytes, 3, 100));
    std::string text;
    for (const std::size_t cell : {1024, 2048, 4096, 8192, 16384, 32768}) {
      if (cell + kHeader > side_.attributes().max_packet) continue;
      text += "  " + std::to_string(cell / 1024) +
              "K: " + rate_text(bytes, ping_pong(bytes, cell, rounds));
    }
    if (side_.to().direct()) text += "  get: " + rate_text(bytes, get(bytes, rounds));
    if (side_.to().direct()) text += "  both: " + rate_text(bytes, both(bytes, rounds));
    if (me_ == 0) std::printf("%7zu B in GB/s by cell:%s\n", bytes, text.c_str());
  }

  static std::string rate_text(std::size_t bytes, double ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(bytes) / ns);
    return text;
  }

  std::uint64_t swap_addresses() {
    addresses()[me_] = reinterpret_cast<std::uintptr_t>(side_.buffer());
    ping_pong(8, 8, 1);
    return addresses()[1 - me_];
  }
  std::uint64_t* addresses() { return reinterpret_cast<std::uint64_t*>(lines_ + 2 * kRawLines); }

  // Request, get by the receiver, done; in turn both ways, so that what is read was just written.
  // One way.
  double get(std::size_t bytes, int rounds) {
    const std::uint64_t remote = swap_addresses();
    return best_of(rounds,
                   [&](int count) {
                     for (int i = 0; i < 2 * count; ++i) {
                       const bool sends = (i + me_) % 2 == 0;
                       if (sends) side_.send(8, 8);
                       side_.receive(8, 8);
                       if (!sends) check(side_.to().get(side_.buffer(), remote, bytes));
                       if (!sends) side_.send(8, 8);
                     }
                   }) /
           2;
  }

  // The receiver reads one half while the sender writes the other one.
  double both(std::size_t bytes, int rounds) {
    const std::uint64_t remote = swap_addresses();
    const std::size_t half = bytes / 2;
    return best_of(rounds,
                   [&](int count) {
                     for (int i = 0; i < 2 * count; ++i) {
                       const bool sends = (i + me_) % 2 == 0;
                       if (sends) side_.send(8, 8);
                       if (sends) check(side_.to().put(side_.buffer(), remote, half));
                       side_.receive(8, 8);
                       if (!sends)
                         check(side_.to().get(side_.buffer() + half, remote + half, half));
                       if (!sends) side_.send(8, 8);
                     }
                   }) /
           2;
  }

  static void check(Status status) {
    if (!status.ok()) throw std::runtime_error(status.text());
  }

  std::uint32_t me_;
  std::uint32_t counter_ = 0;
  Line* lines_;
  Side side_;
};

int run_side(contract::Segment& segment, contract::Plugin& plugin, Line* lines, std::uint32_t me) {
  pin_to(static_cast<int>(me));
  try {
    Bench(segment, plugin, lines, me).run();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "btl_pingpong: %s\n", failure.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("usage: btl_pingpong FILE.so [--set PARAMETER=VALUE]...");
  contract::Plugin plugin("btl", argv[1]);
  for (int i = 3; i < argc; i += 2) {
    const std::string assignment = argv[i];
    plugin.params().set(assignment.substr(0, assignment.find('=')),
                        assignment.substr(assignment.find('=') + 1));
  }
  contract::Segment segment(2);
  void* memory =
      mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* lines = static_cast<Line*>(memory);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(run_side(segment, plugin, lines, 1));
  }
  const int failed = run_side(segment, plugin, lines, 0);
  if (failed != 0) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return failed != 0 || status != 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "btl_pingpong: %s\n", failure.what());
  return 2;
}
