// SPDX-License-Identifier: BSD-3-Clause
// Stacking of modules: priorities, fallbacks, the displaced, and what --explain is told.
#include <gtest/gtest.h>

#include <optional>

#include "core/coll/table.h"
#include "framework/explanation.h"
#include "tests/coll/fake_net.h"

namespace tessera::coll::test {
namespace {

using enum Operation;

// What a test module does, and what it has seen.
struct Script {
  std::vector<Operation> serves = {barrier, bcast};
  Status run = Errc::unsupported;
  Status emit = Errc::unsupported;
  Status start = Errc::unsupported;
  std::optional<Status> ends;  // before start() returns
  const char* refusal = nullptr;
  int bonus = 0;  // added to the priority for bcast
  bool delegate = false;
  int runs = 0;
  int emits = 0;
  int starts = 0;
  Module::Done done = nullptr;  // of the last start()
  void* context = nullptr;
  bool deleted = false;
  Displaced displaced;
};

class ScriptedModule final : public Module {
 public:
  explicit ScriptedModule(Script& script) : script_(script) {}
  ~ScriptedModule() override { script_.deleted = true; }
  bool serves(Operation operation) const noexcept override {
    return std::find(script_.serves.begin(), script_.serves.end(), operation) !=
           script_.serves.end();
  }
  int priority(Operation operation, int component) const noexcept override {
    return component + (operation == bcast ? script_.bonus : 0);
  }
  void stacked(const Displaced& displaced) noexcept override { script_.displaced = displaced; }
  Status run(const Call& call) noexcept override {
    ++script_.runs;
    return script_.delegate ? script_.displaced.run(call) : script_.run;
  }
  Status start(const Call&, Done done, void* context) noexcept override {
    ++script_.starts;
    script_.done = done;
    script_.context = context;
    if (script_.ends) done(context, *script_.ends);
    return script_.start;
  }
  Status emit(const Call& call, Schedule& schedule) noexcept override {
    ++script_.emits;
    if (script_.delegate) return script_.displaced.emit(call, schedule);
    // What a refusing module has written must not count.
    if (!script_.emit.ok()) schedule.send(99, {});
    if (script_.emit.ok()) schedule.label("scripted", "because");
    return script_.emit;
  }

 private:
  Script& script_;
};

class ScriptedComponent final : public Component {
 public:
  explicit ScriptedComponent(Script& script) : script_(script) {}
  Status open(const Host&) noexcept override { return {}; }
  Result<Module*> query(Communicator&) noexcept override {
    if (script_.refusal != nullptr) return Status::failure(Errc::refused, script_.refusal);
    return static_cast<Module*>(new ScriptedModule(script_));
  }

 private:
  Script& script_;
};

class Stack : public testing::Test {
 protected:
  std::unique_ptr<Table> make(Explanation* explanation = nullptr) {
    const Candidate candidates[] = {{low_component, "low", 10}, {high_component, "high", 50}};
    return std::move(Table::make(comm(), candidates, explanation)).value();
  }
  FakeCommunicator& comm() { return net.comm(0); }
  Call call(Operation operation) { return Call(operation, comm()); }

  FakeNet net{1, false};
  Script low, high;
  ScriptedComponent low_component{low}, high_component{high};
};

TEST_F(Stack, TheHighestPriorityIsAskedFirst) {
  high.run = Status();
  const auto table = make();
  EXPECT_TRUE(table->run(call(barrier)).ok());
  EXPECT_EQ(high.runs, 1);
  EXPECT_EQ(low.runs + low.emits, 0);
}

TEST_F(Stack, PrioritiesArePerOperation) {
  low.bonus = 45;
  const auto table = make();
  const auto first = [&](Operation operation) { return table->modules(operation).front(); };
  EXPECT_NE(first(barrier), first(bcast));
  EXPECT_EQ(first(barrier), table->modules(bcast)[1]);
  EXPECT_EQ(table->modules(gather).size(), 0u);
}

TEST_F(Stack, WhoCannotIsPassedOver) {
  low.emit = Status();
  const auto table = make();
  EXPECT_TRUE(table->run(call(barrier)).ok());
  EXPECT_EQ(high.runs, 1);
  EXPECT_EQ(high.emits, 1);
  EXPECT_EQ(low.emits, 1);
  EXPECT_EQ(comm().tags_used(), 1);
}

TEST_F(Stack, NonblockingAsksForSchedulesOnly) {
  high.run = Status();
  low.emit = Status();
  const auto table = make();
  Result<Request*> request = table->start(call(barrier));
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request.value()->complete());
  request.value()->free();
  EXPECT_EQ(high.runs, 0);
  EXPECT_EQ(low.emits, 1);
}

TEST_F(Stack, ANonblockingCallMayEndAtOnce) {
  low.start = Status();
  low.ends = Status();
  const auto table = make();
  Result<Request*> request = table->start(call(barrier));
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request.value()->complete());
  EXPECT_TRUE(request.value()->error().ok());
  request.value()->free();
  EXPECT_EQ(high.starts, 1);
  EXPECT_EQ(high.emits, 1);
  EXPECT_EQ(low.starts, 1);
  EXPECT_EQ(low.emits, 0);
}

