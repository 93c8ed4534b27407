// SPDX-License-Identifier: BSD-3-Clause
// From nothing to MPI_COMM_WORLD, step by step, and back.
#include "core/engine/instance.h"

#include <unistd.h>

#include <charconv>

#include "core/coll/guards.h"
#include "core/coll/job_rules.h"
#include "core/coll/table.h"
#include "core/comm/agreement.h"
#include "core/dynamic/card_book.h"
#include "core/dynamic/connections.h"
#include "core/dynamic/dynamic.h"
#include "core/engine/tables.h"
#include "core/impi/systems.h"
#include "core/io/engine.h"
#include "core/job/copy_history.h"
#include "core/machine/figures.h"
#include "core/object/initial_errhandler.h"
#include "core/op/components.h"
#include "core/progress/store_watch.h"
#include "core/progress/wait_reporter.h"
#include "core/request/buffered_sends.h"
#include "core/rma/one_sided.h"
#include "core/tools/loss_watch.h"
#include "core/tools/watched.h"
#include "core/transport/interposers.h"
#include "framework/help.h"
#include "framework/trust.h"

namespace tessera {
namespace {

const char* hint_or_empty(const Comm& comm, const std::string& key) noexcept {
  const char* const value = comm.hint(key.c_str());
  return value != nullptr ? value : "";
}

// The communicator's own, if an info key gives one; those were checked when they were given.
int coll_priority(const Comm& comm, const Member& member) {
  const std::string_view text = hint_or_empty(comm, "tessera.coll_" + member.name() + "_priority");
  int priority = member.priority();
  std::from_chars(text.data(), text.data() + text.size(), priority);
  return priority;
}

}  // namespace

// With those that the user gives; the text was checked before.
static MachineFigures figures_of(const ParamRegistry& params) {
  MachineFigures figures;
  static_cast<void>(machine::replace(params.text("machine_figures"), figures));
  return figures;
}

// The defaults are 4/5 and 12/5 of what a wake-up takes by the default figures, and move with it.
static std::uint64_t waiting_ns(const ParamRegistry& params, std::string_view name) {
  const auto ns = static_cast<std::uint64_t>(params.integer(name)) * 1'000;
  constexpr MachineFigures kUsual;
  if (params.find(name)->chosen()) return ns;
  return in_proportion(ns, figures_of(params).wake_ns, kUsual.wake_ns);
}

WaitPolicy wait_policy(const ParamRegistry& params, const Job& job, std::uint32_t others) {
  const std::string& how = params.text("core_wait");
  if (how == "spin") return WaitPolicy::spin_only();
  if (how == "sleep") return WaitPolicy::sleep_at_once();
  WaitPolicy policy = WaitPolicy::adaptive(job.local_size() + others, job.usable_cpus());
  if (policy.spin_ns != 0) policy.spin_ns = waiting_ns(params, "core_spin_time");
  policy.yield_ns = waiting_ns(params, "core_yield_time");
  return policy;
}

void share_cache(const ParamRegistry& params, const Job& job, std::uint32_t others) {
  share_cache(job.local_size() + others, job.usable_cpus(), figures_of(params).shared_cache);
}

Result<std::unique_ptr<Instance>> Instance::make(const Options& options) {
  std::unique_ptr<Instance> instance(new Instance());
  if (Status s = instance->start(options); !s) return s;
  return instance;
}

Status Instance::start(const Options& options) {
  auto joined = join_job(options.view);
  if (!joined.ok()) return joined.status();
  boot_ = std::move(*joined);
  if (Status s = read_parameters(options); !s) return s;
  share_cache(params(), job(), 0);
  progress_ = std::make_unique<AdaptiveProgress>(wait_policy(params(), job(), 0), me().bell,
                                                 boot_->blocked());
  boot_->use(*progress_);
  cards_ = std::make_unique<CardBook>(boot_->bootstrap(), job().size());
  connections_ = std::make_unique<Connections>(*this);
  failures_ = boot_->failures(*progress_, sinks_);
  if (failures_) progress_->expect_failures(*failures_);
  if (WaitQuestion* const question = boot_->question(); question != nullptr) {
    reporter_ = std::make_unique<WaitReporter>(*this, *question);
    progress_->answer(*question, *reporter_);
  }
  explain_boot();
  if (options.threads) progress_->enable_lock();
  context_ids_ = std::make_unique<JobContextIds>(me().name.job, me().name.index, job().size());
  if (Status s = open_pml(); !s) return s;
  if (Status s = open_btls(options); !s) return s;
  if (Status s = join_systems(); !s) return s;
  make_predefined();
  prepare_reductions();
  if (job().size() > 1 || !kernel_->untouched()) {
    if (auto made = guards(); !made.ok()) return made.status();
  }
  complete_ = !options.lazily;
  if (complete_) explain_start();
  if (options.watcher != nullptr) watched_ = std::make_unique<Watched>(*this, *options.watcher);
  boot_->set_state(RankState::initialised);
  return {};
}

Status Instance::read_parameters(const Options& options) {
  MicrokernelOptions microkernel;
  microkernel.frameworks = engine_frameworks();
  microkernel.core_params = engine_params();
  microkernel.command_line = options.params;
  microkernel.environment = runs_for_somebody_else() ? nullptr : environ;
  microkernel.ranks = job().size();
  microkernel.program = options.program;
  microkernel.watcher = options.watcher;
  microkernel.load_note = boot_->load_note();
  microkernel.speaks = boot_->speaks_for_program();
  const std::string_view snapshot = boot_->snapshot();
  auto kernel = snapshot.empty() ? Microkernel::from_system(microkernel)
                                 : Microkernel::from_snapshot(snapshot, microkernel);
  if (!kernel.ok()) return kernel.status();
  kernel_ = std::move(*kernel);
  if (snapshot.empty() && boot_->speaks()) {
    for (const std::string& warning : kernel_->take_warnings()) print_help(warning);
  }
  if (snapshot.empty()) {  // else the launcher has looked at them
    if (auto rules = coll::users_rules(*kernel_); !rules.ok()) return rules.status();
  }
  if (explains("select") && !explains("json")) kernel_->ask_for_explanations("core_explain");
  const std::string& figures = params().text("machine_figures");
  if (!figures.empty()) {
    if (Status s = machine::replace_for_job(figures, job()); !s) return s;
  }
  return boot_->compare(params());
}

Host Instance::host_of(const Member& member) const noexcept {
  return {member.params(), job(), *progress_, *cards_, member.events()};
}

// Where messages do not go through memory nothing else does either: a process that only watches
// descriptors sleeps until one is ready, and hears no bell.
void Instance::leave_memory() noexcept {
  for (std::uint32_t id = 0; id < job().size(); ++id) {
    if (id != job().my_id()) job().peer(id).bell = nullptr;
  }
}

Status Instance::open_pml() {
  pml_framework_ =
      std::make_unique<Framework<pml::Component>>(*kernel_, "pml", static_cast<int>(job().my_id()));
  auto open = [this](pml::Component& component, const Member& member) {
    auto module = component.open(host_of(member));
    if (!module.ok()) return Answer::no(module.status().text());
    pml_ = *module;
    return Answer::yes();
  };
  auto winner =
      pml_framework_->best("which one carries the messages of this process", open, &explanation_);
  if (!winner.ok()) return winner.status();
  const Host host = host_of(**winner);
  auto top = wrap_pml(*pml_framework_, *kernel_, host, *pml_, explanation_);
  if (top.ok()) pml_ = *top;
  return top.status();
}

Status Instance::open_btls(const Options& options) {
  sinks_.set(btl::Channel::pml, &pml_->sink());
  if (options.watcher != nullptr) {
    loss_watch_ = std::make_unique<LossWatch>(options.watcher->events_of("core"), job());
    sinks_.set(LossWatch::kChannel, loss_watch_.get());
  }
  router_ = std::make_unique<BtlRouter>(*kernel_, static_cast<int>(job().my_id()));
  const ComponentParams none(params(), "btl", "");
  const Host host{none, job(), *progress_, *cards_};
  if (Status s = router_->open(host, sinks_, explanation_); !s) return s;
  cards_->close();
  if (Status s = boot_->publishing_done(); !s) return s;
  if (!router_->in_memory()) leave_memory();
  if (!options.lazily) await_addresses();
  pml_->attach(*router_);
  return {};
}

// Where a transport needs addresses, those of this node are there before the first message: no send
// has to wait for one in its middle. Those of other nodes are in the engine's store by now.
void Instance::await_addresses() {
  for (std::uint32_t id = 0; id < job().size(); ++id) await_address(job().peer(id));
  if (!router_->in_memory() && !failures_) progress_->expect_no_ring();
}

void Instance::await_address(const Peer& peer) {
  const bool near = peer.locality != Locality::remote;
  if (near && boot_->has_published()) (void)boot_->bootstrap().lookup(peer, "");
}

void Instance::make_predefined() {
  default_errhandler_ = Ref<Errhandler>(new Errhandler(Errhandler::Action::fatal));
  buffered_ = std::make_unique<BufferedSends>(*progress_);
  std::vector<Peer*> everybody;
  for (std::uint32_t id = 0; id < job().size(); ++id) everybody.push_back(&job().peer(id));
  own_job_ = Ref<Group>(Group::make(std::move(everybody)));
  world_ = Ref<Comm>(systems_ ? Comm::make(*this, Ref<Group>(Group::make(systems_->world())),
                                           impi::cid_context(impi::kWorldCid))
                              : Comm::make(*this, own_job_, ContextIds::world));
  self_ = Ref<Comm>(Comm::make(*this, Ref<Group>(Group::make({&me()})), ContextIds::self));
  const auto initial = initial_errhandler();
  if (initial != Errhandler::Action::fatal) {
    const Ref<Errhandler> handler(new Errhandler(initial));
    world_->set_errhandler(handler);
    self_->set_errhandler(handler);
  }
  world_->set_name("MPI_COMM_WORLD");
  self_->set_name("MPI_COMM_SELF");
}

Status Instance::open_collectives() {
  coll_framework_ = std::make_unique<Framework<coll::Component>>(*kernel_, "coll",
                                                                 static_cast<int>(job().my_id()));
  if (Status s = coll_framework_->open(&explanation_); !s) return s;
  coll_framework_->retain(coll_framework_->stack(
      "which collective components serve this process",
      [this](coll::Component&, const Member& m) {
        const Status opened = Framework<coll::Component>::opening(m)->open(host_of(m));
        return opened ? Answer::yes() : Answer::no(opened.text());
      },
      &explanation_));
  return give_rules();
}

Status Instance::give_rules() {
  std::vector<std::string> components;
  for (const Member* member : coll_framework_->members()) components.push_back(member->name());
  auto rules = coll::job_rules(*kernel_, components);
  if (!rules.ok()) return rules.status();
  rules_ = std::move(*rules);
  for (const Member* member : coll_framework_->members())
    Framework<coll::Component>::opening(*member)->use(*rules_);
  return {};
}

Result<std::unique_ptr<coll::Table>> Instance::make_collectives(Comm& comm) {
  if (!coll_framework_) {
    if (Status s = open_collectives(); !s) return s;
  }
  std::vector<coll::Candidate> candidates;
  const bool spans = systems_ && systems_->spans(comm);
  if (spans) {
    candidates.push_back(systems_->collectives());
    comm.number_collectives_from(impi::kFirstOwnTag);
  }
  auto list =
      kernel_->read_selection("coll", hint_or_empty(comm, "tessera.coll"), "info key tessera.coll");
  if (!list.ok()) return list.status();
  for (const Member* member : coll_framework_->members()) {
    if (!list->admits(member->name()) || (spans && !systems_->all_ours())) continue;
    candidates.push_back({Framework<coll::Component>::of(*member), member->name(),
                          coll_priority(comm, *member), member});
  }
  auto table = coll::Table::make(comm, candidates,
                                 explains("coll") || explains("summary") ? &explanation_ : nullptr);
  auto in_front = guards();
  if (!in_front.ok()) return in_front.status();
  if (*in_front != nullptr && table.ok() && !spans) (*table)->guard((*in_front)->guard(comm));
  return table;
}

io::Engine& Instance::files() {
  if (!files_) {
    const ComponentParams none(params(), "io", "");
    files_ = std::make_unique<io::Engine>(*this, Host{none, job(), *progress_, *cards_});
  }
  return *files_;
}

Result<coll::Interposers*> Instance::guards() {
  if (guards_made_) return guards_.get();
  const ComponentParams none(params(), "coll", "");
  auto made = coll::Interposers::make(*kernel_, {none, job(), *progress_, *cards_}, *progress_,
                                      *boot_, explanation_);
  if (!made.ok()) return made.status();
  guards_ = std::move(*made);
  guards_made_ = true;
  return guards_.get();
}

void Instance::prepare_reductions() {
  if (!op::Components::wanted(*kernel_) && !explains("select")) return;
  reductions_ =
      std::make_unique<op::Components>(*kernel_, op::Components::Lent{job(), *progress_, *cards_});
}

Status Instance::map_topology(const topo::Question& question, std::span<int> new_rank) {
  if (!topo_framework_) {
    topo_framework_ = std::make_unique<Framework<topo::Component>>(*kernel_, "topo",
                                                                   static_cast<int>(job().my_id()));
    if (Status s = topo_framework_->open(&explanation_); !s) return s;
    for (Member* member : topo_framework_->members()) {
      if (Status s = Framework<topo::Component>::opening(*member)->open(host_of(*member)); !s)
        topo_framework_->dismiss(*member);
    }
  }
  std::vector<int> answer(new_rank.size());
  const Member* best = topo_framework_->ask(
      "which mapping of a topology costs least",
      [&](topo::Component& component, const Member& m) {
        auto cost = component.map(question, answer);
        if (!cost.ok()) return Answer::no(cost.status().text());
        return Answer::yes(1.0 / (1.0 + static_cast<double>(*cost)),
                           m.name() + " costs " + std::to_string(*cost));
      },
      &explanation_);
  if (best == nullptr) return Errc::unsupported;
  return Framework<topo::Component>::of(*best).map(question, new_rank).status();
}

OneSided& Instance::one_sided() {
  if (!one_sided_) {
    one_sided_ = std::make_unique<OneSided>(
        *kernel_, OneSidedHost{job(), *progress_, boot_->bootstrap(), *router_, boot_->question()},
        sinks_, explains("select") ? &explanation_ : nullptr);
  }
  return *one_sided_;
}

bool Instance::explains(std::string_view what) const {
  const std::string& wanted = params().text("core_explain");
  const bool everything = what != "json" && wanted.find("all") != std::string::npos;
  return everything || wanted.find(what) != std::string::npos;
}

Instance::~Instance() {
  if (one_sided_) one_sided_->stop_agent();
  watched_.reset();
  dynamic_.reset();
  self_ = {};
  world_ = {};
  own_job_ = {};
  files_.reset();
  guards_.reset();
  buffered_.reset();
  reductions_.reset();
  topo_framework_.reset();
  coll_framework_.reset();
  // The pml holds endpoints of the btls, the btls call its sink: transports stop first, then go
  // after it.
  systems_.reset();
  if (router_) router_->close();
  if (one_sided_) one_sided_->close();
  pml_framework_.reset();
}

}  // namespace tessera
