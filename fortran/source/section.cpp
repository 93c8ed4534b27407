// SPDX-License-Identifier: BSD-3-Clause
// Sections that are not contiguous: a datatype for them, or a copy.
#include "fortran/source/section.h"

#include <mpix.h>

#include <utility>
#include <vector>

// Another MPI library of the same ABI need not have it.
extern "C" __attribute__((weak)) decltype(PMPIX_Request_stage) PMPIX_Request_stage;

namespace tessera::fortran {
namespace {

using Copies = std::array<std::unique_ptr<Packed>, 2>;

void pack_all(void* copies) {
  for (const auto& packed : *static_cast<Copies*>(copies)) {
    if (packed) packed->pack();
  }
}

void unpack_all(void* copies) {
  for (const auto& packed : *static_cast<Copies*>(copies)) {
    if (packed) packed->unpack();
  }
}

void release_all(void* copies) {
  delete static_cast<Copies*>(copies);
}

// Up to here a blocking call copies: two constructors and a commit cost more.
constexpr std::size_t kShort = 4096;

}  // namespace

Packed::Packed(Descriptor& array, Way way)
    : base_(static_cast<char*>(array.base_addr)), block_(array.elem_len), way_(way) {
  size_ = array.elem_len;
  for (int level = 0; level < array.rank; ++level) {
    const CFI_dim_t& dimension = array.dim[level];
    size_ *= static_cast<std::size_t>(dimension.extent);
    if (dimension.extent == 1) continue;
    if (rank_ == 0 && dimension.sm == static_cast<CFI_index_t>(block_)) {
      block_ *= static_cast<std::size_t>(dimension.extent);
    } else {
      dimensions_[static_cast<std::size_t>(rank_++)] = {dimension.extent, dimension.sm};
    }
  }
}

template <bool Packing>
void Packed::move(int level, char* section, char*& packed) const noexcept {
  if (level == 0) {
    Packing ? std::memcpy(packed, section, block_) : std::memcpy(section, packed, block_);
    packed += block_;
    return;
  }
  const Dimension& dimension = dimensions_[static_cast<std::size_t>(level - 1)];
  for (CFI_index_t i = 0; i < dimension.extent; ++i) {
    move<Packing>(level - 1, section + i * dimension.stride, packed);
  }
}

void Packed::pack() noexcept {
  if (!bytes_) bytes_.reset(new char[size_ == 0 ? 1 : size_]);
  char* to = bytes_.get();
  if (size_ != 0) move<true>(rank_, base_, to);
}

void Packed::unpack() noexcept {
  char* from = bytes_.get();
  if (size_ != 0 && way_ == Way::inout) move<false>(rank_, base_, from);
}

// A datatype for the first elements of a section.
class SectionType {
 public:
  SectionType(const Packed& section, MPI_Datatype element, MPI_Count size, MPI_Count count)
      : section_(section),
        element_(element),
        per_block_(static_cast<MPI_Count>(section.block_) / size) {
    take(section.rank_, count, 0);
  }
  SectionType(const SectionType&) = delete;
  SectionType& operator=(const SectionType&) = delete;
  ~SectionType() {
    for (MPI_Datatype& piece : pieces_) PMPI_Type_free(&piece);
  }

  MPI_Datatype committed() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const std::vector<MPI_Count> ones(pieces_.size(), 1);
    PMPI_Type_create_struct_c(static_cast<MPI_Count>(pieces_.size()), ones.data(), places_.data(),
                              pieces_.data(), &type);
    PMPI_Type_commit(&type);
    return type;
  }

