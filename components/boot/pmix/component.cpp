// SPDX-License-Identifier: BSD-3-Clause
// boot/pmix: the component and its manifest.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "session.h"

namespace tessera::boot::pmix {
namespace {

bool says_one(const char* variable) noexcept {
  const char* const text = getenv(variable);
  return text != nullptr && std::string_view(text) == "1";
}

// One process of one needs no library to join.
bool is_alone() noexcept {
  return says_one("OMPI_COMM_WORLD_SIZE") || says_one("SLURM_STEP_NUM_TASKS");
}

}  // namespace

class PmixComponent final : public Component {
 public:
  Result<std::unique_ptr<Session>> open() noexcept override {
    auto library = open_library();
    if (library.ok()) return PmixSession::open(*library);
    if (library.status().code() == Errc::not_found && is_alone()) return Errc::not_found;
    return Status::failure(
        Errc::refused,
        "a PMIx server started this process, and " + std::string(library.status().text()) +
            ". Install the library (Debian: libpmix2), or start with `srun --mpi=pmi2`, "
            "mpiexec.hydra or the mpiexec of Tessera");
  }
};

}  // namespace tessera::boot::pmix

TESSERA_COMPONENT(boot, pmix, "1.0.0", 40, tessera::boot::pmix::PmixComponent,
                  "PMIx servers: srun --mpi=pmix, Open MPI's mpirun, prterun",
                  TESSERA_FACT("marker", "PMIX_NAMESPACE+PMIX_RANK"))
