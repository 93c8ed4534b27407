// SPDX-License-Identifier: BSD-3-Clause
// Choosing who serves a file.
#include "core/io/engine.h"

#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <climits>

#include "core/engine/instance.h"
#include "core/transport/interposers.h"

namespace tessera::io {
namespace {

constexpr int kExplainedFiles = 16;  // a program may open millions

// f_type of the file, or of the directory in which it would be.
std::uint64_t file_system_of(const std::string& path) noexcept {
  struct statfs about;
  if (statfs(path.c_str(), &about) == 0) return static_cast<std::uint64_t>(about.f_type);
  const std::string directory = path.substr(0, path.find_last_of('/') + 1);
  if (!directory.empty() && statfs(directory.c_str(), &about) == 0)
    return static_cast<std::uint64_t>(about.f_type);
  return 0;
}

Question question_of(const FileName& name) noexcept {
  return {name.path, name.prefix, name.prefix.empty() ? file_system_of(name.path) : 0};
}

// A relative name belongs to the directory of this moment: the program may change it later.
std::string absolute(std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == nullptr) return std::string(path);
  return fmt::format("{}/{}", directory, path);
}

}  // namespace

Engine::Engine(Instance& instance, const Host& host) noexcept
    : instance_(instance),
      job_(host.job),
      progress_(host.progress),
      bootstrap_(host.bootstrap),
      worker_(host.progress),
      errhandler_(new Errhandler(Errhandler::Action::return_code)) {}

Engine::~Engine() = default;

PointerSlots& Engine::slots() noexcept {
  if (!slots_) slots_.emplace(instance_.job());
  return *slots_;
}

Status Engine::open_components() noexcept {
  if (framework_) return {};
  framework_.emplace(instance_.kernel(), "io", static_cast<int>(instance_.job().my_id()));
  if (Status s = framework_->open(&instance_.explanation()); !s) return framework_.reset(), s;
  for (Member* member : framework_->members()) {
    const Host host{member->params(), job_, progress_, bootstrap_, member->events()};
    if (!Framework<Component>::opening(*member)->open(host)) framework_->dismiss(*member);
  }
  Decision decision{"io", "which interposers stand in front of files", Shape::ranked, {}};
  auto interposers = load_interposers(*framework_, instance_.kernel(), decision);
  if (!interposers.ok()) return interposers.status();
  for (Member* member : *interposers) {
    const Host host{member->params(), job_, progress_, bootstrap_, member->events()};
    if (Framework<Component>::opening(*member)->open(host)) interposers_.push_back(member);
  }
  if (!decision.replies.empty()) instance_.explanation().record(std::move(decision));
  return {};
}

Result<Component*> Engine::best(const Question& question) noexcept {
  if (Status s = open_components(); !s) return s;
  Explanation* explanation = explained_++ < kExplainedFiles ? &instance_.explanation() : nullptr;
  const std::string asked = fmt::format("which component serves \"{}\"", question.path);
  std::string reasons;
  const Member* winner = framework_->ask(
      asked,
      [&](Component& component, const Member& member) {
        auto fit = component.judge(question);
        if (fit.ok()) return Answer::yes(*fit + member.priority() / 1000.0);
        reasons += fmt::format("; {}: {}", member.name(), fit.status().text());
        return Answer::no(fit.status().text());
      },
      explanation);
  if (winner != nullptr) return &Framework<Component>::of(*winner);
  return Status::failure(
      Errc::unsupported,
      fmt::format("no component of framework io serves file \"{}\"{}", question.path, reasons));
}

Driver* Engine::wrap(const Question& question, Driver* driver) noexcept {
  for (Member* member : interposers_) {
    auto wrapped = Framework<Component>::of(*member).wrap(question, *driver);
    if (wrapped.ok()) driver = *wrapped;
  }
  return driver;
}

Result<Driver*> Engine::open_driver(const FileName& name, const Mode& mode) noexcept {
  const Question question = question_of(name);
  auto component = best(question);
  if (!component.ok()) return component.status();
  auto driver = (*component)->open_file(question, mode);
  if (!driver.ok()) return driver.status();
  return wrap(question, *driver);
}

Status Engine::remove(const FileName& name) noexcept {
  const Question question = question_of(name);
  auto component = best(question);
  return component.ok() ? (*component)->remove(question) : component.status();
}

Result<FileName> Engine::resolve(std::string_view name) noexcept {
  if (name.empty())
    return Status::failure(kBadFile, "argument `filename` is empty; it must name a file");
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon < 2 || colon > name.find('/'))
    return FileName{"", absolute(name)};
  FileName prefixed{std::string(name.substr(0, colon)), absolute(name.substr(colon + 1))};
  if (best(question_of(prefixed)).ok()) return prefixed;
  return FileName{"", absolute(name)};
}

}  // namespace tessera::io
