// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/source/attributes.h"

#include <mutex>
#include <unordered_map>

namespace tessera::fortran {
namespace {

struct Cells {
  std::mutex mutex;
  std::unordered_map<const void*, MPI_Aint*> known;
};

Cells& cells() {
  static Cells& only = *new Cells;  // never destroyed: delete functions run while the program ends
  return only;
}

}  // namespace

void* new_cell(MPI_Aint value) {
  auto* cell = new MPI_Aint(value);
  const std::lock_guard lock(cells().mutex);
  cells().known.emplace(cell, cell);
  return cell;
}

bool is_cell(const void* attribute) {
  const std::lock_guard lock(cells().mutex);
  return cells().known.count(attribute) != 0;
}

void free_cell(void* attribute) {
  const std::lock_guard lock(cells().mutex);
  const auto cell = cells().known.find(attribute);
  if (cell == cells().known.end()) return;
  delete cell->second;
  cells().known.erase(cell);
}

MPI_Aint value_of(void* attribute) {
  const std::lock_guard lock(cells().mutex);
  const auto cell = cells().known.find(attribute);
  return cell == cells().known.end() ? reinterpret_cast<MPI_Aint>(attribute) : *cell->second;
}

MPI_Aint value_of(int keyval, void* attribute) {
  const bool of_comm = keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
  const bool of_win = keyval >= MPI_WIN_DISP_UNIT && keyval <= MPI_WIN_MODEL;
  if (keyval == MPI_WIN_SIZE) return *static_cast<MPI_Aint*>(attribute);
  return of_comm || of_win ? *static_cast<int*>(attribute) : value_of(attribute);
}

}  // namespace tessera::fortran
