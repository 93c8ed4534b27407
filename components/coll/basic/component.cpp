// SPDX-License-Identifier: BSD-3-Clause
// coll/basic: every collective operation on every communicator.
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "choices.h"  // made by the build
#include "module.h"

namespace tessera::coll::basic {

class BasicComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    try {
      params_ = &host.params;
      for (const char* operation : kOperationNames)
        for (const char* what : {"_algorithm", "_segment", "_radix"})
          hints_.push_back(std::string("tessera.coll_basic_") + operation + what);
      return {};
    } catch (const std::bad_alloc&) {
      return Errc::no_memory;
    }
  }

  void use(const Rules& rules) noexcept override { rules_ = &rules; }

  Result<Module*> query(Communicator& comm) noexcept override {
    try {
      const Layout layout = layout_of(comm);
      if (!has_hints(comm)) return new BasicModule(usual(), layout, comm.inter(), &kept_);
      return new BasicModule(std::make_unique<const Chooser>(*params_, *rules_, &comm), layout,
                             comm.inter(), &kept_);
    } catch (const std::bad_alloc&) {
      return Status(Errc::no_memory);
    }
  }

  void measure(Measures& measures) noexcept override {
    measures.value("schedules") = kept_.counted();
  }

 private:
  const Chooser& usual() {
    if (chooser_ == nullptr) chooser_ = std::make_unique<const Chooser>(*params_, *rules_);
    return *chooser_;
  }

  bool has_hints(const Communicator& comm) const noexcept {
    for (const std::string& key : hints_)
      if (comm.hint(key.c_str()) != nullptr) return true;
    return false;
  }

  KeptSchedules kept_;
  const Params* params_ = nullptr;
  const Rules* rules_ = nullptr;
  std::vector<std::string>
      hints_;  // the info keys that give a communicator an algorithm of its own
  std::unique_ptr<const Chooser> chooser_;  // of communicators without such keys
};

}  // namespace tessera::coll::basic

// clang-format off
#define ALGORITHM(OPERATION, NAMES)                                                             \
  TESSERA_PARAM(OPERATION "_algorithm", text, "auto", "auto," NAMES, "", 5,                     \
                "Algorithm of " OPERATION " on intracommunicators. auto: the collective rules " \
                "decide.")
#define SEGMENT(OPERATION)                                                                      \
  TESSERA_PARAM(OPERATION "_segment", size, "0", "0..1G", "bytes", 6,                           \
                "Segment size of segmented algorithms of " OPERATION ". 0: from the rule, else " \
                "the algorithm's default.")
#define RADIX(OPERATION)                                                                        \
  TESSERA_PARAM(OPERATION "_radix", integer, "0", "0..1024", "processes", 6,                    \
                "Radix of tree and multi-partner algorithms of " OPERATION ": children per "     \
                "node, or partners per round. 0: from the rule, else the algorithm's default.")

TESSERA_COMPONENT(coll, basic, "1.0.0", 10, tessera::coll::basic::BasicComponent,
  "All collective operations on all communicators, over point-to-point messages",
  TESSERA_VARIABLE("schedules", counter, process, "schedules", 4,
    "Schedules of collective operations made of point-to-point messages: one for each call, and one "
    "for each persistent request, however often it is started.")
  TESSERA_FACT("uniform", "*_algorithm") TESSERA_FACT("uniform", "*_segment")
  TESSERA_FACT("uniform", "*_radix") TESSERA_FACT("per_communicator", "*_algorithm")
  TESSERA_FACT("per_communicator", "*_segment") TESSERA_FACT("per_communicator", "*_radix")
  TESSERA_COLL_BASIC_CHOICES)
// clang-format on
