// SPDX-License-Identifier: BSD-3-Clause
// The collectives of one communicator: stacking, and calling from the top down.
#include "core/coll/table.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "core/coll/guards.h"
#include "core/coll/request.h"
#include "framework/framework.h"
#include "framework/help_topics.h"

namespace tessera::coll {

namespace {

constexpr std::size_t index(Operation operation) noexcept {
  return static_cast<std::size_t>(operation);
}

void pass_on(const char* complaint) noexcept {
  try {
    show_help(topics::coll_wish_unmet, complaint);
  } catch (const std::bad_alloc&) {  // the operation matters more
  }
}

// No outcome: the module gives no schedule. Apart, since a schedule takes kilobytes of stack that a
// module's own way does not touch.
template <class Observe>
[[gnu::noinline]] std::optional<Status> run_schedule(Module& module, const Call& call,
                                                     Observe observe) noexcept {
  Schedule schedule;
  const Status emitted = module.emit(call, schedule);
  if (emitted == Errc::unsupported) return {};
  if (!emitted.ok()) {
    static_cast<void>(call.comm->next_collective_tag());  // the others use one
    return emitted;
  }
  observe(module, &schedule);
  if (schedule.complaint() != nullptr) [[unlikely]]
    pass_on(schedule.complaint());
  return execute(call, schedule);
}

// The first module of `modules` that carries the call out, by its own way or by a schedule;
// observe(module, schedule) is told. The own way of the first one has been `tried` or not.
template <class Observe>
Status run_through(std::span<Module* const> modules, const Call& call, Observe observe,
                   bool tried) noexcept {
  for (Module* module : modules) {
    if (!std::exchange(tried, false)) {
      const Status ran = module->run(call);
      if (!(ran == Errc::unsupported)) return observe(*module, nullptr), ran;
    }
    if (const auto scheduled = run_schedule(*module, call, observe)) return *scheduled;
  }
  return Errc::unsupported;
}

template <class Observe>
Status emit_by(Module& module, const Call& call, Schedule& schedule, Observe observe) noexcept {
  const bool empty = schedule.steps().empty();
  const Status emitted = module.emit(call, schedule);
  if (emitted.ok()) observe(module, &schedule);
  if (schedule.complaint() != nullptr) [[unlikely]]
    pass_on(schedule.complaint());
  if (emitted == Errc::unsupported && empty && !schedule.steps().empty())
    schedule.clear();  // it should not have begun
  return emitted;
}

template <class Observe>
Status emit_through(std::span<Module* const> modules, const Call& call, Schedule& schedule,
                    Observe observe) noexcept {
  for (Module* module : modules) {
    const Status emitted = emit_by(*module, call, schedule, observe);
    if (!(emitted == Errc::unsupported)) return emitted;
  }
  return Errc::unsupported;
}

Result<Module*> query(const Candidate& candidate, Communicator& comm) noexcept {
  if (candidate.member == nullptr) return candidate.component.query(comm);
  const NotedComponent noted = candidate.member->noted("asked");
  return candidate.component.query(comm);
}

constexpr auto kUnobserved = [](const Module&, const Schedule*) noexcept {};

}  // namespace

std::span<Module* const> Displaced::modules(Operation operation) const noexcept {
  return below_ != nullptr ? below_[index(operation)] : std::span<Module* const>{};
}

Status Displaced::run(const Call& call) const noexcept {
  return run_through(modules(call.operation), call, kUnobserved, false);
}

Status Displaced::emit(const Call& call, Schedule& schedule) const noexcept {
  return emit_through(modules(call.operation), call, schedule, kUnobserved);
}

Result<std::unique_ptr<Table>> Table::make(Communicator& comm,
                                           std::span<const Candidate> candidates,
                                           Explanation* explanation) noexcept {
  try {
    std::unique_ptr<Table> table(new Table(explanation));
    table->ask(comm, candidates);
    table->stack();
    table->tell_displaced();
    if (explanation != nullptr) table->note_query(comm);
    return table;
  } catch (const std::bad_alloc&) {
    return Status::failure(Errc::no_memory, "no memory for the collectives of a communicator");
  }
}

Table::Table(Explanation* explanation) noexcept : explanation_(explanation) {}

void Table::guard(std::unique_ptr<Guards> guards) noexcept {
  guards_ = std::move(guards);
}

Status Table::enter(Making making, CallForm form) noexcept {
  return guards_ != nullptr ? guards_->enter(making, form) : Status();
}

Status Table::end() noexcept {
  Status first;
  if (guards_ != nullptr) return first;
  for (const Layer& layer : layers_) {
    const Status ended = layer.module->end();
    if (first.ok()) first = ended;
  }
  return first;
}

Table::~Table() {
  guards_.reset();
  while (!layers_.empty()) layers_.pop_back();  // what was stacked last goes first
}

void Table::ask(Communicator& comm, std::span<const Candidate> candidates) {
  for (const Candidate& candidate : candidates) {
    Result<Module*> answer = query(candidate, comm);
    if (answer) {
      layers_.push_back(
          {std::unique_ptr<Module>(answer.value()), candidate.name, candidate.priority, nullptr});
    } else {
      refusals_.emplace_back(candidate.name, answer.status().text());
    }
  }
}

void Table::stack() {
  order_.reserve(layers_.size() * kOperations);  // the spans stay valid
  for (std::size_t i = 0; i < kOperations; ++i) stack(static_cast<Operation>(i));
}

void Table::stack(Operation operation) {
  struct Place {
    const Layer* layer;
    int priority;
  };
  std::vector<Place> places;
  for (const Layer& layer : layers_) {
    if (!layer.module->serves(operation)) continue;
    places.push_back({&layer, layer.module->priority(operation, layer.priority)});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.layer->name < b.layer->name;
  });
  const std::size_t first = order_.size();
  for (const Place& place : places) order_.push_back(place.layer->module.get());
  stacks_[index(operation)] = std::span(order_).subspan(first);
}

