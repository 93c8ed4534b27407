// SPDX-License-Identifier: BSD-3-Clause
// What a carrier's Runner does about the other hosts of its job.
#include <fmt/format.h>
#include <signal.h>

#include "launcher/runner.h"

namespace tessera::launcher {

std::uint32_t Runner::others_elsewhere() const noexcept {
  return order_->carrier != nullptr ? order_->part.job_size - order_->ranks() : 0;
}

void Runner::told_to_end(bool with_places) {
  if (ending_) return;
  if (with_places) return ask_before_end(TimeUp::elsewhere);
  end_as_told();
}

void Runner::end_as_told() {
  told_ = true;
  give_up_at_ = now_ + kGraceMs;
  end_job(0, SIGTERM, kGraceMs);
}

void Runner::carrier_failed(const std::string& what) {
  if (ending_) return;
  say(fmt::format("mpiexec: {}\n", what));
  give_up_at_ = now_ + kGraceMs;
  end_job(1, SIGTERM, kGraceMs);
}

void Runner::asked_for_waits(std::uint32_t question) {
  if (wait_reporter_) wait_reporter_->asked(question, now_);
}

void Runner::told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) {
  if (all_hosts_ != nullptr) all_hosts_->told(node, question, waits);
}

// The job may go on elsewhere, and its time be up while it does.
void Runner::finish_with_hosts() {
  finishing_ = true;
  if (!ending_) timeout_at_ = deadline_;
  while (!order_->carrier->finish(status_, now_)) wait_for_events();
  finish_output();
  status_ = order_->carrier->result();
}

}  // namespace tessera::launcher
