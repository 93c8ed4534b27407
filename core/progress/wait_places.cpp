// SPDX-License-Identifier: BSD-3-Clause
// From where in the program the library was called.
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/progress/wait_reporter.h"

namespace tessera {
namespace {

constexpr int kFrames = 64;
constexpr int kShown = 8;

struct Place {
  Dl_info info{};
  link_map* map = nullptr;
  explicit Place(const void* address) noexcept {
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
      map = nullptr;
  }
  bool known() const noexcept { return map != nullptr && info.dli_fname != nullptr; }
};

// Frames of the library, its components and its Fortran half. The program itself, whose map has no
// name, may lie anywhere.
bool is_ours(const Place& place) noexcept {
  if (!place.known() || place.map->l_name[0] == 0) return false;
  const std::string_view file = place.info.dli_fname;
  const std::size_t begin = file.rfind('/') + 1;
  const std::string_view name = file.substr(begin);
  return name.starts_with("libmpi") || name.starts_with("libtessera") ||
         file.substr(0, begin).ends_with("/tessera/");  // where components lie
}

// The return address minus one lies in the call itself.
std::size_t write_one(const Place& place, const void* address, std::span<char> text) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address) - 1;
  const char* const symbol = place.info.dli_sname != nullptr ? place.info.dli_sname : "";
  const int length = std::snprintf(text.data(), text.size(), "%s\t%lx\t%s\n", place.info.dli_fname,
                                   static_cast<unsigned long>(at - place.map->l_addr), symbol);
  return length > 0 && static_cast<std::size_t>(length) < text.size()
             ? static_cast<std::size_t>(length)
             : 0;
}

}  // namespace

std::size_t write_place(const void* caller, std::span<char> text) noexcept {
  const Place place(caller);
  return place.known() ? write_one(place, caller, text) : 0;
}

void write_places(std::span<char> text) noexcept {
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  text[0] = 0;
  bool inside = false;  // our own frames have been seen
  std::size_t used = 0;
  for (int i = 0, shown = 0; i < count && shown < kShown; ++i) {
    const Place place(frames[i]);
    const bool ours = is_ours(place);
    inside = inside || ours;
    if (!inside || ours || !place.known()) continue;
    const std::size_t length = write_one(place, frames[i], text.subspan(used));
    text[used + length] = 0;
    if (length == 0) return;
    used += length;
    ++shown;
  }
}

}  // namespace tessera
