// SPDX-License-Identifier: BSD-3-Clause
// What doorbell.cpp shares with the job: registration for process-wide memory barriers.
#pragma once

namespace tessera {

// Makes the barriers that a peer issues before it sleeps act on this process too (membarrier(2));
// idempotent. False: the kernel or a sandbox does not offer it, and whoever rings must use fences.
bool register_for_barriers() noexcept;

// A full memory barrier in every running thread of the processes that are registered. The kernel
// may pass one by (doorbell.cpp): only how soon a sleeper wakes may depend on it.
void barrier_of_all_threads() noexcept;

// The same in every running thread of this process, which is registered; none is passed by.
void barrier_of_own_threads() noexcept;

}  // namespace tessera
