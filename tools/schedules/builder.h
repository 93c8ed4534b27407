// SPDX-License-Identifier: BSD-3-Clause
// Building the data and the expectation of one process: Layout, Builder.
#pragma once

#include "tools/schedules/cases.h"

namespace tessera::coll::schedules {

// The i-th int that `origin` sends to `destination`.
int token(int origin, int destination, Count i);
std::vector<int> tokens(int origin, int destination, Count count);

// Where blocks of different lengths lie: in reverse order, with a gap between them. Displacements
// in elements.
struct Layout {
  std::vector<Count> counts, displacements;
  std::vector<const Datatype*> types;  // for the w-variants; displacements are bytes then
  Count elements = 0;                  // or bytes
};

Layout layout_of(std::vector<Count> counts);
// For the w-variants. With `sparse`, every other block has a type with holes.
void make_typed(Layout& layout, int salt, bool sparse);
// Amounts that differ from process to process, some of them 0.
Count varied(int a, int b, Count count);

// Both sides of a process, before and after.
class Builder {
 public:
  Builder(Process& process, bool wide) : process_(process), wide_(wide) {}

  Side& side(Space space) {
    return space == Space::send ? process_.call.send : process_.call.receive;
  }
  Memory& memory(Space space) { return space == Space::send ? process_.send : process_.receive; }

  void one_count(Space space, Count count, Count blocks, const Datatype& type) {
    side(space) = {nullptr, count, &type, {}, {}, nullptr};
    memory(space) = Memory::of(count * blocks, &type);
  }

  void layout(Space space, const Layout& layout, const Datatype& type) {
    side(space).type = &type;
    memory(space) = layout.types.empty()
                        ? Memory::of(layout.elements, &type)
                        : Memory::of_bytes(static_cast<std::size_t>(layout.elements));
    side(space).counts = keep(layout.counts);
    side(space).displacements = keep(layout.displacements);
    if (layout.types.empty()) return;
    const std::size_t at = process_.types.size();
    process_.types.insert(process_.types.end(), layout.types.begin(), layout.types.end());
    side(space).types = process_.types.data() + at;
  }

  void put(Space space, const Buffer& where, const std::vector<int>& values) {
    unpack(std::as_bytes(std::span(values)), memory(space), where);
  }

  // After all input is in place; then expect() writes over what was there.
  void start_expectation() { expectation_ = process_.receive; }
  template <class T>
  void expect(const Buffer& where, const std::vector<T>& values) {
    unpack(std::as_bytes(std::span(values)), expectation_, where);
  }
  void finish() { process_.expected = expectation_.bytes; }

 private:
  CountArray keep(const std::vector<Count>& numbers) {
    if (wide_) {
      const std::size_t at = process_.wide_numbers.size();
      process_.wide_numbers.insert(process_.wide_numbers.end(), numbers.begin(), numbers.end());
      return process_.wide_numbers.data() + at;
    }
    const std::size_t at = process_.numbers.size();
    for (const Count number : numbers) process_.numbers.push_back(static_cast<int>(number));
    return process_.numbers.data() + at;
  }

  Process& process_;
  bool wide_;
  Memory expectation_;
};

// The block of rank or neighbour i.
Buffer block_of(const Side& side, Space space, int i);
// A process without data.
Process blank(const Shape& shape, int number, const Op* op);

}  // namespace tessera::coll::schedules
