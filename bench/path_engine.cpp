// SPDX-License-Identifier: BSD-3-Clause
// Two ranks in one thread, over the transport of the job: each takes its turn, nobody ever waits,
// so that the number of instructions of a message is the same in every run. For bench/path, which
// runs it under callgrind and counts what happens inside measured().
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "core/datatype/predefined.h"
#include "core/engine/instance.h"

namespace {

using namespace tessera;

constexpr int kMessages = 1000;

struct Ends {
  Instance& from;
  Instance& to;
  std::uint64_t out = 1;
  std::uint64_t in = 0;

  pml::SendArgs sending() {
    Comm& comm = from.world();
    return {&out, 8, &byte_type(), &comm.peer(1), 0, 7, comm.context(), pml::Mode::standard};
  }
  pml::RecvArgs receiving() {
    Comm& comm = to.world();
    return {&in, 8, &byte_type(), &comm.peer(0), 0, 7, comm.context()};
  }
};

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "path_engine: %s failed\n", what);
  std::exit(1);
}

using Part = void (*)(Ends& ends);

// One part of a path, kept from being inlined: the profiler counts between its entry and its
// return.
[[gnu::noinline]] void measured(Part part, Ends& ends) {
  part(ends);
}

Request* posted = nullptr;

void send(Ends& ends) {
  must(ends.from.pml().send(ends.sending()).ok(), "send");
}
void isend(Ends& ends) {
  auto request = ends.from.pml().isend(ends.sending());
  must(request.ok() && (*request)->complete(), "isend");
  (*request)->free();
}
void post(Ends& ends) {
  auto request = ends.to.pml().irecv(ends.receiving());
  must(request.ok(), "irecv");
  posted = *request;
}
void arrive(Ends& ends) {
  must(ends.to.progress().poll() == 1, "arrival");
}
void recv(Ends& ends) {
  MessageStatus status;
  must(ends.to.pml().recv(ends.receiving(), status).ok(), "recv");
}
void take(Ends&) {
  must(posted->complete(), "completion");
  posted->free();
}

// The parts of one message in their order, one of which is measured.
struct Path {
  const char* name;
  std::initializer_list<Part> before;
  Part part;
  std::initializer_list<Part> after;
};

const Path kPaths[] = {
    {"send", {post}, send, {arrive, take}},
    {"isend", {post}, isend, {arrive, take}},
    {"post", {}, post, {send, arrive, take}},
    {"arrival", {post, send}, arrive, {take}},
    {"recv", {send}, recv, {}},
    {"unexpected", {send}, arrive, {recv}},
};

void run(const Path& path, Instance& from, Instance& to) {
  Ends ends{from, to};
  for (int i = 0; i < kMessages + 10; ++i) {
    for (Part part : path.before) part(ends);
    i < 10 ? path.part(ends) : measured(path.part, ends);  // the first ones make connections
    for (Part part : path.after) part(ends);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Path* chosen = nullptr;
  for (const Path& path : kPaths) {
    if (argc == 2 && std::strcmp(argv[1], path.name) == 0) chosen = &path;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "usage: path_engine send|isend|post|arrival|recv|unexpected\n");
    return 2;
  }
  auto segment = JobSegment::create(2);
  must(segment.ok(), "the job segment");
  std::optional<std::unique_ptr<Instance>> ranks[2];
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Instance::Options options;
    options.view = JobView(segment.value(), rank);
    options.params = {{"btl", "self,sm"}};
    auto made = Instance::make(options);
    must(made.ok(), made.status().text());
    ranks[rank] = std::move(*made);
  }
  run(*chosen, **ranks[0], **ranks[1]);
  std::thread other([&] { static_cast<void>((*ranks[1])->finish()); });
  static_cast<void>((*ranks[0])->finish());
  other.join();
  return 0;
}
