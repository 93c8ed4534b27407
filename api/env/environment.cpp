// SPDX-License-Identifier: BSD-3-Clause
// Versions, host, clock, memory (MPI 5.0, chapter 9), and MPI_Pcontrol (chapter 15).
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/env/info_handle.h"
#include "api/env/world.h"
#include "api/errors/error.h"

using namespace tessera;
using namespace tessera::api;

namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "GCC " __VERSION__;
#else
constexpr const char* kCompiler = "an unknown compiler";
#endif

// The alignment asked for by the info key of MPI 4.1, else one cache line; 0 if the value makes no
// sense.
std::size_t alignment_of(MPI_Info info) {
  constexpr std::size_t cache_line = 64;
  const Info* object = find_info(info);
  const auto text = object != nullptr ? object->get("mpi_minimum_memory_alignment") : std::nullopt;
  if (!text) return cache_line;
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text->c_str(), &end, 10);
  const bool power_of_two = value != 0 && (value & (value - 1)) == 0;
  if (end == text->c_str() || *end != '\0' || !power_of_two || value > (1ULL << 40)) return 0;
  return value < cache_line ? cache_line : static_cast<std::size_t>(value);
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Get_version)
extern "C" int PMPI_Get_version(int* version, int* subversion) {
  if (version == nullptr) return raise("MPI_Get_version", MPI_ERR_ARG, null_pointer("version"));
  if (subversion == nullptr)
    return raise("MPI_Get_version", MPI_ERR_ARG, null_pointer("subversion"));
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Get_library_version)
extern "C" int PMPI_Get_library_version(char* version, int* resultlen) {
  if (version == nullptr)
    return raise("MPI_Get_library_version", MPI_ERR_ARG, null_pointer("version"));
  if (resultlen == nullptr)
    return raise("MPI_Get_library_version", MPI_ERR_ARG, null_pointer("resultlen"));
  const std::string text =
      fmt::format("Tessera {}, MPI {}.{} standard ABI {}.{}, built with {}", TESSERA_VERSION,
                  MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION, kCompiler);
  std::memcpy(version, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Get_processor_name)
extern "C" int PMPI_Get_processor_name(char* name, int* resultlen) {
  if (world.over()) return raise_not_active("MPI_Get_processor_name");
  if (name == nullptr) return raise("MPI_Get_processor_name", MPI_ERR_ARG, null_pointer("name"));
  if (resultlen == nullptr)
    return raise("MPI_Get_processor_name", MPI_ERR_ARG, null_pointer("resultlen"));
  if (::gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) std::strcpy(name, "unknown");
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Wtime)
extern "C" double PMPI_Wtime() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}

TESSERA_WEAK_ALIAS(MPI_Wtick)
extern "C" double PMPI_Wtick() {
  timespec tick{};
  ::clock_getres(CLOCK_MONOTONIC, &tick);
  return seconds(tick);
}

TESSERA_WEAK_ALIAS(MPI_Alloc_mem)
extern "C" int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  constexpr const char* function = "MPI_Alloc_mem";
  if (world.over()) return raise_not_active(function);
  if (size < 0)
    return raise(function, MPI_ERR_ARG,
                 fmt::format("argument `size` is {}; it must be at least 0", size));
  if (baseptr == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("baseptr"));
  if (info != MPI_INFO_NULL && find_info(info) == nullptr) {
    return raise(function, MPI_ERR_INFO,
                 "argument `info` is not an info object; MPI_INFO_NULL stands for none");
  }
  const std::size_t alignment = alignment_of(info);
  if (alignment == 0) {
    return raise(function, MPI_ERR_INFO_VALUE,
                 "the info key mpi_minimum_memory_alignment must be a power of two");
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, size == 0 ? 1 : static_cast<std::size_t>(size)) != 0) {
    return raise(function, MPI_ERR_NO_MEM, fmt::format("there is no memory for {} bytes", size));
  }
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Free_mem)
extern "C" int PMPI_Free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}

// Does nothing: it is there for a profiling library to replace.
TESSERA_WEAK_ALIAS(MPI_Pcontrol)
extern "C" int PMPI_Pcontrol(const int, ...) {
  return MPI_SUCCESS;
}
