// SPDX-License-Identifier: BSD-3-Clause
// coll: collective operations. An algorithm emits a schedule for one rank; the engine runs it.
#pragma once
//
// Contract. A Component is opened once. At the first collective of a communicator the engine asks
// every usable component for a Module and stacks the modules per operation, highest priority on
// top; the modules below stay available as fallback (Displaced). Modules belong to the communicator
// and are deleted before it. A call asks each from the top down: a blocking one for run(), a
// nonblocking one for start(), a persistent one for neither, and then for emit(), whose schedule
// the engine runs. A module that answers `unsupported` must have had no effect on the call, and all
// processes of the communicator must get that answer alike: a choice rests only on what
// CallSignature exposes. Arguments have been checked. query() and emit() are local: they neither
// communicate nor wait.
//
// Schedule. An algorithm is one function that emits, for one rank, the sends, receives, reductions
// and copies and their order. It sees only the Call's numbers and types, never a buffer's content:
// the same function runs against memory, is priced for machines that do not exist, printed, and
// checked for all sizes. A step is ready when all its predecessors are done; ready steps start in
// the order of emission, long sends and then long copies last. Rules, checked by the test suite:
// two steps that touch the same bytes, one of them writing, are ordered; so are, by predecessors or
// issue_in_order(), two sends to the same rank and two receives from the same rank. A message is
// received with exactly the bytes sent; one without bytes is a signal and is transferred.
//
// Errors. The first failure is the Status of the operation. The other steps still run, reductions
// excepted, and messages of a wrong length tell the receivers of the data about the failure.
//
// Rules (mca-params/collectives.yaml, parameter coll_rules) select component and algorithm. In an
// intercommunicator, ranks 0 .. remote_size - 1 are the remote group's, remote_size + i is rank i
// of the local group. Source: MPI-5.0 chapter 6, §8.6 (neighborhoods).
//
#include <initializer_list>
#include <limits>
#include <span>

#include "tessera/coll_call.h"
#include "tessera/comm.h"
#include "tessera/component.h"

namespace tessera::coll {

// What MPI makes equal on all processes of an intracommunicator: all that a choice between
// components or algorithms may rest on. Datatypes and counts are not part of it, since processes
// may describe the same data differently.
struct CallSignature {
  CallSignature(const Call& call) noexcept  // NOLINT: implicit by design
      : operation(call.operation),
        size(call.size),
        root(call.root),
        op(call.op),
        amount(coll::amount(call)) {}
  bool commutative() const noexcept { return op == nullptr || op->commutative(); }

  Operation operation;
  int size;
  int root;
  const Op* op;  // null where nothing is combined
  Count amount;
};

// What a rule or a parameter may set for an algorithm; 0: its own choice.
struct Tuning {
  Count segment = 0;  // bytes sent at a time
  int radix = 0;      // children of a node, partners in a round
};

// How the processes of a communicator are spread; equal on all of them.
struct Layout {
  int nodes = 1;
  int per_node = 1;             // processes on the fullest node
  bool oversubscribed = false;  // processes share processors
};
Layout layout_of(const Communicator& comm) noexcept;

// A line of the selection data: calls that lie in all its ranges go to `component`, which uses
// `algorithm`.
struct Rule {
  template <class T>
  struct Range {
    T least = 0;
    T most = std::numeric_limits<T>::max();
    constexpr bool holds(T value) const noexcept { return least <= value && value <= most; }
  };
  enum class Only : std::uint8_t { any, yes, no };

  bool admits(const CallSignature& call, const Layout& layout) const noexcept;

  Only commutative = Only::any;
  Only oversubscribed = Only::any;
  bool shipped = false;        // with the library; else the user's
  std::uint8_t component = 0;  // its number in the Rules
  Range<int> processes, nodes, per_node;
  Range<Count> bytes;          // amount()
  const char* algorithm = "";  // empty: what the component thinks best
  Tuning tuning;
  const char* where = "";  // file and line, or what it is
};

// All rules of a job, in order of precedence: of those that admit a call, the first counts.
class Rules {
 public:
  static constexpr int kNobody = -1;
  int component(const char* name) const noexcept;  // its number, or kNobody where no rule names it
  std::span<const Rule> of(Operation operation) const noexcept {
    return of_[static_cast<std::size_t>(operation)];
  }
  // Reductions must be combined one rank after the other (parameter coll_reproducible): a0 op (a1
  // op (a2 ...)), and scans from the left, so that the bits do not depend on who carries them out.
  // A component that cannot do so declines.
  bool reproducible() const noexcept { return reproducible_; }
  // The rule that counts if it names this component, else null. A component asks it before it
  // carries out a call that others could carry out as well.
  const Rule* chosen(int component, const CallSignature& call, const Layout& layout) const noexcept;

