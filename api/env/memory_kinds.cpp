// SPDX-License-Identifier: BSD-3-Clause
// Kinds of memory by name.
#include "api/env/memory_kinds.h"

#include <algorithm>

namespace tessera::api {
namespace {

// Cuts the part up to the next comma off `list`.
std::string_view next_kind(std::string_view& list) noexcept {
  const std::size_t end = list.find(',');
  const std::string_view kind = list.substr(0, end);
  list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  return kind;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// A kind may be restricted: "mpi:alloc_mem".
bool supported(std::string_view kind) noexcept {
  const std::string_view name = kind.substr(0, kind.find(':'));
  for (std::string_view known = kMemoryKinds; !known.empty();) {
    if (same_word(next_kind(known), name)) return true;
  }
  return false;
}

}  // namespace

std::string supported_memory_kinds(std::string_view promised) {
  std::string kinds;
  while (!promised.empty()) {
    const std::string_view kind = next_kind(promised);
    if (supported(kind)) kinds.append(kinds.empty() ? "" : ",").append(kind);
  }
  return kinds;
}

void answer_memory_kinds(Info& info) {
  const auto promised = info.get(kMemoryKindsPromiseKey);
  info.set(kMemoryKindsKey,
           promised ? supported_memory_kinds(*promised) : std::string(kMemoryKinds));
}

}  // namespace tessera::api
