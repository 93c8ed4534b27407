// SPDX-License-Identifier: BSD-3-Clause
// Opening btls as far as needed, and ranking them per peer.
#include "core/transport/router.h"

#include <algorithm>
#include <new>

#include "core/engine/tables.h"
#include "core/transport/interposers.h"
#include "framework/help.h"
#include "framework/help_topics.h"

namespace tessera {
namespace {

bool reaches(std::span<const BtlRouter::Opened> modules, const Peer& peer) noexcept {
  return std::any_of(modules.begin(), modules.end(),
                     [&](const auto& m) { return m.module->reaches(peer); });
}

}  // namespace

bool BtlRouter::required(const Candidate& candidate) const noexcept {
  return kernel_.selection("btl").requires_name(candidate.name);
}

bool BtlRouter::all_reached(const Job& job) const noexcept {
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    if (!reaches(modules_, job.peer(id))) return false;
  }
  return true;
}

Status BtlRouter::open(const Host& host, const btl::Sinks& sinks, Explanation& explanation) {
  Decision decision{"btl", "which transports does this process open", Shape::ranked, {}};
  for (const Candidate* candidate : kernel_.catalog().of("btl")) {
    if (candidate->usable()) continue;
    decision.replies.push_back({candidate->name, false,
                                static_cast<double>(kernel_.priority(*candidate)),
                                candidate->reason});
  }
  auto interposers = load_interposers(framework_, kernel_, decision);
  if (!interposers.ok()) return interposers.status();
  interposers_ = std::move(*interposers);
  Status failure;
  for (const Candidate* candidate : framework_.candidates()) {
    Reply reply{
        candidate->name, false, static_cast<double>(framework_.priority(*candidate)), {}, false};
    if (!required(*candidate) && all_reached(host.job)) {
      reply.text = "not needed: every process is reached by transports of higher priority";
    } else if (Status s = open_one(*candidate, host, sinks, reply); !s && required(*candidate)) {
      failure = s;
    }
    decision.replies.push_back(std::move(reply));
    if (!failure) break;
  }
  explanation.record(std::move(decision));
  return failure ? check_reach(host.job) : failure;
}

Status BtlRouter::open_one(const Candidate& candidate, const Host& host, const btl::Sinks& sinks,
                           Reply& reply) {
  auto member = framework_.admit(candidate);
  if (!member.ok()) {
    reply.text = member.status().text();
    if (!required(candidate)) return member.status();
    return help_failure(Errc::refused, topics::component_unusable, "btl", candidate.name,
                        kernel_.selection("btl").origin(), reply.text);
  }
  BtlStack stack(**member, host, interposers_);
  auto modules = stack.open(sinks);
  if (!modules.ok()) {
    reply.text = modules.status().text();
    framework_.dismiss(**member);
    if (modules.status() == Errc::unsupported)
      return {};  // nobody here for it to reach, whoever named it
    if (!required(candidate)) return modules.status();
    return help_failure(Errc::refused, topics::component_declined, "btl", candidate.name,
                        modules.status().text());
  }
  for (btl::Module* module : *modules) {
    modules_.push_back({candidate.name, module});
    if (!reply.text.empty()) reply.text += "; ";
    reply.text += module->describe();
  }
  if (!stack.story().empty()) reply.text += "; in front of it: " + stack.story();
  const auto scope = candidate.manifest.facts_of("scope");
  in_memory_ = in_memory_ || (!modules->empty() && !scope.empty() && scope.front() == "node");
  reply.accepted = reply.chosen = true;
  return {};
}

Status BtlRouter::check_reach(const Job& job) const {
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    if (Status s = check(job.peer(id), job); !s) return s;
  }
  return {};
}

Status BtlRouter::check(const Peer& peer, const Job& job) const {
  if (reaches(modules_, peer)) return {};
  std::string tried;
  for (const Opened& m : modules_) tried += (tried.empty() ? "" : ", ") + m.component;
  const bool foreign = peer.name.job != job.peer(job.my_id()).name.job;
  return Status::failure(
      Errc::peer_failed,
      "no transport reaches rank " + std::to_string(peer.name.index) +
          (foreign ? " of another job" : "") + " from rank " + std::to_string(job.my_id()) +
          " (opened: " + (tried.empty() ? "none" : tried) +
          "). Add one to the btl list, e.g. --mca btl self,sm,tcp, or leave the list out.");
}

