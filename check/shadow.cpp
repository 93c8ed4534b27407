// SPDX-License-Identifier: BSD-3-Clause
// Shadows, and copies into memory that may be gone.
#include "check/shadow.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "check/guards.h"
#include "check/pending.h"

namespace tessera::check {
namespace {

constinit std::atomic<std::size_t> bytes_of_all{0};

std::size_t system_value(int name) noexcept {
  const long value = ::sysconf(name);
  return value > 0 ? static_cast<std::size_t>(value) : 1;
}
std::size_t page_bytes() noexcept {
  static const std::size_t bytes = system_value(_SC_PAGESIZE);
  return bytes;
}
std::size_t most_bytes() noexcept {
  static const std::size_t bytes =
      system_value(_SC_PHYS_PAGES) * page_bytes() / 4 / system_value(_SC_NPROCESSORS_ONLN);
  return bytes;
}
std::uintptr_t page_of(std::uintptr_t address) noexcept {
  return address & ~(page_bytes() - 1);
}

// The lines of /proc/self/maps, a page of them at a time, as the system gives them.
class Mappings {
 public:
  ~Mappings() {
    if (file_ >= 0) ::close(file_);
  }
  // Without its end of line; of a long one the begin.
  bool next(std::string_view& line) noexcept {
    for (;;) {
      const std::string_view known(text_.data() + at_, end_ - at_);
      const std::size_t length = known.find('\n');
      if (length != std::string_view::npos) {
        line = known.substr(0, length);
        at_ += length + 1;
        return true;
      }
      std::copy(known.begin(), known.end(), text_.begin());
      end_ -= std::exchange(at_, 0);
      if (end_ == text_.size()) return false;
      const ssize_t more = ::read(file_, text_.data() + end_, text_.size() - end_);
      if (more <= 0) return false;
      end_ += static_cast<std::size_t>(more);
    }
  }

 private:
  int file_ = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::array<char, 16 << 10> text_;
  std::size_t at_ = 0, end_ = 0;
};

// Up to the first character that is no digit, which is taken as well.
std::uintptr_t hexadecimal(std::string_view& text) noexcept {
  std::uintptr_t value = 0;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uintptr_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
    else
      break;
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return value;
}

// Where the system forbids it (seccomp), as if all memory were there.
bool copy_guarded(std::uintptr_t to, const void* from, std::size_t bytes) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    const iovec source{static_cast<char*>(const_cast<void*>(from)) + done, bytes - done};
    const iovec target{reinterpret_cast<void*>(to + done), bytes - done};
    const ssize_t now = ::process_vm_writev(::getpid(), &source, 1, &target, 1, 0);
    if (now <= 0) {
      if (errno != ENOSYS && errno != EPERM) return false;
      std::memcpy(target.iov_base, source.iov_base, bytes - done);
      return true;
    }
    done += static_cast<std::size_t>(now);
  }
  return true;
}

bool is_named(MPI_Datatype type) noexcept {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

Shadow::Shadow(const Buffer& buffer, bool comes) noexcept {
  MPI_Count size = 0;
  const auto page = static_cast<MPI_Count>(page_bytes());
  if (!comes || buffer.count <= 0 || buffer.address == MPI_IN_PLACE ||
      buffer.type == MPI_DATATYPE_NULL || PMPI_Type_size_c(buffer.type, &size) != MPI_SUCCESS ||
      size <= 0 || buffer.count < page / size)
    return;
  const Region region(buffer);
  if (!region.contiguous() || region.begin() != reinterpret_cast<std::uintptr_t>(buffer.address))
    return;
  buffer_ = region.begin();
  bytes_ = region.end() - region.begin();
  element_ = static_cast<std::size_t>(size);
  if (first_page() >= end_of_pages() || !can_guard() || !over_private_memory()) return;
  if (bytes_of_all.fetch_add(bytes_) + bytes_ > most_bytes()) {
    bytes_of_all.fetch_sub(bytes_);
    return;
  }
  // At the same place of a page, so that data is aligned as in the buffer.
  const std::size_t offset = buffer_ - page_of(buffer_);
  void* const memory = ::mmap(nullptr, offset + bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED ||
      (!is_named(buffer.type) && PMPI_Type_dup(buffer.type, &type_) != MPI_SUCCESS)) {
    if (memory != MAP_FAILED) ::munmap(memory, offset + bytes_);
    bytes_of_all.fetch_sub(bytes_);
    return;
  }
  memory_ = static_cast<std::byte*>(memory) + offset;
}

Shadow::~Shadow() {
  if (memory_ == nullptr) return;
  const std::size_t offset = buffer_ - page_of(buffer_);
  ::munmap(memory_ - offset, offset + bytes_);
  bytes_of_all.fetch_sub(bytes_);
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

Shadow::Shadow(Shadow&& other) noexcept {
  *this = std::move(other);
}

Shadow& Shadow::operator=(Shadow&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(buffer_, other.buffer_);
  std::swap(bytes_, other.bytes_);
  std::swap(element_, other.element_);
  std::swap(type_, other.type_);
  return *this;
}

std::uintptr_t Shadow::first_page() const noexcept {
  return page_of(buffer_ + page_bytes() - 1);
}
std::uintptr_t Shadow::end_of_pages() const noexcept {
  return page_of(buffer_ + bytes_);
}

bool Shadow::over_private_memory() const noexcept {
  std::uintptr_t begin = page_of(buffer_);
  Mappings mappings;
  for (std::string_view line; mappings.next(line);) {
    const std::uintptr_t from = hexadecimal(line), to = hexadecimal(line);
    if (to <= begin) continue;
    if (from > begin || !line.starts_with("rw-p")) return false;
    if (to >= buffer_ + bytes_) return true;
    begin = to;
  }
  return false;
}

void Shadow::give(std::size_t bytes) const noexcept {
  bytes = std::min(bytes, bytes_);
  const std::size_t part = type_ != MPI_DATATYPE_NULL ? bytes % element_ : 0;
  if (bytes > part) copy_guarded(buffer_, memory_, bytes - part);
  if (part > 0) give_part_of_element(bytes - part, part);
}

// The bytes of a derived type may lie in memory in another order than that of the message.
void Shadow::give_part_of_element(std::size_t at, std::size_t bytes) const {
  const int room = static_cast<int>(element_);
  std::vector<std::byte> element(element_), old(element_), arrived(element_);
  iovec into{element.data(), element_};
  iovec from{reinterpret_cast<void*>(buffer_ + at), element_};
  if (::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) != static_cast<ssize_t>(element_))
    return;
  int position = 0;
  PMPI_Pack(element.data(), 1, type_, old.data(), room, &position, MPI_COMM_SELF);
  PMPI_Pack(memory_ + at, 1, type_, arrived.data(), room, &(position = 0), MPI_COMM_SELF);
  std::copy_n(arrived.begin(), bytes, old.begin());
  PMPI_Unpack(old.data(), room, &(position = 0), element.data(), 1, type_, MPI_COMM_SELF);
  copy_guarded(buffer_ + at, element.data(), element_);
}

}  // namespace tessera::check
