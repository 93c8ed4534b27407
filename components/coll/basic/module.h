// SPDX-License-Identifier: BSD-3-Clause
// coll/basic on one communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "chooser.h"
#include "kept_schedules.h"

namespace tessera::coll::basic {

class BasicModule final : public Module {
 public:
  BasicModule(const Chooser& chooser, const Layout& layout, bool inter,
              KeptSchedules* kept = nullptr) noexcept
      : chooser_(chooser),
        layout_(layout),
        inter_(inter),
        kept_(kept),
        number_(kept != nullptr ? kept->next_number() : 0) {}
  // For a communicator with info keys of its own.
  BasicModule(std::unique_ptr<const Chooser> own, const Layout& layout, bool inter,
              KeptSchedules* kept = nullptr) noexcept
      : own_(std::move(own)),
        chooser_(*own_),
        layout_(layout),
        inter_(inter),
        kept_(kept),
        number_(kept != nullptr ? kept->next_number() : 0) {}
  bool serves(Operation operation) const noexcept override {
    return !inter_ || inter_algorithm(operation) != nullptr;
  }
  // An algorithm that somebody asked for is not hidden behind a component that knows nothing of it.
  int priority(Operation operation, int component) const noexcept override {
    constexpr int above_all = 100;
    return chooser_.asked(operation) ? above_all : component;
  }
  Status emit(const Call& call, Schedule& schedule) noexcept override;

 private:
  Status write(const Call& call, Schedule& schedule) noexcept;

  std::unique_ptr<const Chooser> own_;  // or none
  const Chooser& chooser_;              // own_, or the component's
  Layout layout_;
  bool inter_;
  KeptSchedules* kept_;  // the component's; or null
  std::uint64_t number_;
};

}  // namespace tessera::coll::basic
