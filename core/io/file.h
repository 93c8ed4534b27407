// SPDX-License-Identifier: BSD-3-Clause
// An open file: its group, driver, view, pointers, hints and error handler. Source: MPI-5.0 §14.2.
#pragma once
//
// Contract. Made by open(), which is collective over a communicator; from then on the file has a
// communicator of its own, whose messages meet no others. All members are entered by one thread at
// a time (the engine's lock), but for Operation::run. All processes of the file must call the
// collective ones; there an argument that is wrong at one process is an error at all
// of them: it is passed in as `mine`, so that nobody waits for the process that found it.
//
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/comm/communicator.h"
#include "core/io/hints.h"
#include "core/io/representation.h"
#include "core/io/shared_pointer.h"
#include "core/io/view.h"
#include "core/object/freed_objects.h"

namespace tessera::io {

class Engine;
class Operation;
struct Cooperation;
struct Transfer;

// The values of the ABI.
enum AccessMode : int {
  kAppend = 1,
  kCreate = 2,
  kDeleteOnClose = 4,
  kExclusive = 8,
  kReadOnlyMode = 16,
  kReadWrite = 32,
  kSequential = 64,
  kUniqueOpen = 128,
  kWriteOnly = 256,
};

struct Access {
  bool writing;
  void* buffer;  // not written by a writing access
  Count count;
  const TypeObject* type;
};

enum class Pointer : std::uint8_t { individual, shared };
enum class Whence : std::uint8_t { set, current, end };

class File final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::file); }
  struct Arguments {
    std::string name;
    int amode;
    const Info* info;  // or null
    Status mine;       // what was found wrong already
    std::vector<std::string>* notes;
  };
  // Collective over comm; one reference for the caller.
  static Result<File*> open(Engine& engine, Comm& comm, const Arguments& arguments) noexcept;
  // Collective. kPending: nothing has happened. Otherwise the file is closed, whatever is said.
  Status close() noexcept;

  Comm& comm() const noexcept { return *comm_; }
  const std::string& name() const noexcept { return name_; }  // as the program gave it
  const std::string& path() const noexcept { return path_; }
  int amode() const noexcept { return amode_; }
  bool sequential() const noexcept { return (amode_ & kSequential) != 0; }
  bool readable() const noexcept { return (amode_ & kWriteOnly) == 0; }
  bool writable() const noexcept { return (amode_ & kReadOnlyMode) == 0; }
  Errhandler& errhandler() const noexcept { return *errhandler_; }
  void set_errhandler(Ref<Errhandler> handler) noexcept { errhandler_ = std::move(handler); }
  Hints& hints() noexcept { return hints_; }
  Driver& driver() const noexcept { return *driver_; }
  Engine& engine() const noexcept { return *engine_; }

  // Collective.
  Status set_size(Offset size, Status mine) noexcept;
  Status preallocate(Offset size, Status mine) noexcept;
  Status sync(Status mine) noexcept;
  Status set_atomicity(bool atomic, Status mine) noexcept;
  Status set_hints(const Info* info, std::vector<std::string>& notes, Status mine) noexcept;
  bool atomic() const noexcept { return atomic_; }
  Result<Offset> size() noexcept { return driver_->size(); }

  struct ViewArguments {
    Offset displacement;
    bool current;  // MPI_DISPLACEMENT_CURRENT
    const TypeObject* etype;
    const TypeObject* filetype;
    std::string representation;
  };
  // Collective.
  Status set_view(const ViewArguments& arguments, Status mine) noexcept;
  const View& view() const noexcept { return *view_; }
  const TypeObject& etype() const noexcept { return *etype_; }
  const TypeObject& filetype() const noexcept { return *filetype_; }
  const std::string& representation_name() const noexcept { return representation_name_; }
  const Representation& representation() const noexcept { return *representation_; }

  // Positions, in etypes. argument: the result would be negative.
  Offset position() const noexcept { return position_.load(); }
  Status seek(Offset offset, Whence whence) noexcept;
  Status seek_shared(Offset offset, Whence whence, Status mine) noexcept;  // collective
  Result<Offset> shared_position() noexcept;
  // Moves a pointer by so many etypes; where it was.
  Result<Offset> advance(Pointer pointer, Offset etypes) noexcept;

  // What an access by this process is made with.
  void describe(Transfer& transfer, bool writing) noexcept;
  // Collective: carries a prepared access out together with those of the others. With a failure in
  // `mine` this process takes part without data.
  void run_together(Operation& operation, Status mine) noexcept;
  void run_together(bool writing, Status mine) noexcept;  // without an operation
  // Collective: where this process's part of an ordered access begins.
  Result<Offset> take_turn(Offset etypes, Status mine) noexcept;
  // Collective: an ordered access to a stream, one process after the other.
  void run_in_turn(Operation* operation) noexcept;
  bool positioned() const noexcept { return positioned_; }

  // Accesses that were started and have not ended.
  void begin_access() noexcept { ++pending_; }
  void end_access() noexcept { --pending_; }
  Status idle(const char* what) const noexcept;  // kPending while there are any

  // The split collective operation in progress.
  struct Split {
    const char* kind = nullptr;  // null: none; the name of the function that began it
    const void* buffer = nullptr;
    MessageStatus status;
  };
  Split& split() noexcept { return split_; }

 private:
  friend class Opening;
  File(Engine& engine, Ref<Comm> comm, const Arguments& arguments) noexcept;
  ~File() override;
  Status agree(Offset value, const char* what, Status mine) noexcept;
  Result<Offset> target(Offset offset, Whence whence, Offset current) noexcept;
  Status check_view(const ViewArguments& arguments, TypeRef& etype, TypeRef& filetype) noexcept;
  Status agree_on_view(const ViewArguments& arguments, const TypeRef& etype,
                       const TypeRef& filetype, Status mine) noexcept;
  Result<Offset> end_of_view() noexcept;
  bool each_alone(bool writing) noexcept;
  void explain_hints(const Info* info) noexcept;
  void explain(const Cooperation& plan, bool writing) noexcept;
  void run_meeting(Operation* operation, bool writing, Status mine) noexcept;

  Engine* engine_;
  Ref<Comm> comm_;
  std::string name_;
  std::string path_;
  std::string prefix_;
  int amode_;
  Hints hints_;
  Ref<Errhandler> errhandler_;
  std::unique_ptr<Driver> driver_;
  bool positioned_ = true;
  TypeRef etype_;
  TypeRef filetype_;
  std::string representation_name_ = "native";
  const Representation* representation_;
  std::shared_ptr<const View> view_;
  bool contiguous_everywhere_ = true;  // the views of all processes
  std::atomic<Offset> position_{0};
  SharedPointer shared_;
  int slot_ = -1;  // of the shared pointer; rank 0 gives it back
  std::mutex one_at_a_time_;
  bool atomic_ = false;
  int pending_ = 0;
  Split split_;
  int explained_ = 0;            // decisions about collective access
  std::uint64_t last_plan_ = 0;  // the one explained last
};

}  // namespace tessera::io
