// SPDX-License-Identifier: BSD-3-Clause
// A job segment that a rank has scribbled on, as mpiexec and tessera-status read it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "core/job/layout.h"
#include "core/progress/wait_report.h"
#include "launcher/hang/rank_waits.h"
#include "launcher/hang/verdict.h"
#include "launcher/report.h"
#include "tests/fuzz/fuzz.h"

namespace tessera {
namespace {

using Image = std::vector<std::byte>;

void copy_text(char* to, const char* text) {
  std::memcpy(to, text, std::strlen(text) + 1);
}

// Rank `local` of the three waits for a message.
void fill(RankPage& page, WaitReport& report, std::int32_t local) {
  page.pid.store(::getpid());
  page.state.store(RankState::initialised);
  Blocked blocked;
  copy_text(blocked.function, "MPI_Recv");
  copy_text(blocked.communicator, "MPI_COMM_WORLD");
  blocked.since_ns = 1;
  blocked.peer = blocked.peer_in_job = (local + 1) % 3;
  blocked.tag = 7;
  page.blocked.write(blocked);
  report = {};
  copy_text(report.function, "MPI_Recv");
  report.since_ns = 1;
  report.whole = report.waits = report.sends = report.unexpected = report.comms = 1;
  report.wait[0] = {ReportedWait::Kind::receive,
                    (local + 1) % 3,
                    (local + 1) % 3,
                    7,
                    0,
                    0,
                    0,
                    0,
                    0,
                    4,
                    0,
                    "MPI_Recv"};
  report.send[0] = {0, (local + 2) % 3, 8, 0, 1, 4};
  report.arrived[0] = {0, (local + 1) % 3, 9, 0, 1, 4};
  ReportedComm& comm = report.comm[0];
  comm.context = 1;
  copy_text(comm.name, "MPI_COMM_WORLD");
  comm.processes = 3;
  comm.runs = comm.all_members = 1;
  comm.run[0] = {0, 3, 1};
}

// The bytes of a segment whose three ranks all wait.
Image make_image() {
  const std::uint32_t ids[] = {0, 1, 2};
  auto segment = JobSegment::create(
      3,
      {.usable_cpus = 2, .snapshot = "parameters", .topology = "cores", .place = {4, ids, 0, 2}});
  EXPECT_TRUE(segment.ok());
  auto reports = wait_reports(**segment);
  EXPECT_TRUE(reports.ok());
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    fill((*segment)->page(rank), (*reports)[rank], static_cast<std::int32_t>(rank));
  struct stat facts {};
  EXPECT_EQ(::fstat((*segment)->descriptor(), &facts), 0);
  Image image(static_cast<std::size_t>(facts.st_size));
  EXPECT_EQ(::pread((*segment)->descriptor(), image.data(), image.size(), 0),
            static_cast<ssize_t>(image.size()));
  return image;
}

// A text is a list of changes: a letter for where, two bytes of offset, one of length, the bytes.
class Scribbler {
 public:
  Scribbler() : image_(make_image()), file_(::memfd_create("fuzz", MFD_CLOEXEC)) { restore(); }
  ~Scribbler() { ::close(file_); }
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;

  int file() const { return file_; }
  void restore() {
    EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(image_.size())), 0);
    write(0, image_.data(), image_.size());
  }
  void apply(const std::string& text) {
    for (std::size_t at = 0; at + 4 <= text.size();) {
      const auto number = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
      const std::size_t bytes = std::min<std::size_t>(number(3), text.size() - at - 4);
      const std::size_t where = place(text[at]) + number(1) + 256U * number(2);
      if (where + bytes <= image_.size()) write(where, text.data() + at + 4, bytes);
      at += 4 + bytes;
    }
    // The lock stays whole: who destroys a lock of the job stops the job (docs/security.md).
    constexpr std::size_t lock = offsetof(JobHeader, directory_lock);
    write(lock, &image_[lock], sizeof(pthread_mutex_t));
  }

