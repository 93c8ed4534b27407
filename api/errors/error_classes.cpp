// SPDX-License-Identifier: BSD-3-Clause
// The table of error classes: what each one means, in our words.
#include "api/errors/error_classes.h"

#include <algorithm>
#include <array>

#include "api/api.h"

namespace tessera::api {
namespace {

constexpr auto error_classes = std::to_array<ErrorClass>({
    {MPI_SUCCESS, "MPI_SUCCESS", "no error"},
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER",
     "a buffer address is invalid, or a buffer is used twice in one call"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT", "a count is negative or too large"},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE", "a datatype is invalid, not committed, or does not fit its use"},
    {MPI_ERR_TAG, "MPI_ERR_TAG", "a tag is negative or above the value of MPI_TAG_UB"},
    {MPI_ERR_COMM, "MPI_ERR_COMM", "a communicator is null, freed, or of the wrong kind"},
    {MPI_ERR_RANK, "MPI_ERR_RANK", "a rank does not exist in the communicator, group or window"},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST",
     "a request is invalid, or of a kind this call does not take"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT", "the root is not a rank of the communicator"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP", "a group is null, freed, or does not fit the communicator"},
    {MPI_ERR_OP, "MPI_ERR_OP",
     "a reduction operation is invalid, or not defined for this datatype"},
    {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY",
     "the communicator has no topology, or one of another kind"},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS", "the dimensions of a grid are invalid"},
    {MPI_ERR_ARG, "MPI_ERR_ARG", "an argument is invalid"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "an error of unknown cause"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE",
     "a message is longer than the buffer that was to receive it"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER", "an error of a known cause for which there is no class"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN",
     "the MPI library found itself in a state it should never be in"},
    {MPI_ERR_PENDING, "MPI_ERR_PENDING", "a request is neither complete nor failed"},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "at least one request failed; the statuses say which"},
    {MPI_ERR_ACCESS, "MPI_ERR_ACCESS", "permission to use the file was denied"},
    {MPI_ERR_AMODE, "MPI_ERR_AMODE",
     "the modes of opening a file contradict each other or the call"},
    {MPI_ERR_ASSERT, "MPI_ERR_ASSERT", "an assertion value is invalid"},
    {MPI_ERR_BAD_FILE, "MPI_ERR_BAD_FILE", "a file name is invalid"},
    {MPI_ERR_BASE, "MPI_ERR_BASE", "the base address of a window or of memory is invalid"},
    {MPI_ERR_CONVERSION, "MPI_ERR_CONVERSION", "a conversion function of the program failed"},
    {MPI_ERR_DISP, "MPI_ERR_DISP", "a displacement is invalid"},
    {MPI_ERR_DUP_DATAREP, "MPI_ERR_DUP_DATAREP",
     "a data representation of this name exists already"},
    {MPI_ERR_FILE_EXISTS, "MPI_ERR_FILE_EXISTS", "the file exists already"},
    {MPI_ERR_FILE_IN_USE, "MPI_ERR_FILE_IN_USE", "the file is open in some process"},
    {MPI_ERR_FILE, "MPI_ERR_FILE", "a file handle is invalid"},
    {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "an info key is missing, empty or too long"},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "the info object has no such key"},
    {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE",
     "an info value is missing, too long, or not one the key allows"},
    {MPI_ERR_INFO, "MPI_ERR_INFO", "an info object is invalid or must not be changed"},
    {MPI_ERR_IO, "MPI_ERR_IO", "reading or writing failed"},
    {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL",
     "an attribute key is invalid, freed, or must not be changed"},
    {MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE", "a lock type is neither shared nor exclusive"},
    {MPI_ERR_NAME, "MPI_ERR_NAME", "no port is published under this service name"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "memory is exhausted"},
    {MPI_ERR_NOT_SAME, "MPI_ERR_NOT_SAME",
     "an argument that must be alike in all processes is not"},
    {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE", "the file system is full"},
    {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE", "the file does not exist"},
    {MPI_ERR_PORT, "MPI_ERR_PORT", "a port name is invalid"},
    {MPI_ERR_QUOTA, "MPI_ERR_QUOTA", "the quota of disk space is used up"},
    {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY", "the file or file system may only be read"},
    {MPI_ERR_RMA_ATTACH, "MPI_ERR_RMA_ATTACH", "memory cannot be attached to the window"},
    {MPI_ERR_RMA_CONFLICT, "MPI_ERR_RMA_CONFLICT", "accesses to a window conflict"},
    {MPI_ERR_RMA_RANGE, "MPI_ERR_RMA_RANGE", "the target memory is outside the window"},
    {MPI_ERR_RMA_SHARED, "MPI_ERR_RMA_SHARED", "the memory cannot be shared by these processes"},
    {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC",
     "calls that synchronize a window are missing or out of order"},
    {MPI_ERR_SERVICE, "MPI_ERR_SERVICE", "the service name cannot be unpublished"},
    {MPI_ERR_SIZE, "MPI_ERR_SIZE", "a size is invalid"},
    {MPI_ERR_SPAWN, "MPI_ERR_SPAWN", "processes could not be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "MPI_ERR_UNSUPPORTED_DATAREP",
     "the data representation is not known"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION",
     "the operation is not available here"},
    {MPI_ERR_WIN, "MPI_ERR_WIN", "a window is null, freed or invalid"},
    {MPI_ERR_RMA_FLAVOR, "MPI_ERR_RMA_FLAVOR",
     "the window was not created in the way this call needs"},
    {MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED",
     "a process taking part in the operation has ended"},
    {MPI_ERR_VALUE_TOO_LARGE, "MPI_ERR_VALUE_TOO_LARGE",
     "a result does not fit the type of its argument"},
    {MPI_ERR_SESSION, "MPI_ERR_SESSION", "a session is null, finalized or invalid"},
    {MPI_ERR_ERRHANDLER, "MPI_ERR_ERRHANDLER",
     "an error handler is invalid, or made for another kind of object"},
    {MPI_ERR_ABI, "MPI_ERR_ABI", "the call does not fit the binary interface in use"},
    {MPI_T_ERR_CANNOT_INIT, "MPI_T_ERR_CANNOT_INIT", "the tool interface cannot be started now"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "MPI_T_ERR_NOT_ACCESSIBLE",
     "the requested facility cannot be reached"},
    {MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED",
     "the tool interface has not been started"},
    {MPI_T_ERR_NOT_SUPPORTED, "MPI_T_ERR_NOT_SUPPORTED",
     "the tool interface does not offer this function"},
    {MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY", "the tool interface has no more memory"},
    {MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID", "an argument of the tool interface is invalid"},
    {MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX",
     "no variable, category or event has this index"},
    {MPI_T_ERR_INVALID_ITEM, "MPI_T_ERR_INVALID_ITEM", "the enumeration has no item of this index"},
    {MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION",
     "the session of performance variables is invalid"},
    {MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE",
     "the handle of a variable or event is invalid"},
    {MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME",
     "no variable, category or event has this name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "MPI_T_ERR_OUT_OF_HANDLES", "no more handles are available"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "MPI_T_ERR_OUT_OF_SESSIONS", "no more sessions are available"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "MPI_T_ERR_CVAR_SET_NOT_NOW",
     "the variable cannot be set at this moment"},
    {MPI_T_ERR_CVAR_SET_NEVER, "MPI_T_ERR_CVAR_SET_NEVER",
     "the variable can no longer be set in this run"},
    {MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE", "the variable cannot be written or reset"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "MPI_T_ERR_PVAR_NO_STARTSTOP",
     "the variable cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "MPI_T_ERR_PVAR_NO_ATOMIC",
     "the variable cannot be read and reset in one step"},
});

constexpr bool by_value(const ErrorClass& a, const ErrorClass& b) {
  return a.value < b.value;
}
static_assert(std::is_sorted(error_classes.begin(), error_classes.end(), by_value));

}  // namespace

const ErrorClass* find_error_class(int value) noexcept {
  const auto* found = std::lower_bound(error_classes.begin(), error_classes.end(),
                                       ErrorClass{value, nullptr, nullptr}, by_value);
  return found != error_classes.end() && found->value == value ? found : nullptr;
}

}  // namespace tessera::api