TEST_F(Stack, ANonblockingCallMayEndLater) {
  high.start = Status();
  const auto table = make();
  for (const bool fails : {false, true}) {
    Result<Request*> request = table->start(call(barrier));
    ASSERT_TRUE(request.ok());
    EXPECT_FALSE(request.value()->complete());
    high.done(high.context, fails ? Status(Errc::no_space) : Status());
    EXPECT_TRUE(request.value()->complete());
    EXPECT_EQ(request.value()->error().code(), fails ? Errc::no_space : Errc::ok);
    request.value()->free();
  }
  EXPECT_EQ(high.emits, 0);
}

// The handle is given up, and then the communicator: the call keeps both.
TEST_F(Stack, ANonblockingCallThatNobodyWaitsFor) {
  high.start = Status();
  const auto table = make();
  Result<Request*> request = table->start(call(barrier));
  ASSERT_TRUE(request.ok());
  request.value()->free();
  EXPECT_FALSE(comm().sole());
  high.done(high.context, Status());
  EXPECT_TRUE(comm().sole());
}

TEST_F(Stack, APersistentCallHasASchedule) {
  high.start = Status();
  low.emit = Status();
  const auto table = make();
  Result<Request*> request = table->init(call(barrier));
  ASSERT_TRUE(request.ok());
  request.value()->free();
  EXPECT_EQ(high.starts, 0);
  EXPECT_EQ(low.emits, 1);
}

TEST_F(Stack, AFailureIsNotPassedOver) {
  high.run = Errc::no_memory;
  low.run = Status();
  EXPECT_EQ(make()->run(call(barrier)).code(), Errc::no_memory);
  EXPECT_EQ(low.runs, 0);
  high.run = Errc::unsupported;
  high.emit = Errc::argument;
  EXPECT_EQ(make()->start(call(barrier)).status().code(), Errc::argument);
  EXPECT_EQ(low.emits, 0);
  high.start = Errc::no_memory;
  high.emit = Status();
  EXPECT_EQ(make()->start(call(barrier)).status().code(), Errc::no_memory);
  EXPECT_EQ(high.emits, 1);
  EXPECT_TRUE(comm().sole());
}

TEST_F(Stack, TheDisplacedCanBeCalled) {
  high.delegate = true;
  low.run = Status();
  low.emit = Status();
  const auto table = make();
  EXPECT_TRUE(table->run(call(barrier)).ok());
  EXPECT_EQ(low.runs, 1);
  Result<Request*> request = table->start(call(barrier));
  ASSERT_TRUE(request.ok());
  request.value()->free();
  EXPECT_EQ(low.emits, 1);
  EXPECT_EQ(high.displaced.modules(barrier).size(), 1u);
  EXPECT_EQ(low.displaced.modules(barrier).size(), 0u);
}

TEST_F(Stack, NobodyIsAnErrorThatNamesAllAsked) {
  high.refusal = "no shared memory";
  const Status outcome = make()->run(call(bcast));
  EXPECT_EQ(outcome.code(), Errc::unsupported);
  const std::string text = outcome.text();
  EXPECT_NE(text.find("bcast"), std::string::npos) << text;
  EXPECT_NE(text.find("low"), std::string::npos) << text;
  EXPECT_NE(text.find("high: no shared memory"), std::string::npos) << text;
}

TEST_F(Stack, ModulesGoWithTheTable) {
  make();
  EXPECT_TRUE(low.deleted);
  EXPECT_TRUE(high.deleted);
}

TEST_F(Stack, ExplainsWhoWasAskedAndWhatRan) {
  Explanation explanation;
  high.refusal = "no shared memory";
  low.emit = Status();
  const auto table = make(&explanation);
  EXPECT_TRUE(table->run(call(barrier)).ok());
  EXPECT_TRUE(table->run(call(barrier)).ok());  // the same again is not said again
  ASSERT_EQ(explanation.decisions().size(), 2u);
  const Decision& query = explanation.decisions()[0];
  ASSERT_EQ(query.replies.size(), 2u);
  EXPECT_EQ(query.replies[0].component, "low");
  EXPECT_EQ(query.replies[1].text, "no shared memory");
  const Decision& choice = explanation.decisions()[1];
  EXPECT_EQ(choice.question, "which algorithm runs barrier on test");
  ASSERT_EQ(choice.replies.size(), 1u);
  EXPECT_EQ(choice.replies[0].text, "scripted (because)");
}

}  // namespace
}  // namespace tessera::coll::test
