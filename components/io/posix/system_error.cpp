// SPDX-License-Identifier: BSD-3-Clause
// From errno to a failure that names the file.
#include "system_error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tessera::io::posix {
namespace {

Errc code_of(int error) noexcept {
  switch (error) {
    case ENOENT:
      return kNoSuchFile;
    case EEXIST:
      return kFileExists;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
    case ENXIO:
      return kBadFile;
    case EACCES:
    case EPERM:
      return kAccess;
    case EROFS:
      return kReadOnly;
    case ENOSPC:
    case EFBIG:
      return kNoSpace;
    case EDQUOT:
      return kQuota;
    case ETXTBSY:
    case EBUSY:
      return kFileInUse;
    case EFAULT:
      return kBuffer;
    case ENOLCK:
    case EOPNOTSUPP:
    case ENOSYS:
      return Errc::unsupported;
    case ENOMEM:
      return Errc::no_memory;
    case EMFILE:
    case ENFILE:
      return Errc::system;
    default:
      return kFileError;
  }
}

}  // namespace

Status system_failure(const char* call, const std::string& path, Offset offset,
                      int error) noexcept {
  char reason[128];
  char text[1000];
  const char* said = strerror_r(error, reason, sizeof reason);
  if (offset < 0) {
    std::snprintf(text, sizeof text, "file \"%s\": %s: %s", path.c_str(), call, said);
  } else {
    std::snprintf(text, sizeof text, "file \"%s\", offset %lld: %s: %s", path.c_str(),
                  static_cast<long long>(offset), call, said);
  }
  return Status::failure(code_of(error), text);
}

}  // namespace tessera::io::posix
