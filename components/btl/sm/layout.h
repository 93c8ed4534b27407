// SPDX-License-Identifier: BSD-3-Clause
// Where everything lies in the shared region of btl/sm.
#pragma once
//
// The region, identical in all processes of the machine (n of them, numbered 0..n-1 in the order of
// their job ids):
//
//   page 0             Prologue: the geometry, so that processes with different parameters notice;
//                      from which length on they copy directly
//   n ProcessEntries   who has opened a ring towards me; where a word of my memory can be read for
//                      the single-copy probe
//   n * n pairs        ring r * n + s carries packets from s to r:
//     line 0           Credit, written by the receiver alone
//     line 2...        `slots` Lines, written by the sender alone, one for each packet
//     next page        `data` bytes for payloads that do not fit into a Line, sender alone
//
// The region is sparse. A ring that was never opened costs address space and nothing else; the data
// pages of a ring are committed apart, when the first payload needs them: a pair that exchanges
// small packets only costs one or a few pages.
//
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tessera/cpu.h"
#include "tessera/machine.h"
#include "tessera/param.h"
#include "tessera/peer.h"

namespace tessera::btl::sm {

// The size of a ring and what follows from it. Offsets and sizes in bytes.
struct Geometry {
  std::uint32_t ranks = 0;  // processes on this machine
  std::uint32_t slots = 0;  // packets that can be under way in one ring
  std::uint32_t data =
      0;  // payload bytes that can be under way in one ring, a multiple of kCacheLine
  std::uint32_t slots_return = 0;  // the receiver returns credit when it owes so many slots ...
  std::uint32_t data_return = 0;   // ... or so many bytes of payload
  std::uint32_t largest =
      0;  // the longest reservation in the data part that always becomes possible

  static Geometry from(const Params& params, const MachineFigures& figures,
                       std::uint32_t ranks) noexcept;
  // That of two processes of different jobs, which have `room` bytes for both rings.
  static Geometry of_pair(const Params& params, const MachineFigures& figures,
                          std::size_t room) noexcept;
  static Geometry of(std::uint32_t ranks, std::uint64_t slots, std::uint64_t data) noexcept;

  std::size_t process_entry_bytes() const noexcept;
  std::size_t pair_bytes() const noexcept { return data_offset() + round_up(data, kPage); }
  std::size_t data_offset() const noexcept {
    return round_up((2 + std::size_t{slots}) * kCacheLine, kPage);
  }
  std::size_t process_entry(std::uint32_t owner) const noexcept {
    return kPage + owner * process_entry_bytes();
  }
  std::size_t pair(std::uint32_t sender, std::uint32_t receiver) const noexcept;
  std::size_t region_bytes() const noexcept { return pair(0, ranks); }
  std::size_t max_packet() const noexcept { return largest - 8; }
};

struct Prologue {
  std::atomic<std::uint64_t> geometry;  // slots << 32 | data, set by the first process
  std::atomic<std::uint64_t>
      threshold;  // bytes from which a direct copy pays, likewise; 0: not measured
};

// What one process tells the others.
struct alignas(kCacheLine) ProcessEntry {
  std::atomic<std::uint32_t> openings;  // entries taken in the list below
  std::atomic<std::int32_t> pid;  // of the owner; set last, then the two words below are valid
  std::atomic<std::uint64_t> probe_address;  // of a word in the owner's private memory
  std::atomic<std::uint64_t> probe_value;    // and what it contains

  // Who sends here: number + 1 of each sender in the order of opening, 0 for the end (there is room
  // for n + 1).
  std::atomic<std::uint32_t>* opened() noexcept {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(this + 1);
  }
};

}  // namespace tessera::btl::sm
