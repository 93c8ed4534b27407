// SPDX-License-Identifier: BSD-3-Clause
// Buffers that belong to operations under way: Pending.
#pragma once
//
// Contract. From the start of an operation to its completion its buffers are its own: the program
// may read what is sent, and touch nothing of what is received. A send buffer has a checksum at
// the start, which must be the same at the completion. Buffers that are one piece of memory are
// compared with those of all operations under way, and of blocking calls: where at least one is
// received into, they must not share a byte. Types with gaps, whose neighbours may lie in the gaps,
// have checksums alone. A receive that got a shadow (check/shadow.h) has the whole pages of its
// buffer guarded (check/guards.h) until its completion; then the data moves from the shadow.
//
// Who completes a request asks for its operation before the call: after it the handle may stand for
// the request of another thread.
//
#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/call.h"
#include "check/guards.h"
#include "check/shadow.h"

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

// Of a status that MPI may leave as it is.
void say_nothing_received(MPI_Status& status) noexcept;

// What a request stands for.
struct Operation {
  Operation(const Site& place, std::initializer_list<Buffer> buffers, Shadow&& receives_into)
      : site(place), regions(buffers.begin(), buffers.end()), shadow(std::move(receives_into)) {}
  Site site;
  std::vector<Region> regions;
  std::vector<std::uint64_t> checksums;  // of the sends among them
  Shadow shadow;                         // of the receive among them
  Guard guard;
  bool active = false;
};

// Any thread may use it. What is wrong is said by complain() (check/report.h).
class Pending {
 public:
  using Started = std::shared_ptr<Operation>;

  // Before MPI uses the buffers of an operation that starts: those that it shares with guarded ones
  // are open.
  void prepare(std::initializer_list<Buffer> buffers);
  void prepare(std::uintptr_t persistent_request);
  // Buffers of a blocking call.
  void use(const Site& site, std::initializer_list<Buffer> buffers);
  void start(std::uintptr_t request, const Site& site, bool persistent,
             std::initializer_list<Buffer> buffers, Shadow shadow);
  // MPI_Start; after a failure nobody knows whether it has started.
  void start_again(std::uintptr_t request, const Site& site, bool failed);
  // Null where nothing is known of a request.
  std::vector<Started> find(std::span<const MPI_Request> requests);
  // `gone`: the request is none any more. `status` is of its completion, and read where the
  // operation has a shadow.
  void complete(std::uintptr_t request, const Started& started, const Site& site, bool gone,
                const MPI_Status* status);
  // MPI_Request_free: the operation goes on, and nobody will hear of its end. True: it receives
  // into a shadow, and the request is kept here.
  bool forget(MPI_Request request);
  // Looks at those that are kept; costs a load where there are none. What arrives in MPI_Finalize
  // itself is lost.
  void look_at_kept();
  void drop_kept();

 private:
  using Kept = std::pair<MPI_Request, Started>;
  void activate(Operation& operation, bool memory_is_known);
  void open_for(const std::vector<Region>& regions);
  bool compare(const Site& site, const std::vector<Region>& regions);
  bool compare_within(const Site& site, const std::vector<Region>& regions);
  static void verify(const Operation& operation, const Site& site);

  std::mutex mutex_;
  std::map<std::uintptr_t, Started> operations_;
  std::atomic<std::size_t> keeps_{0};
  std::vector<Kept> kept_;
};

}  // namespace tessera::check
