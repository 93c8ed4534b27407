// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a job and connects their streams.
#include "launcher/starter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launcher/spawn.h"

namespace tessera::launcher {
namespace {

// Shells and scripts number the descriptors they open themselves from 3 or from 10.
constexpr int kQuietNumber = 200;

rlimit raise_file_limit() noexcept {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit raised{files.rlim_max, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  return files;
}

int with_quiet_number(int descriptor) noexcept {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kQuietNumber);
  return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

// What ends at once when it is read; a bare root has no /dev/null.
int open_nothing() noexcept {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return file >= 0 ? file : memfd_create("nothing", MFD_CLOEXEC);
}

Status about_rank(std::uint32_t rank, const Status& status) {
  return Status::failure(status.code(), "rank " + std::to_string(rank) + ": " + status.text());
}

void close_pipes(const int (&streams)[3]) noexcept {
  if (streams[1] > 2) close(streams[1]);
  if (streams[2] > 2 && streams[2] != streams[1]) close(streams[2]);
}

}  // namespace

Starter::Starter(JobOrder& order, JobSegment& segment, Outputs outputs, std::uint32_t number,
                 std::string parents)
    : order_(&order),
      segment_(&segment),
      number_(number),
      parents_(std::move(parents)),
      outputs_(outputs),
      inherited_(with_quiet_number(segment.descriptor())),
      nothing_(open_nothing()),
      files_(raise_file_limit()) {}

// Until then the memory object stays open: a rank whose parent closed it opens it through this
// process.
Starter::~Starter() {
  close(nothing_);
  close(inherited_);
}

bool Starter::is_direct(const JobOrder& order) noexcept {
  return order.ranks() == 1 && order.line.tags == Tags::none;
}

std::string Starter::tag(std::uint32_t rank, const char* stream) const {
  const std::string number = std::to_string(rank);
  switch (order_->line.tags) {
    case Tags::none:
      return {};
    case Tags::rank:
      return number_ == 1 ? "[" + number + "] "
                          : "[" + std::to_string(number_) + "," + number + "] ";
    case Tags::job_rank_stream:
      return "[" + std::to_string(number_) + "," + number + "]<" + stream + ">:";
  }
  return {};
}

Result<int> Starter::open_pipe(std::uint32_t rank, OutputMux& output, const char* stream) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Status::failure(Errc::system,
                           std::string("no pipe for its output: ") + strerror(errno) +
                               (errno == EMFILE ? " (raise the limit: ulimit -n)" : ""));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  output.add(std::make_unique<Stream>(ends[0], source_of(rank), tag(rank, stream), output));
  return ends[1];
}

// One pipe serves both streams where they end up in the same place anyway: that keeps their order.
Status Starter::connect(std::uint32_t rank, int (&streams)[3]) {
  streams[0] = rank == 0 && number_ == 1 && order_->line.rank0_reads ? STDIN_FILENO : nothing_;
  streams[1] = STDOUT_FILENO;
  streams[2] = order_->line.merge_streams ? STDOUT_FILENO : STDERR_FILENO;
  if (outputs_.out == nullptr) return {};
  auto out = open_pipe(rank, *outputs_.out, "stdout");
  if (!out.ok()) return out.status();
  streams[1] = streams[2] = out.value();
  const bool separate_tags =
      order_->line.tags == Tags::job_rank_stream && !order_->line.merge_streams;
  if (outputs_.out == outputs_.err && !separate_tags) return {};
  auto err = open_pipe(rank, *outputs_.err, "stderr");
  if (!err.ok()) {
    close(out.value());
    return err.status();
  }
  streams[2] = err.value();
  return {};
}

Result<pid_t> Starter::start(std::uint32_t rank, std::uint32_t app) {
  Program& program = *order_->programs[app];
  RankPage& page = segment_->page(rank);
  page.app_number = app;
  page.state.store(RankState::started, std::memory_order_release);
  SpawnOrder order{program.path(), program.arguments(),       program.script_arguments(),
                   nullptr,        program.directory(),       {},
                   inherited_,     &order_->signals.original, &files_};
  if (const Status status = connect(rank, order.streams); !status.ok())
    return about_rank(rank, status);
  std::vector<std::string> variables = {segment_->environment(rank, inherited_),
                                        "TESSERA_RANK=" + std::to_string(rank),
                                        "TESSERA_SIZE=" + std::to_string(segment_->ranks())};
  if (!parents_.empty()) variables.push_back("TESSERA_PARENT=" + parents_);
  order.environment = program.environment(variables);
  auto process = spawn(order);
  close_pipes(order.streams);
  if (!process.ok()) return about_rank(rank, process.status());
  page.launched_pid.store(process.value(), std::memory_order_release);
  return process;
}

}  // namespace tessera::launcher
