// SPDX-License-Identifier: BSD-3-Clause
// How `impirun -client` tells the library that it takes part in a job of several MPI systems.
#pragma once
//
// Contract. impirun starts mpiexec with these parameters in the environment, under the prefix
// TESSERA_MCA_; a user may as well give them to mpiexec with --mca. The library joins a job of
// several systems when kServerParam is not empty. Secrets are no parameters: parameters are shown
// by tools and stand in the job's segment. They stay in the environment of the user, under the
// names that the protocol gives them (IMPI_AUTH_NONE, IMPI_AUTH_KEY) and under ours.
//
namespace tessera::impi {

inline constexpr char kParamPrefix[] = "TESSERA_MCA_";

inline constexpr char kServerParam[] = "impi_server";  // HOST:PORT as the server printed it
inline constexpr char kRankParam[] = "impi_rank";      // rank of this client, from 0
inline constexpr char kLevelParam[] = "coll_hierarchy_system";  // the same, for its levels
inline constexpr char kAuthParam[] = "impi_auth";    // preference list: "16,1-0"; empty: strongest
inline constexpr char kTraceParam[] = "impi_trace";  // a file for trace_writer.h; empty: none

// Enable a method of authentication by being there; see impi/auth/credentials.h.
inline constexpr char kAuthNone[] = "IMPI_AUTH_NONE";
inline constexpr char kAuthKey[] = "IMPI_AUTH_KEY";                 // 64-bit number, decimal
inline constexpr char kAuthSecretFile[] = "IMPI_AUTH_SECRET_FILE";  // a file of mode 0600
inline constexpr char kAuthSecret[] = "IMPI_AUTH_SECRET";           // the secret itself

}  // namespace tessera::impi
