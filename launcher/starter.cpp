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
      files_of_ranks_(order.line.output, number, segment.job_size()),
      files_(raise_file_limit()) {}

// Until then the memory object stays open: a rank whose parent closed it opens it through this
// process.
Starter::~Starter() {
  close(nothing_);
  close(inherited_);
}

bool Starter::is_direct(const JobOrder& order) noexcept {
  const OutputRequest& output = order.line.output;
  return order.ranks() == 1 && order.carrier == nullptr && !output.marks_lines() &&
         !output.to_files();
}

std::string Starter::tag(std::uint32_t rank, OutputFiles::Stream stream) const {
  const std::uint32_t id = segment_->id_of(rank);
  const std::string number = std::to_string(id);
  switch (order_->line.output.tags) {
    case Tags::none:
      return {};
    case Tags::rank:
      return number_ == 1 ? "[" + number + "] "
                          : "[" + std::to_string(number_) + "," + number + "] ";
    case Tags::job_rank_stream:
      return "[" + std::to_string(number_) + "," + number + "]<" + name_of(stream) + ">:";
    case Tags::pattern:
      return expand_pattern(order_->line.output.pattern, id);
  }
  return {};
}

// The writing end of a pipe, or what the rank has to wait for itself: mpiexec waits for nobody.
Result<int> Starter::open_stream(std::uint32_t rank, OutputMux& output,
                                 OutputFiles::Stream stream) {
  auto file = files_of_ranks_.open(segment_->id_of(rank), stream);
  if (!file.ok()) return file.status();
  if (file.value().alone() && file.value().has_reader()) return file.value().release();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    const std::string why = strerror(errno);
    const bool too_many = errno == EMFILE;
    return Status::failure(Errc::system, "no pipe for its output: " + why +
                                             (too_many ? " (raise the limit: ulimit -n)" : ""));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  LineStyle style{tag(rank, stream), order_->line.output.timestamps, std::move(file.value())};
  output.add(std::make_unique<Stream>(ends[0], source_of(rank), std::move(style), output));
  return ends[1];
}

Status Starter::connect(std::uint32_t rank, int (&streams)[3]) {
  const OutputRequest& output = order_->line.output;
  const bool reads = number_ == 1 && order_->line.reader == rank;
  streams[0] = reads ? STDIN_FILENO : nothing_;
  streams[1] = STDOUT_FILENO;
  streams[2] = output.merge_streams ? STDOUT_FILENO : STDERR_FILENO;
  if (outputs_.out == nullptr) return {};
  return connect_outputs(rank, streams);
}

// One pipe serves both streams where they end up in the same place anyway: that keeps their order.
Status Starter::connect_outputs(std::uint32_t rank, int (&streams)[3]) {
  const OutputRequest& output = order_->line.output;
  using Kind = OutputFiles::Stream;
  auto out = open_stream(rank, *outputs_.out, Kind::out);
  if (!out.ok()) return out.status();
  streams[1] = streams[2] = out.value();
  const bool separate = output.tags == Tags::job_rank_stream || output.to_files();
  if (output.merge_streams || !output.file.empty()) return {};
  if (outputs_.out == outputs_.err && !separate) return {};
  auto err = open_stream(rank, *outputs_.err, Kind::err);
  if (!err.ok()) {
    close(out.value());
    return err.status();
  }
  streams[2] = err.value();
  return {};
}

CpuMask Starter::cpus_of(std::uint32_t rank) const {
  const auto& places = order_->plan.places;
  return CpuMask(rank < places.size() ? places[rank].cpus : std::vector<std::uint32_t>());
}

Result<pid_t> Starter::start(std::uint32_t rank, std::uint32_t app) {
  Program& program = *order_->programs[app];
  RankPage& page = segment_->page(rank);
  page.app_number = app;
  page.state.store(RankState::started, std::memory_order_release);
  ProcessOrder order{program.path(),
                     program.arguments(),
                     program.script_arguments(),
                     nullptr,
                     program.directory(),
                     {},
                     inherited_,
                     &order_->signals.original,
                     &files_,
                     nullptr,
                     0};
  const CpuMask cpus = cpus_of(rank);
  order.cpus = cpus.data();
  order.cpu_bytes = cpus.bytes();
  if (const Status status = connect(rank, order.streams); !status.ok())
    return about_rank(segment_->id_of(rank), status);
  std::vector<std::string> variables = {segment_->environment(rank, inherited_),
                                        "TESSERA_RANK=" + std::to_string(segment_->id_of(rank)),
                                        "TESSERA_SIZE=" + std::to_string(segment_->job_size())};
  if (order_->line.universe > 0)
    variables.push_back("TESSERA_UNIVERSE=" + std::to_string(order_->line.universe));
  if (!parents_.empty()) variables.push_back("TESSERA_PARENT=" + parents_);
  order.environment = program.environment(variables);
  auto process = spawn(order);
  close_pipes(order.streams);
  if (!process.ok()) return about_rank(segment_->id_of(rank), process.status());
  page.launched_pid.store(process.value(), std::memory_order_release);
  return process;
}

}  // namespace tessera::launcher
