// SPDX-License-Identifier: BSD-3-Clause
// Selection of a boot component by manifests and environment alone.
#include "core/boot/components.h"

#include <stdlib.h>

#include <algorithm>
#include <new>

#include "core/engine/tables.h"
#include "core/progress/doorbell.h"
#include "framework/catalog.h"
#include "framework/install_paths.h"
#include "framework/selection.h"
#include "framework/text.h"
#include "framework/trust.h"

namespace tessera {
namespace {

constexpr std::string_view kDefaultPath = "USER:SYSTEM";

std::string variable_or(const char* name, std::string_view otherwise) {
  const char* const text = secure_getenv(name);
  return std::string(text != nullptr ? std::string_view(text) : otherwise);
}

// All names of `marker`, joined by '+', are there.
bool stands(std::string_view marker) {
  const auto names = text::split(marker, '+');
  return std::all_of(names.begin(), names.end(), [](std::string_view name) {
    return getenv(std::string(name).c_str()) != nullptr;
  });
}

std::string marker_of(const Candidate& candidate) {
  for (std::string_view marker : candidate.manifest.facts_of("marker"))
    if (stands(marker)) return std::string(marker);
  return {};
}

struct Marked {
  const Candidate* candidate;
  std::string marker;
};

std::vector<Marked> marked(const Catalog& catalog) {
  std::vector<Marked> list;
  for (const Candidate* one : catalog.usable("boot")) {
    if (std::string marker = marker_of(*one); !marker.empty())
      list.push_back({one, std::move(marker)});
  }
  std::stable_sort(list.begin(), list.end(), [](const Marked& a, const Marked& b) {
    return a.candidate->manifest.priority > b.candidate->manifest.priority;
  });
  return list;
}

Status find_candidates(Catalog& catalog) {
  const InstallPaths paths = InstallPaths::detect(secure_getenv("HOME"));
  const std::string path = variable_or("TESSERA_MCA_mca_component_path", kDefaultPath);
  catalog.scan(paths.expand(path), engine_frameworks(), Depth::outline, "boot");
  const std::string list = variable_or("TESSERA_MCA_boot", "");
  auto selection = Selection::parse("boot", list, "environment variable TESSERA_MCA_boot");
  if (!selection.ok()) return selection.status();
  const Status applied = catalog.apply("boot", *selection);
  return applied ? applied : Status::failure(Errc::argument, applied.text());
}

Result<EngineSession> open_one(const Marked& marked) {
  auto loaded = load_component(*marked.candidate);
  if (!loaded.ok()) return loaded.status();
  EngineSession made;
  made.loaded = std::move(*loaded);
  made.component = marked.candidate->name;
  made.marker = marked.marker;
  // While there is one thread: once an engine's library has one of its own, the kernel waits for
  // all processors before it registers a process, some 30 ms.
  register_for_barriers();
  auto session = static_cast<boot::Component&>(*made.loaded.component).open();
  if (!session.ok()) return session.status();
  made.session = std::move(*session);
  return made;
}

// The engine, or who poses as one, would be obeyed, and its library loads what variables name.
Status refused(const Marked& engine) {
  return Status::failure(
      Errc::refused,
      "this program runs with more rights than who started it (set-user-id, set-group-id or file "
      "capabilities), and does not join the job of an engine that it finds in its environment (" +
          engine.marker +
          "); unset that to start it alone, or start the whole job with those rights");
}

}  // namespace

Result<EngineSession> open_boot_component() noexcept try {
  Catalog catalog;
  if (Status s = find_candidates(catalog); !s) return s;
  const std::vector<Marked> all = marked(catalog);
  if (!all.empty() && runs_for_somebody_else()) return refused(all.front());
  for (const Marked& one : all) {
    auto made = open_one(one);
    if (made.ok() || made.status().code() != Errc::not_found) return made;
  }
  return Errc::not_found;
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::no_memory, "no memory to look for a boot component");
}

}  // namespace tessera
