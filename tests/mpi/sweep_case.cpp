// SPDX-License-Identifier: BSD-3-Clause
// Carrying out one case of the sweep.
#include "sweep_case.h"

#include <algorithm>

#include "check.h"

namespace {

// One message on its way, and what it should look like on arrival.
struct Message {
  Room out, in, expected;
  std::vector<std::byte> received;  // the data that should arrive
  MPI_Status status{};
};

// Persistent requests are started twice.
int rounds(const Case& c) {
  return !c.combined() && (c.form == Form::persistent || c.receive == Receive::persistent) ? 2 : 1;
}

unsigned seed_of(const Case& c, int sender, int message, int round) {
  return c.seed + 7919U * static_cast<unsigned>(sender) + 131U * static_cast<unsigned>(message) +
         17U * static_cast<unsigned>(round);
}

// The data of a message as its sender packs it: every process can work it out. Where entries of the
// sender's type overlap the order of the type map decides, as in the sender's memory.
std::vector<std::byte> data_of(const Case& c, int sender, int message, int round) {
  Room room(c.out->map, c.count_out);
  room.fill(seed_of(c, sender, message, round));
  return room.gather();
}

template <class Number>
class Exchange {
 public:
  explicit Exchange(const Case& c)
      : c_(c),
        comm_(c.place->comm),
        to_((c.place->me + c.shift) % c.place->peers),
        from_((c.place->me + c.place->peers - c.shift % c.place->peers) % c.place->peers) {
    for (int i = 0; i < c.messages; ++i) {
      messages_.push_back({Room(c.out->map, c.count_out),
                           Room(c.in->map, c.count_in),
                           Room(c.in->map, c.count_in),
                           {},
                           {}});
    }
  }

  void run() {
    if (c_.mode == buffered) attach();
    for (int round = 0; round < rounds(c_); ++round) {
      prepare(round);
      c_.combined() ? combined() : separate(round);
      compare();
    }
    free_persistent();
    if (c_.mode == buffered) detach();
  }

 private:
  static constexpr const Calls<Number>& calls = kCalls<Number>;

  void prepare(int round) {
    for (int i = 0; i < c_.messages; ++i) {
      Message& m = messages_[static_cast<std::size_t>(i)];
      m.out.fill(seed_of(c_, c_.place->me, i, round));
      m.received = data_of(c_, from_, i, round);
      if (c_.form == Form::replace || c_.form == Form::ireplace) {
        m.in = m.out;  // one buffer for both
        m.expected = m.out;
      } else {
        m.in.fill(99);
        m.expected.fill(99);
      }
      m.expected.scatter(m.received);
      m.status = {};
    }
  }

  void separate(int round) {
    const bool first = round == 0;
    if (c_.posted_before()) post_receives(first);
    if (c_.mode == ready) MPI_Barrier(comm_);
    send(first);
    if (!c_.posted_before()) receive();
    complete(receives_, true);
    complete(sends_, false);
  }

  void post_receives(bool first) {
    if (c_.receive == Receive::irecv || first) receives_.assign(messages_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const auto call = c_.receive == Receive::irecv ? calls.irecv : calls.recv_init;
      if (c_.receive == Receive::irecv || first) {
        CHECK(call(messages_[i].in.base(), Number(c_.count_in), c_.in->type, source(), tag(), comm_,
                   &receives_[i]) == MPI_SUCCESS);
      }
    }
    if (c_.receive == Receive::persistent) start(receives_);
  }

  void send(bool first) {
    if (c_.form != Form::persistent || first) sends_.assign(messages_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      void* buffer = messages_[i].out.base();
      const Number count = Number(c_.count_out);
      if (c_.form == Form::blocking) {
        CHECK(calls.send[c_.mode](buffer, count, c_.out->type, to_, c_.tag, comm_) == MPI_SUCCESS);
      } else if (c_.form == Form::nonblocking || first) {
        const auto call = c_.form == Form::nonblocking ? calls.start[c_.mode] : calls.init[c_.mode];
        CHECK(call(buffer, count, c_.out->type, to_, c_.tag, comm_, &sends_[i]) == MPI_SUCCESS);
      }
    }
    if (c_.form == Form::persistent) start(sends_);
  }

  static void start(std::vector<MPI_Request>& requests) {
    CHECK(MPI_Startall(static_cast<int>(requests.size()), requests.data()) == MPI_SUCCESS);
  }

