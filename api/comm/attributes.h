// SPDX-License-Identifier: BSD-3-Clause
// Attributes at the user's side: callbacks that fail, and keyvals.
#pragma once

#include "api/errors/error.h"
#include "core/object/attributes.h"

namespace tessera::api {

// What a function that ran copy or delete functions returns: their code, reported to the object's
// error handler unless it is MPI_SUCCESS. A code that MPI does not know becomes one of class
// MPI_ERR_OTHER that names it.
int outcome_of_callbacks(const char* function, const ErrorContext& object, int code) noexcept;

// MPI_*_create_keyval.
int create_keyval(const char* function, KeyvalOf of, Keyval::Copy copy, Keyval::Delete destroy,
                  void* extra, int* number) noexcept;
// MPI_*_free_keyval.
int free_keyval(const char* function, KeyvalOf of, int* number) noexcept;
// The keyval of this number and kind; null, after a report, if there is none.
std::shared_ptr<Keyval> find_keyval(KeyvalOf of, int number) noexcept;
// Whether an attribute of this key can be deleted from an object with these attributes: the key
// exists, or was freed while the object holds an attribute of it. Deleting such attributes is how
// the last references to a freed key go (MPI-5.0 §7.7.2, MPI_Comm_free_keyval).
bool deletable(KeyvalOf of, int number, const AttributeSet& attributes) noexcept;
[[gnu::cold]] int raise_not_keyval(const char* function, const ErrorContext& object,
                                   int number) noexcept;

}  // namespace tessera::api
