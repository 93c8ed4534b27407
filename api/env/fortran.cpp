// SPDX-License-Identifier: BSD-3-Clause
// What the Fortran library tells about its compiler (MPI 5.0, section 20.4).
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/env/info_handle.h"
#include "api/errors/error.h"
#include "api/handle.h"

using namespace tessera;
using namespace tessera::api;

namespace {

struct Booleans {
  std::array<char, 16> yes, no;
};

// Said once per process, by a library that is loaded or by the program; before MPI_Init too.
struct Compiler {
  std::mutex mutex;
  std::unique_ptr<Info> info;
  std::map<std::size_t, Booleans> booleans;  // by the size of the LOGICAL
};

Compiler& compiler() {
  static Compiler& only = *new Compiler;  // never destroyed: other libraries ask while they end
  return only;
}

constexpr std::string_view kSizes[] = {"mpi_logical_size", "mpi_integer_size", "mpi_real_size",
                                       "mpi_double_precision_size"};

// Empty, or what is wrong with an entry of the info object.
std::string wrong(std::string_view key, std::string_view value) {
  for (const std::string_view size : kSizes) {
    if (key != size) continue;
    const bool known =
        value == "1" || value == "2" || value == "4" || value == "8" || value == "16";
    return known ? ""
                 : fmt::format(
                       "the value of {} is \"{}\"; it must be a size in bytes: 1, 2, 4, 8 or 16",
                       key, value);
  }
  if (key.substr(0, 4) == "mpi_" && key.size() > 10 &&
      key.substr(key.size() - 10) == "_supported" && value != "true" && value != "false") {
    return fmt::format("the value of {} is \"{}\"; it must be true or false", key, value);
  }
  return "";
}

bool valid_size(int size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

// MPI_SUCCESS, or the code after the report.
int check_booleans(const char* function, int size, const void* yes, const void* no) {
  if (!valid_size(size)) {
    return raise(function, MPI_ERR_ARG,
                 fmt::format("argument `logical_size` is {}; it must be the size of a LOGICAL in "
                             "bytes: 1, 2, 4, 8 or 16",
                             size));
  }
  if (yes == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("logical_true"));
  if (no == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("logical_false"));
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Abi_set_fortran_info)
extern "C" int PMPI_Abi_set_fortran_info(MPI_Info info) {
  constexpr const char* function = "MPI_Abi_set_fortran_info";
  const Info* given = find_info(info);
  if (given == nullptr) {
    return raise(function, MPI_ERR_INFO,
                 "argument `info` is no info object; it must be one with the keys of section 20.4, "
                 "such as mpi_logical_size");
  }
  for (std::size_t i = 0; i < given->size(); ++i) {
    const std::string key = given->key(i).value_or("");
    const std::string reason = wrong(key, given->get(key).value_or(""));
    if (!reason.empty()) return raise(function, MPI_ERR_ARG, "argument `info`: " + reason);
  }
  const std::lock_guard lock(compiler().mutex);
  if (compiler().info != nullptr) {
    return raise(function, MPI_ERR_ABI,
                 "the Fortran compiler is described already, by an earlier call or by the Fortran "
                 "library; it can be described once only");
  }
  compiler().info = std::make_unique<Info>(*given);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Abi_get_fortran_info)
extern "C" int PMPI_Abi_get_fortran_info(MPI_Info* info) {
  if (info == nullptr) return raise("MPI_Abi_get_fortran_info", MPI_ERR_ARG, null_pointer("info"));
  const std::lock_guard lock(compiler().mutex);
  const Info* known = compiler().info.get();
  *info = known == nullptr ? MPI_INFO_NULL : handle_of<MPI_Info>(new Info(*known));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Abi_set_fortran_booleans)
extern "C" int PMPI_Abi_set_fortran_booleans(int logical_size, void* logical_true,
                                             void* logical_false) {
  constexpr const char* function = "MPI_Abi_set_fortran_booleans";
  const int checked = check_booleans(function, logical_size, logical_true, logical_false);
  if (checked != MPI_SUCCESS) return checked;
  const auto size = static_cast<std::size_t>(logical_size);
  if (std::memcmp(logical_true, logical_false, size) == 0) {
    return raise(
        function, MPI_ERR_ARG,
        "arguments `logical_true` and `logical_false` hold the same bits; they must be the "
        "two truth values of the compiler");
  }
  const std::lock_guard lock(compiler().mutex);
  if (compiler().booleans.count(size) != 0) {
    return raise(function, MPI_ERR_ABI,
                 "the truth values of a LOGICAL of this size are set already, by an earlier call "
                 "or by the Fortran library; they can be set once only");
  }
  Booleans& booleans = compiler().booleans[size];
  std::memcpy(booleans.yes.data(), logical_true, size);
  std::memcpy(booleans.no.data(), logical_false, size);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Abi_get_fortran_booleans)
extern "C" int PMPI_Abi_get_fortran_booleans(int logical_size, void* logical_true,
                                             void* logical_false, int* is_set) {
  constexpr const char* function = "MPI_Abi_get_fortran_booleans";
  const int checked = check_booleans(function, logical_size, logical_true, logical_false);
  if (checked != MPI_SUCCESS) return checked;
  if (is_set == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("is_set"));
  const std::lock_guard lock(compiler().mutex);
  const auto known = compiler().booleans.find(static_cast<std::size_t>(logical_size));
  *is_set = known != compiler().booleans.end() ? 1 : 0;
  if (*is_set == 0) return MPI_SUCCESS;
  std::memcpy(logical_true, known->second.yes.data(), known->first);
  std::memcpy(logical_false, known->second.no.data(), known->first);
  return MPI_SUCCESS;
}
