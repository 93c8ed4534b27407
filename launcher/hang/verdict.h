// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a job that hangs: Verdict.
#pragma once
//
// Contract. judge() is a function of what the ranks have reported (wait_graph.h). A knot is a
// smallest group of stuck ranks that wait for nobody but each other and for ranks that are gone:
// the cause. All other stuck ranks wait behind a knot.
//
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang/wait_graph.h"

namespace tessera::launcher {

struct Knot {
  enum class Kind : std::uint8_t {
    gone,      // somebody waits for a rank that has ended, or is in MPI_Finalize
    mismatch,  // ranks are in different collective operations of one communicator
    itself,    // a rank waits for itself
    left_out,  // some are in a collective operation that another one has not begun
    cycle,     // they wait for each other
    calls,     // in calls whose partners are not known: nobody is left to serve them
    outside    // the threads of a rank wait for each other, outside of MPI
  };
  Kind kind;
  std::vector<std::uint32_t> ranks;  // ascending
};

// A message that would have fitted but for its tag or its communicator.
struct NearMiss {
  std::uint32_t receiver;
  ReportedMessage message;
  ReportedWait wait;
};

// A message that MPI_Finalize of its sender waits for, and that nobody receives any more.
struct Unreceived {
  std::uint32_t sender;
  ReportedMessage message;
};

struct Verdict {
  std::vector<Knot> knots;
  std::vector<std::uint32_t> behind;  // ascending
  std::vector<NearMiss> near_misses;
  std::vector<Unreceived> unreceived;
};

// None: nobody is stuck.
std::optional<Verdict> judge(const WaitGraph& graph);

const char* name_of(Knot::Kind kind) noexcept;

// The sender, if it is a rank of the job; the communicator of the message, if it is known; and the
// place of the send, where the sender is in that very call, or has noted one place for it and no
// other; else empty.
const RankWait* sender_of(const NearMiss& miss, const WaitGraph& graph) noexcept;
const KnownComm* comm_of(const NearMiss& miss, const WaitGraph& graph) noexcept;
std::string sent_at(const NearMiss& miss, const WaitGraph& graph);
bool is_of(const SendPlace& send, const NearMiss& miss) noexcept;
// The innermost one; empty: unknown.
std::string place_of(const RankWait& rank);

// The verdict for people, some lines; `waited_s` says since when nothing has moved.
std::string describe(const Verdict& verdict, const WaitGraph& graph, double waited_s);
std::string describe(const NearMiss& miss, const WaitGraph& graph);
// "MPI_Recv from rank 1 (tag 7, MPI_COMM_WORLD) at heat.c:81 (exchange)"
// Of the waits that nobody can end any more, or of all.
enum class WaitsShown : std::uint8_t { hopeless, all };
std::string describe_waits(const WaitGraph& graph, std::uint32_t rank, bool with_place,
                           WaitsShown shown = WaitsShown::hopeless);
std::string remedy(const Verdict& verdict, const Knot& knot, const WaitGraph& graph);

// The same as JSON, and as a picture: in the language of Graphviz, and drawn.
std::string as_json(const Verdict& verdict, const WaitGraph& graph, double waited_s);
std::string as_dot(const Verdict& verdict, const WaitGraph& graph);
std::string as_svg(const Verdict& verdict, const WaitGraph& graph);

}  // namespace tessera::launcher
