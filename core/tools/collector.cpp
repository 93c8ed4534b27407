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
  Owner& owner;
  std::uint64_t value = 0;
  std::string name{};
  std::vector<std::uint64_t> per_peer{};  // empty: one value for all
  std::vector<Mark*> marks{};

  std::vector<std::uint64_t> values() const {
    return per_peer.empty() ? std::vector<std::uint64_t>{value} : per_peer;
  }
  void move_marks() noexcept {
    for (Mark* mark : marks)
      mark->extreme = mark->high ? std::max(mark->extreme, value) : std::min(mark->extreme, value);
  }
};

// One that may be loaded. A component tells all its values whenever it is asked, and few are
// stored, because a tool that reads now and then finds little of this in a cache: the one asked
// for, and those that marks follow, since asking starts a watermark anew.
struct Collector::Owner final : Measures {
  Component* component = nullptr;
  bool opened = false;
  std::vector<std::unique_ptr<Cell>> cells;
  std::vector<Cell*> followed;  // those with marks

  Cell& cell(std::string_view name) {
    for (auto& cell : cells) {
      if (cell->name == name) return *cell;
    }
    cells.push_back(std::make_unique<Cell>(Cell{*this}));
    cells.back()->name = name;
    return *cells.back();
  }
  void measure_all() noexcept { measure(nullptr); }
  void measure_one(Cell& cell) noexcept { measure(&cell); }

  std::uint64_t& value(std::string_view name) noexcept override { return kept(name).value; }
  std::span<std::uint64_t> per_peer(std::string_view name, std::uint32_t peers) noexcept override {
    auto& values = kept(name).per_peer;
    if (values.size() < peers) values.resize(peers);
    return values;
  }

 private:
  void measure(Cell* wanted) noexcept {
    if (component == nullptr) return;
    wanted_ = wanted;
    component->measure(*this);
    for (Cell* cell : followed) cell->move_marks();
  }
  Cell& kept(std::string_view name) {
    if (wanted_ == nullptr) return cell(name);
    if (wanted_->name == name) return *wanted_;
    for (Cell* cell : followed) {
      if (cell->name == name) return *cell;
    }
    return dropped_;
  }

  Cell* wanted_ = nullptr;  // null: all
  Cell dropped_{*this};
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
  one.measure_all();
  one.component = nullptr;
  if (name == "core") one.cell("state").value = 0;
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

Collector::Cell& Collector::cell(const std::string& name, std::string_view variable) {
  const std::lock_guard lock(mutex_);
  return owner(name).cell(variable);
}

std::vector<std::uint64_t> Collector::read(Cell& cell) {
  const std::lock_guard lock(mutex_);
  cell.owner.measure_one(cell);
  return cell.values();
}

std::vector<std::uint64_t> Collector::read_of(std::string_view framework, std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (auto& [owner, one] : owners_) {
    if (one->component == nullptr || !belongs_to(owner, framework)) continue;
    one->measure_all();
    const auto has = [name](const auto& cell) { return cell->name == name; };
    const auto found = std::find_if(one->cells.begin(), one->cells.end(), has);
    if (found != one->cells.end()) return (*found)->values();
  }
  return {};
}

// A component that is asked tells its present level at once.
void Collector::add_mark(Cell& cell, Mark& mark) {
  const std::lock_guard lock(mutex_);
  cell.owner.measure_one(cell);
  cell.owner.measure_one(cell);
  auto& followed = cell.owner.followed;
  if (std::find(followed.begin(), followed.end(), &cell) == followed.end())
    followed.push_back(&cell);
  if (std::find(cell.marks.begin(), cell.marks.end(), &mark) == cell.marks.end())
    cell.marks.push_back(&mark);
  mark.extreme = cell.value;
}

void Collector::remove_mark(Mark& mark) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, one] : owners_) {
    for (Cell* cell : one->followed) std::erase(cell->marks, &mark);
    std::erase_if(one->followed, [](const Cell* cell) { return cell->marks.empty(); });
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
