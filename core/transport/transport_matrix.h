// SPDX-License-Identifier: BSD-3-Clause
// Which transport carries messages from each rank to each other one, compressed: TransportMatrix.
#pragma once
//
// Contract. Ranks that cannot be told apart, neither by what carries their messages nor by what
// carries messages to them, form a class; the matrix is printed by class. A job of one machine has
// one class, one of two machines two.
//
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// "0,2-5": ranks in ascending order.
std::string ranges(const std::vector<std::uint32_t>& ranks);

class TransportMatrix {
 public:
  // `names[from * ranks + to]`: the component, or empty where there is no way.
  TransportMatrix(std::uint32_t ranks, std::vector<std::string> names);

  struct Group {
    std::vector<std::uint32_t> ranks;
    std::string within;  // what carries messages between two of them; empty for a class of one
  };
  const std::vector<Group>& classes() const noexcept { return classes_; }
  // Between members of two classes.
  std::string_view between(const Group& from, const Group& to) const noexcept;

  // Where the component carries messages: "among 0-3; from 0-3 to 4-7". Empty: nowhere.
  std::string use_of(std::string_view component) const;
  // One row and one column per class.
  std::string text() const;

 private:
  const std::string& at(std::uint32_t from, std::uint32_t to) const noexcept {
    return names_[from * ranks_ + to];
  }
  bool alike(std::uint32_t a, std::uint32_t b) const noexcept;
  bool joins(const Group& group, std::uint32_t rank) const noexcept;

  std::uint32_t ranks_;
  std::vector<std::string> names_;
  std::vector<Group> classes_;
};

}  // namespace tessera
