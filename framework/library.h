// SPDX-License-Identifier: BSD-3-Clause
// One opened shared object and the component it made: Library, load_component().
#pragma once

#include <memory>
#include <string>

#include "framework/catalog.h"
#include "framework/load_note.h"
#include "tessera/component.h"
#include "tessera/status.h"

namespace tessera {

// Owns one opening of a shared object (libltdl, by full path, symbols local, all bound at once).
// Opening and closing are serialised by one mutex of the process; they belong to initialisation and
// finalisation only.
class Library {
 public:
  Library() noexcept = default;
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  // Errc::refused with the dynamic linker's own words.
  static Result<Library> open(const std::string& path);

  // The address of a symbol defined in this very object, not in one it depends on; null when there
  // is none.
  void* own_symbol(const std::string& name) const noexcept;

  bool is_open() const noexcept { return handle_ != nullptr; }

 private:
  explicit Library(void* handle) noexcept : handle_(handle) {}
  void close() noexcept;

  void* handle_ = nullptr;  // lt_dlhandle
};

// A component and the object that holds its code. Destroyed in the right order: component first,
// then the object.
struct LoadedComponent {
  Library library;
  std::unique_ptr<Component> component;
};

// Opens a usable candidate: its bytes must still be those that were judged, its entry must be its
// own, and make a component. Errc::refused with one line: what is wrong and what to do. Meanwhile
// `note` names it, where there is one.
Result<LoadedComponent> load_component(const Candidate& candidate, LoadNote* note = nullptr);

}  // namespace tessera