 private:
  // What lies below `levels` whole dimensions, from the innermost.
  MPI_Datatype whole(int levels) const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous_c(per_block_, element_, &type);
    for (int level = 0; level < levels; ++level) {
      const auto& dimension = section_.dimensions_[static_cast<std::size_t>(level)];
      type = repeated(type, dimension.extent, dimension.stride);
    }
    return type;
  }
  // Always by the stride of the dimension: the extent of a level with gaps ends at its last
  // element.
  static MPI_Datatype repeated(MPI_Datatype type, MPI_Count count, MPI_Count stride) {
    MPI_Datatype several = MPI_DATATYPE_NULL;
    PMPI_Type_create_hvector_c(count, 1, stride, type, &several);
    PMPI_Type_free(&type);
    return several;
  }
  void add(MPI_Datatype type, MPI_Count place) {
    pieces_.push_back(type);
    places_.push_back(place);
  }
  // As many whole blocks of the outermost dimension as `count` elements fill, then the rest of it.
  void take(int levels, MPI_Count count, MPI_Count place) {
    if (count == 0) return;
    if (levels == 0) {
      MPI_Datatype rest = MPI_DATATYPE_NULL;
      PMPI_Type_contiguous_c(count, element_, &rest);
      add(rest, place);
      return;
    }
    MPI_Count per_level = per_block_;
    for (int level = 0; level < levels - 1; ++level)
      per_level *= section_.dimensions_[static_cast<std::size_t>(level)].extent;
    const MPI_Count stride = section_.dimensions_[static_cast<std::size_t>(levels - 1)].stride;
    const MPI_Count full = count / per_level;
    if (full != 0) add(repeated(whole(levels - 1), full, stride), place);
    take(levels - 1, count % per_level, place + full * stride);
  }

  const Packed& section_;
  MPI_Datatype element_;
  MPI_Count per_block_;
  std::vector<MPI_Datatype> pieces_;
  std::vector<MPI_Count> places_;
};

namespace {

struct Shape {
  MPI_Count size = 0;
  bool gapless = false;
};

Shape shape_of(MPI_Datatype type) {
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  Shape shape;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_c(type, &shape.size) != MPI_SUCCESS) return {};
  if (PMPI_Type_get_extent_c(type, &lower, &extent) != MPI_SUCCESS) return {};
  shape.gapless = lower == 0 && extent == shape.size && extent > 0;
  if (PMPI_Type_get_true_extent_c(type, &lower, &extent) != MPI_SUCCESS) return {};
  shape.gapless = shape.gapless && lower == 0 && extent == shape.size;
  return shape;
}

}  // namespace

void Walk::lay(Sections& call, Descriptor& array, Way way) {
  const Packed section(array, way);
  const Shape shape = shape_of(type_);
  const auto bytes = static_cast<std::size_t>(shape.size * count_);
  if (shape.size == 0 || count_ < 0) return;  // wrong arguments: the call says so
  if (bytes > section.size_) {
    return call.fail(MPI_ERR_COUNT,
                     "the count asks for more elements than the section of the array has");
  }
  const bool may_copy = call.duration_ != Duration::epoch;
  const bool divides = shape.gapless && section.block_ % static_cast<std::size_t>(shape.size) == 0;
  if (may_copy && (!divides || (call.duration_ == Duration::call && section.size_ <= kShort))) {
    address_ = call.copy(array, way);
    return;
  }
  if (!divides) {
    return call.fail(MPI_ERR_BUFFER,
                     "the buffer is a section of an array that is not contiguous, and elements of "
                     "the datatype do not fit between its gaps; pass a contiguous array");
  }
  type_ = SectionType(section, type_, shape.size, count_).committed();
  count_ = 1;
  made_ = true;
}

char* Sections::copy(Descriptor& array, Way way) {
  if (duration_ != Duration::call && PMPIX_Request_stage == nullptr) {
    fail(MPI_ERR_BUFFER,
         "the buffer is a section of an array that is not contiguous, which this MPI library can "
         "only copy for calls that block; pass a contiguous array");
    return nullptr;
  }
  auto packed = std::make_unique<Packed>(array, way);
  packed->pack();
  char* address = packed->address();
  copies_[static_cast<std::size_t>(count_++)] = std::move(packed);
  return address;
}

void Sections::fail(int error_class, const char* text) {
  if (!ok()) return;
  code_ = refuse(comm_, error_class, std::string(procedure_) + ", called from Fortran: " + text);
}

void Sections::unpack() {
  unpack_all(&copies_);
}

// MPI may use the copies when this fails: they are kept then.
int Sections::stage(Fint* request) {
  auto operation = handle<MPI_Request>(request);
  const int code = PMPIX_Request_stage(&operation, pack_all, unpack_all, release_all,
                                       new Copies(std::move(copies_)));
  if (code == MPI_SUCCESS) *request = number(operation);
  return code;
}

}  // namespace tessera::fortran