bool BtlRouter::is_open(const std::string& component) const noexcept {
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](const Opened& m) { return m.component == component; });
}

void BtlRouter::open_more(const Host& host, const btl::Sinks& sinks, Explanation& explanation,
                          bool network) {
  Decision decision{"btl", "which transports lead to other jobs", Shape::ranked, {}};
  for (const Candidate* candidate : framework_.candidates()) {
    const auto scope = candidate->manifest.facts_of("scope");
    const bool far = !scope.empty() && scope.front() == "network";
    const bool near = !scope.empty() && scope.front() == "node";
    if (is_open(candidate->name) || !(near || (far && network))) continue;
    Reply reply{
        candidate->name, false, static_cast<double>(framework_.priority(*candidate)), {}, false};
    (void)open_one(*candidate, host, sinks, reply);
    decision.replies.push_back(std::move(reply));
  }
  if (!decision.replies.empty()) explanation.record(std::move(decision));
}

void BtlRouter::forget(Peer& peer) noexcept {
  routes_.erase(peer.id);
  for (const Opened& m : modules_) {
    if (m.module->reaches(peer)) m.module->disconnect(peer);
  }
}

std::vector<const BtlRouter::Opened*> BtlRouter::ranked(const Peer& peer) const {
  std::vector<const Opened*> list;
  for (const Opened& m : modules_) {
    if (m.module->reaches(peer)) list.push_back(&m);
  }
  std::stable_sort(list.begin(), list.end(), [](const Opened* a, const Opened* b) {
    const btl::Attributes &x = a->module->attributes(), &y = b->module->attributes();
    return x.exclusivity != y.exclusivity ? x.exclusivity > y.exclusivity
                                          : x.latency_ns < y.latency_ns;
  });
  const auto lower = std::find_if(list.begin(), list.end(), [&](const Opened* m) {
    return m->module->attributes().exclusivity < list.front()->module->attributes().exclusivity;
  });
  list.erase(lower, list.end());
  return list;
}

std::string_view BtlRouter::serves(const Peer& peer) const noexcept {
  const auto list = ranked(peer);
  return list.empty() ? std::string_view{} : std::string_view{list.front()->component};
}

Result<std::vector<pml::Route>> BtlRouter::connect(Peer& peer) const {
  std::vector<pml::Route> routes;
  Status last = Status::failure(Errc::peer_failed,
                                "no open transport reaches rank " + std::to_string(peer.id));
  for (const Opened* m : ranked(peer)) {
    auto endpoint = m->module->connect(peer);
    if (endpoint.ok()) {
      routes.push_back({*endpoint, &m->module->attributes()});
    } else {
      last = endpoint.status();
    }
  }
  if (routes.empty()) return last;
  return routes;
}

Result<std::span<const pml::Route>> BtlRouter::routes(Peer& peer) noexcept try {
  const auto known = routes_.find(peer.id);
  if (known != routes_.end()) return std::span<const pml::Route>(known->second);
  auto made = connect(peer);
  if (!made.ok()) return made.status();
  const auto& kept = routes_.emplace(peer.id, std::move(*made)).first->second;
  tell(peer);
  return std::span<const pml::Route>(kept);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void BtlRouter::tell(const Peer& peer) const {
  if (kernel_.watcher() == nullptr) return;
  Events& events = kernel_.watcher()->events_of("core");
  if (!events.wanted(kTransportChosen)) return;
  const auto known = kernel_.catalog().known_names("btl");
  const auto place = std::find(known.begin(), known.end(), serves(peer));
  events.raise(kTransportChosen, {peer.id, place - known.begin()});
}

bool BtlRouter::flushed() const noexcept {
  return std::all_of(modules_.begin(), modules_.end(),
                     [](const Opened& m) { return m.module->flushed(); });
}

void BtlRouter::close() noexcept {
  routes_.clear();
  modules_.clear();
  framework_.retain(
      interposers_);  // transports call the sinks of interposers until they are closed
  interposers_.clear();
  framework_.close();
}

}  // namespace tessera
