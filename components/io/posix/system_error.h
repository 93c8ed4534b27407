// SPDX-License-Identifier: BSD-3-Clause
// From errno to a failure that names the file.
#pragma once

#include <string>

#include "tessera/io.h"

namespace tessera::io::posix {

// `error` is the errno of `call` on the file; a negative offset: there is none to name.
Status system_failure(const char* call, const std::string& path, Offset offset, int error) noexcept;

}  // namespace tessera::io::posix
