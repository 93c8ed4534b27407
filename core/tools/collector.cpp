// SPDX-License-Identifier: BSD-3-Clause
// Asks components for their values and hands their events on.
#include "core/tools/collector.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "tessera/clock.h"

namespace tessera {

std::int64_t event_clock() noexcept {
  return static_cast<std::int64_t>(now_ns());
}

namespace {

bool belongs_to(std::string_view owner, std::string_view framework) noexcept {
  return owner.starts_with(framework) && owner.substr(framework.size()).starts_with('_');
}

}  // namespace

struct Collector::Cell {
  std::string name;
  std::vector<std::uint64_t> values;
  std::vector<Mark*> marks;
};

// One that may be loaded. Its cells keep their addresses.
struct Collector::Owner final : Measures {
  Component* component = nullptr;
  bool opened = false;
  std::vector<std::unique_ptr<Cell>> cells;

  Cell& cell(std::string_view name) {
    for (auto& cell : cells) {
      if (cell->name == name) return *cell;
    }
    cells.push_back(std::make_unique<Cell>());
    cells.back()->name = name;
    cells.back()->values.resize(1);
    return *cells.back();
  }
  std::uint64_t& value(std::string_view name) noexcept override {
    return cell(name).values.front();
  }
  std::span<std::uint64_t> per_peer(std::string_view name, std::uint32_t peers) noexcept override {
    auto& values = cell(name).values;
    if (values.size() < peers) values.resize(peers);
    return values;
  }
};

class Collector::OwnerEvents final : public Events {
 public:
  explicit OwnerEvents(Collector& all) noexcept : all_(all) {}

  void raise(unsigned event, std::initializer_list<std::int64_t> elements) noexcept override {
    const Occurrence occurrence{event_clock(), {elements.begin(), elements.size()}};
    const std::lock_guard lock(all_.listeners_);
    const std::thread::id before = all_.caller_.exchange(std::this_thread::get_id());
    const auto listeners = listeners_;  // a listener may leave
    for (const auto& [number, listener] : listeners) {
      if (number == event && has(*listener)) listener->happened(occurrence);
    }
    all_.caller_ = before;
  }

  void add(unsigned event, Listener& listener) {
    const std::lock_guard lock(all_.listeners_);
    listeners_.emplace_back(event, &listener);
    update();
  }
  void remove(const Listener& listener) {
    const std::lock_guard lock(all_.listeners_);
    std::erase_if(listeners_, [&](const auto& one) { return one.second == &listener; });
    update();
  }

 private:
  bool has(const Listener& listener) const noexcept {
    return std::any_of(listeners_.begin(), listeners_.end(),
                       [&](const auto& one) { return one.second == &listener; });
  }
  void update() noexcept {
    std::uint32_t wanted = 0;
    for (const auto& [number, listener] : listeners_) wanted |= std::uint32_t{1} << number;
    wanted_.store(wanted, std::memory_order_relaxed);
  }

  Collector& all_;
  std::vector<std::pair<unsigned, Listener*>> listeners_;
};

Collector::Collector() = default;
Collector::~Collector() = default;

Collector::Owner& Collector::owner(std::string_view name) {
  const auto found = owners_.find(name);
  if (found != owners_.end()) return *found->second;
  return *owners_.emplace(name, std::make_unique<Owner>()).first->second;
}

void Collector::joined(const std::string& name, Component& component) {
  const std::lock_guard lock(mutex_);
  Owner& one = owner(name);
  one.component = &component;
  one.opened = true;
}

// The last values stay; a state does not outlive who was in it.
void Collector::left(const std::string& name, Component& component) noexcept {
  const std::lock_guard lock(mutex_);
  Owner& one = owner(name);
  if (one.component != &component) return;
  measure(one);
  one.component = nullptr;
  if (name == "core") one.value("state") = 0;
}

Events& Collector::events_of(const std::string& name) {
  const std::lock_guard lock(events_mutex_);
  const auto found = events_.find(name);
  if (found != events_.end()) return *found->second;
  return *events_.emplace(name, std::make_unique<OwnerEvents>(*this)).first->second;
}

bool Collector::opened(std::string_view framework) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(owners_.begin(), owners_.end(), [&](const auto& one) {
    return one.second->opened && belongs_to(one.first, framework);
  });
}

void Collector::forget_opened() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, one] : owners_) one->opened = one->component != nullptr;
}

void Collector::measure(Owner& owner) noexcept {
  if (owner.component == nullptr) return;
  owner.component->measure(owner);
  for (auto& cell : owner.cells) {
    const std::uint64_t value = cell->values.front();
    for (Mark* mark : cell->marks)
      mark->extreme = mark->high ? std::max(mark->extreme, value) : std::min(mark->extreme, value);
  }
}

std::vector<std::uint64_t> Collector::read(const std::string& name, std::string_view variable) {
  const std::lock_guard lock(mutex_);
  Owner& one = owner(name);
  measure(one);
  return one.cell(variable).values;
}

std::uint64_t Collector::read_one(const std::string& name, std::string_view variable) {
  const std::lock_guard lock(mutex_);
  Owner& one = owner(name);
  measure(one);
  return one.cell(variable).values.front();
}

std::vector<std::uint64_t> Collector::read_of(std::string_view framework, std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (auto& [owner, one] : owners_) {
    if (one->component == nullptr || !belongs_to(owner, framework)) continue;
    measure(*one);
    const auto has = [name](const auto& cell) { return cell->name == name; };
    const auto found = std::find_if(one->cells.begin(), one->cells.end(), has);
    if (found != one->cells.end()) return (*found)->values;
  }
  return {};
}

// A component that is asked tells its present level at once.
void Collector::add_mark(const std::string& name, std::string_view variable, Mark& mark) {
  const std::lock_guard lock(mutex_);
  Owner& one = owner(name);
  measure(one);
  measure(one);
  Cell& cell = one.cell(variable);
  if (std::find(cell.marks.begin(), cell.marks.end(), &mark) == cell.marks.end())
    cell.marks.push_back(&mark);
  mark.extreme = cell.values.front();
}

void Collector::remove_mark(Mark& mark) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, one] : owners_) {
    for (auto& cell : one->cells) std::erase(cell->marks, &mark);
  }
}

void Collector::listen(const std::string& name, unsigned number, Listener& listener) {
  static_cast<OwnerEvents&>(events_of(name)).add(number, listener);
}

std::unique_lock<std::recursive_mutex> Collector::keep_listeners() {
  return std::unique_lock(listeners_);
}

// The listeners' mutex first: who is called holds it, and may call this.
void Collector::ignore(Listener& listener) {
  const std::lock_guard listeners(listeners_);
  const std::lock_guard lock(events_mutex_);
  for (auto& [name, events] : events_) events->remove(listener);
}

}  // namespace tessera
