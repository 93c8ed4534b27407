/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists what MPI_T has: kind, name, help, separated by tabs. */
#include <mpi.h>
#include <stdio.h>

enum { kRoom = 4096 };

int main(void) {
  char name[kRoom], help[kRoom];
  int provided = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 1;
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kRoom, help_room = kRoom;
    MPI_T_cvar_get_info(i, name, &name_room, NULL, NULL, NULL, help, &help_room, NULL, NULL);
    printf("cvar\t%s\t%s\n", name, help);
  }
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kRoom, help_room = kRoom;
    MPI_T_pvar_get_info(i, name, &name_room, NULL, NULL, NULL, NULL, help, &help_room, NULL, NULL,
                        NULL, NULL);
    printf("pvar\t%s\t%s\n", name, help);
  }
  MPI_T_event_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kRoom, help_room = kRoom;
    MPI_T_event_get_info(i, name, &name_room, NULL, NULL, NULL, NULL, NULL, NULL, help, &help_room,
                         NULL);
    printf("event\t%s\t%s\n", name, help);
  }
  MPI_T_category_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kRoom, help_room = kRoom;
    MPI_T_category_get_info(i, name, &name_room, help, &help_room, NULL, NULL, NULL);
    printf("category\t%s\t%s\n", name, help);
  }
  return MPI_T_finalize() == MPI_SUCCESS ? 0 : 1;
}
