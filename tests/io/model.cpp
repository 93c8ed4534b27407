// SPDX-License-Identifier: BSD-3-Clause
// A model checker of file access: random programs against a file that is a row of bytes.
//
// All ranks draw the same random numbers, so that each knows what all do. A program opens a file
// with random hints; each step gives every rank a view (a random piece list, no byte twice), and
// has all of them write or read ranges of their streams, by one of the positions and forms of
// access. After each step the written bytes are in the model, and what was read is compared with
// it, also what must not have been touched: count, gaps of the memory type, bytes behind the end.
// At the end the whole file is.
//
// req io 7.95, req io 7.97, req io 7.100, req io 7.101, req io 7.102, req io 7.119, req io 7.121,
// req io 6.81, req io 6.85, req io 6.88, req io 6.91, req io 5.65, req io 5.66, req io 5.69,
// req io 8.132, req io 10.168
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "model_views.h"
#include "scratch.h"

namespace {

using namespace model;

int rank, size;
unsigned long program_seed;

[[noreturn]] void fail(const char* what, long long is, long long expected) {
  std::fprintf(stderr, "rank %d, program of seed %lu: %s is %lld, not %lld\n", rank, program_seed,
               what, is, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void expect(const char* what, long long is, long long expected) {
  if (is != expected) fail(what, is, expected);
}

void set_view(MPI_File file, const View& view, int unit) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (const Piece& piece : view.pieces) {
    lengths.push_back(piece.bytes / unit);
    places.push_back(piece.offset);
  }
  MPI_Datatype etype, pieces, filetype;
  MPI_Type_contiguous(unit, MPI_BYTE, &etype);
  MPI_Type_commit(&etype);
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), etype,
                           &pieces);
  MPI_Type_create_resized(pieces, 0, view.extent, &filetype);
  MPI_Type_commit(&filetype);
  expect("MPI_File_set_view",
         MPI_File_set_view(file, view.displacement, etype, filetype, "native", MPI_INFO_NULL),
         MPI_SUCCESS);
  MPI_Type_free(&etype);
  MPI_Type_free(&pieces);
  MPI_Type_free(&filetype);
}

