// SPDX-License-Identifier: BSD-3-Clause
// The functions that complete, start and free requests, under both of their names.
#pragma once
//
// Contract. Each is called by the function of MPI and by that with PMPI_ before its name, which
// check/generate writes, with the next function of the name that was called. So no way leads past
// them from a request that this library has changed: neither the calls of a program that uses PMPI
// names, nor those of another tool.
//
#include "check/call.h"

namespace tessera::check {

int wait(const Call& call, decltype(&MPI_Wait) next, MPI_Request* request, MPI_Status* status);
int waitall(const Call& call, decltype(&MPI_Waitall) next, int count, MPI_Request* requests,
            MPI_Status* statuses);
int waitany(const Call& call, decltype(&MPI_Waitany) next, int count, MPI_Request* requests,
            int* index, MPI_Status* status);
int waitsome(const Call& call, decltype(&MPI_Waitsome) next, int count, MPI_Request* requests,
             int* outcount, int* indices, MPI_Status* statuses);
int test(const Call& call, decltype(&MPI_Test) next, MPI_Request* request, int* flag,
         MPI_Status* status);
int testall(const Call& call, decltype(&MPI_Testall) next, int count, MPI_Request* requests,
            int* flag, MPI_Status* statuses);
int testany(const Call& call, decltype(&MPI_Testany) next, int count, MPI_Request* requests,
            int* index, int* flag, MPI_Status* status);
int testsome(const Call& call, decltype(&MPI_Testsome) next, int count, MPI_Request* requests,
             int* outcount, int* indices, MPI_Status* statuses);

// Requests whose completion is told stay; what they own is the program's again.
int request_get_status(const Call& call, decltype(&MPI_Request_get_status) next,
                       MPI_Request request, int* flag, MPI_Status* status);
int request_get_status_all(const Call& call, decltype(&MPI_Request_get_status_all) next, int count,
                           const MPI_Request* requests, int* flag, MPI_Status* statuses);
int request_get_status_any(const Call& call, decltype(&MPI_Request_get_status_any) next, int count,
                           const MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int request_get_status_some(const Call& call, decltype(&MPI_Request_get_status_some) next,
                            int count, const MPI_Request* requests, int* outcount, int* indices,
                            MPI_Status* statuses);

int request_free(Call& call, decltype(&MPI_Request_free) next, MPI_Request* request);
int start(const Call& call, decltype(&MPI_Start) next, MPI_Request* request);
int startall(const Call& call, decltype(&MPI_Startall) next, int count, MPI_Request* requests);

}  // namespace tessera::check
