// SPDX-License-Identifier: BSD-3-Clause
// What access to a file costs: patterns of pieces, written and read by each process alone and by
// all together; shared and ordered writes; opening and closing.
//
// io [OPTIONS] NAME DIRECTORY: figures begin with NAME and are measured on a file in DIRECTORY. The
// size is the bytes of each rank and call. A figure of a pattern is NAME_PATTERN_write_alone,
// ..._read_alone, ..._write_in_step, ..._read_in_step (alone, with a barrier before each call: a
// call of all together also waits for the slowest), ..._write_together, ..._read_together.
#include <unistd.h>

#include <string>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

// What one rank sees of the file: `bytes` per call through a view.
struct Pattern {
  const char* name;
  std::size_t bytes;
  MPI_Datatype (*filetype)(const World&);  // of the whole pattern
  MPI_Offset (*displacement)(const World&);
};

constexpr int kMiB = 1 << 20;

MPI_Offset nothing(const World&) {
  return 0;
}

MPI_Datatype in_one_piece(const World&) {
  MPI_Datatype type;
  MPI_Type_contiguous(kMiB, MPI_BYTE, &type);
  return type;
}

// Pieces of all ranks in turn.
MPI_Datatype turns(const World& world, int piece, int bytes) {
  MPI_Datatype type;
  MPI_Type_vector(bytes / piece, piece, piece * world.size, MPI_BYTE, &type);
  return type;
}

// A part of an array of `dims` dimensions, of which the last is divided among the ranks.
MPI_Datatype part_of_array(const World& world, int dims, const int* sizes, int element) {
  int whole[4], part[4], start[4] = {0, 0, 0, 0};
  for (int i = 0; i < dims; ++i) whole[i] = part[i] = sizes[i];
  whole[dims - 1] *= world.size * element;
  part[dims - 1] *= element;
  start[dims - 1] = part[dims - 1] * world.rank;
  MPI_Datatype type;
  MPI_Type_create_subarray(dims, whole, part, start, MPI_ORDER_C, MPI_BYTE, &type);
  return type;
}

const Pattern kPatterns[] = {
    {"contiguous", kMiB, in_one_piece,
     [](const World& world) { return MPI_Offset{world.rank} * kMiB; }},
    {"strided", kMiB, [](const World& world) { return turns(world, 4096, kMiB); },
     [](const World& world) { return MPI_Offset{world.rank} * 4096; }},
    {"small", kMiB / 4, [](const World& world) { return turns(world, 64, kMiB / 4); },
     [](const World& world) { return MPI_Offset{world.rank} * 64; }},
    {"tile", kMiB,
     [](const World& world) {
       const int sizes[] = {1024, 1024};
       return part_of_array(world, 2, sizes, 1);
     },
     nothing},
    {"cube", kMiB,
     [](const World& world) {
       const int sizes[] = {64, 64, 32};
       return part_of_array(world, 3, sizes, 8);
     },
     nothing},
};

class Bench {
 public:
  Bench(const Options& options, const std::string& name, const std::string& directory)
      : options_(options), name_(name), path_(directory + "/tessera_bench_io." + parent()) {}

  void pattern(const Pattern& pattern) {
    open();
    MPI_Datatype type = pattern.filetype(world_);
    MPI_Type_commit(&type);
    MPI_File_set_view(file_, pattern.displacement(world_), MPI_BYTE, type, "native", MPI_INFO_NULL);
    std::vector<char> data(pattern.bytes, 'x');
    const int n = static_cast<int>(pattern.bytes);
    char* p = data.data();
    MPI_File_write_at_all(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE);  // the file is there
    const std::string base = name_ + "_" + pattern.name;
    measure(base + "_write_alone", n,
            [&] { MPI_File_write_at(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE); });
    measure(base + "_read_alone", n,
            [&] { MPI_File_read_at(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE); });
    measure(base + "_write_in_step", n, [&] {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File_write_at(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE);
    });
    measure(base + "_read_in_step", n, [&] {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File_read_at(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE);
    });
    measure(base + "_write_together", n,
            [&] { MPI_File_write_at_all(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE); });
    measure(base + "_read_together", n,
            [&] { MPI_File_read_at_all(file_, 0, p, n, MPI_BYTE, MPI_STATUS_IGNORE); });
    MPI_Type_free(&type);
    MPI_File_close(&file_);
  }

  void shared() {
    char data[64] = {};
    open();
    measure(name_ + "_write_shared", 64,
            [&] { MPI_File_write_shared(file_, data, 64, MPI_BYTE, MPI_STATUS_IGNORE); });
    MPI_File_seek_shared(file_, 0, MPI_SEEK_SET);
    measure(name_ + "_write_ordered", 64,
            [&] { MPI_File_write_ordered(file_, data, 64, MPI_BYTE, MPI_STATUS_IGNORE); });
    MPI_File_close(&file_);
  }

  void open_close() {
    measure(name_ + "_open_close", 0, [&] {
      open();
      MPI_File_close(&file_);
    });
  }

 private:
  // Rank 0's process id: the file is this job's own.
  std::string parent() const {
    int pid = static_cast<int>(getpid());
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return std::to_string(pid);
  }
  void open() {
    const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    if (MPI_File_open(MPI_COMM_WORLD, path_.c_str(), amode, MPI_INFO_NULL, &file_) == MPI_SUCCESS)
      return;
    std::fprintf(stderr, "io: cannot open %s\n", path_.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  template <class Call>
  void measure(const std::string& figure, std::size_t size, Call call) {
    const double seconds = seconds_per_iteration(options_, [&](long iterations) {
      for (long i = 0; i < iterations; ++i) call();
    });
    if (world_.rank == 0) print_figure(figure, size, 1e6 * seconds, "us");
  }

  const Options& options_;
  World world_;
  std::string name_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const Options& options = session.options;
  if (argc - optind != 2) {
    std::fprintf(stderr, "usage: io [OPTIONS] NAME DIRECTORY\n");
    return 1;
  }
  Bench bench(options, argv[optind], argv[optind + 1]);
  for (const Pattern& pattern : kPatterns)
    if (options.wants(pattern.name)) bench.pattern(pattern);
  if (options.wants("shared")) bench.shared();
  if (options.wants("open_close")) bench.open_close();
  return 0;
}
