// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers that arrive as descriptors: calls through mpi_f08 (MPI 5.0, section 19.1.12).
#pragma once
//
// A Sections object belongs to one call. Each buffer of the call is made with it, asks whether the
// array is contiguous, and if so costs nothing more. Otherwise:
//
//   Walk   a buffer that a count and a datatype describe: the call gets one element of a datatype
//          that picks the elements out of the section, in array element order. Where no datatype
//          could (the user's datatype has gaps), and for short blocking messages, the section is
//          copied as below.
//   Copy   a buffer that the call addresses by displacements or reduces: the section is packed into
//          memory of ours, and unpacked after the call. done() unpacks at once; later() hands the
//          copies to the request, which unpacks when it completes (MPIX_Request_stage),
//          whichever language completes it.
//   Whole  memory that outlives the call (windows, attached buffers) must be contiguous.
//
// What cannot be done is told to the error handler of the call, code() then is not MPI_SUCCESS and
// the call must not be made. Descriptors are never written to. Scalars and arrays of assumed size
// have no known bounds and count as contiguous.
//
#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>

#include "fortran/source/convert.h"

namespace tessera::fortran {

using Descriptor = const CFI_cdesc_t;

enum class Way { in, inout };  // whether MPI only reads the buffer

inline bool is_dense(Descriptor& array) noexcept {
  CFI_index_t bytes = static_cast<CFI_index_t>(array.elem_len);
  for (int level = 0; level < array.rank; ++level) {
    const CFI_dim_t& dimension = array.dim[level];
    if (dimension.extent < 0) return true;
    if (dimension.extent == 0) return true;
    if (dimension.extent != 1 && dimension.sm != bytes) return false;
    bytes *= dimension.extent;
  }
  return true;
}

// A section and its packed copy.
class Packed {
 public:
  Packed(Descriptor& array, Way way);
  void pack() noexcept;
  void unpack() noexcept;  // nothing, where MPI only reads
  char* address() const noexcept { return bytes_.get(); }

 private:
  friend class SectionType;
  friend class Walk;
  struct Dimension {
    CFI_index_t extent, stride;
  };
  template <bool Packing>
  void move(int level, char* section, char*& packed) const noexcept;

  char* base_;
  std::size_t block_;  // bytes that lie together
  int rank_ = 0;       // of what is not contiguous
  std::array<Dimension, CFI_MAX_RANK> dimensions_;
  Way way_;
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

enum class Duration {
  call,        // MPI is done with the buffers when the call returns
  request,     // … when the request completes
  persistent,  // … and starts again from them
  epoch        // … when other calls say so: no copy can be unpacked in time
};

class Walk;

class Sections {
 public:
  Sections(const char* procedure, MPI_Comm comm, Duration duration) noexcept
      : procedure_(procedure), comm_(comm), duration_(duration) {}
  bool ok() const noexcept { return code_ == MPI_SUCCESS; }
  int code() const noexcept { return code_; }

  void done() {
    if (count_ != 0) unpack();
  }
  // The error code of the call.
  int later(int code, Fint* request) {
    return count_ != 0 && code == MPI_SUCCESS ? stage(request) : code;
  }

 private:
  friend class Walk;
  friend class Copy;
  friend class Whole;
  char* copy(Descriptor& array, Way way);
  void fail(int error_class, const char* text);
  void unpack();
  int stage(Fint* request);

  const char* procedure_;
  MPI_Comm comm_;
  Duration duration_;
  int code_ = MPI_SUCCESS;
  int count_ = 0;
  std::array<std::unique_ptr<Packed>, 2> copies_;
};

class Walk {
 public:
  Walk(Sections& call, Descriptor* array, MPI_Count count, MPI_Datatype type, Way way)
      : address_(choice(array->base_addr)), count_(count), type_(type) {
    if (!is_dense(*array) && array->base_addr != nullptr && count != 0) lay(call, *array, way);
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() {
    if (made_) PMPI_Type_free(&type_);
  }
  void* address() const noexcept { return address_; }
  template <class Count>
  Count count() const noexcept {
    return static_cast<Count>(count_);
  }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  void lay(Sections& call, Descriptor& array, Way way);

  void* address_;
  MPI_Count count_;
  MPI_Datatype type_;
  bool made_ = false;
};

class Copy {
 public:
  Copy(Sections& call, Descriptor* array, Way way) : address_(choice(array->base_addr)) {
    if (!is_dense(*array) && array->base_addr != nullptr) address_ = call.copy(*array, way);
  }
  void* address() const noexcept { return address_; }

 private:
  void* address_;
};

class Whole {
 public:
  Whole(Sections& call, Descriptor* array) : address_(choice(array->base_addr)) {
    if (!is_dense(*array) && array->base_addr != nullptr) {
      call.fail(MPI_ERR_BUFFER,
                "the buffer is a section of an array that is not contiguous; memory that MPI keeps "
                "must be contiguous");
    }
  }
  void* address() const noexcept { return address_; }

 private:
  void* address_;
};

inline void* first(Descriptor* array) noexcept {
  return choice(array->base_addr);
}

}  // namespace tessera::fortran
