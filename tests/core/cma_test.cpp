// SPDX-License-Identifier: BSD-3-Clause
// Direct copies between processes: what a probe tells, and what the text of a failure says.
#include "tessera/cma.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

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

}  // namespace
}  // namespace tessera
