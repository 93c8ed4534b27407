// SPDX-License-Identifier: BSD-3-Clause
// The figures of the machine by name, as parameters and for people.
#pragma once

#include <array>
#include <string_view>

#include "tessera/machine.h"

namespace tessera {

struct MachineFigure {
  std::string_view name;  // of its parameter, behind "machine_"
  std::string_view unit;
  std::string_view meaning;
  std::uint32_t MachineFigures::*value;
};

inline constexpr std::array kMachineFigures = {
    MachineFigure{"line_ns", "ns", "a cache line from one processor to another",
                  &MachineFigures::line_ns},
    MachineFigure{"call_ns", "ns", "a system call", &MachineFigures::call_ns},
    MachineFigure{"yield_ns", "ns", "sched_yield to another process of the same processor",
                  &MachineFigures::yield_ns},
    MachineFigure{"wake_ns", "ns", "futex until a sleeper on another processor runs",
                  &MachineFigures::wake_ns},
    MachineFigure{"copy_near", "MB/s", "memcpy within the first-level cache",
                  &MachineFigures::copy_near},
    MachineFigure{"copy_far", "MB/s", "memcpy within the second-level cache",
                  &MachineFigures::copy_far},
    MachineFigure{"stream", "MB/s", "through shared memory, one writes while another one reads",
                  &MachineFigures::stream},
    MachineFigure{"single_call_ns", "ns", "a CMA copy by one process: the call",
                  &MachineFigures::single_call_ns},
    MachineFigure{"single", "MB/s", "a CMA copy by one process: the rate", &MachineFigures::single},
    MachineFigure{"split_call_ns", "ns", "a CMA copy by both processes: the calls",
                  &MachineFigures::split_call_ns},
    MachineFigure{"split", "MB/s", "a CMA copy by both processes: the rate",
                  &MachineFigures::split},
    MachineFigure{"first_level", "bytes", "first-level data cache of a processor",
                  &MachineFigures::first_level},
    MachineFigure{"second_level", "bytes", "second-level cache of a processor",
                  &MachineFigures::second_level},
    MachineFigure{"shared_cache", "bytes", "largest cache that two processors share",
                  &MachineFigures::shared_cache}};

}  // namespace tessera
