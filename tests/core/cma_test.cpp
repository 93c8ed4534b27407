// SPDX-License-Identifier: BSD-3-Clause
// Direct copies between processes: what a probe tells, and what the text of a failure says.
#include "tessera/cma.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "core/job/string_copy.h"

namespace tessera {
namespace {

// A process of its own, from fork(2), that waits until this object ends it.
class Child {
 public:
  Child() {
    if (pipe(end_) != 0) return;
    pid_ = fork();
    if (pid_ != 0) return;
    char byte = 0;
    close(end_[1]);
    _exit(read(end_[0], &byte, 1) < 0);
  }
  ~Child() { finish(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }
  void finish() {
    if (pid_ <= 0 || done_) return;
    done_ = true;
    close(end_[0]);
    close(end_[1]);
    waitpid(pid_, nullptr, 0);
  }

 private:
  int end_[2] = {-1, -1};
  pid_t pid_ = -1;
  bool done_ = false;
};

// Some sandboxes have no process_vm_readv at all.
bool kernel_permits() {
  std::uint64_t word = 0;
  return try_probe(getpid(), place_probe(word)) == 0;
}

TEST(Cma, AProbeIsFoundInAnotherProcess) {
  if (!kernel_permits()) GTEST_SKIP() << "no process_vm_readv here";
  std::uint64_t word = 0;
  const CmaProbe probe = place_probe(word);
  const Child child;
  ASSERT_GT(child.pid(), 0);
  EXPECT_EQ(try_probe(child.pid(), probe), 0) << "allowed for root or the same user";
}

TEST(Cma, AnotherValueIsNoProbe) {
  if (!kernel_permits()) GTEST_SKIP() << "no process_vm_readv here";
  std::uint64_t word = 0;
  const CmaProbe before = place_probe(word);
  const Child child;
  ASSERT_GT(child.pid(), 0);
  const CmaProbe after = place_probe(word);
  EXPECT_EQ(before.address, after.address);
  EXPECT_NE(before.value, after.value);
  EXPECT_EQ(try_probe(child.pid(), after), EFAULT);
  EXPECT_EQ(try_probe(child.pid(), {16, word}), EFAULT);
}

TEST(Cma, ADeadProcessHasNoProbe) {
  if (!kernel_permits()) GTEST_SKIP() << "no process_vm_readv here";
  std::uint64_t word = 0;
  const CmaProbe probe = place_probe(word);
  Child child;
  ASSERT_GT(child.pid(), 0);
  child.finish();
  EXPECT_EQ(try_probe(child.pid(), probe), ESRCH);
}

TEST(Cma, AdviceStandsBehindTheTextOfAFailure) {
  EXPECT_TRUE(with_advice({}, "do that").ok());
  const Status status = with_advice(Status::failure(Errc::system, "this failed"), "do that");
  EXPECT_EQ(status.code(), Errc::system);
  EXPECT_EQ(std::string(status.text()), "this failed; do that");
}

// Where one place in its page is a little further on than the other, the data goes by pieces.
TEST(Cma, CopiesAreWholeWhereverThePlacesAre) {
  assume_string_copies_stall(true);
  if (!kernel_permits()) GTEST_SKIP() << "the kernel does not permit direct copies";
  constexpr std::size_t kRoom = 160 * 1024;
  constexpr auto kUntouched = std::byte{0xEE};
  std::vector<std::byte> theirs(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) theirs[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (const std::size_t bytes : {4095u, 4096u, 64u * 1024, 150'001u}) {
    for (const std::size_t shift : {0u, 1u, 16u, 31u, 63u, 64u, 4000u}) {
      for (const bool reads : {true, false}) {
        std::vector<std::byte> mine(kRoom, kUntouched);
        const auto from = reinterpret_cast<std::uint64_t>(theirs.data());
        const auto to = reinterpret_cast<std::uint64_t>(mine.data() + shift);
        const Status done = reads ? read_memory(getpid(), mine.data() + shift, from, bytes)
                                  : write_memory(getpid(), theirs.data(), to, bytes);
        ASSERT_TRUE(done.ok()) << done.text();
        for (std::size_t i = 0; i < kRoom; ++i) {
          const bool inside = i >= shift && i < shift + bytes;
          ASSERT_EQ(mine[i], inside ? theirs[i - shift] : kUntouched)
              << "byte " << i << " of " << bytes << " at " << shift;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera
