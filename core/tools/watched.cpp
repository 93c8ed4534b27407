// SPDX-License-Identifier: BSD-3-Clause
// What the engine itself counts; and the parameters that it reads while it runs.
#include "core/tools/watched.h"

#include "core/engine/instance.h"
#include "core/tools/loss_watch.h"

namespace tessera {

Watched::Watched(Instance& instance, Watcher& watcher) : instance_(instance), watcher_(watcher) {
  watcher_.joined("core", *this);
}

Watched::~Watched() {
  watcher_.left("core", *this);
}

void Watched::measure(Measures& measures) noexcept {
  const WaitTally& waits = instance_.progress().tally();
  const Census& census = instance_.census();
  measures.value("state") = instance_.active() ? 1 : 0;
  measures.value("idle_polls") = waits.idle_polls;
  measures.value("yields") = waits.yields;
  measures.value("sleeps") = waits.sleeps;
  measures.value("sleep_time") = waits.sleep_ns;
  measures.value("communicators") = census.communicators;
  measures.value("windows") = census.windows;
  measures.value("files") = census.files;
  measures.value("files_opened") = census.files_opened;
  measures.value("collectives") = census.collectives;
  measures.value("peers_lost") = instance_.peers_lost();
}

std::uint64_t Instance::peers_lost() const noexcept {
  return loss_watch_ ? loss_watch_->count() : 0;
}

Status Instance::assign(std::string_view name, std::string_view value) {
  if (Status s = kernel_->assign(name, value); !s) return s;
  if (name.starts_with("core_")) share_processors_with(others_here_);
  return {};
}

}  // namespace tessera
