// SPDX-License-Identifier: BSD-3-Clause
// A process of mpiexec that does not find its job in the environment.
#pragma once

namespace tessera {

// Says so, on behalf of all processes of the job, where mpiexec has started several and this one is
// the first: each of them runs alone, as rank 0 of 1, which a program that has cleared its
// environment does not expect. Called by a process that is about to run alone. A process that has
// another parent than mpiexec may be meant to.
void tell_of_lost_job() noexcept;

}  // namespace tessera
