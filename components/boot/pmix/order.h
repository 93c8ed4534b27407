// SPDX-License-Identifier: BSD-3-Clause
// Programs as PMIx_Spawn takes them: Order.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "library.h"
#include "tessera/boot.h"

namespace tessera::boot::pmix {

Info text_info(const char* key, std::string& text) noexcept;

// Owns all that the records point to.
class Order {
 public:
  explicit Order(std::span<const Program> programs);
  std::span<const App> apps() const noexcept { return apps_; }

 private:
  struct Part {
    Program program;
    std::vector<std::string> words;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::vector<Info> infos;
  };
  static App app_of(Part& part);

  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<App> apps_;
};

}  // namespace tessera::boot::pmix
