// SPDX-License-Identifier: BSD-3-Clause
// What the probe is asked to measure: one line per operation, choice and amount of data.
#pragma once
//
// Format. A line has seven words:
//   NUMBER OPERATION COMPONENTS ALGORITHM SEGMENT RADIX BYTES
// NUMBER is repeated in the answer. COMPONENTS becomes the info key tessera.coll of a communicator,
// ALGORITHM, SEGMENT and RADIX the keys tessera.coll_basic_<operation>_...; `-` and 0: without that
// key. Lines that follow one another with the same operation and bytes are measured in turn.
//
#include <mpi.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::tuning {

struct Line {
  int number = 0;
  std::string operation, components, algorithm;
  long segment = 0;
  int radix = 0;
  std::size_t bytes = 0;

  bool same_exchange(const Line& other) const {
    return operation == other.operation && bytes == other.bytes;
  }
  // What makes communicators differ.
  std::string choice() const;
};

struct BadPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws BadPlan, with the number of the line in the text.
std::vector<Line> parse_plan(const std::string& text);
// Collective: what rank 0 reads from `file` ("-": standard input), on all ranks. Throws BadPlan.
std::string read_everywhere(const std::string& file);

// Duplicates of communicators with the info keys of a line, one per choice and parent. Destroyed
// before MPI_Finalize.
class Communicators {
 public:
  Communicators() = default;
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  ~Communicators();
  // Collective.
  std::vector<MPI_Comm> of(const Line& line, const std::vector<MPI_Comm>& parents);
  void drop();

 private:
  std::map<std::string, std::vector<MPI_Comm>> known_;
};

}  // namespace tessera::tuning
