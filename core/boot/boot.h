// SPDX-License-Identifier: BSD-3-Clause
// How this process learns who it is in its job and reaches the others: Boot.
#pragma once
//
// Contract. The Instance makes one Boot first of all, with join_job(), and deletes it last. There
// are four implementations, and nothing else of the engine knows which one it has:
//   - alone: a program that nobody started as one of several; no memory object, no descriptor, no
//     other process;
//   - segment: a process that mpiexec started; the memory it inherited tells everything;
//   - carried: the same in a job over several hosts; mpiexec on this host speaks to the engine;
//   - engine: a process that Slurm, Hydra, ... started; a component of framework boot speaks to the
//     engine, and the processes of each host make a segment of their own.
// All but the last exist before parameters and catalog, which come out of the segment.
//
// Order of the calls: compare() when the parameters are known; use() when there is progress;
// bootstrap() from then on; publishing_done() when all components are open; set_state() as the
// process goes on; leave() last, when nothing is sent any more.
//
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/failures.h"
#include "core/job/job.h"
#include "core/progress/progress.h"

namespace tessera {

class ParamRegistry;
struct WaitReport;
struct SpawnOrder;

// Who starts further processes: the mpiexec that started this one, one that is started for the
// purpose, the engine of the job, or nobody.
enum class Starts : std::uint8_t { its_launcher, launcher_of_its_own, its_engine, nobody };

class Boot {
 public:
  virtual ~Boot() = default;

  virtual EngineJob& job() const noexcept = 0;
  // Whether this process speaks for the job to the user: warnings, explanations.
  bool speaks() const noexcept { return job().my_id() == 0; }
  // Whether it speaks for the processes of its program on this host.
  virtual bool speaks_for_program() const noexcept { return speaks(); }
  // MPI_APPNUM and MPI_UNIVERSE_SIZE, none where nobody tells it. An engine is asked now.
  virtual std::uint32_t app_number() const noexcept { return 0; }
  virtual std::optional<std::uint32_t> universe() const noexcept { return std::nullopt; }
  virtual Starts starts() const noexcept { return Starts::nobody; }
  virtual std::uint64_t spawn_server() const noexcept {
    return 0;
  }  // of its launcher (core/dynamic/spawn_service.h)
  // Has the engine of the job start processes; it does not tell what happens to them later.
  // unsupported: it starts none.
  virtual Status spawn(const SpawnOrder&) noexcept { return Errc::unsupported; }
  // For --explain. Which boot component joined the job, if one did, and in one line who started
  // this process and how that was recognized.
  virtual std::string component() const { return {}; }
  virtual std::string story() const { return {}; }

  // Parameters and catalog as the maker of the segment has read them (Microkernel::snapshot);
  // empty: this process reads them itself.
  virtual std::string_view snapshot() const noexcept { return {}; }
  // Whether the parameters that must be equal on all ranks are.
  virtual Status compare(const ParamRegistry&) noexcept { return {}; }

  // Where a wait is written down for others to read; null: nobody can.
  virtual BlockedSlot* blocked() const noexcept { return nullptr; }
  // Where the component that is being opened is written down; null: nobody reads it.
  virtual LoadNote* load_note() const noexcept { return nullptr; }
  // The question to a rank that waits, and where its answer goes; null: nobody asks.
  virtual WaitQuestion* question() const noexcept { return nullptr; }
  virtual WaitReport* report() noexcept { return nullptr; }
  virtual void use(AdaptiveProgress&) noexcept {}
  virtual Bootstrap& bootstrap() noexcept = 0;
  // All components are open: what they have published is complete. With several hosts, waits until
  // that is so everywhere.
  virtual Status publishing_done() noexcept { return {}; }
  // Whether this process has published anything for others to look up.
  virtual bool has_published() const noexcept { return false; }

  virtual void set_state(RankState) noexcept {}
  // Wakes the processes of this node, which look at states.
  virtual void ring_all() noexcept {}
  // The first process of each node, by node.
  virtual std::vector<std::uint32_t> firsts() const { return {0}; }
  // Tells of deaths; null: the job ends when a process dies.
  virtual std::unique_ptr<Failures> failures(Progress&, const btl::Sinks&) noexcept {
    return nullptr;
  }
  // Whether a process has come to its end of MPI, or is dead.
  virtual bool finalizing(std::uint32_t /*id*/) const noexcept { return true; }
  // Whether a process has no use for others any more.
  virtual bool at_rest(std::uint32_t /*id*/) const noexcept { return true; }

  // Ends the job with `code`: the others are ended, the caller ends this process.
  virtual void abort(std::int32_t /*code*/) noexcept {}
  virtual bool aborted() const noexcept { return false; }  // some process did
  // The end of MPI in this process. `met`: all processes have met, and none needs the engine's
  // store any more; else those of an engine that runs several hosts wait for each other here.
  virtual Status leave(bool /*met*/) noexcept { return {}; }
};

// `view`: a rank of a segment made in this process, else what the environment says. The text of a
// failure is fit for the user.
Result<std::unique_ptr<Boot>> join_job(const std::optional<JobView>& view) noexcept;

}  // namespace tessera
