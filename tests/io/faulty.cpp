// SPDX-License-Identifier: BSD-3-Clause
// io/faulty: a driver that fails, shortens or delays the calls that the name of a file says.
//
// "faulty:/write=ENOSPC@5000x1,sync=EIO!/tmp/data" is the file /tmp/data. A rule is CALL=FAULT; @N:
// only after the driver has written N bytes (reading: read); xN: so often at most. A fault is the
// name of an error, `KILL` (the process dies), `short` (half of the list's bytes are transferred,
// no failure is told) or `slow` (others are let run first). CALL is open, read, write, size,
// resize, reserve, sync, close, lock, remove, or `locks=none`: storage without locks. Each process
// can have rules of its own.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tessera/io.h"

namespace tessera::io {
namespace {

constexpr int kYields = 20;  // of a slow call

struct Fault {
  std::string call;
  std::string what;
  Offset after = 0;
  int times = 1 << 30;
};

struct Reason {
  const char* name;
  int error;
  Errc code;
};
constexpr Reason kReasons[] = {
    {"ENOSPC", ENOSPC, kNoSpace},          {"EDQUOT", EDQUOT, kQuota},
    {"EROFS", EROFS, kReadOnly},           {"EIO", EIO, kFileError},
    {"EACCES", EACCES, kAccess},           {"ENOENT", ENOENT, kNoSuchFile},
    {"EEXIST", EEXIST, kFileExists},       {"EBUSY", EBUSY, kFileInUse},
    {"ENOLCK", ENOLCK, Errc::unsupported},
};

const Reason& reason_of(std::string_view name) noexcept {
  for (const Reason& reason : kReasons)
    if (name == reason.name) return reason;
  return kReasons[3];
}

Offset number_in(std::string_view text) noexcept {
  Offset value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Fault fault_of(std::string_view rule) {
  Fault fault;
  const std::size_t equals = rule.find('='), at = rule.find('@'), times = rule.find('x');
  fault.call = rule.substr(0, equals);
  fault.what = rule.substr(equals + 1, std::min(at, times) - equals - 1);
  if (at != rule.npos) fault.after = number_in(rule.substr(at + 1));
  if (times != rule.npos) fault.times = static_cast<int>(number_in(rule.substr(times + 1)));
  return fault;
}

// The rules of one open file, and its name.
class Plan {
 public:
  explicit Plan(std::string_view name) {
    const std::size_t end = name.find('!');
    path_ = name.substr(end + 1);
    for (std::string_view rules = name.substr(1, end - 1); !rules.empty();) {
      const std::size_t comma = std::min(rules.find(','), rules.size());
      faults_.push_back(fault_of(rules.substr(0, comma)));
      rules.remove_prefix(std::min(comma + 1, rules.size()));
    }
  }

  const std::string& path() const noexcept { return path_; }
  bool says(std::string_view call, std::string_view what) const noexcept {
    for (const Fault& fault : faults_)
      if (fault.call == call && fault.what == what) return true;
    return false;
  }
  // What is to go wrong now: an error's name, "short", or nothing. A slow call is slow here.
  std::string now(std::string_view call, Offset moved = 0) noexcept {
    const std::lock_guard lock(mutex_);
    std::string wrong;
    for (Fault& fault : faults_) {
      if (fault.call != call || moved < fault.after || fault.times == 0) continue;
      --fault.times;
      if (fault.what == "KILL") raise(SIGKILL);
      if (fault.what != "slow") wrong = fault.what;
      for (int i = 0; fault.what == "slow" && i < kYields; ++i) sched_yield();
    }
    return wrong;
  }
  // How many bytes may be moved before a rule of this call begins to hold.
  Offset room(std::string_view call, Offset moved) noexcept {
    const std::lock_guard lock(mutex_);
    Offset least = Offset{1} << 60;
    for (const Fault& fault : faults_)
      if (fault.call == call && fault.times > 0 && fault.after > moved)
        least = std::min(least, fault.after - moved);
    return least;
  }
  Status failure(const char* call, Offset offset, const std::string& name) const noexcept {
    const Reason& reason = reason_of(name);
    return told(call, offset, reason.error, reason.code);
  }
  Status told(const char* call, Offset offset, int error, Errc code) const noexcept {
    return Status::failure(code, "file \"" + path_ + "\", offset " + std::to_string(offset) + ": " +
                                     call + ": " + std::strerror(error));
  }
  Status wrong(const char* call) noexcept {
    const std::string name = now(call);
    return name.empty() ? Status() : failure(call, 0, name);
  }

 private:
  std::string path_;
  std::vector<Fault> faults_;
  std::mutex mutex_;
};

class Faulty final : public Driver {
 public:
  Faulty(std::unique_ptr<Plan> plan, int descriptor) noexcept
      : plan_(std::move(plan)), descriptor_(descriptor) {}
  ~Faulty() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Facts facts() const noexcept override {
    Facts facts;
    facts.locks = !plan_->says("locks", "none");
    facts.storage = "faulty";
    return facts;
  }
  Outcome read(std::span<const Extent> list) noexcept override {
    return move("read", list, read_, ::pread);
  }
  Outcome write(std::span<const Extent> list) noexcept override {
    return move("write", list, written_, ::pwrite);
  }
  Result<Offset> size() noexcept override {
    if (Status s = plan_->wrong("size"); !s) return s;
    struct stat about;
    if (fstat(descriptor_, &about) != 0) return Errc::system;
    return Offset{about.st_size};
  }
  Status resize(Offset size) noexcept override {
    if (Status s = plan_->wrong("resize"); !s) return s;
    return ftruncate(descriptor_, size) == 0 ? Status() : Errc::system;
  }
  Status reserve(Offset size) noexcept override {
    if (Status s = plan_->wrong("reserve"); !s) return s;
    return fallocate(descriptor_, 0, 0, size) == 0 ? Status() : Errc::system;
  }
  Status sync() noexcept override { return plan_->wrong("sync"); }
  Status close() noexcept override {
    ::close(std::exchange(descriptor_, -1));
    return plan_->wrong("close");
  }
  Status lock(Range, bool) noexcept override { return plan_->wrong("lock"); }

 private:
  template <class Call>
  Outcome move(const char* name, std::span<const Extent> list, Offset& moved, Call call) noexcept {
    const std::lock_guard lock(mutex_);
    Outcome outcome;
    Offset wanted = 0;
    for (const Extent& extent : list) wanted += static_cast<Offset>(extent.bytes);
    std::string fault = plan_->now(name, moved);
    const Offset most = fault == "short" ? wanted / 2 : wanted;
    for (const Extent& extent : list) {
      for (std::size_t done = 0; done < extent.bytes && outcome.bytes < most;) {
        const Offset offset = extent.offset + static_cast<Offset>(done);
        if (fault.empty()) fault = plan_->now(name, moved);
        if (!fault.empty() && fault != "short")
          return outcome.failure = plan_->failure(name, offset, fault), outcome;
        const Offset n = std::min({static_cast<Offset>(extent.bytes - done), most - outcome.bytes,
                                   plan_->room(name, moved)});
        const ssize_t now =
            call(descriptor_, extent.memory + done, static_cast<std::size_t>(n), offset);
        if (now < 0) outcome.failure = plan_->told(name, offset, errno, kFileError);
        if (now <= 0) return outcome;
        done += static_cast<std::size_t>(now);
        outcome.bytes += now;
        moved += now;
      }
    }
    return outcome;
  }

  std::unique_ptr<Plan> plan_;
  int descriptor_;
  std::mutex mutex_;
  Offset read_ = 0, written_ = 0;
};

class FaultyComponent final : public Component {
 public:
  Status open(const Host&) noexcept override { return {}; }
  Result<int> judge(const Question& question) noexcept override {
    if (question.prefix == "faulty") return 60;
    return Status::failure(Errc::unsupported, "the name does not begin with faulty:");
  }
  Result<Driver*> open_file(const Question& question, const Mode& mode) noexcept override {
    auto plan = std::make_unique<Plan>(question.path);
    if (Status s = plan->wrong("open"); !s) return s;
    int flags = O_CLOEXEC | (mode.read ? mode.write ? O_RDWR : O_RDONLY : O_WRONLY);
    if (mode.create) flags |= O_CREAT;
    if (mode.exclusive) flags |= O_EXCL;
    const int descriptor = ::open(plan->path().c_str(), flags, 0666);
    if (descriptor < 0)
      return plan->told("open", 0, errno, errno == EEXIST ? kFileExists : kNoSuchFile);
    return new Faulty(std::move(plan), descriptor);
  }
  Status remove(const Question& question) noexcept override {
    Plan plan(question.path);
    if (Status s = plan.wrong("remove"); !s) return s;
    return unlink(plan.path().c_str()) == 0 ? Status() : plan.told("delete", 0, errno, kNoSuchFile);
  }
};

}  // namespace
}  // namespace tessera::io

TESSERA_COMPONENT(io, faulty, "0.1.0", 0, tessera::io::FaultyComponent,
                  "Fails, shortens or delays the calls that the name of a file says")
