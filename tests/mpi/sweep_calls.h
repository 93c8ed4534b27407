// SPDX-License-Identifier: BSD-3-Clause
// The point-to-point functions as tables: by mode, and in the forms with int and with MPI_Count.
#pragma once

#include <mpi.h>

enum Mode { standard, synchronous, ready, buffered };
inline constexpr const char* kModeNames[] = {"standard", "synchronous", "ready", "buffered"};

template <class Number>
struct Calls {
  using Send = int(const void*, Number, MPI_Datatype, int, int, MPI_Comm);
  using Start = int(const void*, Number, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

  Send* send[4];  // by mode
  Start* start[4];
  Start* init[4];
  int (*recv)(void*, Number, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
  int (*irecv)(void*, Number, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*recv_init)(void*, Number, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*mrecv)(void*, Number, MPI_Datatype, MPI_Message*, MPI_Status*);
  int (*imrecv)(void*, Number, MPI_Datatype, MPI_Message*, MPI_Request*);
  int (*sendrecv)(const void*, Number, MPI_Datatype, int, int, void*, Number, MPI_Datatype, int,
                  int, MPI_Comm, MPI_Status*);
  int (*isendrecv)(const void*, Number, MPI_Datatype, int, int, void*, Number, MPI_Datatype, int,
                   int, MPI_Comm, MPI_Request*);
  int (*replace)(void*, Number, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*);
  int (*ireplace)(void*, Number, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*);
};

template <class Number>
inline constexpr Calls<Number> kCalls = {};
template <>
inline constexpr Calls<int> kCalls<int> = {
    {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend},
    {MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend},
    {MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init},
    MPI_Recv,
    MPI_Irecv,
    MPI_Recv_init,
    MPI_Mrecv,
    MPI_Imrecv,
    MPI_Sendrecv,
    MPI_Isendrecv,
    MPI_Sendrecv_replace,
    MPI_Isendrecv_replace};
template <>
inline constexpr Calls<MPI_Count> kCalls<MPI_Count> = {
    {MPI_Send_c, MPI_Ssend_c, MPI_Rsend_c, MPI_Bsend_c},
    {MPI_Isend_c, MPI_Issend_c, MPI_Irsend_c, MPI_Ibsend_c},
    {MPI_Send_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c, MPI_Bsend_init_c},
    MPI_Recv_c,
    MPI_Irecv_c,
    MPI_Recv_init_c,
    MPI_Mrecv_c,
    MPI_Imrecv_c,
    MPI_Sendrecv_c,
    MPI_Isendrecv_c,
    MPI_Sendrecv_replace_c,
    MPI_Isendrecv_replace_c};
