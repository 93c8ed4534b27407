// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking (MPI-5.0 §5.2, §5.3). Packed data is the data alone, in type-map order.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "api/datatype/arguments.h"
#include "core/datatype/checked.h"
#include "core/datatype/external32.h"
#include "core/impi/spanned.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Elements on one side, packed bytes with a position on the other.
template <class Number>
struct Packing {
  const char* function;
  const void* data;
  Count count;
  MPI_Datatype datatype;
  const void* packed;
  Number size;
  Number* position;
};

bool right_format(Arguments& arguments, const char* datarep) {
  return arguments.input(datarep, "datarep") &&
         (std::string_view(datarep) == "external32" ||
          arguments.fail(
              MPI_ERR_UNSUPPORTED_DATAREP,
              fmt::format("argument `datarep` is \"{}\"; valid is \"external32\"", datarep)));
}

// The external forms ask for external32, the others for what the communicator has.
PackedForm form_of(const Comm& comm, bool external) noexcept {
  return external ? PackedForm::external32 : impi::packed_form(comm);
}

template <class Number>
bool right(TypeArguments& arguments, const Packing<Number>& call, const char* data,
           const char* packed) {
  const TypeObject* type = find_type(call.datatype);
  return arguments.count(call.count) && arguments.type(type) && arguments.room(call.count, *type) &&
         arguments.buffer(call.data, call.count, *type, data) &&
         arguments.pointer(call.position, "position") &&
         arguments.that(*call.position >= 0 && *call.position <= call.size, MPI_ERR_ARG,
                        "argument `position` lies outside of the packed buffer") &&
         (call.packed != nullptr || call.size == 0 || arguments.input(call.packed, packed));
}

// The bytes that the call packs or unpacks; false, with the report kept, if they do not fit.
template <class Number>
bool fits(TypeArguments& arguments, const Packing<Number>& call, PackedForm form) {
  const Checked bytes = packed_size(*find_type(call.datatype), call.count, form);
  const Count left = call.size - *call.position;
  return (bytes.ok() && bytes.value() <= left) ||
         arguments.fail(MPI_ERR_TRUNCATE,
                        fmt::format("{} bytes are left in the packed buffer from `position` on; {} "
                                    "are needed, as MPI_Pack_size tells",
                                    left, bytes.value()));
}

template <class Number>
std::byte* place(const Packing<Number>& call) noexcept {
  return static_cast<std::byte*>(const_cast<void*>(call.packed)) + *call.position;
}

template <class Number>
int pack(const Packing<Number>& call, MPI_Comm comm, bool external = false) {
  TypeArguments arguments(call.function, comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  const PackedForm form = form_of(*arguments.comm(), external);
  if (!right(arguments, call, "inbuf", "outbuf") || !fits(arguments, call, form))
    return arguments.raised();
  const TypeObject& type = *find_type(call.datatype);
  const Count bytes = packed_size(type, call.count, form).value();
  if (external) {
    external32_pack(type, call.data, call.count, place(call));
  } else if (Status s = pack_data(type, call.data, call.count, form, place(call)); !s) {
    return raise(call.function, comm, s);
  }
  *call.position += static_cast<Number>(bytes);
  return MPI_SUCCESS;
}

template <class Number>
int unpack(const Packing<Number>& call, MPI_Comm comm, bool external = false) {
  TypeArguments arguments(call.function, comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  const PackedForm form = form_of(*arguments.comm(), external);
  if (!right(arguments, call, "outbuf", "inbuf") || !fits(arguments, call, form))
    return arguments.raised();
  const TypeObject& type = *find_type(call.datatype);
  const Count bytes = packed_size(type, call.count, form).value();
  unpack_data(type, const_cast<void*>(call.data), call.count, form, place(call));
  *call.position += static_cast<Number>(bytes);
  return MPI_SUCCESS;
}

template <class Number>
int get_size(const char* function, Count count, MPI_Datatype datatype, MPI_Comm comm, Number* size,
             bool external = false) {
  TypeArguments arguments(function, comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  if (!arguments.count(count) || !arguments.old_type(datatype, "datatype") ||
      !arguments.pointer(size, "size")) {
    return arguments.raised();
  }
  const Checked bytes = packed_size(arguments.old(), count, form_of(*arguments.comm(), external));
  if (!bytes.ok() || bytes.value() > std::numeric_limits<Number>::max()) {
    arguments.fail(
        MPI_ERR_VALUE_TOO_LARGE,
        fmt::format("the size of the packed data does not fit into `size`; it must be at most {}",
                    std::numeric_limits<Number>::max()));
    return arguments.raised();
  }
  *size = static_cast<Number>(bytes.value());
  return MPI_SUCCESS;
}

// The external forms name their format and have no communicator.
template <class Act>
int external(const char* function, const char* datarep, Act act) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !right_format(arguments, datarep)) return arguments.raised();
  return act();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Pack)
extern "C" int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                         int outsize, int* position, MPI_Comm comm) {
  return pack<int>({"MPI_Pack", inbuf, incount, datatype, outbuf, outsize, position}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Unpack)
extern "C" int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                           MPI_Datatype datatype, MPI_Comm comm) {
  return unpack<int>({"MPI_Unpack", outbuf, outcount, datatype, inbuf, insize, position}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Pack_size)
extern "C" int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return get_size("MPI_Pack_size", incount, datatype, comm, size);
}