  void receive() {
    for (Message& m : messages_) {
      if (c_.receive == Receive::recv || c_.receive == Receive::probe) {
        receive_probed(m);
      } else {
        receive_matched(m);
      }
      check_status(m.status);
    }
  }

  void receive_probed(Message& m) {
    int source = this->source(), tag = this->tag();
    if (c_.receive == Receive::probe) {
      MPI_Status seen;
      CHECK(MPI_Probe(source, tag, comm_, &seen) == MPI_SUCCESS);
      check_status(seen);
      source = seen.MPI_SOURCE;
      tag = seen.MPI_TAG;
    }
    CHECK(calls.recv(m.in.base(), Number(c_.count_in), c_.in->type, source, tag, comm_,
                     &m.status) == MPI_SUCCESS);
  }

  void receive_matched(Message& m) {
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status seen;
    if (c_.receive == Receive::mprobe) {
      CHECK(MPI_Mprobe(source(), tag(), comm_, &handle, &seen) == MPI_SUCCESS);
      check_status(seen);
      CHECK(calls.mrecv(m.in.base(), Number(c_.count_in), c_.in->type, &handle, &m.status) ==
            MPI_SUCCESS);
      return;
    }
    for (int found = 0; found == 0;) {
      CHECK(MPI_Improbe(source(), tag(), comm_, &found, &handle, &seen) == MPI_SUCCESS);
    }
    check_status(seen);
    MPI_Request request;
    CHECK(calls.imrecv(m.in.base(), Number(c_.count_in), c_.in->type, &handle, &request) ==
          MPI_SUCCESS);
    CHECK(handle == MPI_MESSAGE_NULL);
    CHECK(MPI_Wait(&request, &m.status) == MPI_SUCCESS);
  }

  // Several combined operations at once need as many buffers and the nonblocking form; the others
  // go one by one.
  void combined() {
    receives_.assign(messages_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < messages_.size(); ++i) combined(messages_[i], receives_[i]);
    if (c_.form == Form::isendrecv || c_.form == Form::ireplace) {
      complete(receives_, true);
    } else {
      for (const Message& m : messages_) check_status(m.status);
    }
  }

  void combined(Message& m, MPI_Request& request) {
    const Number out = Number(c_.count_out), in = Number(c_.count_in);
    const MPI_Datatype type = c_.out->type;
    int code = MPI_SUCCESS;
    if (c_.form == Form::sendrecv) {
      code = calls.sendrecv(m.out.base(), out, type, to_, c_.tag, m.in.base(), in, c_.in->type,
                            source(), tag(), comm_, &m.status);
    } else if (c_.form == Form::isendrecv) {
      code = calls.isendrecv(m.out.base(), out, type, to_, c_.tag, m.in.base(), in, c_.in->type,
                             source(), tag(), comm_, &request);
    } else if (c_.form == Form::replace) {
      code = calls.replace(m.in.base(), out, type, to_, c_.tag, source(), tag(), comm_, &m.status);
    } else {
      code = calls.ireplace(m.in.base(), out, type, to_, c_.tag, source(), tag(), comm_, &request);
    }
    CHECK(code == MPI_SUCCESS);
  }

