// SPDX-License-Identifier: BSD-3-Clause
// Memory by descriptor, with and without the system calls that are made for it.
#include "core/job/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace tessera {
namespace {

bool is_denied(int error) noexcept {
  return error == EPERM || error == EACCES || error == ENOSYS || error == EOPNOTSUPP;
}

int anonymous_file(const char* name) noexcept {
#ifdef MFD_NOEXEC_SEAL
  const int sealed = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  if (sealed >= 0 || errno != EINVAL) return sealed;
#endif
  return memfd_create(name, MFD_CLOEXEC);
}

// The error that counts is that of the first way.
int nameless_file() noexcept {
  const int error = errno;
  for (const char* const directory : {"/dev/shm", "/tmp"}) {
    const int descriptor = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
  }
  errno = error;
  return -1;
}

// Never shrinks the file, which ftruncate(2) could, were another process to grow it meanwhile.
int grow(int descriptor, std::uint64_t end) noexcept {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return errno;
  if (static_cast<std::uint64_t>(facts.st_size) >= end) return 0;
  return pwrite(descriptor, "", 1, static_cast<off_t>(end - 1)) == 1 ? 0 : errno;
}

}  // namespace

int make_memory_file(const char* name) noexcept {
  const int descriptor = anonymous_file(name);
  return descriptor >= 0 || !is_denied(errno) ? descriptor : nameless_file();
}

int take_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept {
  int error = 0;
  do {
    const bool taken =
        fallocate(descriptor, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
    error = taken ? 0 : errno;
  } while (error == EINTR);
  return is_denied(error) ? grow(descriptor, offset + bytes) : error;
}

}  // namespace tessera
