// SPDX-License-Identifier: BSD-3-Clause
// The processes of one communicator, each with its own instance of the coll component under test.
#pragma once

#include <memory>
#include <vector>

#include "core/coll/table.h"
#include "fakes.h"
#include "subject.h"
#include "tests/coll/cases.h"
#include "tests/coll/fake_net.h"

namespace tessera::contract {

class CollWorld {
 public:
  // With `remote_size` processes on the other side: an intercommunicator.
  explicit CollWorld(int size, int remote_size = 0, bool rendezvous = false);

  int processes() const noexcept { return net_.size(); }
  coll::test::FakeNet& net() noexcept { return net_; }
  coll::test::FakeCommunicator& comm(int number) noexcept { return net_.comm(number); }
  Status opened() const noexcept { return opened_; }  // the first failure to open
  // What process `number` is given for the communicator.
  Result<coll::Module*> query(int number) noexcept;
  // The component on top of the shipped one, as the engine stacks them.
  std::unique_ptr<coll::Table> table(int number);

 private:
  struct Process {
    Process(Segment& segment, std::uint32_t id, Progress& progress)
        : job(segment, id), bootstrap(segment, id, progress) {}
    FakeJob job;
    FakeBootstrap bootstrap;
    Instances subject;
    std::unique_ptr<Component> others;
    Status others_opened;
    ~Process() {
      if (others != nullptr) others->close();
    }
  };
  void make_process(std::uint32_t id);

  Segment segment_;
  coll::test::FakeNet net_;
  std::vector<std::unique_ptr<Process>> list_;
  Status opened_;
};

const Op& commuting_op();
const Op& ordered_op();

}  // namespace tessera::contract
