// SPDX-License-Identifier: BSD-3-Clause
// Contract of every pml: what is sent arrives whole, in order, where it matches (MPI-5.0 §3.2-3.5).
#include <gtest/gtest.h>

#include <cstring>

#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "pml_world.h"

namespace tessera::contract {

namespace {

using pml::Mode;

const std::size_t kSizes[] = {0, 1, 8, 39, 41, 511, 512, 513, 4096, 20'000, 100'001};

class PmlMessages : public testing::TestWithParam<Network> {
 protected:
  PmlWorld world{3, GetParam()};
};

TEST_P(PmlMessages, EverySizeArrivesPosted) {
  for (const std::size_t size : kSizes) {
    const auto data = pattern(size, static_cast<unsigned>(size));
    std::vector<std::byte> got(size + 1, std::byte{0xee});
    const auto receive = world[1].module().irecv(world[1].from(0, 5, got.data(), size + 1));
    EXPECT_TRUE(world[0].module().send(world[0].to(1, 5, data.data(), size)).ok());
    const MessageStatus status = world[1].wait(receive);
    EXPECT_TRUE(status.error.ok()) << status.error.text();
    EXPECT_EQ(status.source, 0);
    EXPECT_EQ(status.tag, 5);
    EXPECT_EQ(status.bytes, size);
    EXPECT_EQ(got.back(), std::byte{0xee}) << "written beyond the message";
    got.resize(size);
    EXPECT_EQ(got, data);
  }
}

TEST_P(PmlMessages, EverySizeArrivesUnexpected) {
  for (const std::size_t size : kSizes) {
    const auto data = pattern(size, static_cast<unsigned>(size));
    const auto send = world[0].module().isend(world[0].to(1, 5, data.data(), size));
    world.settle();
    std::vector<std::byte> got(size);
    MessageStatus status;
    EXPECT_TRUE(
        world[1].module().recv(world[1].from(kAnySource, kAnyTag, got.data(), size), status).ok());
    EXPECT_EQ(status.source, 0);
    EXPECT_EQ(status.tag, 5);
    EXPECT_EQ(got, data);
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
}

// Whether a message is injected is up to the pml. In either case it arrives once, in its place, and
// the buffer is free at once.
TEST_P(PmlMessages, WhatIsInjectedHasLeftItsBuffer) {
  for (const std::size_t size : kSizes) {
    const auto first = pattern(size, 1), second = pattern(size, 2);
    auto data = first;
    const bool injected = world[0].module().inject(world[0].to(1, 5, data.data(), size)).ok();
    if (injected) std::fill(data.begin(), data.end(), std::byte{0xee});
    const auto send = world[0].module().isend(world[0].to(1, 5, second.data(), size));
    std::vector<std::byte> got(size);
    const auto receive = [&] {
      return world[1].wait(world[1].module().irecv(world[1].from(0, 5, got.data(), size)));
    };
    if (injected) {
      EXPECT_TRUE(receive().error.ok());
      EXPECT_EQ(got, first);
    }
    EXPECT_TRUE(receive().error.ok());
    EXPECT_EQ(got, second);
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
}

TEST_P(PmlMessages, MessagesOfOneSenderKeepTheirOrder) {
  constexpr int kMessages = 60;
  std::vector<std::vector<std::byte>> out(kMessages), in(kMessages);
  std::vector<Result<Request*>> sends, receives;
  for (int i = 0; i < kMessages; ++i) {
    out[i] =
        pattern(kSizes[static_cast<std::size_t>(i) % std::size(kSizes)], static_cast<unsigned>(i));
    sends.push_back(world[0].module().isend(world[0].to(1, 3, out[i].data(), out[i].size())));
    if (i % 7 == 0) world.step();
    in[i].resize(100'001);
    receives.push_back(world[1].module().irecv(world[1].from(
        i % 2 == 0 ? 0 : kAnySource, i % 3 == 0 ? 3 : kAnyTag, in[i].data(), in[i].size())));
  }
  for (int i = 0; i < kMessages; ++i) {
    in[i].resize(world[1].wait(receives[i]).bytes);
    EXPECT_EQ(in[i], out[i]) << "message " << i;
    EXPECT_TRUE(world[0].wait(sends[i]).error.ok());
  }
}

TEST_P(PmlMessages, TagsAndContextsSelect) {
  const auto a = pattern(100, 1), b = pattern(2000, 2), c = pattern(700, 3);
  std::vector<Result<Request*>> sends;
  sends.push_back(world[0].module().isend(world[0].to(1, 1, a.data(), a.size())));
  sends.push_back(world[0].module().isend(world[0].to(1, 2, b.data(), b.size())));
  world[0].context = 44;
  sends.push_back(world[0].module().isend(world[0].to(1, 1, c.data(), c.size())));
  std::vector<std::byte> got(5000);
  MessageStatus status;
  const auto expect = [&](ContextId context, int tag, const std::vector<std::byte>& data) {
    world[1].context = context;
    ASSERT_TRUE(world[1].module().recv(world[1].from(0, tag, got.data(), got.size()), status).ok());
    EXPECT_EQ(std::vector<std::byte>(got.begin(),
                                     got.begin() + static_cast<std::ptrdiff_t>(status.bytes)),
              data);
  };
  expect(42, 2, b);
  expect(44, kAnyTag, c);
  expect(42, kAnyTag, a);
  for (auto& send : sends) EXPECT_TRUE(world[0].wait(send).error.ok());
}

TEST_P(PmlMessages, TooLongIsTruncatedAndSaysSo) {
  for (const std::size_t size : {100u, 5000u, 40'000u}) {
    const auto data = pattern(size, 9);
    const auto send = world[0].module().isend(world[0].to(1, 1, data.data(), size));
    std::vector<std::byte> got(64);
    std::vector<std::byte> guard(64, std::byte{0x5a}), room(64, std::byte{0x5a});
    MessageStatus status;
    const Status outcome = world[1].module().recv(world[1].from(0, 1, got.data(), 50), status);
    EXPECT_TRUE(outcome == Errc::truncated) << outcome.text();
    EXPECT_TRUE(status.error == Errc::truncated);
    EXPECT_EQ(guard, room);
    EXPECT_TRUE(world[0].wait(send).error.ok()) << "the sender is not to blame";
    std::vector<std::byte> next(8);
    const auto after = world[0].module().isend(world[0].to(1, 1, data.data(), 8));
    EXPECT_TRUE(world[1].module().recv(world[1].from(0, 1, next.data(), 8), status).ok());
    EXPECT_EQ(std::memcmp(next.data(), data.data(), 8), 0);
    world[0].wait(after);
  }
}

TEST_P(PmlMessages, SynchronousSendsWaitForTheReceive) {
  for (const std::size_t size : {0u, 8u, 5000u}) {
    const auto data = pattern(size, 4);
    std::vector<std::byte> got(size);
    const auto send =
        world[0].module().isend(world[0].to(1, 1, data.data(), size, Mode::synchronous));
    ASSERT_TRUE(send.ok());
    world.settle();
    EXPECT_FALSE(send.value()->complete()) << size << " bytes";
    EXPECT_TRUE(
        world[1].wait(world[1].module().irecv(world[1].from(0, 1, got.data(), size))).error.ok());
    EXPECT_TRUE(world[0].wait(send).error.ok());
    EXPECT_EQ(got, data);
  }
}

TEST_P(PmlMessages, EverybodyToEverybodyAndToItself) {
  constexpr std::size_t kBytes = 3000;
  std::vector<std::vector<std::byte>> out(9), in(9, std::vector<std::byte>(kBytes));
  std::vector<std::vector<Result<Request*>>> requests(3);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      const auto i = static_cast<std::size_t>(from * 3 + to);
      out[i] = pattern(kBytes, static_cast<unsigned>(i));
      requests[to].push_back(
          world[to].module().irecv(world[to].from(from, 0, in[i].data(), kBytes)));
      requests[from].push_back(
          world[from].module().isend(world[from].to(to, 0, out[i].data(), kBytes)));
    }
  }
  for (int rank = 0; rank < 3; ++rank) {
    for (auto& request : requests[rank]) EXPECT_TRUE(world[rank].wait(request).error.ok());
  }
  EXPECT_EQ(in, out);
}

TEST_P(PmlMessages, DrainHandsEverythingOn) {
  std::vector<std::vector<std::byte>> out, in(20, std::vector<std::byte>(30));
  std::vector<Result<Request*>> sends, receives;
  for (auto& buffer : in)
    receives.push_back(world[1].module().irecv(world[1].from(0, 1, buffer.data(), 30)));
  for (unsigned i = 0; i < 20; ++i) {
    out.push_back(pattern(30, i));
    sends.push_back(world[0].module().isend(world[0].to(1, 1, out.back().data(), 30)));
  }
  world[0].module().drain();
  for (auto& send : sends) EXPECT_TRUE(world[0].wait(send).error.ok());
  for (auto& receive : receives) EXPECT_TRUE(world[1].wait(receive).error.ok());
  EXPECT_EQ(in, out);
}

// Every second int of an array, on either side or both.
TEST_P(PmlMessages, TypesWithGaps) {
  const TypeObject* element = predefined_type(0x209);  // MPI_INT
  const auto made = make_vector(1, 1, 2, *element, {});
  ASSERT_TRUE(made.ok());
  auto gappy = make_resized(*made.value(), 0, 8, {});
  ASSERT_TRUE(gappy.ok());
  gappy.value()->commit();
  for (const int count : {1, 50, 9000}) {
    std::vector<int> out(2 * static_cast<std::size_t>(count)), in(out.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i);
    pml::SendArgs send = world[0].to(1, 1, out.data(), 0);
    send.type = gappy.value(), send.count = count;
    pml::RecvArgs receive = world[1].from(0, 1, in.data(), 0);
    receive.type = gappy.value(), receive.count = count;
    const auto sending = world[0].module().isend(send);
    EXPECT_TRUE(world[1].wait(world[1].module().irecv(receive)).error.ok());
    EXPECT_TRUE(world[0].wait(sending).error.ok());
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(in[i], i % 2 == 0 ? out[i] : -1) << "int " << i;
  }
  gappy.value()->release();
  made.value()->release();
}

std::string network_name(const testing::TestParamInfo<Network>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Over, PmlMessages, testing::ValuesIn(networks()), network_name);

}  // namespace

}  // namespace tessera::contract
