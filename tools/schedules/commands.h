// SPDX-License-Identifier: BSD-3-Clause
// The commands of the program: each writes to stdout and returns the exit status. BadInput: what
// the user got wrong.
#pragma once

#include <string>

#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

// What was on the command line; which fields count depends on the command.
struct Options {
  std::string operation;
  std::string algorithm;  // "" or "all": all
  std::string ranks;
  std::string roots;
  std::string counts;
  std::string bytes;
  std::string count;  // elements of 8 bytes, instead of bytes
  std::string rank;
  std::string root;
  std::string segment;
  int radix = 0;
  bool in_place = false;
  bool ordered = false;
  std::string machine;
  std::string output;
  std::string plot;
  bool json = false;
  bool quick = false;
  double effort = 0;
};

int run_list(const Options& options);
int run_show(const Options& options);
int run_draw(const Options& options);
int run_check(const Options& options);
int run_price(const Options& options);
int run_machines();

}  // namespace tessera::coll::schedules
