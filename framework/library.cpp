// SPDX-License-Identifier: BSD-3-Clause
// Opens components with libltdl.
#include "framework/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <ltdl.h>

#include <cstdint>
#include <mutex>
#include <utility>

#include "framework/load_watch.h"
#include "framework/manifest_reader.h"

namespace tessera {
namespace {

// libltdl keeps its list of handles and its last error in globals of its own.
std::mutex ltdl_mutex;  // NOLINT: the one global that the loader's library forces on us

// Reports of a sanitizer at the end of the process need the symbols of what was loaded.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kNeverUnload = RTLD_NODELETE;
#elif defined(__has_feature)
constexpr int kNeverUnload =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? RTLD_NODELETE : 0;
#else
constexpr int kNeverUnload = 0;
#endif

// An object opened by the dynamic linker itself: all symbols bound at once, kept local. libltdl
// binds lazily, so that a missing function would end the run in its middle, and says "file not
// found" for whatever is wrong; so the dynamic linker is asked first, and libltdl then takes over
// an object that is known to be sound.
class Proof {
 public:
  explicit Proof(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | kNeverUnload)) {
    if (handle_ == nullptr) problem_ = last_problem();
  }
  ~Proof() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Proof(const Proof&) = delete;
  Proof& operator=(const Proof&) = delete;

  bool sound() const noexcept { return handle_ != nullptr; }
  const std::string& problem() const noexcept { return problem_; }

 private:
  static std::string last_problem() {
    const char* text = dlerror();
    return text != nullptr ? text : "the dynamic linker gives no reason";
  }

  void* handle_;
  std::string problem_;
};

lt_dlhandle open_local(const std::string& path) {
  lt_dladvise advice;
  if (lt_dladvise_init(&advice) != 0) return nullptr;
  lt_dlhandle handle = nullptr;
  if (lt_dladvise_local(&advice) == 0) handle = lt_dlopenadvise(path.c_str(), advice);
  lt_dladvise_destroy(&advice);
  return handle;
}

using Entry = Component* (*)();

Status check_unchanged(const Candidate& candidate) {
  const NoteReading reading = ManifestReader::read_file(candidate.path);
  if (reading.problem.empty() && reading.note == candidate.manifest.text) return {};
  return Status::failure(
      Errc::refused,
      fmt::format("{}: the file changed since it was judged; start the program again",
                  candidate.path));
}

}  // namespace

Library::Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Library::~Library() {
  close();
}

Result<Library> Library::open(const std::string& path) {
  const std::lock_guard lock(ltdl_mutex);
  const Proof proof(path);
  if (!proof.sound()) return Status::failure(Errc::refused, proof.problem());
  if (lt_dlinit() != 0) return Status::failure(Errc::refused, "libltdl cannot be initialised");
  lt_dlhandle handle = open_local(path);
  if (handle != nullptr) return Library(handle);
  const char* reason = lt_dlerror();
  Status failed =
      Status::failure(Errc::refused, reason != nullptr ? reason : "libltdl gives no reason");
  lt_dlexit();
  return failed;
}

void Library::close() noexcept {
  void* handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  const std::lock_guard lock(ltdl_mutex);
  lt_dlclose(static_cast<lt_dlhandle>(handle));
  lt_dlexit();
}

void* Library::own_symbol(const std::string& name) const noexcept {
  const std::lock_guard lock(ltdl_mutex);
  auto* handle = static_cast<lt_dlhandle>(handle_);
  void* symbol = handle != nullptr ? lt_dlsym(handle, name.c_str()) : nullptr;
  const lt_dlinfo* info = symbol != nullptr ? lt_dlgetinfo(handle) : nullptr;
  if (info == nullptr || info->filename == nullptr) return nullptr;
  // The look-up also searches the objects this one depends on.
  Dl_info owner{};
  void* extra = nullptr;
  if (dladdr1(symbol, &owner, &extra, RTLD_DL_LINKMAP) == 0) return nullptr;
  void* self = dlopen(info->filename, RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
  link_map* map = nullptr;
  const bool own = self != nullptr && dlinfo(self, RTLD_DI_LINKMAP, &map) == 0 && map == extra;
  if (self != nullptr) dlclose(self);
  return own ? symbol : nullptr;
}

Result<LoadedComponent> load_component(const Candidate& candidate, LoadNote* note) {
  if (Status unchanged = check_unchanged(candidate); !unchanged.ok()) return unchanged;
  const LoadWatch watch(candidate, note);
  auto library = Library::open(candidate.path);
  if (!library)
    return Status::failure(
        Errc::refused,
        fmt::format("{}: the dynamic linker refuses it: {}; install what is missing or build the "
                    "component against this installation",
                    candidate.path, library.status().text()));
  const std::string name = fmt::format("tessera_{}_{}_create", candidate.framework, candidate.name);
  const auto entry = reinterpret_cast<Entry>(library->own_symbol(name));
  if (entry == nullptr)
    return Status::failure(
        Errc::refused, fmt::format("{}: does not define its entry {}; use TESSERA_COMPONENT in it",
                                   candidate.path, name));
  LoadedComponent loaded{std::move(*library), std::unique_ptr<Component>(entry())};
  if (loaded.component) return loaded;
  return Status::failure(Errc::refused,
                         fmt::format("{}: its entry {} made no component", candidate.path, name));
}

}  // namespace tessera
