// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of this machine, and which of their addresses the user wants used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "address.h"
#include "tessera/status.h"

namespace tessera::btl::tcp {

// One address of one interface that is up.
struct Interface {
  std::string name;
  Address address;
  unsigned prefix = 0;  // of its subnet, in bits
};

// All addresses of interfaces that are up, in the order of the kernel, without IPv6 link-local ones
// (they mean nothing on another machine). system: the kernel cannot be asked.
Result<std::vector<Interface>> list_interfaces();

// Those of `all` that the two lists leave. Each list holds interface names and CIDR blocks,
// separated by commas; an empty `include` means all, and `exclude` is applied afterwards. argument:
// an element is neither an existing interface nor a block, an included block matches no address, or
// nothing is left; the text names what exists.
Result<std::vector<Interface>> select_interfaces(const std::vector<Interface>& all,
                                                 std::string_view include,
                                                 std::string_view exclude);

}  // namespace tessera::btl::tcp