 protected:
  std::span<const Rule> of_[kOperations];
  std::span<const char* const> components_;
  bool reproducible_ = false;
};

enum class Space : std::uint8_t { send, receive, scratch };

// A place in one of the three memories of a call. Where elements lie follows from their type: the
// first at `offset` bytes from the start, the next one extent further. Without type: bytes.
struct Buffer {
  Space space = Space::scratch;
  Aint offset = 0;
  Count count = 0;
  const Datatype* type = nullptr;

  Aint extent() const noexcept { return type != nullptr ? type->extent() : 1; }
  Count bytes() const noexcept { return type ? count * type->size() : count; }  // of data
  Buffer part(Count first, Count elements) const noexcept {
    return {space, offset + first * extent(), elements, type};
  }
};

using StepId = std::uint32_t;
inline constexpr StepId kNoStep = ~StepId{0};  // as a predecessor: none

enum class StepKind : std::uint8_t { send, recv, reduce, copy };

struct Step {
  Buffer from;  // send, copy: what is read; reduce: left operand
  Buffer to;    // recv, copy: what is written; reduce: right operand and result
  int peer;     // send, recv
  StepKind kind;
  std::uint32_t predecessors;
  std::uint32_t first_edge, last_edge;
};

// `step` comes after the step whose list this is in: once that is done or (issue_only) started.
struct Edge {
  StepId step;
  std::uint32_t next;
  bool issue_only;
};
inline constexpr std::uint32_t kNoEdge = ~std::uint32_t{0};

class Part;

// What one rank does in a collective operation. Allocates nothing up to kInline steps; status()
// tells when memory ran out.
class Schedule {
 public:
  static constexpr std::uint32_t kInline = 16;

  Schedule() noexcept = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule();

  // Each adds one step and returns its number. kNoStep as a predecessor counts for nothing.
  StepId send(int rank, const Buffer& what, std::initializer_list<StepId> after = {}) noexcept;
  StepId recv(int rank, const Buffer& where, std::initializer_list<StepId> after = {}) noexcept;
  // to = from op to. Equal counts and types.
  StepId reduce(const Buffer& from, const Buffer& to,
                std::initializer_list<StepId> after = {}) noexcept;
  // Equal amounts of data; count and type may differ.
  StepId copy(const Buffer& from, const Buffer& to,
              std::initializer_list<StepId> after = {}) noexcept;

  void order(StepId earlier, StepId later) noexcept { link(earlier, later, false); }
  void issue_in_order(StepId earlier, StepId later) noexcept { link(earlier, later, true); }

  // Fresh scratch memory for `count` elements laid out as `type` (null: bytes), aligned to 16
  // bytes.
  Buffer scratch(Count count, const Datatype* type) noexcept;

  // For explanations: the algorithm and the rule that chose it. Texts outlive the module.
  void label(const char* algorithm, const char* rule) noexcept {
    algorithm_ = algorithm, rule_ = rule;
  }
  const char* algorithm() const noexcept { return algorithm_; }
  const char* rule() const noexcept { return rule_; }

  // A wish of the user that cannot be fulfilled; the engine says so on standard error. The text
  // outlives the module.
  void complain(const char* text) noexcept { complaint_ = text; }
  const char* complaint() const noexcept { return complaint_; }

  std::span<const Step> steps() const noexcept { return {steps_, step_count_}; }
  const Edge& edge(std::uint32_t i) const noexcept { return edges_[i]; }
  std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }
  Status status() const noexcept { return status_; }
  void clear() noexcept;
  // Empty, and no part of another operation.
  bool fresh() const noexcept { return step_count_ == 0 && scratch_bytes_ == 0 && !part_; }
  // Makes a fresh one like `other`, without its complaint; false if that one has too many steps.
  bool assign(const Schedule& other) noexcept;

