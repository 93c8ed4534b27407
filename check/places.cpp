// SPDX-License-Identifier: BSD-3-Clause
// From return addresses to lines of the source.
#include "check/places.h"

#include <fmt/format.h>
#include <link.h>
#include <unwind.h>

#include <map>
#include <mutex>
#include <string_view>

#include "launcher/hang/source_lines.h"

namespace tessera::check {
namespace {

struct Object {
  Dl_info info{};
  link_map* map = nullptr;
  explicit Object(const void* address) noexcept {
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
      map = nullptr;
  }
  bool known() const noexcept { return map != nullptr && info.dli_fname != nullptr; }
  // Of MPI and of its tools, not of the program.
  bool ours() const noexcept {
    const std::string_view file = info.dli_fname;
    const std::string_view name = file.substr(file.rfind('/') + 1);
    return name.starts_with("libmpi") || name.starts_with("libtessera");
  }
};

struct Walk {
  const void* caller;
  bool reached = false;  // its frame has been seen
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) noexcept {
  Walk& walk = *static_cast<Walk*>(argument);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  walk.reached = walk.reached || address == walk.caller;
  if (!walk.reached) return _URC_NO_REASON;
  const Object object(address);
  if (!object.known()) return _URC_END_OF_STACK;
  if (object.ours()) return _URC_NO_REASON;
  walk.caller = address;
  return _URC_END_OF_STACK;
}

// The return address minus one lies in the call itself.
std::string line_at(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller) - 1;
  const Object object(caller);
  if (!object.known()) return fmt::format("{:#x}", address);
  const char* const symbol = object.info.dli_sname != nullptr ? object.info.dli_sname : "";
  const auto lines = launcher::source_lines(
      fmt::format("{}\t{:x}\t{}\n", object.info.dli_fname, address - object.map->l_addr, symbol));
  return lines.empty() ? fmt::format("{:#x}", address) : lines[0];
}

}  // namespace

const void* program_place(const void* caller) noexcept {
  const Object object(caller);
  if (!object.known() || !object.ours()) return caller;
  Walk walk{caller};
  _Unwind_Backtrace(look_at_frame, &walk);
  return walk.caller;
}

std::string text_at(const void* caller) {
  static std::mutex mutex;
  static auto& known = *new std::map<const void*, std::string>;  // until the very end
  const std::lock_guard lock(mutex);
  auto [found, is_new] = known.try_emplace(caller);
  if (is_new) found->second = line_at(caller);
  return found->second;
}

std::string text_of(const Site& site) {
  return fmt::format("{} at {}", site.function, text_at(site.caller));
}

}  // namespace tessera::check
