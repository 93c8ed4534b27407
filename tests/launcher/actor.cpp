// SPDX-License-Identifier: BSD-3-Clause
// Plays an MPI process for the launcher's tests: does what its arguments say, one after the other.
//
//   init         join the job and become `initialised`
//   finalize     become `finalized`
//   abort N      record MPI_Abort(N) and exit
//   exit N       _exit(N)
//   signal N     die of signal N
//   ignore N     ignore signal N
//   say TEXT     a line on standard output
//   words TEXT   the same without its newline
//   complain TEXT a line on standard error
//   blurt TEXT   the same without its newline
//   lines N BYTES  N numbered lines of that length
//   app          a line with the number of the program
//   rank         a line with rank and size
//   cpus         a line with the number of CPUs that the job may use
//   text         a line with the length of the snapshot
//   blocked NAME note that the rank waits in NAME
//   pause        wait for ever
//   orphan       wait until the parent has ended
//   if RANK      end here, well, unless this is the rank
//   touch PATH   make an empty file
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "core/job/job.h"

namespace {

using tessera::JobSegment;
using tessera::JobView;
using tessera::RankState;
using tessera::SegmentJob;

std::unique_ptr<SegmentJob> job;

void write_all(int stream, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(stream, text.data() + done, text.size() - done);
    if (count < 0) _exit(90);
    done += static_cast<std::size_t>(count);
  }
}

void init() {
  auto view = JobSegment::attach_inherited();
  auto joined = view.ok() ? SegmentJob::join(view.value())
                          : tessera::Result<std::unique_ptr<SegmentJob>>(view.status());
  if (!joined.ok()) {
    write_all(2, std::string("actor: ") + joined.status().text() + "\n");
    _exit(91);
  }
  job = std::move(joined).value();
  job->view().set_state(RankState::initialised);
}

void write_lines(long count, long bytes) {
  const char* const rank = getenv("TESSERA_RANK");
  for (long i = 0; i < count; ++i) {
    std::string line = std::string(rank != nullptr ? rank : "-") + " " + std::to_string(i) + " ";
    line.append(static_cast<std::size_t>(bytes), static_cast<char>('a' + i % 26));
    write_all(1, line + "\n");
  }
}

void note_blocked(const char* function) {
  tessera::Blocked blocked;
  std::strncpy(blocked.function, function, sizeof blocked.function - 1);
  blocked.peer = 1;
  blocked.tag = 7;
  job->view().page().blocked.write(blocked);
}

// The parent of the program's start: one asked for later may already be who adopted this process.
const pid_t first_parent = getppid();

void wait_until_orphan() {
  while (getppid() == first_parent) usleep(1'000);
}

[[noreturn]] void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
  _exit(92);
}

void plain(const std::string& what) {
  const JobView* const view = job ? &job->view() : nullptr;
  if (what == "init") return init();
  if (what == "finalize") return view->set_state(RankState::finalized);
  if (what == "orphan") return wait_until_orphan();
  if (what == "app") return write_all(1, std::to_string(view->app_number()) + "\n");
  if (what == "rank")
    return write_all(1, std::to_string(job->my_id()) + " of " + std::to_string(job->size()) + "\n");
  if (what == "cpus") return write_all(1, std::to_string(job->usable_cpus()) + "\n");
  if (what == "text") {
    return write_all(
        1, std::to_string(view->segment().text(tessera::JobText::snapshot).size()) + "\n");
  }
  while (what == "pause") pause();
  _exit(93);
}

void with_value(const std::string& what, const char* value) {
  const int number = std::atoi(value);
  if (what == "abort") job->view().record_abort(number);
  if (what == "abort" || what == "exit") _exit(number);
  if (what == "signal") die_of(number);
  if (what == "ignore") signal(number, SIG_IGN);
  if (what == "say") write_all(1, std::string(value) + "\n");
  if (what == "words") write_all(1, value);
  if (what == "complain") write_all(2, std::string(value) + "\n");
  if (what == "blurt") write_all(2, value);
  if (what == "blocked") note_blocked(value);
  if (what == "touch") close(open(value, O_WRONLY | O_CREAT, 0600));
  if (what == "if" && std::strcmp(getenv("TESSERA_RANK"), value) != 0) _exit(0);
}

bool takes_value(const std::string& what) {
  for (const char* name : {"abort", "exit", "signal", "ignore", "say", "words", "complain",
                           "blocked", "if", "touch", "blurt"}) {
    if (what == name) return true;
  }
  return false;
}

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const std::string what = words[i];
    if (what == "lines" && i + 2 < count) {
      write_lines(std::atol(words[i + 1]), std::atol(words[i + 2]));
      i += 2;
    } else if (takes_value(what) && i + 1 < count) {
      with_value(what, words[++i]);
    } else {
      plain(what);
    }
  }
  return 0;
}
