/* SPDX-License-Identifier: BSD-3-Clause
   Prints the component files that this process has loaded, after MPI_Init and after a collective.
 */
#define _GNU_SOURCE
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int print_component(struct dl_phdr_info* object, size_t size, void* moment) {
  const char* slash = strrchr(object->dlpi_name, '/');
  (void)size;
  if (slash != NULL && strncmp(slash, "/tessera_", 9) == 0)
    printf("%s %s\n", (const char*)moment, slash + 1);
  return 0;
}

int main(int argc, char** argv) {
  char init[] = "init", collective[] = "collective";
  MPI_Init(&argc, &argv);
  dl_iterate_phdr(print_component, init);
  MPI_Barrier(MPI_COMM_WORLD);
  dl_iterate_phdr(print_component, collective);
  MPI_Finalize();
  return 0;
}