// Memory with or without gaps: `stride` bytes from one of its bytes to the next.
struct Buffer {
  Buffer(int count, int stride_of_bytes)
      : bytes(count),
        stride(stride_of_bytes),
        data(static_cast<std::size_t>(count * stride_of_bytes) + 8, '\xee') {
    MPI_Type_create_resized(MPI_BYTE, 0, stride, &type);
    MPI_Type_commit(&type);
  }
  ~Buffer() { MPI_Type_free(&type); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char& at(int i) { return data[static_cast<std::size_t>(i * stride)]; }

  int bytes, stride;
  std::vector<char> data;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

enum class Form { blocking, together, nonblocking, nonblocking_together, split, ordered };
enum class At { offset, pointer };

struct Step {
  bool writing;
  Form form;
  At at;
  int unit;
};

// A request, and its completion.
int complete_later(MPI_File file, const Step& step, MPI_Offset offset, Buffer& b,
                   MPI_Status& status) {
  MPI_Request request;
  char* p = b.data.data();
  const bool explicit_offset = step.at == At::offset;
  const auto run = [&](auto at, auto pointer) { return explicit_offset ? at() : pointer(); };
  int code = MPI_SUCCESS;
  switch (step.form) {
    case Form::nonblocking:
      code =
          step.writing
              ? run([&] { return MPI_File_iwrite_at(file, offset, p, b.bytes, b.type, &request); },
                    [&] { return MPI_File_iwrite(file, p, b.bytes, b.type, &request); })
              : run([&] { return MPI_File_iread_at(file, offset, p, b.bytes, b.type, &request); },
                    [&] { return MPI_File_iread(file, p, b.bytes, b.type, &request); });
      break;
    case Form::nonblocking_together:
      code = step.writing
                 ? run(
                       [&] {
                         return MPI_File_iwrite_at_all(file, offset, p, b.bytes, b.type, &request);
                       },
                       [&] { return MPI_File_iwrite_all(file, p, b.bytes, b.type, &request); })
                 : run(
                       [&] {
                         return MPI_File_iread_at_all(file, offset, p, b.bytes, b.type, &request);
                       },
                       [&] { return MPI_File_iread_all(file, p, b.bytes, b.type, &request); });
      break;
    default:
      break;
  }
  expect("start", code, MPI_SUCCESS);
  return MPI_Wait(&request, &status);
}

// The begin and the end of a split collective operation.
int in_two_calls(MPI_File file, const Step& step, MPI_Offset offset, Buffer& b,
                 MPI_Status& status) {
  char* p = b.data.data();
  const bool explicit_offset = step.at == At::offset;
  const auto run = [&](auto at, auto pointer) { return explicit_offset ? at() : pointer(); };
  int code = MPI_SUCCESS;
  code = step.writing
             ? run([&] { return MPI_File_write_at_all_begin(file, offset, p, b.bytes, b.type); },
                   [&] { return MPI_File_write_all_begin(file, p, b.bytes, b.type); })
             : run([&] { return MPI_File_read_at_all_begin(file, offset, p, b.bytes, b.type); },
                   [&] { return MPI_File_read_all_begin(file, p, b.bytes, b.type); });
  expect("begin", code, MPI_SUCCESS);
  code = step.writing ? run([&] { return MPI_File_write_at_all_end(file, p, &status); },
                            [&] { return MPI_File_write_all_end(file, p, &status); })
                      : run([&] { return MPI_File_read_at_all_end(file, p, &status); },
                            [&] { return MPI_File_read_all_end(file, p, &status); });
  return code;
}

// One access of this rank; the number of bytes transferred.
int access_file(MPI_File file, const Step& step, MPI_Offset offset, Buffer& b) {
  MPI_Status status;
  char* p = b.data.data();
  const bool explicit_offset = step.at == At::offset;
  const auto run = [&](auto at, auto pointer) { return explicit_offset ? at() : pointer(); };
  int code = MPI_SUCCESS;
  switch (step.form) {
    case Form::blocking:
      code = step.writing
                 ? run([&] { return MPI_File_write_at(file, offset, p, b.bytes, b.type, &status); },
                       [&] { return MPI_File_write(file, p, b.bytes, b.type, &status); })
                 : run([&] { return MPI_File_read_at(file, offset, p, b.bytes, b.type, &status); },
                       [&] { return MPI_File_read(file, p, b.bytes, b.type, &status); });
      break;
    case Form::together:
      code =
          step.writing
              ? run(
                    [&] {
                      return MPI_File_write_at_all(file, offset, p, b.bytes, b.type, &status);
                    },
                    [&] { return MPI_File_write_all(file, p, b.bytes, b.type, &status); })
              : run([&] { return MPI_File_read_at_all(file, offset, p, b.bytes, b.type, &status); },
                    [&] { return MPI_File_read_all(file, p, b.bytes, b.type, &status); });
      break;
    case Form::nonblocking:
    case Form::nonblocking_together:
      code = complete_later(file, step, offset, b, status);
      break;
    case Form::split:
      code = in_two_calls(file, step, offset, b, status);
      break;
    case Form::ordered:
      code = step.writing ? MPI_File_write_ordered(file, p, b.bytes, b.type, &status)
                          : MPI_File_read_ordered(file, p, b.bytes, b.type, &status);
      break;
  }
  expect(step.writing ? "write" : "read", code, MPI_SUCCESS);
  return count_of(&status, MPI_BYTE);
}

class Program {
 public:
  explicit Program(unsigned long seed) : random_(seed) {}

  void run() {
    open();
    const int steps = 3 + random_.below(8);
    for (int i = 0; i < steps; ++i) step();
    compare_all();
    MPI_File_close(&file_);
  }

 private:
  void open() {
    static const char* const choices[] = {"enable", "disable", "automatic"};
    static const char* const buffers[] = {"4096", "8192", "1048576"};
    char name[NAME_LENGTH];
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", choices[random_.below(3)]);
    MPI_Info_set(info, "romio_cb_read", choices[random_.below(3)]);
    MPI_Info_set(info, "romio_ds_read", choices[1 + random_.below(2)]);
    MPI_Info_set(info, "cb_buffer_size", buffers[random_.below(3)]);
    MPI_Info_set(info, "ind_rd_buffer_size", buffers[random_.below(3)]);
    MPI_Info_set(info, "cb_nodes", std::to_string(1 + random_.below(size + 1)).c_str());
    scratch(MPI_COMM_WORLD, "model", name);
    expect("MPI_File_open",
           MPI_File_open(MPI_COMM_WORLD, name,
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file_),
           MPI_SUCCESS);
    MPI_Info_free(&info);
    if (random_.one_in(6)) MPI_File_set_atomicity(file_, 1);
  }

  // The stream range of each rank, in units.
  struct Range {
    long long first;
    int units;
  };
  // Where all ranks are: the next step is often there as well, since places that are accessed again
  // are served in another way.
  struct Where {
    std::vector<View> views;
    std::vector<Range> ranges;
    int unit = 1;
    bool ordered = false;
  };

  void step() {
    Step step{random_.one_in(2), static_cast<Form>(random_.below(6)),
              static_cast<At>(random_.below(2)), 1 + random_.below(4)};
    const bool ordered = step.form == Form::ordered;
    const bool again = random_.one_in(2) && !last_.views.empty() && last_.ordered == ordered;
    if (again) {
      step.unit = last_.unit;
    } else {
      draw_place(step.unit, ordered);
    }
    const std::vector<View>& views = last_.views;
    const std::vector<Range>& ranges = last_.ranges;
    const View& mine = views[static_cast<std::size_t>(rank)];
    set_view(file_, mine, step.unit);
    const int stride = 1 + 2 * random_.below(2);
    const Range range = ranges[static_cast<std::size_t>(rank)];
    if (!ordered && step.at == At::pointer) MPI_File_seek(file_, range.first, MPI_SEEK_SET);
    Buffer buffer(range.units * step.unit, stride);
    const auto salt = static_cast<unsigned>(random_.below(251));
    for (int i = 0; step.writing && i < buffer.bytes; ++i) buffer.at(i) = datum(salt, rank, i);
    const int done = access_file(file_, step, range.first, buffer);
    if (step.writing) {
      expect("bytes written", done, mine.bytes == 0 ? 0 : buffer.bytes);
      write_model(views, ranges, step.unit, salt);
    } else {
      compare_read(mine, range, step.unit, buffer, done);
    }
    if (!ordered && step.at == At::pointer) {
      MPI_Offset position = -1;
      MPI_File_get_position(file_, &position);
      expect("position", position, range.first + range.units);
    }
    MPI_File_sync(file_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void draw_place(int unit, bool ordered) {
    last_ = {draw_views(random_, size, unit, ordered), {}, unit, ordered};
    long long shared = 0;
    for (int r = 0; r < size; ++r) {
      const int units = random_.one_in(6) ? 0 : 1 + random_.below(random_.one_in(6) ? 4000 : 60);
      last_.ranges.push_back({ordered ? shared : random_.below(100), units});
      shared += units;
    }
  }

  static char datum(unsigned salt, int r, int i) {
    return static_cast<char>(salt + 31U * static_cast<unsigned>(r) + static_cast<unsigned>(i) * 7U);
  }

  void write_model(const std::vector<View>& views, const std::vector<Range>& ranges, int unit,
                   unsigned salt) {
    for (int r = 0; r < size; ++r) {
      const View& view = views[static_cast<std::size_t>(r)];
      const Range& range = ranges[static_cast<std::size_t>(r)];
      for (int i = 0; view.bytes > 0 && i < range.units * unit; ++i) {
        const auto place = static_cast<std::size_t>(view.place(range.first * unit + i));
        if (place >= bytes_.size()) bytes_.resize(place + 1, 0);
        bytes_[place] = datum(salt, r, i);
      }
    }
  }

  void compare_read(const View& view, const Range& range, int unit, Buffer& buffer, int done) {
    int there = 0;
    while (view.bytes > 0 && there < buffer.bytes &&
           view.place(range.first * unit + there) < static_cast<long long>(bytes_.size()))
      ++there;
    expect("bytes read", done, there);
    for (int i = 0; i < there; ++i) {
      const auto place = static_cast<std::size_t>(view.place(range.first * unit + i));
      expect("a byte read", buffer.at(i), bytes_[place]);
    }
    for (std::size_t i = 0; i < buffer.data.size(); ++i) {
      const int byte = static_cast<int>(i) / buffer.stride;
      const bool wanted = static_cast<int>(i) % buffer.stride == 0 && byte < there;
      if (!wanted) expect("a byte that was not read", buffer.data[i], '\xee');
    }
  }

  void compare_all() {
    std::vector<char> all(bytes_.size() + 16);
    MPI_Status status;
    MPI_Offset file_size = -1;
    MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_get_size(file_, &file_size);
    expect("the size of the file", file_size, static_cast<long long>(bytes_.size()));
    MPI_File_read_at_all(file_, 0, all.data(), static_cast<int>(all.size()), MPI_BYTE, &status);
    expect("bytes of the file", count_of(&status, MPI_BYTE), static_cast<int>(bytes_.size()));
    for (std::size_t i = 0; i < bytes_.size(); ++i) expect("a byte", all[i], bytes_[i]);
  }

  Random random_;
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<char> bytes_;
  Where last_;
};

unsigned long number_from(const char* variable, unsigned long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const unsigned long first = number_from("TESSERA_IO_SEED", 1);
  const unsigned long programs = number_from("TESSERA_IO_PROGRAMS", 60);
  for (program_seed = first; program_seed < first + programs; ++program_seed)
    Program(program_seed).run();
  MPI_Finalize();
  return 0;
}
