// SPDX-License-Identifier: BSD-3-Clause
// Opening libpmix.
#include "library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera::boot::pmix {
namespace {

constexpr const char* kName = "libpmix.so.2";
constexpr int kOldest = 3;
constexpr int kNewest = 6;

template <class Function>
bool find(void* handle, const char* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  return function != nullptr;
}

// "OpenPMIx 4.2.2rc2, repo rev: ...": the first number.
int major_of(std::string_view version) noexcept {
  const std::size_t digit = version.find_first_of("0123456789");
  return digit == std::string_view::npos ? 0 : std::atoi(version.data() + digit);
}

}  // namespace

Result<Library> open_library() noexcept {
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Status::failure(Errc::not_found, std::string(kName) + " cannot be opened: " + dlerror());
  }
  Library library{};
  const bool whole =
      find(handle, "PMIx_Init", library.init) && find(handle, "PMIx_Finalize", library.finalize) &&
      find(handle, "PMIx_Abort", library.abort) && find(handle, "PMIx_Put", library.put) &&
      find(handle, "PMIx_Commit", library.commit) && find(handle, "PMIx_Fence", library.fence) &&
      find(handle, "PMIx_Get", library.get) && find(handle, "PMIx_Spawn", library.spawn) &&
      find(handle, "PMIx_Get_version", library.version) &&
      find(handle, "PMIx_Error_string", library.error_text);
  const std::string version = whole ? library.version() : "without the functions of PMIx";
  const int major = major_of(version);
  if (whole && major >= kOldest && major <= kNewest) return library;
  return Status::failure(Errc::refused, std::string(kName) + " is '" + version +
                                            "'; versions 3 to 6 of PMIx are supported");
}

}  // namespace tessera::boot::pmix
