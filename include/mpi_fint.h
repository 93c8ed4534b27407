/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_fint.h: handles and statuses as the integers of Fortran (MPI 5.0, section 19.3), for C code
 * that talks with Fortran or was written before the standard ABI.
 *
 * mpi.h includes this file at its end; -DTESSERA_STRICT_ABI leaves it out. The standard ABI has
 * MPI_X_toint and MPI_X_fromint in the place of these functions. All of them are inline: no library
 * exports them, so that a program that uses them runs with every library of the ABI, and a program
 * or tool may define functions of these names itself. */
#ifndef TESSERA_MPI_FINT_H
#define TESSERA_MPI_FINT_H

#include "mpi.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The default INTEGER of Fortran. */
typedef int MPI_Fint;

static inline MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
  return MPI_Comm_toint(comm);
}
static inline MPI_Comm MPI_Comm_f2c(MPI_Fint comm) {
  return MPI_Comm_fromint(comm);
}

static inline MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler) {
  return MPI_Errhandler_toint(errhandler);
}
static inline MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler) {
  return MPI_Errhandler_fromint(errhandler);
}

static inline MPI_Fint MPI_File_c2f(MPI_File file) {
  return MPI_File_toint(file);
}
static inline MPI_File MPI_File_f2c(MPI_Fint file) {
  return MPI_File_fromint(file);
}

static inline MPI_Fint MPI_Group_c2f(MPI_Group group) {
  return MPI_Group_toint(group);
}
static inline MPI_Group MPI_Group_f2c(MPI_Fint group) {
  return MPI_Group_fromint(group);
}

static inline MPI_Fint MPI_Info_c2f(MPI_Info info) {
  return MPI_Info_toint(info);
}
static inline MPI_Info MPI_Info_f2c(MPI_Fint info) {
  return MPI_Info_fromint(info);
}

static inline MPI_Fint MPI_Message_c2f(MPI_Message message) {
  return MPI_Message_toint(message);
}
static inline MPI_Message MPI_Message_f2c(MPI_Fint message) {
  return MPI_Message_fromint(message);
}

static inline MPI_Fint MPI_Op_c2f(MPI_Op op) {
  return MPI_Op_toint(op);
}
static inline MPI_Op MPI_Op_f2c(MPI_Fint op) {
  return MPI_Op_fromint(op);
}

static inline MPI_Fint MPI_Request_c2f(MPI_Request request) {
  return MPI_Request_toint(request);
}
static inline MPI_Request MPI_Request_f2c(MPI_Fint request) {
  return MPI_Request_fromint(request);
}

static inline MPI_Fint MPI_Session_c2f(MPI_Session session) {
  return MPI_Session_toint(session);
}
static inline MPI_Session MPI_Session_f2c(MPI_Fint session) {
  return MPI_Session_fromint(session);
}

static inline MPI_Fint MPI_Type_c2f(MPI_Datatype datatype) {
  return MPI_Type_toint(datatype);
}
static inline MPI_Datatype MPI_Type_f2c(MPI_Fint datatype) {
  return MPI_Type_fromint(datatype);
}

static inline MPI_Fint MPI_Win_c2f(MPI_Win win) {
  return MPI_Win_toint(win);
}
static inline MPI_Win MPI_Win_f2c(MPI_Fint win) {
  return MPI_Win_fromint(win);
}

/* A status of Fortran: MPI_F_STATUS_SIZE integers, in the order of the members of MPI_Status. */
static inline int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  int i;
  if (c_status == 0 || f_status == 0) return MPI_ERR_ARG;
  f_status[0] = c_status->MPI_SOURCE;
  f_status[1] = c_status->MPI_TAG;
  f_status[2] = c_status->MPI_ERROR;
  for (i = 3; i < MPI_F_STATUS_SIZE; ++i) f_status[i] = c_status->MPI_internal[i - 3];
  return MPI_SUCCESS;
}
static inline int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  int i;
  if (c_status == 0 || f_status == 0) return MPI_ERR_ARG;
  c_status->MPI_SOURCE = f_status[0];
  c_status->MPI_TAG = f_status[1];
  c_status->MPI_ERROR = f_status[2];
  for (i = 3; i < MPI_F_STATUS_SIZE; ++i) c_status->MPI_internal[i - 3] = f_status[i];
  return MPI_SUCCESS;
}

#if defined(__cplusplus)
}
#endif

#endif /* TESSERA_MPI_FINT_H */