  // Completes all, in the way the case says; statuses of receives are checked.
  void complete(std::vector<MPI_Request>& requests, bool received) {
    const int n = static_cast<int>(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    std::vector<int> indices(requests.size());
    int left = n;
    switch (c_.completion) {
      case Completion::each:
        for (std::size_t i = 0; i < requests.size(); ++i)
          CHECK(MPI_Wait(&requests[i], &statuses[i]) == MPI_SUCCESS);
        break;
      case Completion::all:
        CHECK(MPI_Waitall(n, requests.data(), statuses.data()) == MPI_SUCCESS);
        break;
      case Completion::any:
        for (; left > 0; --left) {
          int index = MPI_UNDEFINED;
          MPI_Status status;
          CHECK(MPI_Waitany(n, requests.data(), &index, &status) == MPI_SUCCESS);
          if (index == MPI_UNDEFINED) break;  // blocking sends leave nothing to wait for
          statuses[static_cast<std::size_t>(index)] = status;
        }
        break;
      case Completion::some:
        while (left > 0) left -= complete_some(requests, statuses, indices);
        break;
      case Completion::test:
        for (int done = 0; done == 0;)
          CHECK(MPI_Testall(n, requests.data(), &done, statuses.data()) == MPI_SUCCESS);
        break;
    }
    for (std::size_t i = 0; received && i < statuses.size(); ++i) check_status(statuses[i]);
  }

  int complete_some(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
                    std::vector<int>& indices) {
    const int n = static_cast<int>(requests.size());
    std::vector<MPI_Status> got(requests.size());
    int count = 0;
    CHECK(MPI_Waitsome(n, requests.data(), &count, indices.data(), got.data()) == MPI_SUCCESS);
    if (count == MPI_UNDEFINED) return n;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      statuses[static_cast<std::size_t>(indices[i])] = got[i];
    return count;
  }

  void check_status(const MPI_Status& status) {
    CHECK(status.MPI_SOURCE == from_ && status.MPI_TAG == c_.tag);
    const MPI_Count size = c_.in->map.size();
    const MPI_Count bytes = c_.out->map.size() * c_.count_out;
    MPI_Count count = -5, elements = -5;
    CHECK(MPI_Get_count_c(&status, c_.in->type, &count) == MPI_SUCCESS);
    CHECK(count == (size == 0 ? 0 : bytes % size == 0 ? bytes / size : MPI_UNDEFINED));
    CHECK(MPI_Get_elements_c(&status, c_.in->type, &elements) == MPI_SUCCESS);
    CHECK(elements == static_cast<MPI_Count>(c_.out->map.entries.size()) * c_.count_out);
  }

  void compare() {
    for (int i = 0; i < c_.messages; ++i) {
      Message& m = messages_[static_cast<std::size_t>(i)];
      const auto differs =
          std::mismatch(m.in.bytes().begin(), m.in.bytes().end(), m.expected.bytes().begin());
      const bool right_contents = differs.first == m.in.bytes().end();
      CHECK(right_contents);
      if (right_contents) continue;
      std::fprintf(stderr, "  message %d: byte %td of %zu is %d, not %d\n", i,
                   differs.first - m.in.bytes().begin(), m.in.bytes().size(),
                   std::to_integer<int>(*differs.first), std::to_integer<int>(*differs.second));
    }
  }

  void free_persistent() {
    for (auto* requests : {&sends_, &receives_}) {
      for (MPI_Request& request : *requests) {
        if (request != MPI_REQUEST_NULL) CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
      }
    }
  }

  void attach() {
    MPI_Count one = 0;
    MPI_Pack_size_c(c_.count_out, c_.out->type, comm_, &one);
    const MPI_Count messages =
        c_.messages * rounds(c_);  // those of the first round may still be there in the second
    buffer_.resize(static_cast<std::size_t>(messages * (one + MPI_BSEND_OVERHEAD)));
    CHECK(MPI_Buffer_attach(buffer_.data(), static_cast<int>(buffer_.size())) == MPI_SUCCESS);
  }
  void detach() {
    void* buffer = nullptr;
    int size = -1;
    CHECK(MPI_Buffer_detach(&buffer, &size) == MPI_SUCCESS);
    CHECK(buffer == buffer_.data() && size == static_cast<int>(buffer_.size()));
  }

  int source() const { return c_.any_source ? MPI_ANY_SOURCE : from_; }
  int tag() const { return c_.any_tag ? MPI_ANY_TAG : c_.tag; }

  const Case& c_;
  MPI_Comm comm_;
  int to_, from_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::string Case::text() const {
  const auto name = [](const auto& names, auto value) {
    return std::string(names[static_cast<int>(value)]);
  };
  return place->name + ", " + std::to_string(count_out) + " x " + out->name + " into " +
         std::to_string(count_in) + " x " + in->name + ", " + name(kModeNames, mode) + " " +
         name(kFormNames, form) + ", " + name(kReceiveNames, receive) + ", " +
         name(kCompletionNames, completion) + ", shift " + std::to_string(shift) + ", " +
         std::to_string(messages) + " at once" + (any_source ? ", any source" : "") +
         (any_tag ? ", any tag" : "") + (large ? ", large counts" : "");
}

// What processes without a partner do: they take part in the barriers.
static void watch(const Case& c) {
  for (int i = 0; c.mode == ready && i < rounds(c); ++i) MPI_Barrier(c.place->comm);
}

void carry_out(const Case& c) {
  if (c.place->me >= c.place->peers) {
    watch(c);
  } else if (c.large) {
    Exchange<MPI_Count>(c).run();
  } else {
    Exchange<int>(c).run();
  }
  if (c.any_source) MPI_Barrier(c.place->comm);  // or it would take messages of the next case
}
