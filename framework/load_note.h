// SPDX-License-Identifier: BSD-3-Clause
// Which component's code a process runs, in memory that outlives it: LoadNote, NotedComponent.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace tessera {

// Written by the process while it opens, asks or closes a component, and empty else; read by
// whoever explains its end. All zeros is an empty one.
struct LoadNote {
  static constexpr std::size_t kBytes = 384;
  char text[kBytes];  // "opened FILE: what to do about it"; cut and terminated
};

// Fills the note, as long as it lives; with a null one it does nothing. Of two, one in the other,
// the inner one leaves it empty: a note that stays would accuse the wrong file.
class NotedComponent {
 public:
  NotedComponent(LoadNote* note, std::string_view doing, std::string_view about) noexcept
      : note_(note) {
    if (note == nullptr) return;
    doing = doing.substr(0, LoadNote::kBytes - 2);
    about = about.substr(0, LoadNote::kBytes - 2 - doing.size());
    std::memcpy(note->text + doing.size() + 1, about.data(), about.size());
    note->text[doing.size() + 1 + about.size()] = 0;
    std::memcpy(note->text, doing.data(), doing.size());
    note->text[doing.size()] = ' ';
  }
  ~NotedComponent() {
    if (note_ != nullptr) note_->text[0] = 0;
  }
  NotedComponent(const NotedComponent&) = delete;
  NotedComponent& operator=(const NotedComponent&) = delete;

 private:
  LoadNote* note_;
};

}  // namespace tessera
