// SPDX-License-Identifier: BSD-3-Clause
// An open file of the operating system.
#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "system_error.h"
#include "transfer.h"

namespace tessera::io::posix {
namespace {

// O_APPEND is never passed: Linux then ignores the offsets of pwrite.
int flags_of(const Mode& mode) noexcept {
  int flags = O_CLOEXEC | (mode.read ? mode.write ? O_RDWR : O_RDONLY : O_WRONLY);
  if (mode.create) flags |= O_CREAT;
  if (mode.create && mode.exclusive) flags |= O_EXCL;
  return flags;
}

std::string_view name_of_file_system(int descriptor) noexcept {
  struct statfs about;
  if (fstatfs(descriptor, &about) != 0) return "an unknown file system";
  switch (static_cast<std::uint64_t>(about.f_type)) {
    case 0xef53:
      return "ext4";
    case 0x0102'1994:
      return "tmpfs";
    case 0x5846'5342:
      return "xfs";
    case 0x9123'683e:
      return "btrfs";
    case 0x6969:
      return "nfs";
    case 0x794c'7630:
      return "overlay";
    case 0x0bd0'0bd0:
      return "lustre";
    default:
      return "another file system";
  }
}

void count(std::atomic<std::uint64_t>& counter, Offset amount) noexcept {
  counter.fetch_add(static_cast<std::uint64_t>(amount), std::memory_order_relaxed);
}

Offset bytes_of(std::span<const Extent> list) noexcept {
  Offset sum = 0;
  for (const Extent& extent : list) sum += static_cast<Offset>(extent.bytes);
  return sum;
}

// Mapped pages and calls see the same bytes there.
bool maps_well(std::string_view file_system) noexcept {
  return file_system == "ext4" || file_system == "tmpfs";
}

}  // namespace

Result<Driver*> File::open(const Question& question, const Mode& mode, Maps maps,
                           Traffic& traffic) noexcept {
  File* file = new (std::nothrow) File(std::string(question.path), traffic);
  if (file == nullptr) return Errc::no_memory;
  const mode_t permission = mode.permission != 0 ? mode.permission : 0666;
  do {
    file->descriptor_ = ::open(file->path_.c_str(), flags_of(mode), permission);
  } while (file->descriptor_ < 0 && errno == EINTR);
  Status opened = file->descriptor_ < 0
                      ? system_failure("open", file->path_, -1, errno)
                      : file->identify({maps.reads && mode.read, maps.writes && mode.write});
  if (opened.ok()) return file;
  delete file;
  return opened;
}

// What kind of file it is. A directory can be opened for reading, but is none.
Status File::identify(Maps maps) noexcept {
  struct stat about;
  if (fstat(descriptor_, &about) != 0) return system_failure("fstat", path_, -1, errno);
  if (S_ISDIR(about.st_mode)) return system_failure("open", path_, -1, EISDIR);
  device_ = S_ISBLK(about.st_mode);
  facts_.positioned = S_ISREG(about.st_mode) || device_;
  facts_.locks = S_ISREG(about.st_mode);
  if (about.st_blksize > 0) facts_.block = about.st_blksize;
  facts_.storage = facts_.positioned ? name_of_file_system(descriptor_) : "a stream";
  if (S_ISREG(about.st_mode) && maps_well(facts_.storage)) mapping_.allow(maps.reads, maps.writes);
  return {};
}

File::~File() {
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

Outcome File::read(std::span<const Extent> list) noexcept {
  const OpenFile file{descriptor_, facts_.positioned, path_};
  const Outcome outcome = read_list(file, list);
  count(traffic_.reads, 1);
  count(traffic_.bytes_read, outcome.bytes);
  return outcome;
}

Outcome File::write(std::span<const Extent> list) noexcept {
  const OpenFile file{descriptor_, facts_.positioned, path_};
  const bool copied = mapping_.write(file, list);
  const Outcome outcome = copied ? Outcome{bytes_of(list), {}} : write_list(file, list);
  count(traffic_.writes, 1);
  if (copied) count(traffic_.copied, 1);
  count(traffic_.bytes_written, outcome.bytes);
  return outcome;
}

bool File::copies(bool writing, const Pieces& pieces) noexcept {
  return mapping_.copies({descriptor_, facts_.positioned, path_}, writing, pieces);
}

bool File::lend(const Pieces& pieces, Look look, void* context) noexcept {
  if (!mapping_.lend({descriptor_, facts_.positioned, path_}, pieces, look, context)) return false;
  count(traffic_.reads, 1);
  count(traffic_.copied, 1);
  count(traffic_.bytes_read, pieces.bytes);
  return true;
}

Result<Offset> File::size() noexcept {
  if (!facts_.positioned) {
    return Status::failure(Errc::unsupported,
                           "file \"" + path_ + "\" is a pipe or a terminal and has no size");
  }
  struct stat about;
  if (!device_ && fstat(descriptor_, &about) == 0) return Offset{about.st_size};
  const off_t end = device_ ? lseek(descriptor_, 0, SEEK_END) : -1;
  if (end < 0) return system_failure("size", path_, -1, errno);
  return Offset{end};
}

Status File::resize(Offset size) noexcept {
  while (ftruncate(descriptor_, size) != 0) {
    if (errno != EINTR) return system_failure("set size", path_, size, errno);
  }
  return {};
}

Status File::extend(Offset size) noexcept {
  auto now = this->size();
  if (!now.ok()) return now.status();
  return *now < size ? resize(size) : Status();
}

// Not posix_fallocate: where the file system cannot, it writes into every block, which would
// destroy what others write there at the same time. Then only the size is given.
Status File::reserve(Offset size) noexcept {
  if (size == 0) return {};
  while (fallocate(descriptor_, 0, 0, size) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) return extend(size);
    if (errno != EINTR) return system_failure("preallocate", path_, size, errno);
  }
  return {};
}

Status File::sync() noexcept {
  while (fsync(descriptor_) != 0) {
    if (errno == EINTR) continue;
    if (!facts_.positioned && (errno == EINVAL || errno == EROFS)) return {};
    return system_failure("sync", path_, -1, errno);
  }
  return {};
}

// Never repeated: Linux has freed the descriptor also when it says EINTR.
Status File::close() noexcept {
  mapping_.release();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) == 0 || errno == EINTR) return {};
  return system_failure("close", path_, -1, errno);
}

// Locks of the open file description: the classic ones would vanish with any close of the file.
Status File::lock(Range range, bool exclusive) noexcept {
  struct flock request = {};
  request.l_type = static_cast<short>(exclusive ? F_WRLCK : F_RDLCK);
  request.l_whence = SEEK_SET;
  request.l_start = range.first;
  request.l_len = range.end - range.first;
  while (fcntl(descriptor_, F_OFD_SETLKW, &request) != 0) {
    if (errno != EINTR) return system_failure("lock", path_, range.first, errno);
  }
  return {};
}

void File::unlock(Range range) noexcept {
  struct flock request = {};
  request.l_type = F_UNLCK;
  request.l_whence = SEEK_SET;
  request.l_start = range.first;
  request.l_len = range.end - range.first;
  (void)fcntl(descriptor_, F_OFD_SETLK, &request);
}

}  // namespace tessera::io::posix
