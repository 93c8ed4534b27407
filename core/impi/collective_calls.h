// SPDX-License-Identifier: BSD-3-Clause
// The collectives of one communicator that spans systems: CollectiveCalls.
#pragma once

#include "core/comm/communicator.h"
#include "core/datatype/type_object.h"
#include "core/impi/shape.h"
#include "core/impi/systems.h"
#include "core/op/predefined.h"
#include "tessera/coll.h"

namespace tessera::impi {

// Room for `count` elements of a type, wherever its bytes lie.
class TypedBuffer {
 public:
  TypedBuffer() = default;
  TypedBuffer(Count count, const Datatype& type);
  void* get() noexcept { return data_.data() + shift_; }

 private:
  std::vector<std::byte> data_;
  Aint shift_ = 0;
};

class CollectiveCalls final : public coll::Module {
 public:
  CollectiveCalls(Systems& systems, Comm& comm);
  bool serves(coll::Operation operation) const noexcept override;
  Status run(const coll::Call& call) noexcept override;

 private:
  using Side = coll::Side;
  // A contribution and where it is in memory.
  struct Data {
    void* buffer;
    Count count;
    const Datatype* type;
  };

  Status dispatch(const coll::Call& call);
  Status barrier();
  Status bcast(const Data& data, int root);
  Status gather(const coll::Call& call, int root);
  Status gatherv(const coll::Call& call, int root);
  Status scatter(const coll::Call& call, int root);
  Status scatterv(const coll::Call& call, int root);
  Status allgather(const coll::Call& call);
  Status allgatherv(const coll::Call& call);
  Status alltoall(const coll::Call& call);
  Status alltoallv(const coll::Call& call);
  Status reduce(const Data& from, void* to, const Op& op, int root);
  Status allreduce(const coll::Call& call);
  Status reduce_scatter(const coll::Call& call);
  Status scan(const coll::Call& call);

  Status barrier_linear();
  Status barrier_tree();
  Status bcast_global(const Data& data, int root);
  Status gather_directly(const coll::Call& call, int root, int tag);
  Status gather_packed(const coll::Call& call, int root, int tag, Count most);
  Status collect(Bytes& block, int root, int tag, std::size_t most);
  Status unpack_collected(const coll::Call& call, const Bytes& blocks, int root);
  Status scatter_directly(const coll::Call& call, int root, int tag);
  Status scatter_packed(const coll::Call& call, int root, int tag, std::size_t mine,
                        std::size_t most);
  Status reduce_in_order(const Data& from, void* to, const Op& op, int root);
  Status reduce_global(const Data& acc, const Op& op, int root);
  Status alltoall_directly(const coll::Call& call, int tag, bool local_only);
  Status alltoall_packed(const coll::Call& call, std::size_t each);
  Status agree_on_size(const coll::Call& call, int root, const Side& side, Count& most);

  // Messages under the collective context; the peer may be of our own system.
  ContextId context_of(int tag) const noexcept;
  Status send(int to, int tag, const Data& data);
  Status receive(int from, int tag, const Data& data, std::size_t* bytes = nullptr);
  Status send_bytes(int to, int tag, ByteView bytes);
  Status receive_bytes(int from, int tag, Bytes& bytes);  // at most its size; then its size
  Status local_run(coll::Call call);
  Result<Comm*> local();
  Status local_gather(ByteView mine, Bytes& all);  // at the master, in the order of ranks
  Status local_scatter(const Bytes& all, const std::vector<std::size_t>& sizes, Bytes& mine);
  bool linear() const noexcept;
  std::size_t packed_size(Count count, const Datatype& type) const noexcept;
  Status pack(const Data& data, Bytes& out) const;
  void unpack(const Data& data, ByteView in) const;
  Data block_of(const Side& side, int rank) const noexcept;

  Systems& systems_;
  Comm& comm_;
  Shape shape_;
  Ref<Comm> local_;
};

}  // namespace tessera::impi
