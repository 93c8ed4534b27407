// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec does about a job that hangs, and when somebody asks where its ranks are.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "launcher/report.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr int kTimedOut = 124;
constexpr std::int64_t kGraceOfReaderMs = 5'000;

std::string write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? "" : fmt::format("mpiexec: cannot write '{}': {}\n", name, strerror(errno));
}

bool catches(pid_t process, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigCgt:", 0) != 0) continue;
    return (std::strtoull(line.c_str() + 7, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

std::string job_heading(std::uint32_t number) {
  return fmt::format("job {}, started by others:\n", number);
}

const char* next_step(OnHang what, bool several_hosts) noexcept {
  switch (what) {
    case OnHang::abort:
      return "the job ends now (--on-hang abort)";
    case OnHang::stop:
      return "the ranks are stopped (--on-hang stop): attach a debugger to one of the processes "
             "above; kill -CONT of mpiexec lets them go on";
    default:
      if (several_hosts) return "the job goes on; --on-hang abort ends it";
      return "the job goes on; --on-hang abort ends it, --on-hang stop keeps it for a debugger";
  }
}

}  // namespace

void Runner::watch_for_hangs(JobSegment& segment) {
  carrier::Carrier* const carrier = order_->carrier;
  const std::uint32_t hosts = carrier != nullptr ? carrier->hosts() : 1;
  HostSurvey own(segment, hosts);
  if (hosts == 1) {
    survey_ = std::make_unique<HostSurvey>(own);
  } else if (carrier->node() == 0) {
    auto all = std::make_unique<JobSurvey>(own, hosts,
                                           [carrier](std::uint32_t node, std::uint32_t question) {
                                             carrier->ask_for_waits(node, question);
                                           });
    all_hosts_ = all.get();
    survey_ = std::move(all);
  } else {
    const auto send = [carrier](std::uint32_t question, const std::string& waits) {
      return carrier->tell_waits(question, waits);
    };
    wait_reporter_.emplace(own, send, now_);
    return;
  }
  hangs_.emplace(*survey_, now_);
}

// Ranks of other hosts may wait for those of this one that have ended.
bool Runner::looks_for_hangs() const noexcept {
  if (ending_ || (!hangs_ && !wait_reporter_)) return false;
  return all_hosts_ != nullptr || wait_reporter_ || !rank_of_.empty();
}

Runner::Millis Runner::next_hang_look() const noexcept {
  return hangs_ ? hangs_->next() : wait_reporter_->next();
}

// Of a job that is connected with others nobody sees all of what a rank waits for.
void Runner::look_for_hang() {
  if (!looks_for_hangs()) return;
  const bool judged = jobs_.size() == 1 && !jobs_.front()->connected();
  if (wait_reporter_) return wait_reporter_->look(now_, judged);
  if (!judged) return hangs_->put_off(now_);
  if (const auto finding = hangs_->look(now_)) tell_hang(*finding);
}

void Runner::tell_hang(const HangWatch::Finding& finding) {
  const OnHang what = order_->line.on_hang;
  std::string text = "mpiexec: " + finding.text;
  if (what == OnHang::stop) {
    const JobSegment& segment = *jobs_.front()->segment;
    for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank)
      text += fmt::format("  {}\n", name_rank(segment.id_of(rank), segment.page(rank).pid.load()));
  }
  say(text + fmt::format("  {}\n", next_step(what, all_hosts_ != nullptr)));
  write_hang_report(finding);
  if (what == OnHang::stop) signal_ranks(SIGSTOP);
  if (what != OnHang::abort) return;
  give_up_at_ = now_ + kGraceMs;
  end_job(kTimedOut, SIGTERM, kGraceMs);
}

void Runner::write_hang_report(const HangWatch::Finding& finding) {
  const std::string &name = order_->line.hang_report, &graph = order_->line.hang_graph;
  std::string problem;
  if (!name.empty()) problem = write_file(name, finding.json);
  if (!name.empty() && problem.empty()) problem = write_file(name + ".dot", finding.dot);
  if (!graph.empty())
    problem += write_file(graph, graph.ends_with(".dot") ? finding.dot : finding.svg);
  if (!problem.empty()) say(problem);
}

// A signal that some rank has a handler for is meant for the program.
bool Runner::anybody_catches(int signal) const {
  return std::any_of(rank_of_.begin(), rank_of_.end(), [&](const auto& entry) {
    const pid_t inner = entry.second.page().pid.load(std::memory_order_acquire);
    return catches(entry.first, signal) || (inner > 0 && catches(inner, signal));
  });
}

// A second signal before the answer asks for nothing new.
void Runner::ask_for_places() {
  if (!asked_.empty()) return;
  for (const auto& job : jobs_) asked_.emplace_back(job->number, Whereabouts(job->segment, now_));
}

void Runner::tell_places() {
  if (asked_.empty()) return;
  bool all = true;
  for (const auto& [number, ranks] : asked_) all = ranks.answered(now_) && all;
  if (!all) return;
  const TimeUp up = std::exchange(time_up_, TimeUp::no);
  std::string text;
  for (const auto& [number, ranks] : asked_) {
    if (number != 1) text += job_heading(number);
    text += up == TimeUp::no ? ranks.text() : ranks.brief();
  }
  asked_.clear();
  if (up == TimeUp::no) return say("mpiexec: where the ranks are:\n" + text);
  if (!ending_) end_timed_out(up, text);
}

void Runner::time_is_up() {
  timeout_at_ = kNever;
  if (!ending_) ask_before_end(TimeUp::here);
}

// The job goes on until the ranks have answered.
void Runner::ask_before_end(TimeUp where) {
  if (time_up_ != TimeUp::no) return;
  time_up_ = where;
  asked_.clear();
  ask_for_places();
}

void Runner::end_timed_out(TimeUp where, const std::string& places) {
  if (where == TimeUp::elsewhere) return say(places), end_as_told();
  say(fmt::format(
      "mpiexec: the job has not ended within {} s (--timeout); where its ranks are:\n{}",
      order_->line.timeout_s, places));
  if (order_->carrier != nullptr) order_->carrier->tell_end(kTimedOut, true);
  give_up_at_ = now_ + kGraceOfReaderMs;
  end_job(kTimedOut, SIGTERM, kGraceMs);
}

}  // namespace tessera::launcher
