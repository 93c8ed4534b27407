// SPDX-License-Identifier: BSD-3-Clause
// An Instance and processes beyond its own job: of other jobs, of other MPI systems.
#include "core/dynamic/card_book.h"
#include "core/dynamic/connections.h"
#include "core/dynamic/dynamic.h"
#include "core/engine/instance.h"
#include "core/impi/systems.h"

namespace tessera {

void Instance::open_transports(bool network) {
  connections_->expect();
  const ComponentParams none(params(), "btl", "");
  router_->open_more({none, job(), *progress_, *cards_}, sinks_, explanation_, network);
  if (router_->in_memory()) progress_->expect_ring();
}

void Instance::share_processors_with(std::uint32_t others) {
  others_here_ = others;
  progress_->set_policy(wait_policy(params(), job(), others));
  share_cache(params(), job(), others);
}

Dynamic& Instance::dynamic() {
  if (!dynamic_) dynamic_ = std::make_unique<Dynamic>(*this);
  return *dynamic_;
}

// From here on the pml reaches the processes of other systems too. The children of a process of the
// job have its parameters, but take no part in it.
Status Instance::join_systems() {
  if (params().text("impi_server").empty() || !parents_port().empty()) return {};
  auto joined = impi::Systems::join(*this);
  if (!joined.ok()) return joined.status();
  systems_ = std::move(*joined);
  pml_ = &systems_->pml();
  return {};
}

}  // namespace tessera
