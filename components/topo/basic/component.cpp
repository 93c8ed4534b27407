// SPDX-License-Identifier: BSD-3-Clause
// topo/basic: the cheaper of two simple mappings.
#include <algorithm>
#include <exception>

#include "mapping.h"

namespace tessera::topo::basic {
namespace {

class BasicComponent final : public Component {
 public:
  Status open(const Host&) noexcept override { return {}; }

  Result<std::int64_t> map(const Question& question, std::span<int> new_rank) noexcept override
      try {
    Mapping best = identity(question);
    std::int64_t least = cost(question, best);
    Mapping other = breadth_first(question);
    if (const std::int64_t c = cost(question, other); c < least) {
      least = c;
      best = std::move(other);
    }
    std::copy(best.begin(), best.end(), new_rank.begin());
    return least;
  } catch (const std::exception& failure) {
    return Status::failure(Errc::no_memory, failure.what());
  }
};

}  // namespace
}  // namespace tessera::topo::basic

TESSERA_COMPONENT(topo, basic, "0.1.0", 10, tessera::topo::basic::BasicComponent,
                  "The cheaper of two mappings: identity, or breadth-first search over the edges")
