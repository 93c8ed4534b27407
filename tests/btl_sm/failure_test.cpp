// SPDX-License-Identifier: BSD-3-Clause
// btl/sm when something is wrong: each failure is a status whose text says what to do.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "components/btl/sm/module.h"
#include "components/btl/sm/single_copy.h"
#include "tests/contract/fakes.h"
#include "tests/contract/plugin.h"

namespace tessera::btl::sm {

namespace {

using contract::FakeBootstrap;
using contract::FakeJob;
using contract::FakeProgress;
using contract::ManifestParams;
using contract::Memory;
using contract::Segment;

ManifestParams params(const std::string& ring_size = "128K",
                      const std::string& single_copy = "auto",
                      const std::string& get_threshold = "128K") {
  ManifestParams made;
  made.declare("ring_size", "size", ring_size);
  made.declare("slots", "integer", "126");
  made.declare("eager_limit", "size", "8K");
  made.declare("get_threshold", "size", get_threshold);
  made.declare("single_copy", "text", single_copy);
  return made;
}

// One rank's module in this very thread; `opened` is what create() said.
struct Side {
  Side(Segment& segment, std::uint32_t me, ManifestParams settings = params())
      : chosen(std::move(settings)),
        job(segment, me),
        progress(segment.bell(me), contract::Waiting::yield),
        bootstrap(segment, me, progress),
        opened(SmModule::create({chosen, job, progress, bootstrap}, sinks)) {}
  std::string text() const { return opened.status().text(); }
  SmModule& module() { return *opened.value(); }

  ManifestParams chosen;
  FakeJob job;
  FakeProgress progress;
  FakeBootstrap bootstrap;
  Sinks sinks;
  Result<std::unique_ptr<SmModule>> opened;
};

// Some sandboxes have no process_vm_readv at all; the btl then works without.
bool kernel_offers_single_copy() {
  std::uint64_t word = 0;
  return try_probe(getpid(), place_probe(word)) == 0;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
}

TEST(SmFailure, ExhaustedMemoryNamesTheParameters) {
  Segment segment(2, Memory::exhausted);
  Side side(segment, 0);
  ASSERT_FALSE(side.opened.ok());
  expect_contains(side.text(), "btl_sm_ring_size");
  expect_contains(side.text(), "btl_sm_slots");
}

TEST(SmFailure, DifferentParametersAreNoticed) {
  Segment segment(2);
  Side first(segment, 0);
  Side second(segment, 1, params("64K"));
  ASSERT_TRUE(first.opened.ok()) << first.text();
  EXPECT_TRUE(second.opened.status() == Errc::argument);
  expect_contains(second.text(), "must be the same in all processes");
}

TEST(SmFailure, NoSharedMemoryAndNoPeersAreRefusals) {
  Segment none(2, Memory::none);
  Segment alone(1);
  EXPECT_TRUE(Side(none, 0).opened.status() == Errc::refused);
  EXPECT_TRUE(Side(alone, 0).opened.status() == Errc::unsupported);
}

TEST(SmFailure, APacketLongerThanTheLimitIsAnArgumentError) {
  Segment segment(2);
  Side side(segment, 0);
  Endpoint& endpoint = *side.module().connect(side.job.peer(1)).value();
  const std::vector<std::byte> bytes(side.module().attributes().max_packet + 1);
  const Status status = endpoint.send({Channel::pml, 0, bytes.data(), bytes.data(), bytes.size()});
  EXPECT_TRUE(status == Errc::argument);
  expect_contains(status.text(), "max_packet");
}

TEST(SmFailure, APeerThatHasNotOpenedIsNotDirectYet) {
  Segment segment(2);
  Side side(segment, 0);
  Endpoint& endpoint = *side.module().connect(side.job.peer(1)).value();
  EXPECT_FALSE(endpoint.direct());
  Side peer(segment, 1);
  EXPECT_EQ(endpoint.direct(), kernel_offers_single_copy());
}

TEST(SmFailure, NoneSwitchesSingleCopyOff) {
  Segment segment(2);
  Side side(segment, 0, params("128K", "none"));
  Side peer(segment, 1, params("128K", "none"));
  Endpoint& endpoint = *side.module().connect(side.job.peer(1)).value();
  EXPECT_EQ(side.module().attributes().capabilities & (can_get | can_put), 0u);
  EXPECT_FALSE(endpoint.direct());
}

TEST(SmSingleCopy, PaysTheSoonerTheLessTheCallCosts) {
  constexpr MachineFigures kDefault;
  EXPECT_EQ(worth_reading(0, kDefault), 8u * 1024);
  EXPECT_EQ(worth_reading(450, kDefault), 12u * 1024);
  EXPECT_EQ(worth_reading(~std::uint64_t{0}, kDefault), 24u * 1024);
}

TEST(SmSingleCopy, PaysTheSoonerTheDearerASecondCopyIs) {
  MachineFigures slow_rings, fast_rings, no_slower;
  slow_rings.stream /= 2;
  fast_rings.stream *= 2;
  no_slower.stream = no_slower.single;
  no_slower.copy_far = ~0u;
  EXPECT_LT(worth_reading(650, slow_rings), 8u * 1024);
  EXPECT_GT(worth_reading(650, fast_rings), 48u * 1024);
  EXPECT_EQ(worth_reading(650, no_slower), 17u * 1024 * 16 + 12 * 1024);
}

TEST(SmSingleCopy, AFigureThatIsGivenCountsMoreThanWhatTheCallCostsHere) {
  MachineFigures figures;
  figures.single_call_ns = 800;
  EXPECT_EQ(worth_reading(650, figures), 10u * 1024);
  EXPECT_EQ(worth_reading(1, figures), 10u * 1024);
}

TEST(SmSingleCopy, WhatTheFirstProcessMeasuredHoldsForAll) {
  const ManifestParams measured = params("128K", "auto", "0");
  Segment segment(2);
  Side first(segment, 0, measured);
  EXPECT_GE(first.module().attributes().get_threshold, worth_reading(0, MachineFigures{}));
  const std::size_t bytes = Geometry::from(measured, given_figures(first.job), 2).region_bytes();
  std::byte* base = first.job.shared("btl.sm", bytes).value().base();
  reinterpret_cast<Prologue*>(base)->threshold.store(12345);
  Side second(segment, 1, measured);
  EXPECT_EQ(second.module().attributes().get_threshold, 12345u);
}

TEST(SmSingleCopy, ABadAddressIsASystemErrorWithAWayOut) {
  if (!kernel_offers_single_copy()) GTEST_SKIP() << "no process_vm_readv here";
  std::byte byte{};
  const Status status = read_process(getpid(), &byte, 16, 1);
  EXPECT_TRUE(status == Errc::system);
  expect_contains(status.text(), "process_vm_readv");
  expect_contains(status.text(), "btl_sm_single_copy=none");
}

TEST(SmSingleCopy, ADeadProcessIsAPeerFailure) {
  if (!kernel_offers_single_copy()) GTEST_SKIP() << "no process_vm_readv here";
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::byte byte{};
  EXPECT_TRUE(write_process(child, &byte, reinterpret_cast<std::uintptr_t>(&byte), 1) ==
              Errc::peer_failed);
}

}  // namespace

}  // namespace tessera::btl::sm
