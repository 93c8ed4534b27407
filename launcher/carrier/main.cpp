// SPDX-License-Identifier: BSD-3-Clause
// tessera-carrier ORDER: runs the ranks of one host in a job that mpiexec has an engine start.
#include <cstdio>
#include <exception>

#include "launcher/carrier/carry.h"
#include "launcher/prepare.h"

int main(int count, char** words) {
  try {
    using namespace tessera::launcher;
    open_missing_streams();
    if (count == 2) return carrier::carry(words[1], words);
    return complain("mpiexec has an engine start tessera-carrier; start mpiexec instead", 2);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-carrier: %s\n", error.what());
    return 1;
  }
}
