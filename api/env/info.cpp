// SPDX-License-Identifier: BSD-3-Clause
// Info objects (MPI 5.0, chapter 10).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "api/api.h"
#include "api/env/info_handle.h"
#include "api/env/memory_kinds.h"
#include "api/env/world.h"
#include "api/errors/error.h"
#include "api/handle.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {
namespace {

const Info& environment() {
  static const Info& info = *[] {
    auto* made = new Info(Info::of_this_process(
        world.engine != nullptr ? static_cast<int>(world.engine->job().size()) : 0));
    made->set(kMemoryKindsKey, kMemoryKinds);
    return made;
  }();
  return info;
}

}  // namespace

const Info* find_info(MPI_Info handle) noexcept {
  return handle == MPI_INFO_ENV ? &environment() : find_own_info(handle);
}

Info* find_own_info(MPI_Info handle) noexcept {
  return find_object_always<Info, ObjectKind::info>(handle);
}

}  // namespace tessera::api

namespace {

int raise_not_info(const char* function, MPI_Info handle, bool to_change) {
  if (handle == MPI_INFO_NULL) {
    return raise(function, MPI_ERR_INFO,
                 "argument `info` is MPI_INFO_NULL; it must be an info object");
  }
  if (handle == MPI_INFO_ENV && to_change) {
    return raise(
        function, MPI_ERR_INFO,
        "argument `info` is MPI_INFO_ENV, which cannot be changed or freed; MPI_Info_dup gives a "
        "copy that can");
  }
  return raise(function, MPI_ERR_INFO,
               fmt::format("argument `info` is no info object: {}; valid are objects from "
                           "MPI_Info_create, MPI_Info_dup and other functions that return one",
                           why_none(handle, ObjectKind::info)));
}

// MPI_SUCCESS, or the code after the report that this is no key.
int check_key(const char* function, const char* key) {
  if (key == nullptr || *key == '\0') {
    return raise(function, MPI_ERR_INFO_KEY,
                 fmt::format("argument `key` is {}; it must have 1 to {} characters",
                             key == nullptr ? "a null pointer" : "empty", MPI_MAX_INFO_KEY - 1));
  }
  const std::size_t length = std::strlen(key);
  if (length < MPI_MAX_INFO_KEY) return MPI_SUCCESS;
  return raise(
      function, MPI_ERR_INFO_KEY,
      fmt::format(
          "argument `key` has {} characters; at most {} are possible (MPI_MAX_INFO_KEY - 1)",
          length, MPI_MAX_INFO_KEY - 1));
}

int check_value(const char* function, const char* value) {
  if (value == nullptr) {
    return raise(function, MPI_ERR_INFO_VALUE,
                 "argument `value` is a null pointer; it must be a string");
  }
  const std::size_t length = std::strlen(value);
  if (length < MPI_MAX_INFO_VAL) return MPI_SUCCESS;
  return raise(
      function, MPI_ERR_INFO_VALUE,
      fmt::format(
          "argument `value` has {} characters; at most {} are possible (MPI_MAX_INFO_VAL - 1)",
          length, MPI_MAX_INFO_VAL - 1));
}

// Copies the beginning of `text`, as much as fits into `room` bytes with the final null. room > 0.
void copy_cut(char* to, const std::string& text, std::size_t room) {
  const std::size_t length = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Info_create)
extern "C" int PMPI_Info_create(MPI_Info* info) {
  if (info == nullptr) return raise("MPI_Info_create", MPI_ERR_ARG, null_pointer("info"));
  *info = handle_of<MPI_Info>(new Info);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_create_env)
extern "C" int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* info) {
  constexpr const char* function = "MPI_Info_create_env";
  if (info == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("info"));
  if (argc < 0 || (argc > 0 && argv == nullptr)) {
    return raise(
        function, MPI_ERR_ARG,
        fmt::format("arguments `argc` and `argv` are {} and {}; pass those of main, or 0 and NULL",
                    argc, argv == nullptr ? "NULL" : "an array"));
  }
  *info = handle_of<MPI_Info>(argc == 0
                                  ? new Info(Info::of_this_process(0))
                                  : new Info(Info::of_start(argv[0], {argv + 1, argv + argc}, 0)));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_dup)
extern "C" int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  const Info* source = find_info(info);
  if (source == nullptr) return raise_not_info("MPI_Info_dup", info, false);
  if (newinfo == nullptr) return raise("MPI_Info_dup", MPI_ERR_ARG, null_pointer("newinfo"));
  *newinfo = handle_of<MPI_Info>(new Info(*source));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_free)
