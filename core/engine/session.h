// SPDX-License-Identifier: BSD-3-Clause
// A session: a use of the engine with an error handler, a buffer and hints of its own. Source:
// MPI-5.0 §11.3.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "core/comm/group.h"
#include "core/object/errhandler.h"
#include "core/object/freed_objects.h"
#include "core/object/info.h"
#include "core/request/buffered_sends.h"

namespace tessera {

class Instance;

// Made by MPI_Session_init, owned by its handle. Groups of its process sets know its buffer as long
// as it exists.
class Session final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::session); }
  // The process sets that every process knows, in the order of their numbers.
  static constexpr std::array<std::string_view, 2> kSets{"mpi://WORLD", "mpi://SELF"};

  Session(Instance& instance, Ref<Errhandler> errhandler);

  // The processes of a set; null for a name that is none. Names are URIs: upper and lower case are
  // alike.
  Group* set(std::string_view name) const noexcept;
  BufferedSends& buffer() noexcept { return *buffer_; }
  Errhandler& errhandler() const noexcept { return *errhandler_; }
  void set_errhandler(Ref<Errhandler> handler) noexcept { errhandler_ = std::move(handler); }
  // What was asked for and given; complete before the handle is handed out.
  Info& hints() noexcept { return hints_; }

 private:
  ~Session() override = default;
  Ref<Group> world_;
  Ref<Group> self_;
  std::shared_ptr<BufferedSends> buffer_;
  Ref<Errhandler> errhandler_;
  Info hints_;
};

}  // namespace tessera
