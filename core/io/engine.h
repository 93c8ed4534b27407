// SPDX-License-Identifier: BSD-3-Clause
// What the files of a process share: components, worker, representations, shared pointers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/representation.h"
#include "core/io/shared_pointer.h"
#include "core/io/worker.h"
#include "core/object/errhandler.h"
#include "framework/framework.h"
#include "tessera/io.h"

namespace tessera {
class Instance;
}

namespace tessera::io {

// A name as the program gives it, and what it stands for.
struct FileName {
  std::string prefix;  // "ufs" of "ufs:data"; empty: none
  std::string path;    // absolute
};

class File;

class Engine {
 public:
  Engine(Instance& instance, const Host& host) noexcept;  // without parameters
  ~Engine();

  // The driver of the component that answers best, with the interposers in front of it.
  Result<Driver*> open_driver(const FileName& name, const Mode& mode) noexcept;
  Status remove(const FileName& name) noexcept;
  // Absolute, and without a prefix that no component serves.
  Result<FileName> resolve(std::string_view name) noexcept;

  Instance& instance() const noexcept { return instance_; }
  Worker& worker() noexcept { return worker_; }
  Representations& representations() noexcept { return representations_; }
  PointerSlots& slots() noexcept;
  // The files that are open, in the order in which they were opened.
  std::span<File* const> open_files() const noexcept { return files_; }
  void add(File& file) { files_.push_back(&file); }
  void remove(const File& file) noexcept { std::erase(files_, &file); }
  // The error handler of MPI_FILE_NULL, which later files begin with.
  const Ref<Errhandler>& default_errhandler() const noexcept { return errhandler_; }
  void set_default_errhandler(Ref<Errhandler> handler) noexcept {
    errhandler_ = std::move(handler);
  }

 private:
  Status open_components() noexcept;
  Result<Component*> best(const Question& question) noexcept;
  Driver* wrap(const Question& question, Driver* driver) noexcept;

  Instance& instance_;
  const Job& job_;
  Progress& progress_;
  Bootstrap& bootstrap_;
  std::optional<Framework<Component>> framework_;
  std::vector<Member*> interposers_;
  Worker worker_;
  Representations representations_;
  std::optional<PointerSlots> slots_;
  Ref<Errhandler> errhandler_;
  std::vector<File*> files_;
  int explained_ = 0;
};

}  // namespace tessera::io
