// SPDX-License-Identifier: BSD-3-Clause
// Copies out of a mapping of a file that is cut: they return. Every other SIGBUS goes where it went
// before.
#include "components/io/posix/guarded_copy.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace tessera::io::posix {
namespace {

constexpr std::size_t kPages = 4;

std::size_t page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// A file in memory, mapped whole.
class MappedFile {
 public:
  MappedFile() : descriptor_(memfd_create("guarded_copy", MFD_CLOEXEC)) {
    resize(kPages);
    void* memory =
        mmap(nullptr, kPages * page(), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = {static_cast<std::byte*>(memory), kPages * page()};
    std::memset(memory, 'x', memory_.size());
  }
  MappedFile(const MappedFile&) = delete;
  ~MappedFile() {
    munmap(memory_.data(), memory_.size());
    close(descriptor_);
  }
  void resize(std::size_t pages) {
    EXPECT_EQ(ftruncate(descriptor_, static_cast<off_t>(pages * page())), 0);
  }
  std::span<std::byte> memory() const { return memory_; }
  std::byte* last_page() const { return memory_.data() + (kPages - 1) * page(); }

 private:
  int descriptor_;
  std::span<std::byte> memory_;
};

bool copy_all(const MappedFile& file, std::byte* to) {
  return guarded(file.memory(),
                 [=, from = file.memory()] { std::memcpy(to, from.data(), from.size()); });
}

struct sigaction action_now() {
  struct sigaction now {};
  sigaction(SIGBUS, nullptr, &now);
  return now;
}

constinit std::atomic<int> seen{0};
constinit std::atomic<int> code_seen{0};

// What a program does that fills its own mapping when it is touched.
void fill(int, siginfo_t* info, void*) {
  ++seen;
  code_seen = info->si_code;
  if (info->si_code <= 0) return;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr) / page() * page();
  mmap(reinterpret_cast<void*>(at), page(), PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

// The handler of a program, while it lives.
class ProgramHandler {
 public:
  ProgramHandler() {
    seen = 0;
    struct sigaction action {};
    action.sa_sigaction = fill;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &before_);
  }
  ~ProgramHandler() { sigaction(SIGBUS, &before_, nullptr); }
  static bool is_there() { return action_now().sa_sigaction == fill; }

 private:
  struct sigaction before_;
};

TEST(GuardedCopy, CopiesWhatIsThere) {
  const MappedFile file;
  std::vector<std::byte> to(file.memory().size());
  EXPECT_TRUE(copy_all(file, to.data()));
  EXPECT_EQ(std::memcmp(to.data(), file.memory().data(), to.size()), 0);
}

TEST(GuardedCopy, ReturnsWhereTheFileEnds) {
  MappedFile file;
  std::vector<std::byte> to(file.memory().size());
  for (int i = 0; i < 3; ++i) {
    file.resize(1);
    EXPECT_FALSE(copy_all(file, to.data()));
    file.resize(kPages);
    EXPECT_TRUE(copy_all(file, to.data()));
  }
  EXPECT_EQ(to[0], std::byte{'x'});
  EXPECT_EQ(to[page()], std::byte{0});
}

TEST(GuardedCopy, ReturnsFromAWriteAsWell) {
  MappedFile file;
  file.resize(kPages - 1);
  const auto store = [at = file.last_page()] { std::memset(at, 'y', page()); };
  EXPECT_FALSE(guarded(file.memory(), store));
  file.resize(kPages);
  EXPECT_TRUE(guarded(file.memory(), store));
}

TEST(GuardedCopy, LeavesTheActionAsItWas) {
  const auto before = action_now();
  MappedFile file;
  std::vector<std::byte> to(file.memory().size());
  EXPECT_TRUE(copy_all(file, to.data()));
  EXPECT_EQ(action_now().sa_handler, before.sa_handler);
  file.resize(1);
  EXPECT_FALSE(copy_all(file, to.data()));
  EXPECT_EQ(action_now().sa_handler, before.sa_handler);
  EXPECT_EQ(action_now().sa_flags, before.sa_flags);
  const ProgramHandler handler;
  EXPECT_FALSE(copy_all(file, to.data()));
  EXPECT_TRUE(ProgramHandler::is_there());
  EXPECT_EQ(seen, 0);
}

// The memory copied to is a mapping of the program's own, and ends too early.
TEST(GuardedCopy, AFaultElsewhereGoesToTheProgram) {
  const ProgramHandler handler;
  MappedFile file, other;
  other.resize(kPages - 1);
  EXPECT_TRUE(copy_all(file, other.memory().data()));
  EXPECT_EQ(seen, 1);
  EXPECT_GT(code_seen, 0);
  EXPECT_EQ(*other.last_page(), std::byte{'x'});
  EXPECT_TRUE(ProgramHandler::is_there());
  file.resize(1);
  std::vector<std::byte> to(file.memory().size());
  EXPECT_FALSE(copy_all(file, to.data()));
  EXPECT_EQ(seen, 1);
}

TEST(GuardedCopy, ASignalThatIsSentGoesToTheProgram) {
  const ProgramHandler handler;
  const MappedFile file;
  EXPECT_TRUE(guarded(file.memory(), [] { raise(SIGBUS); }));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(code_seen, SI_TKILL);
  EXPECT_TRUE(ProgramHandler::is_there());
}

TEST(GuardedCopy, AHandlerSetMeanwhileStays) {
  const MappedFile file;
  const auto before = action_now();
  EXPECT_TRUE(guarded(file.memory(), [] {
    struct sigaction action {};
    action.sa_sigaction = fill;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
  }));
  EXPECT_TRUE(ProgramHandler::is_there());
  sigaction(SIGBUS, &before, nullptr);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A sanitizer has a handler of its own, which ends the process otherwise.
TEST(GuardedCopyDeathTest, AFaultElsewhereEndsAProcessWithoutAHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto die = [] {
    MappedFile file, other;
    other.resize(1);
    copy_all(file, other.memory().data());
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT((guarded(MappedFile().memory(), [] { raise(SIGBUS); })),
              testing::KilledBySignal(SIGBUS), "");
}
#endif

TEST(GuardedCopy, AThreadThatBlocksTheSignalIsNone) {
  EXPECT_TRUE(guardable());
  std::thread([] {
    sigset_t bus;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &bus, nullptr);
    EXPECT_FALSE(guardable());
  }).join();
}

TEST(GuardedCopy, ThreadsCopyAtOnceWhileTheFileIsCut) {
  constexpr int kThreads = 4, kCopies = 2000;
  const auto before = action_now();
  MappedFile file;
  std::atomic<int> running{kThreads}, ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      std::vector<std::byte> to(file.memory().size());
      for (int n = 0; n < kCopies || ended == 0; ++n) ended += copy_all(file, to.data()) ? 0 : 1;
      --running;
    });
  }
  while (running > 0) {
    file.resize(1);
    std::this_thread::yield();
    file.resize(kPages);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(ended, 0);
  EXPECT_EQ(action_now().sa_handler, before.sa_handler);
}

}  // namespace
}  // namespace tessera::io::posix
