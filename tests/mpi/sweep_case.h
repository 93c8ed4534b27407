// SPDX-License-Identifier: BSD-3-Clause
// One case of the sweep: what is sent by whom to whom, how, and how it is received.
#pragma once

#include <memory>
#include <string>

#include "sweep_calls.h"
#include "type_forge.h"

// A communicator, and this process's place among those that exchange messages on it: process i
// sends to i + shift and receives from i - shift. In an intercommunicator these are ranks of the
// other group.
struct Place {
  std::string name;
  MPI_Comm comm;
  int me, peers;  // a process with me >= peers only watches
};

enum class Form { blocking, nonblocking, persistent, sendrecv, replace, isendrecv, ireplace };
inline constexpr const char* kFormNames[] = {"blocking", "nonblocking", "persistent", "sendrecv",
                                             "replace",  "isendrecv",   "ireplace"};
enum class Receive { irecv, persistent, recv, probe, mprobe, imrecv };
inline constexpr const char* kReceiveNames[] = {"irecv", "persistent", "recv",
                                                "probe", "mprobe",     "improbe"};
enum class Completion { each, all, any, some, test };
inline constexpr const char* kCompletionNames[] = {"wait", "waitall", "waitany", "waitsome",
                                                   "testall"};

struct Case {
  const Place* place;
  std::unique_ptr<Typed> out, in;  // of the same signature; the receiver's type overlaps nothing
  long count_out, count_in;  // elements of each; count_in elements may be more than what is sent
  int shift;
  Mode mode;
  Form form;
  Receive receive;
  Completion completion;
  int messages;  // at once, in order
  int tag;
  bool any_source, any_tag, large;  // large: the functions with MPI_Count
  unsigned seed;                    // of the contents

  bool combined() const { return form >= Form::sendrecv; }
  bool posted_before() const { return receive <= Receive::persistent; }
  std::string text() const;
};

// Carries the case out and checks all of it: contents, gaps, what was sent from, statuses.
// Collective over the place.
void carry_out(const Case& c);
