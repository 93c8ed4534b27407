// SPDX-License-Identifier: BSD-3-Clause
// Creation and attachment of the job segment, and what a rank writes into its page.
#include "core/job/segment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>

#include "core/job/layout.h"
#include "core/job/memory_file.h"
#include "core/job/region_layout.h"
#include "core/machine/usable_cpus.h"
#include "core/progress/doorbell.h"
#include "framework/trust.h"

namespace tessera {
namespace {

constexpr const char* kJobVariable = "TESSERA_JOB";

Status failed_call(Errc code, const char* call, int error) noexcept {
  return Status::failure(
      code, std::string("cannot make the job's memory object: ") + call + ": " + strerror(error));
}

constexpr std::uint64_t kPagesBegin = kRankPageBytes + kDirectoryBytes;

std::uint64_t pages_end(std::uint32_t ranks) noexcept {
  return kPagesBegin + kRankPageBytes * std::uint64_t{ranks};
}

std::array<std::string_view, kJobTexts> texts_of(const JobSegment::Options& options) noexcept {
  const auto& ids = options.place.ids;
  return {options.snapshot,
          options.topology,
          {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()}};
}

std::uint64_t place_texts(JobHeader& header, const JobSegment::Options& options) noexcept {
  const auto texts = texts_of(options);
  std::uint64_t end = pages_end(header.ranks);
  for (std::size_t i = 0; i < kJobTexts; ++i) {
    header.texts[i] = {end, texts[i].size()};
    end += round_up(texts[i].size(), 64);
  }
  return end;
}

// The fields of TESSERA_JOB: fd=200,rank=3,launcher=4711,id=0123456789abcdef
struct Invitation {
  int descriptor = -1;
  std::uint32_t rank = 0;
  std::int32_t launcher = 0;
  std::uint64_t id = 0;
};

template <class Number>
bool read_field(std::string_view text, std::string_view key, Number& value,
                int base = 10) noexcept {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != ',')) return false;
  const char* const begin = text.data() + at + key.size();
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, base);
  return error == std::errc() && (stop == end || *stop == ',');
}

bool parse(std::string_view text, Invitation& invitation) noexcept {
  return read_field(text, "fd=", invitation.descriptor) &&
         read_field(text, "rank=", invitation.rank) &&
         read_field(text, "launcher=", invitation.launcher) &&
         read_field(text, "id=", invitation.id, 16);
}

bool text_fits(const JobHeader& header, const TextPlace& place) noexcept {
  return place.offset >= pages_end(header.ranks) && place.offset <= header.fixed_bytes &&
         place.bytes <= header.fixed_bytes - place.offset;
}

bool header_fits(const JobHeader& header, std::uint64_t file_bytes) noexcept {
  const bool known = std::memcmp(header.magic, kJobMagic, sizeof kJobMagic) == 0 &&
                     header.layout == kJobLayout && header.page_bytes == kRankPageBytes;
  return known && header.ranks > 0 && header.ranks <= header.job_size &&
         header.fixed_bytes <= file_bytes && header.fixed_bytes >= pages_end(header.ranks) &&
         std::all_of(std::begin(header.texts), std::end(header.texts),
                     [&](const TextPlace& place) { return text_fits(header, place); });
}

// Attaches and checks that it is the job that was meant: a program between mpiexec and us may have
// closed the descriptor and opened another file under the same number.
Result<std::shared_ptr<JobSegment>> attach_as(int descriptor, std::uint64_t id) noexcept {
  auto segment = JobSegment::attach(descriptor);
  if (segment.ok() && segment.value()->job_id() != id) {
    return Status::failure(Errc::refused, "the descriptor belongs to another job");
  }
  return segment;
}

Result<std::shared_ptr<JobSegment>> reach(const Invitation& invitation) noexcept {
  auto segment = attach_as(invitation.descriptor, invitation.id);
  if (segment.ok()) return segment;
  return JobSegment::attach_in(invitation.launcher, invitation.descriptor, invitation.id);
}

