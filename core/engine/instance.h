// SPDX-License-Identifier: BSD-3-Clause
// All state of one process's part in a job: Instance.
#pragma once
//
// Contract. The first of MPI_Init and MPI_Session_init makes one Instance; a unit test makes
// several in one process, one per thread. make() does, in this order: job (boot.h), parameters
// and catalog, progress, pml, btls, router, MPI_COMM_WORLD and _SELF. Coll, op and topo components
// are opened on first use. Nothing waits for another process unless a transport
// must be told addresses. finish() is MPI_Finalize, rest() the end of the last session; the
// destructor takes everything down in reverse order.
//
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/boot/boot.h"
#include "core/coll/rules.h"
#include "core/comm/communicator.h"
#include "core/comm/context_ids.h"
#include "core/engine/census.h"
#include "core/object/attributes.h"
#include "core/progress/progress.h"
#include "core/transport/router.h"
#include "framework/framework.h"
#include "tessera/coll.h"
#include "tessera/topo.h"

namespace tessera {

class BufferedSends;
class CardBook;
class Connections;
class Dynamic;
class OneSided;
class WaitReporter;
namespace coll {
class Interposers;
}
namespace op {
class Components;
}
namespace io {
class Engine;
}
namespace impi {
class Systems;
}
class LossWatch;
class TransportMatrix;
class Watched;
struct PeerGroup;

// How a process waits, as its parameters say. `others`: processes of other jobs on this machine.
WaitPolicy wait_policy(const ParamRegistry& params, const Job& job, std::uint32_t others);
// The last-level cache has room for the data of all of them (core/job/copy_history.h).
void share_cache(const ParamRegistry& params, const Job& job, std::uint32_t others);

class Instance {
 public:
  struct Options {
    std::optional<JobView>
        view;  // a rank of a segment made in this process; none: what was inherited, or alone
    std::vector<std::pair<std::string, std::string>> params;   // as if from the command line
    std::vector<std::pair<std::string, std::string>> program;  // said through the tools interface
    Watcher* watcher = nullptr;  // the tools interface's; outlives the Instance
    bool threads = false;        // several threads will call
    bool lazily =
        false;  // other processes may start their engines later, or never (the Sessions Model)
  };
  // The failure's text is fit for the user.
  static Result<std::unique_ptr<Instance>> make(const Options& options);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // This process calls no collective operation any more. A failure tells of calls that did not
  // match on communicators that were not freed.
  Status end_collectives() noexcept;
  // Waits until all that was sent has left and, where messages may still be on the way to others,
  // until all processes came here. Idempotent.
  Status finish();

  // The Sessions Model (core/engine/instance_sessions.cpp), where processes come and go without
  // each other. From now on all processes of the job take part, as in MPI_Init: waits for those
  // that a transport must know.
  void expect_all();
  // The same for some processes, with which this one is about to speak.
  void expect(const Group& group);
  // Nobody uses the engine at present: waits until all that was sent has left. It stays as it is,
  // until resume().
  void rest();
  void resume();
  // Before the process ends, at rest: waits until those that it spoke with are at rest too, and may
  // not need it any more.
  void part();

  EngineJob& job() const noexcept { return boot_->job(); }
  Boot& boot() const noexcept { return *boot_; }
  PeerTable& peers() noexcept { return job().peers(); }
  Peer& me() const noexcept { return job().peer(job().my_id()); }
  AdaptiveProgress& progress() noexcept { return *progress_; }
  pml::Module& pml() const noexcept { return *pml_; }
  BtlRouter& router() noexcept { return *router_; }
  ContextIds& context_ids() noexcept { return *context_ids_; }
  // For whoever connects this job with others; see context_ids.h.
  void replace_context_ids(std::unique_ptr<ContextIds> source) noexcept {
    context_ids_ = std::move(source);
  }
  // Where a layer above the btls registers what receives its packets (btl.h).
  btl::Sinks& sinks() noexcept { return sinks_; }
  const ParamRegistry& params() const noexcept { return kernel_->params(); }
  const Microkernel& kernel() const noexcept { return *kernel_; }
  // A tool gives a parameter another value (Microkernel::assign). It takes effect where the
  // engine reads the parameter while it runs; the caller knows which parameters those are.
  Status assign(std::string_view name, std::string_view value);
  // What tools may count; those who make and end things keep it.
  Census& census() noexcept { return census_; }
  std::uint64_t peers_lost() const noexcept;
  bool active() const noexcept { return !finished_; }
  Explanation& explanation() noexcept { return explanation_; }

  // In a job of several MPI systems: the others (core/impi/systems.h); else null.
  impi::Systems* systems() const noexcept { return systems_.get(); }

