// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective operation, from the user's arguments to its completion or request.
#pragma once
//
// The blocking, nonblocking and persistent forms, each with counts of int or MPI_Count, are one
// function per operation. It fills in and checks what counts at this process, in the order of the
// arguments, and runs it:
//
//     Collective c(coll::Operation::gather, form, comm);
//     const bool right = c.ready() && c.root(root) && (!c.is_root() || c.receive(in)) && ... ;
//     return right ? c.run() : c.raised();
//
// Arguments that MPI calls not significant at a process are neither checked nor passed on.
//
#include <vector>

#include "api/arguments.h"
#include "tessera/coll.h"

namespace tessera::api {

// How an operation was called.
struct Form {
  enum class Kind { blocking, nonblocking, persistent };
  Form(const char* name) noexcept : function(name) {}  // NOLINT: implicit by design
  Form(const char* name, MPI_Request* result) noexcept
      : function(name), kind(Kind::nonblocking), request(result) {}
  Form(const char* name, MPI_Info hints, MPI_Request* result) noexcept
      : function(name), kind(Kind::persistent), info(hints), request(result) {}

  const char* function;
  Kind kind = Kind::blocking;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Request* request = nullptr;
};

// Arguments that go together: of one count, of a count per rank, of a count and a type per rank.
struct Data {
  const void* buffer;
  Count count;
  MPI_Datatype type;
};
// Displacements of MPI_Aint may be absolute addresses, with MPI_BOTTOM as buffer.
struct Displacements {
  Displacements() noexcept = default;
  Displacements(const int* array) noexcept : numbers(array) {}  // NOLINT: implicit by design
  Displacements(const MPI_Aint* array) noexcept : numbers(array), absolute(true) {}  // NOLINT

  coll::CountArray numbers;
  bool absolute = false;
};
struct Parts {
  const void* buffer;
  coll::CountArray counts;
  Displacements displacements;
  MPI_Datatype type;
};
struct TypedParts {
  const void* buffer;
  coll::CountArray counts;
  Displacements displacements;
  const MPI_Datatype* types;
};
struct Reduction {
  const void* sendbuf;
  void* recvbuf;
  Count count;
  MPI_Datatype type;
  MPI_Op op;
};
// Which arguments of a reduction count at this process.
struct Part {
  bool sends = true;
  bool receives = true;
  bool in_place = true;  // is allowed
};

// What a function calls these arguments.
struct SideNames {
  const char* buffer;
  const char* count;
  const char* counts;
  const char* displacements;
  const char* type;
  const char* types;
};
inline constexpr SideNames kSendNames{"sendbuf", "sendcount", "sendcounts",
                                      "sdispls", "sendtype",  "sendtypes"};
inline constexpr SideNames kReceiveNames{"recvbuf", "recvcount", "recvcounts",
                                         "rdispls", "recvtype",  "recvtypes"};
inline constexpr SideNames kBcastNames{"buffer", "count", "", "", "datatype", ""};
inline constexpr SideNames kReductionSendNames{"sendbuf", "count",    "recvcounts",
                                               "",        "datatype", ""};
inline constexpr SideNames kReductionReceiveNames{"recvbuf", "count",    "recvcounts",
                                                  "",        "datatype", ""};

class Collective : public Arguments {
 public:
  Collective(coll::Operation operation, const Form& form, MPI_Comm comm) noexcept;

  // The first question: communicator, request and info; outputs of the other questions are in
  // call().
  bool ready() noexcept {
    return comm() != nullptr && (form_.kind == Form::Kind::blocking || request_and_info());
  }
  [[gnu::hot]] bool root(int root) noexcept;
  // Takes the neighbours from the topology.
  bool neighbourhood() noexcept;
  int sources() const noexcept { return static_cast<int>(call_.sources.size()); }
  int destinations() const noexcept { return static_cast<int>(call_.destinations.size()); }

