// SPDX-License-Identifier: BSD-3-Clause
// The engine's communicator: groups, attributes, error handler, name, hints, topology, collectives.
#pragma once
//
// Contract. A Comm is made by the functions at the end, each collective over the processes its
// comment names, and owned by its handle (one reference) and by what is pending on it. It holds
// little: groups are shared between duplicates, and the table of collectives is built at the first
// collective operation.
//
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/comm/group.h"
#include "core/object/attributes.h"
#include "core/object/errhandler.h"
#include "core/object/freed_objects.h"
#include "tessera/comm.h"

namespace tessera {

class BufferedSends;
class Instance;
class PartitionedPairs;
class Topology;
namespace coll {
enum class CallForm : std::uint8_t;
enum class Making : std::uint8_t;
class Table;
}  // namespace coll

class Comm final : public Communicator {
 public:
  static void operator delete(void* memory) noexcept {
    keep_freed(memory, ObjectKind::communicator);
  }
  // An intracommunicator of `group`, to which this process belongs.
  static Comm* make(Instance& instance, Ref<Group> group, ContextId context);
  // An intercommunicator; `local_context` is for the hidden intracommunicator of the local group.
  static Comm* make_inter(Instance& instance, Ref<Group> local, Ref<Group> remote,
                          ContextId context, ContextId local_context);

  // What was not known when the object was made (duplicate_later).
  void set_contexts(ContextId context, ContextId local_context) noexcept {
    context_ = context;
    local_context_ = local_context;
  }

  Instance& instance() const noexcept { return *instance_; }
  const Ref<Group>& group() const noexcept { return group_; }
  const Ref<Group>& remote_group() const noexcept { return inter_ ? remote_ : group_; }

  Errhandler& errhandler() const noexcept { return *errhandler_; }
  void set_errhandler(Ref<Errhandler> handler) noexcept { errhandler_ = std::move(handler); }

  AttributeSet& attributes() noexcept { return attributes_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& user_name() const noexcept { return name_; }

  // Hints given by info keys; keys nobody knows are kept.
  const std::map<std::string, std::string, std::less<>>& hints() const noexcept { return hints_; }
  void set_hint(std::string key, std::string value) {
    hints_.insert_or_assign(std::move(key), std::move(value));
  }
  void set_hints(const std::map<std::string, std::string, std::less<>>& hints) { hints_ = hints; }

  Topology* topology() const noexcept { return topology_.get(); }
  void set_topology(std::unique_ptr<Topology> topology) noexcept;

  // Where its buffered sends go: its own buffer where one is attached, else that of the session it
  // comes from, else the process's (MPI-5.0 §3.6).
  BufferedSends& buffer() noexcept;
  BufferedSends& own_buffer();

  // Its partitioned operations; made on first use. Throws std::bad_alloc.
  PartitionedPairs& partitioned();

  // The collectives of this communicator; built on first use.
  Result<coll::Table*> collectives() noexcept {
    if (table_ != nullptr) [[likely]]
      return table_.get();
    return make_collectives();
  }
  // Where something stands in front of collectives: another communicator is being made of this
  // one.
  Status announce(coll::Making making, coll::CallForm form);
  // The program gives it up, and calls no collective operation on it any more. A failure tells of
  // calls that did not match.
  Status end_collectives() noexcept;
  bool collectives_chosen() const noexcept { return table_ != nullptr; }

  Result<Communicator*> local() noexcept override;
  // Counts the collective calls, for explanations: the number of this one, from 1.
  std::uint64_t count_call() noexcept {
    ++*all_calls_;
    return ++calls_;
  }
  std::uint64_t calls() const noexcept { return calls_; }
  // Collectives take numbers from 0 up; guards of calls take negative ones
  // (tessera/coll_interposer.h).
  [[gnu::hot]] int next_collective_tag() noexcept override {
    return first_collective_tag_ |
           static_cast<int>(collective_count_++ &
                            static_cast<unsigned>(kMaxTag - first_collective_tag_));
  }
  // A power of two; the numbers below it are another protocol's.
  void number_collectives_from(int tag) noexcept { first_collective_tag_ = tag; }
  const char* name() const noexcept override { return name_.c_str(); }
  const char* hint(const char* key) const noexcept override;

 private:
  Result<coll::Table*> make_collectives() noexcept;
  void take_hints_of_files();
  explicit Comm(Instance& instance) noexcept;
  ~Comm() override;

  Instance* instance_;
  Ref<Group> group_;
  Ref<Group> remote_;
  Ref<Errhandler> errhandler_;
  AttributeSet attributes_;
  std::string name_;
  std::map<std::string, std::string, std::less<>> hints_;
  std::unique_ptr<Topology> topology_;
  std::unique_ptr<coll::Table> table_;
  std::unique_ptr<BufferedSends> buffer_;
  std::unique_ptr<PartitionedPairs> partitioned_;
  Ref<Comm> local_;
  ContextId local_context_ = 0;
  std::uint32_t collective_count_ = 0;
  int first_collective_tag_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t* all_calls_;  // of the process
};

// Collective over comm. Attributes, error handler, hints and topology are the caller's to copy.
Result<Comm*> duplicate(Comm& comm);
// The same without waiting: `made` (one reference for the caller) may be used when the request is
// complete.
Result<Request*> duplicate_later(Comm& comm, Comm*& made);
// Collective over comm; null result where color < 0 (MPI_UNDEFINED). Intercommunicators split on
// both sides.
Result<Comm*> split(Comm& comm, int color, int key);
// Collective over comm; null result for processes outside group.
Result<Comm*> create(Comm& comm, Group& group);
// Collective over the members of group only; `tag` separates concurrent calls.
Result<Comm*> create_from_group(Comm& comm, Group& group, int tag);
// Where the two leaders of a new intercommunicator meet; known at the leaders only.
struct LeadersMeet {
  Comm* peer_comm;  // null: this leader has none, and the call fails at its group
  int remote_leader;
  ContextId context;
  int tag;
  static LeadersMeet over(Comm* peer_comm, int remote_leader, int tag) noexcept;
};
// Collective over both local groups; leaders talk over peer_comm.
Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place);
// Without a communicator: collective over the members of group only, to which this process belongs;
// `string_tag` separates concurrent calls. argument: this process is not in the group.
Result<Comm*> create_from_group(Instance& instance, Group& group, std::string_view string_tag);
// Collective over both groups; `remote` and `remote_leader` count at the local leader only, which
// gives null if it has none: then the call fails at its group. argument: this process is not in
// `local`, or the groups are not disjoint.
Result<Comm*> create_inter_from_groups(Instance& instance, Group& local, int local_leader,
                                       const Group* remote, int remote_leader,
                                       std::string_view string_tag);
// Collective over an intercommunicator; the group that says high comes second.
Result<Comm*> merge(Comm& inter, bool high);

}  // namespace tessera
