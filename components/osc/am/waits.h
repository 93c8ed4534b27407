// SPDX-License-Identifier: BSD-3-Clause
// How AmModule waits for others.
#pragma once

#include "module.h"

namespace tessera::osc::am {

template <class Done>
Status AmModule::wait_for(int rank, Done done, Waiting::What what) {
  if (done()) return {};
  const Waiting waiting(window_, what, rank);
  const Status waited = network_.progress().wait_for(peer(rank), done);
  return waited.ok() ? waited : failed_rank(rank);
}

template <class Done>
Status AmModule::wait_for_all(Done done) {
  if (done()) return {};
  const Waiting waiting(window_, Waiting::What::completions);
  const Status waited = network_.progress().wait_until(done, [&] { return dead_rank() >= 0; });
  return waited.ok() ? waited : failed_rank(dead_rank());
}

}  // namespace tessera::osc::am
