// SPDX-License-Identifier: BSD-3-Clause
// The hints of a file: which are understood, what they say, and which are in force (MPI-5.0
// §14.2.8).
#pragma once
//
// Contract. Hints never change what a program means. A key nobody knows and a value that does not
// parse are left out; `notes` of take() says of the latter what is allowed. Rank 0 decides on
// the hints that all processes must agree on (Shared).
//
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/object/info.h"
#include "tessera/io.h"

namespace tessera::io {

enum class Choice : std::uint8_t { automatic, always, never };

// Equal at all processes of a file; sent as it is.
struct SharedHints {
  Choice collective_write = Choice::automatic;  // collective_buffering, romio_cb_write
  Choice collective_read = Choice::automatic;   // collective_buffering, romio_cb_read
  std::int32_t aggregators = 0;                 // cb_nodes; 0: by the machine
  Offset collective_buffer = 8 << 20;           // cb_buffer_size: bytes of an aggregator and round
  std::uint32_t permission = 0;                 // file_perm, at creation
};

struct Hints {
  SharedHints shared;
  Choice sieve_read = Choice::automatic;  // romio_ds_read
  Offset read_buffer = 256 << 10;  // ind_rd_buffer_size: bytes of a sieving read; fits a cache

  // Takes over what `info` says and is understood; the rest stays as it is.
  void take(const Info& info, std::vector<std::string>& notes);
  // The same of "KEY=VALUE,KEY=VALUE", the parameter io_hints; here unknown keys are noted as well.
  void take(std::string_view list, std::vector<std::string>& notes);
  // Those in force, as keys and values; the same keys for every file but `filename`.
  std::vector<std::pair<std::string, std::string>> in_force() const;
};

}  // namespace tessera::io
