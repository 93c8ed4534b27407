// SPDX-License-Identifier: BSD-3-Clause
// Two copies of the core in one process.
#include "launcher/carrier/engine_session.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "launcher/mpi_library.h"

namespace tessera::launcher::carrier {
namespace {

constexpr const char* kLibrary = "libtessera-core.so.1";
constexpr const char* kTextOfStatus = "_ZNK7tessera6Status4textEv";

bool offer_core() noexcept {
  const std::string path = library_directory() + "/" + kLibrary;
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
}

// With the text that the other copy holds.
Status ours(const Status& theirs) noexcept {
  if (theirs.ok()) return theirs;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  using Text = const char* (*)(const Status*);
  const auto text =
      library != nullptr ? reinterpret_cast<Text>(dlsym(library, kTextOfStatus)) : nullptr;
  if (library != nullptr) dlclose(library);  // one of two references
  return text != nullptr ? Status::failure(theirs.code(), text(&theirs)) : theirs;
}

// Of a failure of which it is not known which copy made it.
Status of_either(const Status& status) noexcept {
  const Status translated = ours(status);
  const bool says_more =
      std::string_view(translated.text()) != std::string_view(Status(status.code()).text());
  return says_more ? translated : status;
}

}  // namespace

Result<std::unique_ptr<EngineStore>> EngineStore::open() {
  if (!offer_core())
    return Status::failure(Errc::refused, std::string("cannot load the library: ") + dlerror());
  auto engine = open_boot_component();
  if (engine.ok()) return std::unique_ptr<EngineStore>(new EngineStore(std::move(*engine)));
  if (engine.status().code() != Errc::not_found) return of_either(engine.status());
  return Status::failure(Errc::refused, "no boot component joins the job of the engine here");
}

Status EngineStore::put(std::string_view key, std::span<const std::byte> value) noexcept {
  return ours(engine_.session->put(key, value));
}

Status EngineStore::fence() noexcept {
  return ours(engine_.session->fence());
}

Result<std::vector<std::byte>> EngineStore::get(std::uint32_t rank, std::string_view key) noexcept {
  auto value = engine_.session->get(rank, key);
  if (!value.ok()) return ours(value.status());
  return value;
}

Status EngineStore::finalize() noexcept {
  return ours(engine_.session->finalize());
}

}  // namespace tessera::launcher::carrier
