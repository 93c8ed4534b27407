// SPDX-License-Identifier: BSD-3-Clause
// coll: what stands in front of the modules of a communicator: Interposer, Guard, Services.
#pragma once
//
// Contract. A coll component whose manifest has the fact "interposes" makes no modules: its class
// is an Interposer. The value of the fact says when it takes part: `always`, or the short name of a
// boolean parameter of the component, which must then be true unless the user names the component;
// empty: the parameter that has the component's own name, coll_<component>. It is opened when MPI
// starts, with the pml at work. Of each communicator it is asked once, at its first collective
// operation, for a Guard, which sees every collective call of this process: before the modules do,
// and again when the outcome is known. Of several, that of lowest priority is asked first.
//
// A blocking call is enter(), begin(), the work, end(), leave(). One with a request is enter() when
// the request is made, and begin() and end() around each activation; a failed one is given to
// postpone(). Making a communicator out of another one is enter() alone. All of it happens under
// the engine's lock. A Guard may send messages on the collective context of its communicator, with
// a tag below kGuardTags.
//
// At the end: finish() when the process has called MPI_Finalize, hear_out() when all processes
// have. A process of the Sessions Model calls neither; flush() when it ends its use of MPI.
//
#include <string_view>

#include "tessera/coll_call.h"

namespace tessera::coll {

inline constexpr int kGuardTags = -0x4fff'ffff;

enum class CallForm : std::uint8_t { blocking, nonblocking, persistent };

// The functions that make a communicator of another one, by what they do.
enum class Making : std::uint8_t { duplicate, split, create, create_inter, merge };

// What an Interposer may ask of the engine. It outlives the component.
class Services {
 public:
  // MPI_BYTE, for messages of the component's own.
  virtual const Datatype& byte() const noexcept = 0;
  // A number of the sequence of basic types in `count` elements: equal numbers, equal sequences
  // (MPI-5.0 §5.1, type signature). 0 when there are none.
  virtual std::uint64_t signature(const Datatype& type, Count count) const noexcept = 0;
  // The value of the handle in the MPI ABI; 0: not predefined.
  virtual std::uint16_t handle(const Datatype& type) const noexcept = 0;
  virtual std::uint16_t handle(const Op& op) const noexcept = 0;
  // "MPI_INT"; null: no predefined datatype or operation has that handle.
  virtual const char* name(std::uint16_t handle) const noexcept = 0;
  // Whether the error handler of the communicator ends the job.
  virtual bool fatal(const Communicator& comm) const noexcept = 0;
  // Writes to standard error what is wrong and, unless empty, what to do about it.
  virtual void tell(std::string_view topic, std::string_view what,
                    std::string_view next_step) const noexcept = 0;
  // The same as one text, for a Status.
  virtual Status failure(Errc code, std::string_view topic, std::string_view what,
                         std::string_view next_step) const noexcept = 0;
  // Another process has ended the job, and said why.
  virtual bool ending() const noexcept = 0;
  // Ends the job as MPI_Abort does; standard output is flushed.
  [[noreturn]] virtual void abort() const noexcept = 0;
  // The longest sleep of a wait, in microseconds, for pollers that watch the clock; -1: no limit.
  virtual void limit_naps(std::int64_t longest_us) const noexcept = 0;

 protected:
  ~Services() = default;
};

// Of one communicator.
class Guard {
 public:
  // Takes the outcome of an operation that was put off.
  using Conclude = void (*)(void* operation, Status outcome) noexcept;

  // Before a call. A failure means that it must not begin; the call returns it.
  virtual Status enter(const Call& call, CallForm form) noexcept = 0;
  virtual Status enter(Making making, CallForm form) noexcept = 0;
  // Between these two a call may wait for other processes.
  virtual void begin() noexcept {}
  virtual void end() noexcept {}
  // After a blocking call: what it shall return.
  virtual Status leave(Status outcome) noexcept { return outcome; }
  // An operation with a request has failed. Calls `conclude` once, now or later.
  virtual void postpone(Conclude conclude, void* operation, Status outcome) noexcept {
    conclude(operation, outcome);
  }

 protected:
  ~Guard() = default;
};

class Interposer : public tessera::Component {
 public:
  virtual Status open(const Host& host, const Services& services) noexcept = 0;
  // The component owns it, at least until forget(). Null: nothing to see on this communicator.
  virtual Guard* guard(Communicator& comm) noexcept = 0;
  // The communicator is being freed.
  virtual void forget(Guard& guard) noexcept = 0;
  virtual void flush() noexcept {}
  // No further collective call comes. `world`: MPI_COMM_WORLD.
  virtual void finish(Communicator& /*world*/) noexcept {}
  virtual void hear_out() noexcept {}
};

}  // namespace tessera::coll
