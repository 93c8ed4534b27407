/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are wrong, one after the other, each with what MPI says about it: the name of the
 * mistake, a tab, and the text of its error code. docs/misuse.md has the same table. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static int in[64], out[64];
static const int one[] = {1}, none[] = {0};
static const MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
static MPI_Status status;

/* What is needed to be wrong with. */
static MPI_Comm freed_comm(void) {
  MPI_Comm comm, kept;
  MPI_Comm_dup(self, &comm);
  kept = comm;
  MPI_Comm_free(&comm);
  return kept;
}
static MPI_Group whole(void) {
  MPI_Group group;
  MPI_Comm_group(world, &group);
  return group;
}
static MPI_Group freed_group(void) {
  const int first = 0;
  MPI_Group group, kept;
  MPI_Group_incl(whole(), 1, &first, &group);
  kept = group;
  MPI_Group_free(&group);
  return kept;
}
static MPI_Datatype triple(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  return type;
}
static MPI_Datatype freed_type(void) {
  MPI_Datatype type = triple(), kept = type;
  MPI_Type_free(&type);
  return kept;
}
static void nothing(void* a, void* b, int* count, MPI_Datatype* type) {
  (void)a, (void)b, (void)count, (void)type;
}
static MPI_Op freed_op(void) {
  MPI_Op op, kept;
  MPI_Op_create(nothing, 1, &op);
  kept = op;
  MPI_Op_free(&op);
  return kept;
}
static MPI_Info freed_info(void) {
  MPI_Info info, kept;
  MPI_Info_create(&info);
  kept = info;
  MPI_Info_free(&info);
  return kept;
}
static MPI_Request pending(void) {
  MPI_Request request;
  MPI_Irecv(out, 1, MPI_INT, 0, 99, self, &request);
  return request;
}
static MPI_Request completed(void) {
  MPI_Request request, kept;
  MPI_Irecv(out, 1, MPI_INT, 0, 0, self, &request);
  kept = request;
  MPI_Send(in, 1, MPI_INT, 0, 0, self);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return kept;
}
static MPI_Request persistent(void) {
  MPI_Request request;
  MPI_Recv_init(out, 1, MPI_INT, 0, 98, self, &request);
  MPI_Start(&request);
  return request;
}
static MPI_Comm grid(void) {
  const int dims[2] = {1, 1}, periods[2] = {0, 0};
  MPI_Comm comm;
  MPI_Cart_create(self, 2, dims, periods, 0, &comm);
  return comm;
}
static MPI_Win window(void) {
  MPI_Win win;
  MPI_Win_create(out, 16, 1, MPI_INFO_NULL, self, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return win;
}
static MPI_Win fenced(void) {
  MPI_Win win = window();
  MPI_Win_fence(0, win);
  return win;
}
static MPI_Win freed_window(void) {
  MPI_Win win = window(), kept = win;
  MPI_Win_free(&win);
  return kept;
}
static MPI_File opened(int mode) {
  MPI_File file;
  MPI_File_open(self, "/dev/null", mode, MPI_INFO_NULL, &file);
  return file;
}
static MPI_File closed(void) {
  MPI_File file = opened(MPI_MODE_RDONLY), kept = file;
  MPI_File_close(&file);
  return kept;
}
static int too_long(void) {
  MPI_Request request;
  MPI_Isend(in, 4, MPI_INT, 0, 5, self, &request);
  const int code = MPI_Recv(out, 2, MPI_INT, 0, 5, self, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return code;
}

static int number, flag;
static char text[8];
static MPI_Request request;
static MPI_Comm comm;
static MPI_Group group;
static MPI_Datatype type;
static MPI_Info info;
static MPI_Errhandler handler;
static MPI_File file;
static MPI_Win win;
static void* buffer;

/* A name, and an expression that is an error code. */
/* clang-format off */
#define MISUSES(X)                                                                             \
  X(negative_count, MPI_Send(in, -1, MPI_INT, 0, 0, world))                                    \
  X(null_buffer, MPI_Send(NULL, 4, MPI_INT, 0, 0, world))                                      \
  X(wrong_destination, MPI_Send(in, 1, MPI_INT, size, 0, world))                               \
  X(negative_tag, MPI_Send(in, 1, MPI_INT, 0, -5, world))                                      \
  X(uncommitted_type, MPI_Send(in, 1, triple(), 0, 0, world))                                  \
  X(null_type, MPI_Send(in, 1, MPI_DATATYPE_NULL, 0, 0, world))                                \
  X(freed_type, MPI_Send(in, 1, freed_type(), 0, 0, world))                                    \
  X(null_communicator, MPI_Send(in, 1, MPI_INT, 0, 0, MPI_COMM_NULL))                          \
  X(freed_communicator, MPI_Send(in, 1, MPI_INT, 0, 0, freed_comm()))                          \
  X(group_as_communicator, MPI_Barrier((MPI_Comm)whole()))                                     \
  X(address_as_communicator, MPI_Barrier((MPI_Comm)in))                                        \
  X(wrong_source, MPI_Recv(out, 1, MPI_INT, -7, 0, world, &status))                            \
  X(wrong_receive_tag, MPI_Recv(out, 1, MPI_INT, 0, -7, world, &status))                       \
  X(message_too_long, too_long())                                                              \
  X(receive_into_null, MPI_Irecv(NULL, 1, MPI_INT, 0, 0, world, &request))                     \
  X(no_place_for_request, MPI_Irecv(out, 1, MPI_INT, 0, 0, world, NULL))                       \
  X(probe_wrong_rank, MPI_Probe(size + 1, 0, world, &status))                                  \
  X(wait_for_null, MPI_Wait(NULL, &status))                                                    \
  X(wait_again, (request = completed(), MPI_Wait(&request, &status)))                          \
  X(communicator_as_request, (request = (MPI_Request)grid(), MPI_Wait(&request, &status)))     \
  X(waitall_again, (request = completed(), MPI_Waitall(1, &request, MPI_STATUSES_IGNORE)))     \
  X(waitall_negative, MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE))                          \
  X(test_without_flag, (request = pending(), MPI_Test(&request, NULL, &status)))               \
  X(cancel_again, (request = completed(), MPI_Cancel(&request)))                               \
  X(start_of_a_receive, (request = pending(), MPI_Start(&request)))                            \
  X(start_twice, (request = persistent(), MPI_Start(&request)))                                \
  X(complete_a_receive, MPI_Grequest_complete(pending()))                                      \
  X(wrong_root, MPI_Bcast(in, 1, MPI_INT, size, world))                                        \
  X(bcast_of_null, MPI_Bcast(NULL, 1, MPI_INT, 0, world))                                      \
  X(bcast_negative, MPI_Bcast(in, -2, MPI_INT, 0, world))                                      \
  X(op_not_for_type, MPI_Allreduce(in, out, 1, MPI_FLOAT, MPI_BAND, world))                    \
  X(null_op, MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, world))                           \
  X(freed_op, MPI_Allreduce(in, out, 1, MPI_INT, freed_op(), world))                           \
  X(replace_in_reduce, MPI_Allreduce(in, out, 1, MPI_INT, MPI_REPLACE, world))                 \
  X(same_buffer_twice, MPI_Allreduce(in, in, 1, MPI_INT, MPI_SUM, world))                      \
  X(gather_into_itself, MPI_Gather(in, 1, MPI_INT, in, 1, MPI_INT, 0, self))                   \
  X(gatherv_into_itself, MPI_Gatherv(in, 1, MPI_INT, in, one, none, MPI_INT, 0, self))         \
  X(scatterv_into_itself, MPI_Scatterv(in, one, none, MPI_INT, in, 1, MPI_INT, 0, self))       \
  X(allgatherv_into_itself, MPI_Allgatherv(in, 1, MPI_INT, in, one, none, MPI_INT, self))      \
  X(counts_missing, MPI_Alltoallv(in, NULL, NULL, MPI_INT, out, NULL, NULL, MPI_INT, world))   \
  X(split_by_wrong_color, MPI_Comm_split(world, -5, 0, &comm))                                 \
  X(split_into_nothing, MPI_Comm_split(world, 0, 0, NULL))                                     \
  X(group_of_others, MPI_Comm_create(self, whole(), &comm))                                    \
  X(free_world, (comm = world, MPI_Comm_free(&comm)))                                          \
  X(free_null, (comm = MPI_COMM_NULL, MPI_Comm_free(&comm)))                                   \
  X(rank_to_nowhere, MPI_Comm_rank(world, NULL))                                               \
  X(rank_not_in_group, (number = size, MPI_Group_incl(whole(), 1, &number, &group)))           \
  X(freed_group, MPI_Group_size(freed_group(), &number))                                       \
  X(grid_too_large, (number = size + 1, MPI_Cart_create(world, 1, &number, &flag, 0, &comm)))  \
  X(no_grid, MPI_Cart_coords(world, 0, 1, &number))                                            \
  X(outside_of_grid, (out[0] = 4, out[1] = 0, MPI_Cart_rank(grid(), out, &number)))            \
  X(merge_of_intra, MPI_Intercomm_merge(world, 0, &comm))                                      \
  X(negative_blocks, MPI_Type_vector(-1, 1, 2, MPI_INT, &type))                                \
  X(free_predefined_type, (type = MPI_INT, MPI_Type_free(&type)))                              \
  X(commit_null, (type = MPI_DATATYPE_NULL, MPI_Type_commit(&type)))                           \
  X(subarray_outside, (in[0] = 4, in[1] = 3, in[2] = 2,                                        \
                       MPI_Type_create_subarray(1, &in[0], &in[1], &in[2], MPI_ORDER_C,        \
                                                MPI_INT, &type)))                              \
  X(pack_without_room, (number = 0, MPI_Pack(in, 4, MPI_INT, out, 8, &number, world)))         \
  X(info_key_empty, (MPI_Info_create(&info), MPI_Info_set(info, "", "x")))                     \
  X(freed_info, MPI_Info_set(freed_info(), "key", "x"))                                        \
  X(info_key_unknown, (MPI_Info_create(&info), MPI_Info_delete(info, "key")))                  \
  X(null_handler, MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL))                         \
  X(handler_of_windows,                                                                        \
    (MPI_Win_create_errhandler((MPI_Win_errhandler_function*)abort, &handler),                 \
     MPI_Comm_set_errhandler(world, handler)))                                                 \
  X(wrong_keyval, MPI_Comm_set_attr(world, -3, in))                                            \
  X(predefined_keyval, (number = MPI_TAG_UB, MPI_Comm_free_keyval(&number)))                   \
  X(negative_window, MPI_Win_create(out, -8, 1, MPI_INFO_NULL, self, &win))                    \
  X(put_without_epoch, MPI_Put(in, 1, MPI_INT, 0, 0, 1, MPI_INT, window()))                    \
  X(put_to_nobody, MPI_Put(in, 1, MPI_INT, 4, 0, 1, MPI_INT, fenced()))                        \
  X(put_outside, MPI_Put(in, 1, MPI_INT, 0, 14, 1, MPI_INT, fenced()))                         \
  X(put_in_place, MPI_Put(MPI_IN_PLACE, 1, MPI_INT, 0, 0, 1, MPI_INT, fenced()))               \
  X(get_into_null, MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, fenced()))                      \
  X(swap_with_null, MPI_Compare_and_swap(in, NULL, out, MPI_INT, 0, 0, fenced()))              \
  X(fetch_into_null, MPI_Fetch_and_op(in, NULL, MPI_INT, 0, 0, MPI_SUM, fenced()))             \
  X(unlock_of_no_lock, MPI_Win_unlock(0, window()))                                            \
  X(freed_window, MPI_Win_fence(0, freed_window()))                                            \
  X(two_ways_to_open, MPI_File_open(self, "/dev/null", MPI_MODE_RDONLY | MPI_MODE_WRONLY,      \
                                    MPI_INFO_NULL, &file))                                     \
  X(no_such_file, MPI_File_open(self, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) \
  X(write_to_read_only,                                                                        \
    MPI_File_write(opened(MPI_MODE_RDONLY), in, 1, MPI_INT, &status))                          \
  X(seek_before_begin, MPI_File_seek(opened(MPI_MODE_RDONLY), -4, MPI_SEEK_SET))               \
  X(write_in_place,                                                                            \
    MPI_File_write(opened(MPI_MODE_WRONLY), MPI_IN_PLACE, 1, MPI_INT, &status))                \
  X(closed_file, MPI_File_read(closed(), out, 1, MPI_INT, &status))                            \
  X(buffered_without_buffer, MPI_Bsend(in, 4, MPI_INT, 0, 0, self))                            \
  X(attach_twice, (MPI_Buffer_attach(malloc(4096), 4096), MPI_Buffer_attach(in, 4)))           \
  X(buffered_without_room, (buffer = malloc(9000), MPI_Bsend(buffer, 9000, MPI_BYTE, 0, 0, self))) \
  X(partition_outside, (MPI_Psend_init(in, 2, 1, MPI_INT, 0, 0, self, MPI_INFO_NULL, &request), \
                        MPI_Start(&request), MPI_Pready(7, request)))                          \
  X(spawn_without_commands,                                                                    \
    MPI_Comm_spawn_multiple(1, NULL, NULL, &number, &info, 0, self, &comm, &flag))             \
  X(initialized_twice, MPI_Init(NULL, NULL))                                                   \
  X(wrong_error_code, MPI_Error_class(-4, &number))                                            \
  X(null_name, MPI_Comm_set_name(world, NULL))
/* clang-format on */

static void tell(const char* name, int code) {
  char words[MPI_MAX_ERROR_STRING] = "no error";
  int length, class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  if (class != MPI_SUCCESS) MPI_Error_string(code, words, &length);
  printf("%s\t%s\n", name, words);
  fflush(stdout);
}

int main(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
#define RUN(name, call) \
  if (rank == size - 1) tell(#name, call);
  MISUSES(RUN)
  if (rank == size - 1) MPI_Abort(world, 3); /* operations are pending for ever */
  MPI_Barrier(world);
}
