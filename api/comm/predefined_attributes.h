// SPDX-License-Identifier: BSD-3-Clause
// The attributes that MPI itself attaches to communicators (MPI-5.0 §9.1.2).
#pragma once

namespace tessera::api {

// Pointers to the values are handed out: they stay valid and, except the last used error code, the
// same as long as MPI is active.
struct PredefinedAttributes {
  int tag_ub;
  int io;
  int host;
  int wtime_is_global;
  int appnum;
  int last_used_code;
  int universe_size;
  bool asked_engine;                 // for the number of the program and the size of the universe
  int one_system[4] = {1, 0, 1, 0};  // the attributes of impi.h where there is no other system

  void fill() noexcept;  // when the engine has started
  // The value of this keyval; null if it is no predefined one, or not set.
  int* find(int keyval) noexcept;

 private:
  void ask_engine() noexcept;
};

}  // namespace tessera::api
