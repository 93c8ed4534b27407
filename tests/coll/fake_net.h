// SPDX-License-Identifier: BSD-3-Clause
// Processes as threads with a point-to-point layer in memory, to run collective operations for
// real.
#pragma once
//
// Each rank is used by one thread. A message is copied when it is sent; in rendezvous mode its send
// completes only after the receiver has taken it, and large numbers of rounds can pass in between.
//
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/coll/table.h"
#include "tessera/coll.h"
#include "tessera/pml.h"

namespace tessera::coll::test {

class FakeNet;

class FakeProgress final : public Progress {
 public:
  void add(Poller& poller) noexcept override {
    list_.push_back(&poller);
    publish();
  }
  void remove(Poller& poller) noexcept override {
    std::erase(list_, &poller);
    publish();
  }
  Status watch(int, std::uint32_t) noexcept override { return {}; }
  void unwatch(int) noexcept override {}

 private:
  bool idle(std::uint32_t rounds, const Condition& condition) noexcept override;
  void publish() noexcept {
    pollers_ = list_.data();
    count_ = static_cast<std::uint32_t>(list_.size());
  }
  std::vector<Poller*> list_;
};

class FakeRequest final : public Request {
 public:
  static inline std::atomic<int> alive{0};
  FakeRequest() noexcept {
    ++alive;
    begin();
  }
  void end(const MessageStatus& status) noexcept {
    status_ = status;
    const bool freed = freed_;
    finish();  // its continuation may free it
    if (freed) delete this;
  }
  void free() noexcept override {
    if (complete()) {
      delete this;
    } else {
      freed_ = true;
    }
  }

 private:
  ~FakeRequest() override { --alive; }
  bool freed_ = false;
};

class FakePml final : public pml::Module, public Poller {
 public:
  FakePml(FakeNet& net, std::uint32_t id, Progress& progress)
      : net_(net), id_(id), progress_(progress) {
    progress.add(*this);
  }
  btl::Sink& sink() noexcept override { std::abort(); }
  void attach(pml::Router&) noexcept override {}
  Status send(const pml::SendArgs& args) noexcept override;
  Status recv(const pml::RecvArgs& args, MessageStatus& status) noexcept override;
  Result<Request*> isend(const pml::SendArgs& args) noexcept override;
  Result<Request*> irecv(const pml::RecvArgs& args) noexcept override;
  Result<Request*> send_init(const pml::SendArgs&) noexcept override {
    return Status(Errc::unsupported);
  }
  Result<Request*> recv_init(const pml::RecvArgs&) noexcept override {
    return Status(Errc::unsupported);
  }
  Result<bool> iprobe(const pml::ProbeArgs&, MessageStatus&) noexcept override {
    return Status(Errc::unsupported);
  }
  Result<Message*> improbe(const pml::ProbeArgs&) noexcept override {
    return Status(Errc::unsupported);
  }
  Result<Request*> imrecv(Message&, void*, Count, const Datatype&) noexcept override {
    return Status(Errc::unsupported);
  }
  void drain() noexcept override {}
  int poll() noexcept override;

  int calls = 0;             // of isend, irecv, send, recv
  std::size_t standing = 0;  // receives posted when the last message was sent
  std::size_t followed = 0;  // receives behind which their caller sends

 private:
  struct Receive {
    pml::RecvArgs args;
    FakeRequest* request;
  };
  using Ended = std::vector<std::pair<FakeRequest*, MessageStatus>>;
  Status wait(Result<Request*> request, MessageStatus& status) noexcept;
  void collect_taken(Ended& ended);
  void match(Ended& ended);
  MessageStatus take(const pml::RecvArgs& args, const std::vector<std::byte>& data);

  FakeNet& net_;
  std::uint32_t id_;
  Progress& progress_;
  std::list<Receive> posted_;
};

// A job of which an algorithm asks nothing.
class PlainJob final : public Job {
 public:
  std::uint32_t my_id() const noexcept override { return 0; }
  std::uint32_t size() const noexcept override { return 1; }
  std::uint32_t local_size() const noexcept override { return 1; }
  std::uint32_t usable_cpus() const noexcept override { return 1; }
  Peer& peer(std::uint32_t) const noexcept override { std::abort(); }
  Result<SharedRegion> shared(std::string_view, std::size_t) const noexcept override {
    return Status(Errc::unsupported);
  }
};

class FakeCommunicator final : public Communicator {
 public:
  static inline std::atomic<int> alive{0};
  // `inter` ranks 0 .. first_side - 1 are one group; 0: an intracommunicator.
  FakeCommunicator(FakeNet& net, int number, int first_side);
  Result<Communicator*> local() noexcept override { return Status(Errc::unsupported); }
  int next_collective_tag() noexcept override { return tag_++; }
  const char* name() const noexcept override { return "test"; }
  const char* hint(const char*) const noexcept override { return nullptr; }
  int tags_used() const noexcept { return tag_; }
  using Object::sole;
  void live_in(const Job& job) noexcept { job_ = &job; }
  // The table is destroyed with the communicator, as that of a real one.
  Table& own(std::unique_ptr<Table> table) noexcept { return *(table_ = std::move(table)); }

 private:
  static inline const PlainJob plain_job;
  ~FakeCommunicator() override { --alive; }
  std::vector<Peer*> remote_table_, local_table_;
  std::unique_ptr<Table> table_;
  int tag_ = 0;
};

class FakeNet {
 public:
  struct Parcel {
    std::uint32_t from;
    ContextId context;
    int source;
    int tag;
    std::vector<std::byte> data;
    FakeRequest* sender;  // completes when taken; null: was complete at once
  };
  struct Rank {
    std::unique_ptr<FakeProgress> progress = std::make_unique<FakeProgress>();
    std::unique_ptr<FakePml> pml;
    Peer peer;
    FakeCommunicator* comm = nullptr;
    std::mutex mutex;
    std::deque<Parcel> inbox;  // protected by mutex
    std::mutex taken_mutex;
    std::vector<FakeRequest*>
        taken;  // own sends that the receiver has taken; protected by taken_mutex
  };

  FakeNet(int size, bool rendezvous, int first_side = 0);
  ~FakeNet();
  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  Rank& rank(std::uint32_t id) noexcept { return *ranks_[id]; }
  FakeCommunicator& comm(int number) noexcept {
    return *ranks_[static_cast<std::size_t>(number)]->comm;
  }
  bool rendezvous() const noexcept { return rendezvous_; }

  // Messages from this process to that one fail on both sides.
  void cut(int from, int to) { cut_.emplace_back(from, to); }
  bool is_cut(std::uint32_t from, std::uint32_t to) const noexcept;

  // body(number) for all ranks, each in its own thread.
  void run(const std::function<void(int)>& body);

 private:
  bool rendezvous_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::pair<int, int>> cut_;
};

}  // namespace tessera::coll::test