void fill(JobHeader& header, std::uint32_t ranks, const JobSegment::Options& options) noexcept {
  std::memcpy(header.magic, kJobMagic, sizeof kJobMagic);
  header.layout = kJobLayout;
  header.page_bytes = kRankPageBytes;
  header.job_id = options.job_id != 0 ? options.job_id : JobSegment::random_id();
  header.ranks = ranks;
  header.job_size = std::max(ranks, options.place.job_size);
  header.node = options.place.node;
  header.nodes = options.place.nodes;
  header.usable_cpus = options.usable_cpus != 0 ? options.usable_cpus : usable_cpus();
  header.launcher_pid = options.launched ? getpid() : 0;
  header.recovers = options.recovers ? 1 : 0;
  header.spawn_server = options.spawn_server;
  header.fixed_bytes = round_up(place_texts(header, options), kRankPageBytes);
  header.next_offset = round_up(header.fixed_bytes, kRegionAlignment);
}

bool write_at(int descriptor, const void* data, std::size_t bytes, std::uint64_t offset) noexcept {
  return pwrite(descriptor, data, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

bool write_fixed(int descriptor, const JobHeader& header,
                 const JobSegment::Options& options) noexcept {
  const auto texts = texts_of(options);
  bool written = write_at(descriptor, &header, sizeof header, 0);
  for (std::size_t i = 0; i < kJobTexts; ++i) {
    written =
        written && write_at(descriptor, texts[i].data(), texts[i].size(), header.texts[i].offset);
  }
  return written;
}

// A process that dies with the lock leaves it to the next one, which repairs the directory.
int make_lock(pthread_mutex_t& lock) noexcept {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  const int error = pthread_mutex_init(&lock, &kind);
  pthread_mutexattr_destroy(&kind);
  return error;
}

}  // namespace

JobSegment::JobSegment(int descriptor, std::byte* base, std::size_t bytes) noexcept
    : descriptor_(descriptor), base_(base), bytes_(bytes) {}

JobSegment::~JobSegment() {
  for (const Mapped& mapped : mapped_) munmap(mapped.region.base(), mapped.region.size());
  munmap(base_, bytes_);
  close(descriptor_);
}

// Maps the fixed part of the segment behind `descriptor` and takes the descriptor, also on failure.
Result<std::shared_ptr<JobSegment>> JobSegment::own(int descriptor) noexcept {
  struct stat facts {};
  JobHeader header{};
  const bool readable = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        pread(descriptor, &header, sizeof header, 0) == sizeof header;
  if (!readable || !header_fits(header, static_cast<std::uint64_t>(facts.st_size))) {
    close(descriptor);
    return Status::failure(
        Errc::refused,
        "the inherited descriptor is not the memory object of a job of this version of Tessera; "
        "use the mpiexec that was installed with this library");
  }
  void* base = mmap(nullptr, header.fixed_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (base == MAP_FAILED) {
    close(descriptor);
    return failed_call(Errc::no_memory, "mmap", errno);
  }
  auto* segment =
      new (std::nothrow) JobSegment(descriptor, static_cast<std::byte*>(base), header.fixed_bytes);
  if (segment == nullptr) return Errc::no_memory;
  return std::shared_ptr<JobSegment>(segment);
}

Result<std::shared_ptr<JobSegment>> JobSegment::create(std::uint32_t ranks,
                                                       const Options& options) noexcept {
  if (ranks == 0) return Status::failure(Errc::argument, "a job has at least one process");
  const int descriptor = make_memory_file("tessera-job");
  if (descriptor < 0) return failed_call(Errc::system, "memfd_create", errno);
  JobHeader header{};
  fill(header, ranks, options);
  int error = take_memory(descriptor, 0, header.fixed_bytes);
  if (error == 0 && !write_fixed(descriptor, header, options)) error = errno;
  if (error != 0) {
    close(descriptor);
    return failed_call(Errc::no_space, "fallocate", error);
  }
  auto segment = own(descriptor);
  if (!segment.ok()) return segment;
  if (error = make_lock(segment.value()->header().directory_lock); error != 0)
    return failed_call(Errc::system, "pthread_mutex_init", error);
  segment.value()->join_barriers();
  return segment;
}

Result<std::shared_ptr<JobSegment>> JobSegment::attach(int descriptor) noexcept {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return Status::failure(Errc::refused,
                           std::string("the inherited descriptor: ") + strerror(errno));
  return own(copy);
}

Result<std::shared_ptr<JobSegment>> JobSegment::attach_in(std::int32_t pid, int number,
                                                          std::uint64_t id) noexcept {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return Status::failure(Errc::refused, path + ": " + strerror(errno));
  auto segment = attach_as(descriptor, id);
  close(descriptor);
  return segment;
}

Result<JobView> JobSegment::attach_inherited() noexcept {
  const char* const text = getenv(kJobVariable);
  if (text == nullptr || *text == 0) return Errc::not_found;
  if (runs_for_somebody_else()) {
    return Status::failure(
        Errc::refused,
        "this program runs with more rights than who started it (set-user-id, set-group-id or file "
        "capabilities), and does not trust the job it finds in its environment; start it alone, or "
        "the whole job with those rights");
  }
  Invitation invitation;
  if (!parse(text, invitation)) {
    return Status::failure(Errc::refused,
                           std::string(kJobVariable) + "=" + text +
                               " is not what mpiexec of this version sets; unset it to run alone");
  }
  auto segment = reach(invitation);
  if (!segment.ok()) {
    return Status::failure(
        Errc::refused, "rank " + std::to_string(invitation.rank) +
                           " cannot reach the memory of its job (" + segment.status().text() +
                           "): a program between mpiexec and this one closed descriptor " +
                           std::to_string(invitation.descriptor) +
                           "; let it inherit that one, or unset " + kJobVariable + " to run alone");
  }
  if (invitation.rank >= segment.value()->ranks()) {
    return Status::failure(Errc::refused, std::string(kJobVariable) + "=" + text +
                                              ": the job has only " +
                                              std::to_string(segment.value()->ranks()) + " ranks");
  }
  return JobView(std::move(segment).value(), invitation.rank);
}

std::string JobSegment::environment(std::uint32_t rank, int inherited_descriptor) const {
  char id[17] = {};
  std::to_chars(id, id + sizeof id - 1, job_id(), 16);
  return std::string(kJobVariable) + "=fd=" + std::to_string(inherited_descriptor) +
         ",rank=" + std::to_string(rank) + ",launcher=" + std::to_string(launcher_pid()) +
         ",id=" + id;
}

std::uint64_t JobSegment::random_id() noexcept {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id)
    id = static_cast<std::uint64_t>(getpid()) << 32;
  return id | 1;
}

std::uint64_t JobSegment::job_id() const noexcept {
  return header().job_id;
}
std::uint64_t JobSegment::spawn_server() const noexcept {
  return header().spawn_server;
}
std::int32_t JobSegment::launcher_pid() const noexcept {
  return header().launcher_pid;
}

RankPage& JobSegment::page(std::uint32_t local) const noexcept {
  return reinterpret_cast<RankPage*>(base_ + kPagesBegin)[local];
}

// A rank may have written over the header since the segment was attached.
std::string_view JobSegment::text(JobText which) const noexcept {
  const TextPlace place = header().texts[static_cast<std::size_t>(which)];
  if (place.offset > bytes_ || place.bytes > bytes_ - place.offset) return {};
  return {reinterpret_cast<const char*>(base_) + place.offset, place.bytes};
}

std::uint64_t JobSegment::first_opinion(std::uint64_t mine) const noexcept {
  std::uint64_t nobody = 0;
  const bool was_first =
      header().opinion.compare_exchange_strong(nobody, mine, std::memory_order_acq_rel);
  return was_first ? mine : nobody;
}

bool JobSegment::aborted(std::uint32_t& local, std::int32_t& code) const noexcept {
  const std::uint32_t aborter = header().aborter.load(std::memory_order_acquire);
  if (aborter == 0 || aborter > ranks()) return false;
  local = aborter - 1;
  code = page(local).abort_code.load(std::memory_order_relaxed);
  return true;
}

bool JobSegment::recovers() const noexcept {
  return header().recovers != 0;
}
std::uint32_t JobSegment::deaths() const noexcept {
  return header().deaths.load(std::memory_order_acquire);
}

void JobSegment::mark_failed(std::uint32_t rank, int wait_status) const noexcept {
  page(rank).wait_status.store(wait_status, std::memory_order_relaxed);
  page(rank).state.store(RankState::failed, std::memory_order_release);
  header().deaths.fetch_add(1, std::memory_order_acq_rel);
  for (std::uint32_t other = 0; other < ranks(); ++other) page(other).bell.ring();
}

void JobSegment::join_barriers() const noexcept {
  if (register_for_barriers()) return;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) page(rank).bell.install();
}

}  // namespace tessera
