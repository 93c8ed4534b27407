// SPDX-License-Identifier: BSD-3-Clause
// Why was it chosen: a record of every decision, printable for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/frameworks.h"

namespace tessera {

// What one component said when it was asked, or why it was not asked.
struct Reply {
  std::string component;
  bool accepted = false;
  double score = 0;  // what was compared; a priority unless the question says otherwise
  std::string text;  // the component's own words, or the reason it was not asked
  bool chosen = false;
};

struct Decision {
  std::string framework;
  std::string question;  // "which components can be opened", "which one serves this process", ...
  Shape shape = Shape::one_winner;
  std::vector<Reply> replies;
};

// Not shared between threads.
class Explanation {
 public:
  void record(Decision decision) { decisions_.push_back(std::move(decision)); }
  std::span<const Decision> decisions() const noexcept { return decisions_; }

  // One block per decision: the question, then one line per component.
  // Longer lines are wrapped, under their text.
  static constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);
  std::string text(std::size_t columns = kUnlimited) const;
  // {"decisions": [{"framework", "question", "shape", "replies": [{"component", "accepted",
  // "chosen", "score", "text"}]}]}
  std::string json() const;

 private:
  std::vector<Decision> decisions_;
};

}  // namespace tessera
