// SPDX-License-Identifier: BSD-3-Clause
// Loads hwloc, and asks it for a topology.
#include "core/machine/hwloc.h"

#include <dlfcn.h>

#include <string>

#include "framework/trust.h"

namespace tessera {

Hwloc::Hwloc() noexcept
    : library_(runs_for_somebody_else() ? nullptr : dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)),
      complete_(library_ != nullptr) {
  find(init_, "hwloc_topology_init");
  find(synthetic_, "hwloc_topology_set_synthetic");
  find(load_, "hwloc_topology_load");
  find(destroy_, "hwloc_topology_destroy");
  find(is_this_, "hwloc_topology_is_thissystem");
  find(depth_of_, "hwloc_get_type_depth");
  find(object_, "hwloc_get_obj_by_depth");
  find(holds_, "hwloc_bitmap_isset");
}

Hwloc::~Hwloc() {
  if (topology_ != nullptr) destroy_(topology_);
  if (library_ != nullptr) dlclose(library_);
}

template <class Function>
void Hwloc::find(Function& function, const char* name) noexcept {
  if (library_ != nullptr) function = reinterpret_cast<Function>(dlsym(library_, name));
  complete_ = complete_ && function != nullptr;
}

Status Hwloc::load(const char* synthetic) {
  if (!complete_)
    return Status::failure(Errc::unsupported, std::string(kLibrary) + " cannot be loaded");
  if (init_(&topology_) != 0) return Status::failure(Errc::no_memory, "hwloc has no memory");
  if (synthetic != nullptr && synthetic_(topology_, synthetic) != 0)
    return Status::failure(Errc::argument,
                           "'" + std::string(synthetic) + "' describes no topology to hwloc");
  if (load_(topology_) == 0) return {};
  return Status::failure(Errc::system, "hwloc cannot read the topology of this machine");
}

std::optional<unsigned> Hwloc::holder(hwloc_obj_type_t type, const cpu_set_t& cpus) const noexcept {
  const auto has_all = [&](hwloc_obj_t one) {
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &cpus) && !holds(one, cpu)) return false;
    return true;
  };
  for (unsigned i = 0; const hwloc_obj_t one = object(type, i); ++i)
    if (has_all(one)) return i;
  return {};
}

}  // namespace tessera
