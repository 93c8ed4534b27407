// SPDX-License-Identifier: BSD-3-Clause
// The parameters of one component as it sees them: Params over a ParamRegistry.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "framework/param_registry.h"
#include "tessera/param.h"

namespace tessera {

// A copy of the component's values at the time of construction, by short name; independent of the
// registry thereafter, so that no later change moves under the component's feet.
class ComponentParams final : public Params {
 public:
  ComponentParams(const ParamRegistry& registry, std::string_view framework,
                  std::string_view component);

  std::int64_t integer(std::string_view name) const noexcept override;
  std::uint64_t size(std::string_view name) const noexcept override;
  double real(std::string_view name) const noexcept override;
  bool boolean(std::string_view name) const noexcept override;
  std::string_view text(std::string_view name) const noexcept override;
  bool chosen(std::string_view name) const noexcept override;

 private:
  struct Entry {
    ParamType type;
    ParamValue value;
    bool chosen;
  };
  const Entry& entry(std::string_view name) const noexcept;
  const Entry& entry(std::string_view name, ParamType type) const noexcept;

  std::string owner_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tessera