  bool is_root() const noexcept {
    return call_.inter ? call_.root == MPI_ROOT : call_.root == call_.rank;
  }
  // Whether this process gives data to the root (gather, reduce), or gets data from it (scatter).
  bool faces_root() const noexcept { return !call_.inter || call_.root >= 0; }

  // Notes MPI_IN_PLACE; false, with the report, where it is not allowed.
  bool in_place(const void* buffer, bool allowed, const SideNames& names) noexcept;
  bool is_in_place() const noexcept { return call_.in_place; }

  bool send(const Data& data, const SideNames& names = kSendNames) noexcept {
    return side(call_.send, data, names);
  }
  bool receive(const Data& data, const SideNames& names = kReceiveNames) noexcept {
    return side(call_.receive, data, names);
  }
  // `n`: how many ranks or neighbours the arrays are for.
  bool send(const Parts& parts, int n, const SideNames& names = kSendNames) noexcept {
    return side(call_.send, parts, n, names);
  }
  bool receive(const Parts& parts, int n, const SideNames& names = kReceiveNames) noexcept {
    return side(call_.receive, parts, n, names);
  }
  bool send(const TypedParts& parts, int n) noexcept {
    return side(call_.send, send_types_, parts, n, kSendNames);
  }
  bool receive(const TypedParts& parts, int n) noexcept {
    return side(call_.receive, receive_types_, parts, n, kReceiveNames);
  }
  // Both sides and the operation of a reduction of one count.
  [[gnu::hot]] bool reduction(const Reduction& call, const Part& part) noexcept;
  [[gnu::hot]] bool op(MPI_Op op) noexcept;  // asked after the type
  // Two buffers of one type must not be the same; `in_place` is the argument that can be
  // MPI_IN_PLACE.
  [[gnu::hot]] bool apart(const void* sendbuf, const void* recvbuf,
                          const char* in_place = "sendbuf") noexcept;
  // The same where one of them holds `n` parts: some of these may leave room for the other one.
  [[gnu::hot]] bool apart(const Data& whole, const Parts& parts, int n,
                          const char* in_place = "sendbuf") noexcept;

  coll::Call& call() noexcept { return call_; }
  [[gnu::hot]] int run() noexcept;

 private:
  [[gnu::hot]] bool side(coll::Side& side, const Data& data, const SideNames& names) noexcept;
  [[gnu::hot]] bool side(coll::Side& side, const Parts& parts, int n,
                         const SideNames& names) noexcept;
  bool side(coll::Side& side, std::vector<const Datatype*>& types, const TypedParts& parts, int n,
            const SideNames& names) noexcept;
  // Part i of several has a buffer; `type` is its own.
  template <class AnyParts>
  bool has_buffer(const AnyParts& parts, int i, const TypeObject& type, const char* name) noexcept {
    const bool absolute = parts.displacements.absolute && parts.displacements.numbers &&
                          parts.displacements.numbers[i] != 0;
    return absolute || buffer(parts.buffer, parts.counts[i], type, name);
  }
  [[gnu::cold]] bool same_buffers(const char* in_place) noexcept;
  [[gnu::cold]] bool no_array(const char* name, int n) noexcept;
  bool counts(coll::CountArray counts, int n, const char* name) noexcept;
  [[gnu::hot]] bool room(const Parts& parts, const TypeObject& type, int n,
                         const SideNames& names) noexcept;
  [[gnu::hot]] bool arrays(coll::CountArray counts, coll::CountArray displacements, int n,
                           const SideNames& names) noexcept;
  [[gnu::hot]] int run_blocking(coll::Table& table, std::uint64_t number) noexcept;
  int make_request(coll::Table& table) noexcept;
  bool request_and_info() noexcept;

  const Form& form_;
  coll::Call call_;
  std::vector<const Datatype*> send_types_;
  std::vector<const Datatype*> receive_types_;
};

}  // namespace tessera::api