 private:
  friend class Part;
  StepId add(StepKind kind, int rank, const Buffer& from, const Buffer& to,
             std::initializer_list<StepId> after) noexcept;
  void link(StepId earlier, StepId later, bool issue_only) noexcept;
  bool grow_steps() noexcept;
  bool grow_edges() noexcept;

  Step* steps_ = reinterpret_cast<Step*>(inline_steps_);
  Edge* edges_ = reinterpret_cast<Edge*>(inline_edges_);
  std::uint32_t step_count_ = 0;
  std::uint32_t step_capacity_ = kInline;
  std::uint32_t edge_count_ = 0;
  std::uint32_t edge_capacity_ = 2 * kInline;
  std::size_t scratch_bytes_ = 0;
  const char* algorithm_ = "";
  const char* rule_ = "";
  const char* complaint_ = nullptr;
  const Part* part_ = nullptr;
  Status status_;
  alignas(Step) std::byte inline_steps_[kInline * sizeof(Step)];
  alignas(Edge) std::byte inline_edges_[2 * kInline * sizeof(Edge)];
};

// An operation on some of the processes inside a larger schedule. While a Part lives, ranks given
// to the schedule are indices into `ranks`, the memories of the inner call begin at `send` and
// `receive`, and its steps come after `after`. Parts nest. What is referred to outlives the Part.
class Part {
 public:
  Part(Schedule& schedule, std::span<const int> ranks, const Buffer& send, const Buffer& receive,
       StepId after) noexcept;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part();
  // A step that comes after all that was emitted so far in this part.
  StepId end() noexcept;

 private:
  friend class Schedule;
  void embed(StepId id) const noexcept;
  int rank(int number) const noexcept;
  Buffer place(Buffer inner) const noexcept;

  Schedule& schedule_;
  const Part* outer_;
  std::span<const int> ranks_;
  Buffer send_, receive_;
  StepId after_;
  StepId first_;
};

// Runs a schedule emitted for `call` to its end, under the next collective tag of the communicator.
Status execute(const Call& call, const Schedule& schedule) noexcept;

class Module;

// What lies below a module, per operation. Valid as long as the module.
class Displaced {
 public:
  Displaced() noexcept = default;
  explicit Displaced(const std::span<Module* const>* below) noexcept : below_(below) {}
  std::span<Module* const> modules(Operation operation) const noexcept;  // the best first
  // As the engine would do it had the module not been there.
  Status run(const Call& call) const noexcept;
  Status emit(const Call& call, Schedule& schedule) const noexcept;

 private:
  const std::span<Module* const>* below_ = nullptr;  // kOperations of them
};

class Module {
 public:
  virtual ~Module() = default;
  virtual bool serves(Operation operation) const noexcept = 0;
  // Its place in the stack of this operation; `component` is the component's priority (parameter or
  // manifest).
  virtual int priority(Operation, int component) const noexcept { return component; }
  // Called once, after stacking.
  virtual void stacked(const Displaced& /*displaced*/) noexcept {}

  virtual Status run(const Call& /*call*/) noexcept { return Errc::unsupported; }
  // Begins a nonblocking call without waiting for others. ok: the module carries it on in the
  // engine's progress, and calls done(context, outcome) once, maybe before this returns; until then
  // the engine keeps what the call refers to, but not its arrays.
  using Done = void (*)(void* context, Status outcome) noexcept;
  virtual Status start(const Call&, Done, void* /*context*/) noexcept { return Errc::unsupported; }
  // What run() does with such a call, in words for --explain; valid until the next call. Empty:
  // nothing to say.
  virtual const char* describe(const Call& /*call*/) noexcept { return ""; }
  // Labels the schedule with what it chose.
  virtual Status emit(const Call& /*call*/, Schedule& /*schedule*/) noexcept {
    return Errc::unsupported;
  }
  // This process makes no further call on the communicator. A failure tells of calls that did not
  // match; neither communicates nor waits.
  virtual Status end() noexcept { return {}; }
};

class Component : public tessera::Component {
 public:
  virtual Status open(const Host& host) noexcept = 0;
  // Called once after open(); they outlive the component.
  virtual void use(const Rules& /*rules*/) noexcept {}
  // A module for this communicator, owned by the caller; or `refused` with the reason. The same on
  // all its processes.
  virtual Result<Module*> query(Communicator& comm) noexcept = 0;
  // This process makes no further call at all: Module::end() for all its communicators.
  virtual Status end() noexcept { return {}; }
};

}  // namespace tessera::coll
