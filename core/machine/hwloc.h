// SPDX-License-Identifier: BSD-3-Clause
// The topology of this machine, or of one that is described, as hwloc knows it: Hwloc.
#pragma once
//
// Contract. The library is loaded for as long as an object of this class lives, since most
// processes never need it. It is not loaded in a process that runs with the rights of somebody
// else: variables of the environment name files that it obeys, and plug-ins that it loads.
//
#include <hwloc.h>
#include <sched.h>

#include <optional>

#include "tessera/status.h"

namespace tessera {

class Hwloc {
 public:
  static constexpr const char* kLibrary = "libhwloc.so.15";

  Hwloc() noexcept;
  ~Hwloc();
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;

  // Reads the topology of this machine, or the one that `synthetic` describes in hwloc's notation.
  // To be called once. unsupported: the library cannot be loaded; argument: no description of a
  // topology; no_memory, system.
  Status load(const char* synthetic = nullptr);

  // The rest is for after a load() that succeeded.

  // Whether it is the topology of this machine: variables of hwloc may name another one.
  bool is_this_machine() const noexcept { return is_this_(topology_) != 0; }
  // By its logical number; null: there are fewer.
  hwloc_obj_t object(hwloc_obj_type_t type, unsigned number) const noexcept {
    return object_(topology_, depth_of_(topology_, type), number);
  }
  bool holds(hwloc_obj_t object, unsigned cpu) const noexcept {
    return holds_(object->cpuset, cpu) != 0;
  }
  // The number of the first object that has all these processors.
  std::optional<unsigned> holder(hwloc_obj_type_t type, const cpu_set_t& cpus) const noexcept;

 private:
  template <class Function>
  void find(Function& function, const char* name) noexcept;

  void* library_;
  bool complete_;  // all functions were found
  decltype(&hwloc_topology_init) init_ = nullptr;
  decltype(&hwloc_topology_set_synthetic) synthetic_ = nullptr;
  decltype(&hwloc_topology_load) load_ = nullptr;
  decltype(&hwloc_topology_destroy) destroy_ = nullptr;
  decltype(&hwloc_topology_is_thissystem) is_this_ = nullptr;
  decltype(&hwloc_get_type_depth) depth_of_ = nullptr;
  decltype(&hwloc_get_obj_by_depth) object_ = nullptr;
  decltype(&hwloc_bitmap_isset) holds_ = nullptr;
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace tessera
