/* SPDX-License-Identifier: BSD-3-Clause */
/* What IMPI adds to MPI: attributes of communicators. */
#ifndef TESSERA_IMPI_H
#define TESSERA_IMPI_H
/*
 * Keyvals for MPI_Comm_get_attr, on every communicator; the value is a pointer to int. Sizes count
 * the MPI systems (clients) and hosts that have processes in the communicator, colours number them
 * from 0 and say which one the calling process belongs to; both may be used as colours of
 * MPI_Comm_split. In a job of one system, all processes are one client.
 */
#define IMPI_CLIENT_SIZE 0x494D5001
#define IMPI_CLIENT_COLOR 0x494D5002
#define IMPI_HOST_SIZE 0x494D5003
#define IMPI_HOST_COLOR 0x494D5004

#endif