 private:
  void write(std::size_t where, const void* data, std::size_t bytes) const {
    EXPECT_EQ(::pwrite(file_, data, bytes, static_cast<off_t>(where)), static_cast<ssize_t>(bytes));
  }
  // The image in memory is not aligned as the header is.
  std::size_t ids_offset() const {
    TextPlace ids;
    constexpr std::size_t at = static_cast<std::size_t>(JobText::ids) * sizeof ids;
    std::memcpy(&ids, &image_[offsetof(JobHeader, texts) + at], sizeof ids);
    return ids.offset;
  }
  std::size_t place(char letter) const {
    constexpr std::size_t pages = sizeof(JobHeader) + kDirectoryBytes;
    switch (letter % 6) {
      case 0:
        return offsetof(JobHeader, ranks);
      case 1:
        return sizeof(JobHeader);  // the directory
      case 2:
        return pages + offsetof(RankPage, blocked);
      case 3:
        return pages + kRankPageBytes;
      case 4:
        return ids_offset();
      default:
        return image_.size() - 3 * sizeof(WaitReport);  // the region is the last thing in the file
    }
  }

  Image image_;
  int file_;
};

std::size_t touch(std::string_view text) {
  return std::accumulate(text.begin(), text.end(), std::size_t{0});
}

void read_facts(const JobSegment& segment) {
  for (const JobText which : {JobText::snapshot, JobText::topology, JobText::ids})
    EXPECT_GE(touch(segment.text(which)) + 1'000'000'000, 1U);
  for (std::uint32_t local = 0; local < segment.ranks(); ++local) {
    EXPECT_LT(segment.id_of(local), segment.job_size());
    const auto back = segment.local_of(segment.id_of(local));
    EXPECT_TRUE(!back || *back < segment.ranks());
    EXPECT_FALSE(launcher::describe_place(segment.page(local), 0).empty());
  }
  std::uint32_t local = 0;
  std::int32_t code = 0;
  EXPECT_TRUE(!segment.aborted(local, code) || local < segment.ranks());
}

// What mpiexec makes of the reports.
std::string read_reports(JobSegment& segment) {
  auto reports = wait_reports(segment);
  if (!reports.ok()) return reports.status().text();
  std::vector<launcher::RankWait> waits(segment.ranks());
  for (std::uint32_t local = 0; local < waits.size(); ++local) {
    const RankPage& page = segment.page(local);
    (void)launcher::rough_wait(page, page.blocked.read());
    waits[local] = launcher::full_wait(page, (*reports)[local]);
  }
  const launcher::WaitGraph graph(waits);
  const auto verdict = launcher::judge(graph);
  if (!verdict) return "no verdict";
  EXPECT_FALSE(launcher::describe(*verdict, graph, 1).empty());
  EXPECT_FALSE(launcher::as_json(*verdict, graph, 1).empty());
  EXPECT_FALSE(launcher::as_dot(*verdict, graph).empty());
  EXPECT_FALSE(launcher::as_svg(*verdict, graph).empty());
  return {};
}

std::string read_all(JobSegment& segment) {
  read_facts(segment);
  return read_reports(segment);
}

// Before it is attached, and while it is in use.
TEST(Fuzz, JobSegments) {
  Scribbler scribbler;
  fuzz::run("segment", [&](const std::string& text) {
    scribbler.restore();
    std::string said;
    {
      auto segment = JobSegment::attach(scribbler.file());
      EXPECT_TRUE(segment.ok());
      scribbler.apply(text);
      if (segment.ok()) (void)read_all(**segment);
    }
    scribbler.restore();
    scribbler.apply(text);
    auto segment = JobSegment::attach(scribbler.file());
    return segment.ok() ? read_all(**segment) : std::string(segment.status().text());
  });
}

}  // namespace
}  // namespace tessera