// Most modules of most communicators have nothing below them, and then need no record of it.
void Table::tell_displaced() {
  for (Layer& layer : layers_) {
    for (std::size_t i = 0; i < kOperations; ++i) {
      const auto self = std::find(stacks_[i].begin(), stacks_[i].end(), layer.module.get());
      if (stacks_[i].end() - self <= 1) continue;
      if (layer.below == nullptr) layer.below = std::make_unique<Stacks>();
      (*layer.below)[i] = {self + 1, stacks_[i].end()};
    }
    layer.module->stacked(layer.below != nullptr ? Displaced(layer.below->data()) : Displaced());
  }
}

Status Table::run(const Call& call) noexcept {
  if (guards_ != nullptr) [[unlikely]]
    return run_guarded(call);
  return run_through_modules(call);
}

Status Table::run_guarded(const Call& call) noexcept {
  if (const Status entered = guards_->enter(call, CallForm::blocking); !entered) return entered;
  guards_->begin();
  const Status outcome = run_through_modules(call);
  guards_->end();
  return guards_->leave(outcome);
}

// Nearly all calls are carried out by the own way of the first module.
Status Table::run_through_modules(const Call& call) noexcept {
  const std::span<Module* const> all = modules(call.operation);
  if (all.empty()) [[unlikely]]
    return nobody(call);
  const Status ran = all.front()->run(call);
  if (ran == Errc::unsupported) return run_otherwise(call);
  observe(call, *all.front(), nullptr);
  return ran;
}

Status Table::run_otherwise(const Call& call) noexcept {
  const Status outcome = run_through(
      modules(call.operation), call,
      [&](Module& module, const Schedule* schedule) { observe(call, module, schedule); }, true);
  return outcome == Errc::unsupported ? nobody(call) : outcome;
}

Result<CollectiveRequest*> Table::take(const Call& call, bool persistent) noexcept {
  if (guards_ != nullptr) [[unlikely]] {
    const CallForm form = persistent ? CallForm::persistent : CallForm::nonblocking;
    const Status entered = guards_->enter(call, form);
    if (!entered) return entered;
  }
  CollectiveRequest* const request = requests_.take(call, persistent, guards_.get());
  if (request == nullptr)
    return Status::failure(Errc::no_memory, "no memory for a collective request");
  return request;
}

Status Table::start_or_emit(const Call& call, CollectiveRequest& request) noexcept {
  const auto observed = [&](Module& module, const Schedule* schedule) {
    observe(call, module, schedule);
  };
  for (Module* module : modules(call.operation)) {
    const Status started = request.start_by(*module, call);
    if (started.ok()) observed(*module, nullptr);
    if (!(started == Errc::unsupported)) return started;
    const Status emitted = emit_by(*module, call, request.schedule(), observed);
    if (emitted == Errc::unsupported) continue;
    const Status adopted = emitted.ok() ? request.adopt() : emitted;
    return adopted.ok() ? request.start() : adopted;
  }
  return nobody(call);
}

Result<Request*> Table::start(const Call& call) noexcept {
  const Result<CollectiveRequest*> request = take(call, false);
  if (!request) return request.status();
  const Status started = start_or_emit(call, *request.value());
  if (started.ok()) return static_cast<Request*>(request.value());
  request.value()->free();
  return started;
}

Result<Request*> Table::init(const Call& call) noexcept {
  const Result<CollectiveRequest*> request = take(call, true);
  if (!request) return request.status();
  Status outcome = emit_through(
      modules(call.operation), call, request.value()->schedule(),
      [&](Module& module, const Schedule* schedule) { observe(call, module, schedule); });
  if (outcome == Errc::unsupported) outcome = nobody(call);
  if (outcome.ok()) outcome = request.value()->adopt();
  if (outcome.ok()) return static_cast<Request*>(request.value());
  request.value()->free();
  return outcome;
}

Status Table::nobody(const Call& call) const noexcept {
  try {
    std::string text = "no collective component carries out " + std::string(name(call.operation)) +
                       (call.inter ? " on an intercommunicator" : " on a communicator");
    for (const Layer& layer : layers_)
      text += "; " + layer.name + ": does not serve it, or not with these arguments";
    for (const auto& [component, reason] : refusals_) text += "; " + component + ": " + reason;
    return Status::failure(Errc::unsupported, text);
  } catch (const std::bad_alloc&) {
    return Errc::unsupported;
  }
}

}  // namespace tessera::coll
