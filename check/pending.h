// SPDX-License-Identifier: BSD-3-Clause
// Buffers that belong to operations under way: Pending.
#pragma once
//
// Contract. From the start of an operation to its completion its buffers are its own: the program
// may read what is sent, and touch nothing of what is received. A send buffer has a checksum at
// the start, which must be the same at the completion. Buffers that are one piece of memory are
// compared with those of all operations under way, and of blocking calls: where at least one is
// received into, they must not share a byte. Types with gaps, whose neighbours may lie in the gaps,
// have checksums alone.
//
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "check/call.h"

namespace tessera::check {

// One buffer of an operation.
class Region {
 public:
  explicit Region(const Buffer& buffer);
  ~Region();
  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;

  Role role() const noexcept { return role_; }
  bool contiguous() const noexcept { return bytes_ > 0 && type_ == MPI_DATATYPE_NULL; }
  std::uintptr_t begin() const noexcept { return begin_; }
  std::uintptr_t end() const noexcept { return begin_ + bytes_; }
  bool shares_with(const Region& other) const noexcept {
    return contiguous() && other.contiguous() && begin() < other.end() && other.begin() < end();
  }
  // Of the data; 0 where there is none.
  std::uint64_t checksum() const;

 private:
  const void* address_;
  MPI_Count count_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;  // of its own, where the data has gaps
  Role role_;
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
};

// Any thread may use it. What is wrong is said by complain() (check/report.h).
class Pending {
 public:
  // Buffers of a blocking call.
  void use(const Site& site, std::initializer_list<Buffer> buffers);
  void start(std::uintptr_t request, const Site& site, bool persistent,
             std::initializer_list<Buffer> buffers);
  // MPI_Start.
  void start_again(std::uintptr_t request, const Site& site);
  // `gone`: the request is none any more.
  void complete(std::uintptr_t request, const Site& site, bool gone);
  // MPI_Request_free: the operation goes on, and nobody will hear of its end.
  void forget(std::uintptr_t request);

 private:
  struct Operation {
    Site site;
    std::vector<Region> regions;
    std::vector<std::uint64_t> checksums;  // of the sends among them
    bool active = false;
  };
  void activate(Operation& operation);
  void compare(const Site& site, const std::vector<Region>& regions);
  void compare_within(const Site& site, const std::vector<Region>& regions);
  static void verify(const Operation& operation, const Site& site);

  std::mutex mutex_;
  std::map<std::uintptr_t, Operation> operations_;
};

}  // namespace tessera::check
