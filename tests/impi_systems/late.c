/* SPDX-License-Identifier: BSD-3-Clause */
/* The last system computes for longer than it takes to find that a job hangs, while the others wait
 * for it: nobody says that they hang, since nobody of one system sees what another one does. */
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (me == size - 1) sleep(5);
  end("late");
  return 0;
}
