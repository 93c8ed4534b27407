// SPDX-License-Identifier: BSD-3-Clause
#include "core/datatype/packed.h"

#include "core/datatype/external32.h"

namespace tessera {

Checked packed_size(const TypeObject& type, Count count, PackedForm form) noexcept {
  return Checked(count) * (form == PackedForm::native ? type.size() : external32_size(type));
}

Status fit_for_other_systems(const TypeObject& type, const void* data, Count count) noexcept {
  if (external32_fits(type, data, count)) return {};
  return Status::failure(Errc::type,
                         "a value does not fit its external32 form, in which data goes to other "
                         "systems: MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes there; "
                         "MPI_INT64_T or MPI_LONG_LONG have 8");
}

Status pack_data(const TypeObject& type, const void* data, Count count, PackedForm form,
                 std::byte* out) noexcept {
  if (form == PackedForm::native) {
    PackCursor cursor(type, data, count);
    cursor.pack(out, cursor.total());
    return {};
  }
  if (Status s = fit_for_other_systems(type, data, count); !s) return s;
  external32_pack(type, data, count, out);
  return {};
}

void unpack_data(const TypeObject& type, void* data, Count count, PackedForm form,
                 const std::byte* in) noexcept {
  if (form == PackedForm::external32) return external32_unpack(type, data, count, in);
  PackCursor cursor(type, data, count);
  cursor.unpack(in, cursor.total());
}

}  // namespace tessera
