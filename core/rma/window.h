// SPDX-License-Identifier: BSD-3-Clause
// The engine's window: its processes, parts, hints, epochs, and the module that serves it.
#pragma once
//
// Contract. make_window() is collective over a communicator, of which the window keeps nothing: it
// has one of its own. The handle owns the window (one reference), and so does every request that is
// pending on it. free_window() is collective; the module goes then, the object with its last
// reference.
//
#include <map>
#include <memory>
#include <string>

#include "core/comm/communicator.h"
#include "core/object/attributes.h"
#include "core/object/errhandler.h"
#include "core/object/freed_objects.h"
#include "core/rma/epochs.h"
#include "core/rma/window_check.h"
#include "tessera/osc.h"

namespace tessera {

using WindowHints = std::map<std::string, std::string, std::less<>>;

class Win final : public osc::Window {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::window); }
  struct Spec {
    osc::Flavor flavor = osc::Flavor::create;
    osc::Part part;
    WindowHints hints;  // as the user gave them
    std::string wrong;  // what this process's arguments lack; empty: they are right
  };

  Win(Ref<Comm> comm, osc::Flavor flavor, std::vector<osc::Part> parts, const WindowHints& hints);

  Comm& own_comm() const noexcept { return *own_comm_; }
  osc::Module& module() const noexcept { return *module_; }
  bool freed() const noexcept { return module_ == nullptr; }
  Epochs& epochs() noexcept { return epochs_; }
  const Epochs& epochs() const noexcept { return epochs_; }
  // Where accesses are compared (parameter osc_check); null: nowhere.
  WindowCheck* check() const noexcept { return check_.get(); }
  void begin_check() { check_ = std::make_unique<WindowCheck>(*this); }
  const std::string& component() const noexcept { return component_; }
  void serve(std::unique_ptr<osc::Module> module, std::string component) noexcept {
    module_ = std::move(module);
    component_ = std::move(component);
    direct_ = module_->direct();
  }
  // As the module's; kept here, since each put and get asks.
  std::span<std::byte* const> direct() const noexcept { return direct_; }

  // Which function has been entered, for calls that mostly do not wait.
  void enter(const char* function) noexcept { function_ = function; }

  // What an accumulate of a predefined operation and type does, as it was found the last time.
  class LastCombination {
   public:
    const osc::Combination* find(std::uintptr_t op, const Datatype* type) const noexcept {
      return op == op_ && type == how_.element ? &how_ : nullptr;
    }
    void keep(std::uintptr_t op, const osc::Combination& how) noexcept { op_ = op, how_ = how; }

   private:
    std::uintptr_t op_ = 0;
    osc::Combination how_{};
  };
  LastCombination& last_combination() noexcept { return last_combination_; }
  // Collective; see osc.h.
  Status free() noexcept;

  Errhandler& errhandler() const noexcept { return *errhandler_; }
  void set_errhandler(Ref<Errhandler> handler) noexcept { errhandler_ = std::move(handler); }
  AttributeSet& attributes() noexcept { return attributes_; }
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // What MPI_Win_get_info tells: all that is supported, as it is in effect.
  const WindowHints& hints_in_effect() const noexcept { return in_effect_; }
  // Changes those that can change now (MPI_Win_set_info).
  void change_hints(const WindowHints& hints);

  // What MPI_Win_get_attr points to.
  struct Attributes {
    Aint size;
    int unit;
    int flavor;
    int model;
  };
  Attributes& values() noexcept { return values_; }

  // Dynamic windows: the regions attached, by address.
  Status attach(void* base, Aint bytes);
  Status detach(const void* base);

  // The window to which a communicator belongs, null for all others.
  static Win* of(const Communicator& comm) noexcept;

  Status allgather(const void* mine, std::size_t bytes, void* all) noexcept override;
  void look_up_regularly() noexcept override;
  void serve_while_computing() noexcept override;
  void begin_wait(const osc::Waiting& waiting) noexcept override;
  void end_wait(const osc::Waiting& waiting) noexcept override;

 private:
  ~Win() override;

  Ref<Comm> own_comm_;
  std::vector<osc::Part> all_parts_;
  std::unique_ptr<osc::Module> module_;
  std::string component_;
  std::span<std::byte* const> direct_;
  LastCombination last_combination_;
  const char* function_ = "";
  Epochs epochs_;
  std::unique_ptr<WindowCheck> check_;
  Ref<Errhandler> errhandler_;
  AttributeSet attributes_;
  std::string name_;
  WindowHints in_effect_;
  Attributes values_{};
  std::map<std::uintptr_t, Aint> regions_;
  std::map<std::uintptr_t, int> empty_regions_;  // how often a region without bytes was attached
};

// One reference for the caller. argument: some process's arguments are wrong (its text at all
// others names the rank); unsupported: the memory cannot be shared between all processes (shared
// windows only); no_memory.
Result<Win*> make_window(Comm& comm, Win::Spec spec);

}  // namespace tessera
