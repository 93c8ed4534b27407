// SPDX-License-Identifier: BSD-3-Clause
// Info: ordered pairs of key and value (MPI 5.0, chapter 10).
#pragma once
//
// An Info keeps every pair that it is given, known or not, in the order in which the keys came
// first. Its maker owns it. All members may be called by several threads at once.
//
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/object/freed_objects.h"
#include "tessera/data.h"

namespace tessera {

class Info final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::info); }
  Info() noexcept : Object(ObjectKind::info) {}
  Info(const Info& other) : Object(ObjectKind::info), pairs_(other.copy_of_pairs()) {}
  Info& operator=(const Info&) = delete;
  ~Info() override = default;

  // What a process knows about its own start: command, argv, maxprocs, host, arch, wdir
  // (section 11.2.1). `arguments` without the name of the program; `command` is that name. What
  // cannot be found out is left out.
  static Info of_start(std::string_view command, const std::vector<std::string>& arguments,
                       int processes);
  // The same for this process, whose command line the system remembers.
  static Info of_this_process(int processes);

  // Replaces the value of a key that is there, keeping its place.
  void set(std::string_view key, std::string_view value);
  bool erase(std::string_view key);
  std::optional<std::string> get(std::string_view key) const;
  // The n-th key, counted from 0; none beyond the end.
  std::optional<std::string> key(std::size_t n) const;
  std::size_t size() const;

 private:
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair> copy_of_pairs() const;
  std::vector<Pair>::const_iterator find(std::string_view key) const;

  mutable std::mutex mutex_;
  std::vector<Pair> pairs_;
};

}  // namespace tessera