extern "C" int PMPI_Info_free(MPI_Info* info) {
  if (info == nullptr) return raise("MPI_Info_free", MPI_ERR_ARG, null_pointer("info"));
  Info* object = find_own_info(*info);
  if (object == nullptr) return raise_not_info("MPI_Info_free", *info, true);
  object->release();
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_set)
extern "C" int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  Info* object = find_own_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_set", info, true);
  if (const int code = check_key("MPI_Info_set", key)) return code;
  if (const int code = check_value("MPI_Info_set", value)) return code;
  object->set(key, value);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_delete)
extern "C" int PMPI_Info_delete(MPI_Info info, const char* key) {
  Info* object = find_own_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_delete", info, true);
  if (const int code = check_key("MPI_Info_delete", key)) return code;
  if (object->erase(key)) return MPI_SUCCESS;
  return raise(
      "MPI_Info_delete", MPI_ERR_INFO_NOKEY,
      fmt::format("the info object has no key \"{}\"; MPI_Info_get_nthkey lists those it has",
                  key));
}

TESSERA_WEAK_ALIAS(MPI_Info_get_string)
extern "C" int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value,
                                    int* flag) {
  constexpr const char* function = "MPI_Info_get_string";
  const Info* object = find_info(info);
  if (object == nullptr) return raise_not_info(function, info, false);
  if (const int code = check_key(function, key)) return code;
  if (buflen == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("buflen"));
  if (flag == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("flag"));
  if (*buflen < 0 || (*buflen > 0 && value == nullptr)) {
    return raise(
        function, MPI_ERR_ARG,
        fmt::format(
            "argument `buflen` points to {} and `value` is {}; they must describe a buffer, or the "
            "length be 0",
            *buflen, value == nullptr ? "a null pointer" : "set"));
  }
  const auto found = object->get(key);
  *flag = found.has_value();
  if (!found) return MPI_SUCCESS;
  if (*buflen > 0) copy_cut(value, *found, static_cast<std::size_t>(*buflen));
  *buflen = static_cast<int>(found->size()) + 1;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_get)
extern "C" int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  const Info* object = find_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_get", info, false);
  if (const int code = check_key("MPI_Info_get", key)) return code;
  if (valuelen < 0) {
    return raise(
        "MPI_Info_get", MPI_ERR_ARG,
        fmt::format("argument `valuelen` is {}; it must be the size of the buffer less one",
                    valuelen));
  }
  if (value == nullptr) return raise("MPI_Info_get", MPI_ERR_ARG, null_pointer("value"));
  if (flag == nullptr) return raise("MPI_Info_get", MPI_ERR_ARG, null_pointer("flag"));
  const auto found = object->get(key);
  *flag = found.has_value();
  if (found) copy_cut(value, *found, static_cast<std::size_t>(valuelen) + 1);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_get_valuelen)
extern "C" int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  const Info* object = find_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_get_valuelen", info, false);
  if (const int code = check_key("MPI_Info_get_valuelen", key)) return code;
  if (valuelen == nullptr)
    return raise("MPI_Info_get_valuelen", MPI_ERR_ARG, null_pointer("valuelen"));
  if (flag == nullptr) return raise("MPI_Info_get_valuelen", MPI_ERR_ARG, null_pointer("flag"));
  const auto found = object->get(key);
  *flag = found.has_value();
  if (found) *valuelen = static_cast<int>(found->size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_get_nkeys)
extern "C" int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  const Info* object = find_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_get_nkeys", info, false);
  if (nkeys == nullptr) return raise("MPI_Info_get_nkeys", MPI_ERR_ARG, null_pointer("nkeys"));
  *nkeys = static_cast<int>(object->size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Info_get_nthkey)
extern "C" int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  const Info* object = find_info(info);
  if (object == nullptr) return raise_not_info("MPI_Info_get_nthkey", info, false);
  if (key == nullptr) return raise("MPI_Info_get_nthkey", MPI_ERR_ARG, null_pointer("key"));
  const auto found = n < 0 ? std::nullopt : object->key(static_cast<std::size_t>(n));
  if (!found) {
    return raise("MPI_Info_get_nthkey", MPI_ERR_ARG,
                 fmt::format("argument `n` is {}; the object has {} keys, numbered from 0", n,
                             object->size()));
  }
  std::memcpy(key, found->c_str(), found->size() + 1);
  return MPI_SUCCESS;
}
