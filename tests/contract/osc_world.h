// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads, each with its own instance of the osc component under test and of a transport.
#pragma once
//
// A rank whose window fails cannot go on without the others: the program ends there, with the
// reason.
//
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "fakes.h"
#include "subject.h"
#include "tessera/osc.h"
#include "tessera/pml.h"

namespace tessera::contract::rma {

using Bytes = std::vector<std::byte>;

class World;
class Rank;

// What the engine makes of a communicator and of the window on it.
class WindowComm final : public Communicator {
 public:
  WindowComm(Rank& rank, ContextId context);
  Result<Communicator*> local() noexcept override { return Errc::unsupported; }
  int next_collective_tag() noexcept override { return 0; }
  const char* name() const noexcept override { return "contract"; }
  const char* hint(const char*) const noexcept override { return nullptr; }

 private:
  std::vector<Peer*> all_;
};

class TestWindow final : public osc::Window {
 public:
  TestWindow(Rank& rank, osc::Flavor flavor, std::vector<osc::Part> parts, const osc::Hints& hints,
             ContextId context);
  Status allgather(const void* mine, std::size_t bytes, void* all) noexcept override;
  void look_up_regularly() noexcept override {}
  void serve_while_computing() noexcept override {}
  void begin_wait(const osc::Waiting&) noexcept override {}
  void end_wait(const osc::Waiting&) noexcept override {}

 private:
  ~TestWindow() override { comm_->release(); }
  Rank& rank_;
  std::vector<osc::Part> all_parts_;
};

// A window of this process with its module and, for those of the user's memory, that memory.
class Opened {
 public:
  Opened(Rank& rank, osc::Flavor flavor, std::size_t bytes, const osc::Hints& hints = {});
  ~Opened();  // frees it, collectively
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  osc::Module& operator*() const noexcept { return *module_; }
  osc::Module* operator->() const noexcept { return module_.get(); }
  const osc::Window& window() const noexcept { return *window_; }
  std::byte* base() const noexcept { return reinterpret_cast<std::byte*>(window_->own().base); }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(base());
  }

 private:
  std::vector<std::uint64_t> memory_;
  TestWindow* window_ = nullptr;
  std::unique_ptr<osc::Module> module_;
};

class Rank final : public pml::Router {
 public:
  Rank(World& world, std::uint32_t id);
  ~Rank();

  int id() const noexcept { return static_cast<int>(job_.my_id()); }
  int ranks() const noexcept { return static_cast<int>(job_.size()); }
  int next() const noexcept { return (id() + 1) % ranks(); }
  int previous() const noexcept { return (id() + ranks() - 1) % ranks(); }
  Job& job() noexcept { return job_; }
  FakeProgress& progress() noexcept { return progress_; }
  Instances& instances() noexcept { return instances_; }
  bool opened() const noexcept { return opened_.ok(); }
  // Waits, making progress, until all ranks have come here.
  void meet();
  void gather(const void* mine, std::size_t bytes, void* all);
  ContextId next_context() noexcept { return contexts_ += 2; }
  Status judge(osc::Flavor flavor);

  Result<std::span<const pml::Route>> routes(Peer& peer) noexcept override;

 private:
  struct Transport {
    std::unique_ptr<Component> component;
    std::span<btl::Module* const> modules;
  };
  void open_transport(Plugin* plugin, Transport& transport);
  void find_way(Peer& peer);

  World& world_;
  FakeJob job_;
  FakeProgress progress_;
  FakeBootstrap bootstrap_;
  btl::Sinks sinks_;
  Transport loop_, far_;
  std::vector<pml::Route> ways_;
  Instances instances_;
  Status opened_;
  ContextId contexts_ = 100;
  std::uint32_t meetings_ = 0;
};

class World {
 public:
  explicit World(int ranks)
      : segment_(static_cast<std::uint32_t>(ranks)), board_(segment_.ranks()) {}
  void run(const std::function<void(Rank&)>& body);
  std::atomic<int> shared{0};  // for the tests

 private:
  friend class Rank;
  Segment segment_;
  std::atomic<std::uint32_t> arrivals_{0};
  std::vector<Bytes> board_;
};

// Whether the component can serve such a window of so many processes over this transport.
bool serves(osc::Flavor flavor, int ranks);
// Ends the program with the reason, if there is one.
void need(const Status& status, const char* what) noexcept;

// Elements and operations by their numbers in the ABI.
const Datatype& byte();
const Datatype& int64();
osc::Combination on_int64(std::uintptr_t op);
osc::Local local(const void* data, Count count, const Datatype& type);
inline osc::Local bytes_of(Bytes& data) {
  return local(data.data(), static_cast<Count>(data.size()), byte());
}
Bytes pattern(std::size_t bytes, unsigned salt);

}  // namespace tessera::contract::rma
