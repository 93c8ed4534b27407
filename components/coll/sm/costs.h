// SPDX-License-Identifier: BSD-3-Clause
// What the ways of moving data cost on this machine, and from how many bytes on one beats another.
#pragma once
//
// Contract. Pure functions of the figures of the machine. Times are nanoseconds. The limits that
// were measured on the machine of the default figures move to other machines in proportion to the
// point where one direct copy becomes cheaper than two copies through a slot: scaled().
//
#include <cstddef>
#include <limits>

#include "tessera/machine.h"

namespace tessera::coll::sm {

// Up to here nothing is copied directly on any machine, and no figure is asked for.
inline constexpr std::size_t kNeverDirect = 4096;
inline constexpr std::size_t kNever =
    std::numeric_limits<std::ptrdiff_t>::max();  // a limit that no length reaches, also as a Count
// A chunk of data that goes one way. One alone is not copied directly either: whoever has the data
// goes on when it is written.
inline constexpr std::size_t kOneWayChunk = 8 * 1024;

// Of n bytes that go one way, chunk by chunk; and copied directly by one process, or by p of them
// together with the one that has the data.
double streamed_ns(const MachineFigures& f, std::size_t bytes) noexcept;
double single_copy_ns(const MachineFigures& f, std::size_t bytes) noexcept;
double split_copy_ns(const MachineFigures& f, int processes, std::size_t bytes) noexcept;
// Bytes from which two processes are faster than one; and in a scatter, where the root copies 3/8.
std::size_t split_copy_from(const MachineFigures& f) noexcept;
std::size_t split_scatter_from(const MachineFigures& f) noexcept;

// Of a reduce of two processes: the root combines what comes in chunks; or it combines what it
// reads directly, from so many bytes on together with the other process (direct.cpp).
inline constexpr std::size_t kReducedByRootOfTwo = 24 * 1024;
double reduced_from_chunks_ns(const MachineFigures& f, std::size_t bytes) noexcept;
double reduced_directly_ns(const MachineFigures& f, std::size_t bytes) noexcept;

// Whether a direct way is so much cheaper than the one through the slots that it is taken: with the
// slots the one that has the data need not wait for the others, and a figure may be disturbed.
bool worth_it(double direct_ns, double chunks_ns) noexcept;

// Bytes from which a direct copy, by one process or by both, is worth it for what goes one way
// between two.
std::size_t one_way_direct_from(const MachineFigures& f) noexcept;

// Whether the direct way takes less time per byte where each of two processes has data for the
// other: a copy into a slot and one out of it on either side, or both read at the same time; and
// whether it does where they combine what they read.
bool direct_exchange_pays(const MachineFigures& f) noexcept;
bool direct_combining_pays(const MachineFigures& f) noexcept;

// Bytes from which a direct copy beats one copy into a slot and one out of it; as many as the type
// holds if it never does.
std::size_t direct_from(const MachineFigures& f) noexcept;
// Whether it gains enough per byte to be worth it at some length.
bool direct_copy_pays(const MachineFigures& f) noexcept;

// A limit of `bytes` bytes, measured where the figures are the default ones.
std::size_t scaled(std::size_t bytes, const MachineFigures& f) noexcept;

}  // namespace tessera::coll::sm
