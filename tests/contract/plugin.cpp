// SPDX-License-Identifier: BSD-3-Clause
// Loading a component file for the contract suites.
#include "plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/engine/tables.h"
#include "framework/judge.h"

namespace tessera::contract {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::uint64_t scale(char suffix) {
  switch (suffix) {
    case 'K':
      return 1u << 10;
    case 'M':
      return 1u << 20;
    case 'G':
      return 1u << 30;
    default:
      return 1;
  }
}

struct NoteSearch {
  std::uintptr_t base;
  std::string text;
};

// The manifest among the notes of one segment.
void search_notes(const char* at, const char* end, std::string& text) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* owner = at + sizeof note;
    const char* value = owner + ((note.n_namesz + 3) & ~3u);
    if (note.n_type == TESSERA_NOTE_TYPE && std::strcmp(owner, TESSERA_NOTE_OWNER) == 0)
      text = value;
    at = value + ((note.n_descsz + 3) & ~3u);
  }
}

int search_object(dl_phdr_info* object, std::size_t, void* context) {
  auto& search = *static_cast<NoteSearch*>(context);
  if (object->dlpi_addr != search.base) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const char* start = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_NOTE) search_notes(start, start + segment.p_memsz, search.text);
  }
  return 1;
}

std::string manifest_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  NoteSearch search{map->l_addr, {}};
  dl_iterate_phdr(search_object, &search);
  return search.text;
}

// What mpiexec would refuse, such as a component for another interface number, is not loaded.
void require_usable(const std::string& path) {
  const auto candidate = judge(path, engine_frameworks());
  if (candidate && !candidate->usable()) throw std::runtime_error(candidate->reason);
}

}  // namespace

void ManifestParams::declare(std::string_view name, std::string_view type, std::string_view value) {
  entries_[std::string(name)] = {std::string(type), std::string(value)};
}

void ManifestParams::set(const std::string& name, const std::string& value) {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    throw std::runtime_error("the component declares no parameter '" + name + "'");
  found->second.value = value;
  found->second.chosen = true;
}

const ManifestParams::Entry& ManifestParams::entry(std::string_view name,
                                                   std::string_view type) const noexcept {
  const auto found = entries_.find(name);
  if (found == entries_.end() || (!type.empty() && found->second.type != type)) {
    std::fprintf(
        stderr,
        "contract violated: the component asked for parameter '%.*s' as %.*s, undeclared as such\n",
        static_cast<int>(name.size()), name.data(), static_cast<int>(type.size()), type.data());
    std::abort();
  }
  return found->second;
}

std::int64_t ManifestParams::integer(std::string_view name) const noexcept {
  return std::strtoll(entry(name, "integer").value.c_str(), nullptr, 0);
}

std::uint64_t ManifestParams::size(std::string_view name) const noexcept {
  const std::string& value = entry(name, "size").value;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(value.c_str(), &end, 0);
  return number * scale(*end);
}

double ManifestParams::real(std::string_view name) const noexcept {
  return std::strtod(entry(name, "real").value.c_str(), nullptr);
}

bool ManifestParams::boolean(std::string_view name) const noexcept {
  const std::string& value = entry(name, "boolean").value;
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

std::string_view ManifestParams::text(std::string_view name) const noexcept {
  return entry(name, "").value;
}

bool ManifestParams::chosen(std::string_view name) const noexcept {
  return entry(name, "").chosen;
}

Plugin::Plugin(const std::string& framework, const std::string& file) {
  const std::string path = std::filesystem::absolute(file).string();
  require_usable(path);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded until the suite ends
  if (library == nullptr) throw std::runtime_error(dlerror());
  const std::string manifest = manifest_of(library);
  if (manifest.empty()) throw std::runtime_error(file + " carries no manifest (TESSERA_COMPONENT)");
  read_manifest(framework, manifest);
  const std::string entry = "tessera_" + framework + "_" + name_ + "_create";
  create_ = reinterpret_cast<Create>(dlsym(library, entry.c_str()));
  if (create_ == nullptr) throw std::runtime_error(file + " does not define " + entry);
}

void Plugin::read_manifest(const std::string& framework, std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 2) continue;
    if (fields[0] == "framework" && fields[1] != framework) {
      throw std::runtime_error("the component is of framework '" + std::string(fields[1]) +
                               "', not '" + framework + "'");
    }
    read_line(fields);
  }
  if (name_.empty()) throw std::runtime_error("the manifest names no component");
}

void Plugin::read_line(const std::vector<std::string_view>& fields) {
  if (fields[0] == "name") name_ = fields[1];
  if (fields[0] == "fact" && fields.size() > 2) facts_[std::string(fields[1])] = fields[2];
  if (fields[0] == "param" && fields.size() > 3) params_.declare(fields[1], fields[2], fields[3]);
}

std::string_view Plugin::fact(std::string_view key) const noexcept {
  const auto found = facts_.find(key);
  return found == facts_.end() ? std::string_view() : std::string_view(found->second);
}

std::unique_ptr<Component> Plugin::create() const {
  std::unique_ptr<Component> component(create_());
  if (component == nullptr) throw std::runtime_error("the component's entry returned nothing");
  return component;
}

}  // namespace tessera::contract
