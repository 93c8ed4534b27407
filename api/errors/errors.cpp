// SPDX-License-Identifier: BSD-3-Clause
// Error codes and classes (MPI 5.0, sections 9.4 and 9.5).
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>

#include "api/api.h"
#include "api/errors/error.h"
#include "api/errors/error_codes.h"

using namespace tessera::api;

namespace {

int raise_unknown_code(const char* function, int code) {
  return raise(function, MPI_ERR_ARG,
               fmt::format("argument `errorcode` is {}, which no function has returned; valid are "
                           "codes up to {} that an MPI function returned, and those added with "
                           "MPI_Add_error_class and MPI_Add_error_code",
                           code, MPI_ERR_LASTCODE));
}

int raise_has_string(const char* function, const char* kind, int value) {
  return raise(function, MPI_ERR_ARG,
               fmt::format("{} {} still has a string; remove it first (MPI_Remove_error_string)",
                           kind, value));
}

int raise_not_added(const char* function, const char* argument, int value, const char* adder) {
  return raise(
      function, MPI_ERR_ARG,
      fmt::format(
          "argument `{}` is {}; it must be a value that {} returned and that is not removed yet",
          argument, value, adder));
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Error_class)
extern "C" int PMPI_Error_class(int errorcode, int* errorclass) {
  if (errorclass == nullptr)
    return raise("MPI_Error_class", MPI_ERR_ARG, null_pointer("errorclass"));
  const auto found = ErrorCodes::instance().class_of(errorcode);
  if (!found) return raise_unknown_code("MPI_Error_class", errorcode);
  *errorclass = *found;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Error_string)
extern "C" int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  if (string == nullptr) return raise("MPI_Error_string", MPI_ERR_ARG, null_pointer("string"));
  if (resultlen == nullptr)
    return raise("MPI_Error_string", MPI_ERR_ARG, null_pointer("resultlen"));
  const std::optional<std::string> text = ErrorCodes::instance().describe(errorcode);
  if (!text) return raise_unknown_code("MPI_Error_string", errorcode);
  std::memcpy(string, text->c_str(), text->size() + 1);
  *resultlen = static_cast<int>(text->size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Add_error_class)
extern "C" int PMPI_Add_error_class(int* errorclass) {
  if (errorclass == nullptr)
    return raise("MPI_Add_error_class", MPI_ERR_ARG, null_pointer("errorclass"));
  *errorclass = ErrorCodes::instance().add_class();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Add_error_code)
extern "C" int PMPI_Add_error_code(int errorclass, int* errorcode) {
  if (errorcode == nullptr)
    return raise("MPI_Add_error_code", MPI_ERR_ARG, null_pointer("errorcode"));
  const auto code = ErrorCodes::instance().add_code(errorclass);
  if (!code) {
    return raise(
        "MPI_Add_error_code", MPI_ERR_ARG,
        fmt::format(
            "argument `errorclass` is {}; it must be one of the MPI_ERR_ classes, or a value that "
            "MPI_Add_error_class returned",
            errorclass));
  }
  *errorcode = *code;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Add_error_string)
extern "C" int PMPI_Add_error_string(int errorcode, const char* string) {
  if (string == nullptr) {
    return raise("MPI_Add_error_string", MPI_ERR_ARG,
                 "argument `string` is a null pointer; an empty string is \"\"");
  }
  if (std::strlen(string) >= MPI_MAX_ERROR_STRING) {
    return raise(
        "MPI_Add_error_string", MPI_ERR_ARG,
        fmt::format(
            "argument `string` has {} characters; at most {} fit (MPI_MAX_ERROR_STRING - 1)",
            std::strlen(string), MPI_MAX_ERROR_STRING - 1));
  }
  if (ErrorCodes::instance().set_text(errorcode, string) == ErrorCodes::Outcome::done)
    return MPI_SUCCESS;
  return raise_not_added("MPI_Add_error_string", "errorcode", errorcode,
                         "MPI_Add_error_class or MPI_Add_error_code");
}

TESSERA_WEAK_ALIAS(MPI_Remove_error_class)
extern "C" int PMPI_Remove_error_class(int errorclass) {
  const auto outcome = ErrorCodes::instance().remove_class(errorclass);
  if (outcome == ErrorCodes::Outcome::done) return MPI_SUCCESS;
  if (outcome == ErrorCodes::Outcome::in_use) {
    return raise(
        "MPI_Remove_error_class", MPI_ERR_ARG,
        fmt::format("class {} still has error codes; remove these first (MPI_Remove_error_code)",
                    errorclass));
  }
  if (outcome == ErrorCodes::Outcome::has_text)
    return raise_has_string("MPI_Remove_error_class", "class", errorclass);
  return raise_not_added("MPI_Remove_error_class", "errorclass", errorclass, "MPI_Add_error_class");
}

TESSERA_WEAK_ALIAS(MPI_Remove_error_code)
extern "C" int PMPI_Remove_error_code(int errorcode) {
  const auto outcome = ErrorCodes::instance().remove_code(errorcode);
  if (outcome == ErrorCodes::Outcome::done) return MPI_SUCCESS;
  if (outcome == ErrorCodes::Outcome::has_text)
    return raise_has_string("MPI_Remove_error_code", "code", errorcode);
  return raise_not_added("MPI_Remove_error_code", "errorcode", errorcode, "MPI_Add_error_code");
}

TESSERA_WEAK_ALIAS(MPI_Remove_error_string)
extern "C" int PMPI_Remove_error_string(int errorcode) {
  if (ErrorCodes::instance().set_text(errorcode, {}) == ErrorCodes::Outcome::done)
    return MPI_SUCCESS;
  return raise_not_added("MPI_Remove_error_string", "errorcode", errorcode,
                         "MPI_Add_error_class or MPI_Add_error_code");
}