  Comm& world() const noexcept { return *world_; }
  Comm& self() const noexcept { return *self_; }
  Keyvals& keyvals() noexcept { return keyvals_; }
  BufferedSends& buffered() noexcept { return *buffered_; }
  // Windows and what serves them; made with the first window.
  OneSided& one_sided();
  const Ref<Errhandler>& default_errhandler() const noexcept { return default_errhandler_; }

  Result<std::unique_ptr<coll::Table>> make_collectives(Comm& comm);
  // What stands in front of collective operations; null: nothing. A process alone to which nobody
  // has given a parameter looks for it on first use.
  Result<coll::Interposers*> guards();
  // What the files of this process share; made on first use.
  io::Engine& files();
  // Processes of other jobs that this one is connected with.
  Connections& connections() noexcept { return *connections_; }
  // What meets other jobs: ports, published names, the way to the launcher; made on first use.
  Dynamic& dynamic();
  Dynamic* dynamic_so_far() const noexcept { return dynamic_.get(); }  // or null
  // The addresses of processes, those of other jobs included.
  CardBook& cards() noexcept { return *cards_; }
  // Opens transports beyond what this job needs; see BtlRouter::open_more.
  void open_transports(bool network);
  // So many processes of other jobs run on this machine.
  void share_processors_with(std::uint32_t others);
  // The best mapping of a topology onto the machine, or `unsupported` when nobody answers.
  Status map_topology(const topo::Question& question, std::span<int> new_rank);

 private:
  Instance() = default;
  Status start(const Options& options);
  Status read_parameters(const Options& options);
  Host host_of(const Member& member) const noexcept;
  Status open_pml();
  Status open_btls(const Options& options);
  Status join_systems();
  void leave_memory() noexcept;
  void await_addresses();
  void await_address(const Peer& peer);
  Status open_collectives();
  Status give_rules();
  void prepare_reductions();
  void make_predefined();
  // All processes of our own job, for exchanges under a tag that nothing else uses at the time.
  static constexpr int kMeetTag = 0;
  static constexpr int kExplainTag = 1;
  PeerGroup everybody(int tag) const noexcept;
  Status meet_all();
  void meet_survivors();
  bool explains(std::string_view what) const;
  std::vector<std::string> gather_transports();
  Decision describe(const TransportMatrix& matrix) const;
  void explain_boot();
  void explain_start();
  void explain_end();

  Census census_;
  // In order of construction; the destructor relies on it.
  std::unique_ptr<Boot> boot_;
  std::unique_ptr<Microkernel> kernel_;
  std::unique_ptr<AdaptiveProgress> progress_;
  std::unique_ptr<WaitReporter> reporter_;  // null: nobody asks what this process waits for
  std::unique_ptr<CardBook> cards_;
  std::unique_ptr<Connections> connections_;
  Explanation explanation_;
  std::unique_ptr<ContextIds> context_ids_;
  Keyvals keyvals_;
  Ref<Errhandler> default_errhandler_;
  std::unique_ptr<Framework<pml::Component>> pml_framework_;
  pml::Module* pml_ = nullptr;
  btl::Sinks sinks_;
  std::unique_ptr<LossWatch> loss_watch_;  // null: no tools interface
  std::unique_ptr<Failures> failures_;     // null: the job ends when a process dies
  std::unique_ptr<BtlRouter> router_;
  std::unique_ptr<impi::Systems> systems_;  // null: the job is one system
  std::unique_ptr<coll::RuleSet> rules_;
  std::unique_ptr<Framework<coll::Component>> coll_framework_;
  std::unique_ptr<Framework<topo::Component>> topo_framework_;
  std::unique_ptr<op::Components> reductions_;  // null: the engine's own loops serve
  std::unique_ptr<BufferedSends> buffered_;
  std::unique_ptr<OneSided> one_sided_;        // null until there is a window
  std::unique_ptr<io::Engine> files_;          // null: no file was opened
  std::unique_ptr<coll::Interposers> guards_;  // null: nothing stands in front of collectives
  bool guards_made_ = false;                   // or there are none
  Ref<Group> own_job_;
  std::unique_ptr<Dynamic> dynamic_;  // null: this process has not met another job
  Ref<Comm> world_;
  Ref<Comm> self_;
  std::unique_ptr<Watched> watched_;  // null: no tools interface
  std::size_t explained_ = 0;         // decisions printed already
  std::uint32_t others_here_ = 0;     // processes of other jobs on this machine
  bool finished_ = false;
  bool complete_ = false;         // all processes are expected
  std::vector<bool> acquainted_;  // by id: with whom this process speaks; empty: nobody
};

}  // namespace tessera