TESSERA_WEAK_ALIAS(MPI_Pack_c)
extern "C" int PMPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                           void* outbuf, MPI_Count outsize, MPI_Count* position, MPI_Comm comm) {
  return pack<MPI_Count>({"MPI_Pack_c", inbuf, incount, datatype, outbuf, outsize, position}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Unpack_c)
extern "C" int PMPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                             MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
  return unpack<MPI_Count>({"MPI_Unpack_c", outbuf, outcount, datatype, inbuf, insize, position},
                           comm);
}

TESSERA_WEAK_ALIAS(MPI_Pack_size_c)
extern "C" int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
                                MPI_Count* size) {
  return get_size("MPI_Pack_size_c", incount, datatype, comm, size);
}

TESSERA_WEAK_ALIAS(MPI_Pack_external)
extern "C" int PMPI_Pack_external(const char datarep[], const void* inbuf, int incount,
                                  MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
                                  MPI_Aint* position) {
  constexpr const char* function = "MPI_Pack_external";
  return external(function, datarep, [&] {
    return pack<MPI_Aint>({function, inbuf, incount, datatype, outbuf, outsize, position},
                          no_comm(), true);
  });
}

TESSERA_WEAK_ALIAS(MPI_Unpack_external)
extern "C" int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                                    MPI_Aint* position, void* outbuf, int outcount,
                                    MPI_Datatype datatype) {
  constexpr const char* function = "MPI_Unpack_external";
  return external(function, datarep, [&] {
    return unpack<MPI_Aint>({function, outbuf, outcount, datatype, inbuf, insize, position},
                            no_comm(), true);
  });
}

TESSERA_WEAK_ALIAS(MPI_Pack_external_size)
extern "C" int PMPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                                       MPI_Aint* size) {
  constexpr const char* function = "MPI_Pack_external_size";
  return external(function, datarep,
                  [&] { return get_size(function, incount, datatype, no_comm(), size, true); });
}

TESSERA_WEAK_ALIAS(MPI_Pack_external_c)
extern "C" int PMPI_Pack_external_c(const char datarep[], const void* inbuf, MPI_Count incount,
                                    MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                                    MPI_Count* position) {
  constexpr const char* function = "MPI_Pack_external_c";
  return external(function, datarep, [&] {
    return pack<MPI_Count>({function, inbuf, incount, datatype, outbuf, outsize, position},
                           no_comm(), true);
  });
}

TESSERA_WEAK_ALIAS(MPI_Unpack_external_c)
extern "C" int PMPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize,
                                      MPI_Count* position, void* outbuf, MPI_Count outcount,
                                      MPI_Datatype datatype) {
  constexpr const char* function = "MPI_Unpack_external_c";
  return external(function, datarep, [&] {
    return unpack<MPI_Count>({function, outbuf, outcount, datatype, inbuf, insize, position},
                             no_comm(), true);
  });
}

TESSERA_WEAK_ALIAS(MPI_Pack_external_size_c)
extern "C" int PMPI_Pack_external_size_c(const char datarep[], MPI_Count incount,
                                         MPI_Datatype datatype, MPI_Count* size) {
  constexpr const char* function = "MPI_Pack_external_size_c";
  return external(function, datarep,
                  [&] { return get_size(function, incount, datatype, no_comm(), size, true); });
}
