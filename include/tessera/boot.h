// SPDX-License-Identifier: BSD-3-Clause
// The boot framework: joining the job of an engine that started this process (Slurm, Hydra, PRRTE,
// ...).
#pragma once
//
// Contract. An engine starts the processes of a job, on one host or several, and offers them a
// store of keys and values. A boot component speaks to one kind of engine. Three calls in this
// order make up the life of a process:
//   1. Component::open(): before parameters, catalog and every other component. It looks at the
//   environment, speaks to the engine and answers who this process is. The environment alone
//   decides whether it is this component's engine: not_found hands the question to the next
//   component, any other failure is final and shown to the user.
//   2. Session::put(), then one fence() of all processes, then get(): how processes on different
//   hosts learn each other's addresses. Processes of one host do not use the store: the core gives
//   them shared memory of their own.
//   3. another fence() when the process ends its use of MPI, then finalize(); or abort().
// Between 2 and 3 a process may ask the engine to start more: spawn(). They are a job of their own,
// with a store of their own, and meet the others as jobs do, by a port in their environment.
// A process that never calls MPI opens no session; what the engine does with it is the engine's
// business.
//
// Judging. Fact "marker" = NAME of an environment variable, or names joined by '+': a component is
// loaded only where one of its markers is there, all names of it. Components are asked in order of
// priority; the component list `boot` is read from the environment alone (TESSERA_MCA_boot),
// because parameter files are read after this framework has answered.
//
// Threads and waiting. One call at a time, but abort(), from any thread. fence() and get() block:
// what others must do meanwhile is done by the engine's own processes. No call retries for ever: an
// engine that has died is an error.
//
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/component.h"
#include "tessera/status.h"

#define TESSERA_INTERFACE_boot 5

namespace tessera::boot {

// Which process this is, as the engine says.
struct Place {
  std::uint32_t rank = 0;  // in the job
  std::uint32_t size = 1;  // of the job
  // The node of each rank, by rank: consecutive numbers from 0, in the order of the first rank of
  // each. Processes with equal numbers share a host.
  std::vector<std::uint32_t> nodes;
  // Unique on this host among the jobs of this user: processes of one node find each other by it.
  std::string job;
  // Equal on all hosts of the job and different from that of other jobs; empty: `job` is.
  std::string name;
  std::string engine;  // for people: "Hydra (PMI-1)"
};

// One program of a job that is to be started, and how many processes run it. The core has looked
// for the program and the directory where both are on this host.
struct Program {
  std::string path;
  std::vector<std::string> arguments;    // without the program itself; any bytes but NUL
  std::vector<std::string> environment;  // NAME=value, added to that of the engine's processes
  std::string directory;                 // to start in, absolute
  std::string host;                      // empty: wherever the engine likes
  std::uint32_t processes = 1;
};

// Destroyed without finalize(), it leaves the engine to believe that this process has failed.
class Session {
 public:
  virtual ~Session() = default;
  virtual const Place& place() const noexcept = 0;
  // MPI_APPNUM, and MPI_UNIVERSE_SIZE or none where the engine does not tell it: asked when the
  // program asks, since few do and each may be a round trip.
  virtual std::uint32_t app_number() noexcept { return 0; }
  virtual std::optional<std::uint32_t> universe() noexcept { return std::nullopt; }
  // `key` is a word of letters, digits, '.' and '-', at most 20 characters, given once by this
  // process; `value` has any size.
  virtual Status put(std::string_view key, std::span<const std::byte> value) noexcept = 0;
  // Returns when all processes of the job have come here; what they put before can be got then.
  virtual Status fence() noexcept = 0;
  // What `rank` put under `key` before the last fence. not_found: nothing.
  virtual Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept = 0;
  // Starts these programs as one job, with ranks in their order; returns when the engine has taken
  // the order. unsupported: this engine starts no further processes; refused: it says why.
  virtual Status spawn(std::span<const Program> /*programs*/) noexcept { return Errc::unsupported; }
  // Tells the engine that the job has failed and shall end with `code`. Returns; the caller then
  // ends its process.
  virtual void abort(int code, std::string_view why) noexcept = 0;
  // The process has ended its use of the engine in order. Idempotent.
  virtual Status finalize() noexcept = 0;
};

class Component : public tessera::Component {
 public:
  // not_found: no engine of this kind started this process. The session ends before the component.
  virtual Result<std::unique_ptr<Session>> open() noexcept = 0;
};

}  // namespace tessera::boot
