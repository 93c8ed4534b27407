// SPDX-License-Identifier: BSD-3-Clause
// Messages, collective operations, groups, topologies, windows, files and info in C++, and the
// names that <cstdio> has as well.
#include <mpi.h>  // -DTESSERA_CXX_BINDINGS: includes mpicxx.h

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../io/scratch.h"
#include "check.h"

#if !defined(MPICXX_H)
#error mpi.h does not include mpicxx.h
#endif

namespace {

const MPI::Intracomm& world = MPI::COMM_WORLD;
int me = 0, n = 1;

// At namespace scope, as a global of an old program.
MPI::Datatype early = MPI::DOUBLE;

void test_messages() {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  int out[3] = {me, me + 1, me + 2}, in[3] = {};
  MPI::Status status;
  MPI::Request requests[2] = {world.Irecv(in, 3, MPI::INT, left, 5),
                              world.Isend(out, 3, MPI::INT, right, 5)};
  MPI::Status statuses[2];
  MPI::Request::Waitall(2, requests, statuses);
  CHECK(in[0] == left && statuses[0].Get_source() == left && statuses[0].Get_tag() == 5);
  CHECK(statuses[0].Get_count(MPI::INT) == 3 && !statuses[0].Is_cancelled());
  CHECK(requests[0] == MPI::REQUEST_NULL);
  MPI::Prequest persistent[2] = {world.Recv_init(in, 3, MPI::INT, left, 6),
                                 world.Send_init(out, 3, MPI::INT, right, 6)};
  for (int round = 0; round < 3; ++round) {
    out[0] = 100 * round + me;
    MPI::Prequest::Startall(2, persistent);
    int indices[2];
    for (int done = 0; done < 2;) done += MPI::Request::Waitsome(2, persistent, indices);
    CHECK(in[0] == 100 * round + left);
  }
  persistent[0].Free(), persistent[1].Free();
  world.Sendrecv(out, 1, MPI::INT, right, 7, in, 3, MPI::INT, left, MPI::ANY_TAG, status);
  CHECK(status.Get_tag() == 7 && status.Get_elements(MPI::BYTE) == 4);
  std::vector<char> room(1000 + MPI::BSEND_OVERHEAD);
  MPI::Attach_buffer(room.data(), static_cast<int>(room.size()));
  world.Bsend(out, 3, MPI::INT, right, 8);
  while (!world.Iprobe(left, 8, status)) {
  }
  world.Recv(in, status.Get_count(MPI::INT), MPI::INT, left, 8);
  void* back = nullptr;
  CHECK(MPI::Detach_buffer(back) == static_cast<int>(room.size()) && back == room.data());
}

// req errata 1.22
void test_bottom() {
  int in[2] = {-1, -1};
  const int out = 10 * me;
  const int lengths[1] = {1};
  MPI::Aint places[1] = {MPI::Get_address(&in[1])};
  const MPI::Datatype types[1] = {MPI::INT};
  MPI::Datatype there = MPI::Datatype::Create_struct(1, lengths, places, types);
  there.Commit();
  void* const buffer = MPI::BOTTOM;
  world.Sendrecv(&out, 1, MPI::INT, me, 1, buffer, 1, there, me, 1);
  CHECK(in[0] == -1 && in[1] == out);
  there.Free();
  CHECK(there == MPI::DATATYPE_NULL && early == MPI_DOUBLE && early.Get_size() == sizeof(double));
}

void test_collectives() {
  std::vector<int> all(static_cast<std::size_t>(n), -1), ones(static_cast<std::size_t>(n), 1),
      displs(static_cast<std::size_t>(n));
  for (int r = 0; r < n; ++r) displs[static_cast<std::size_t>(r)] = r;
  world.Allgather(&me, 1, MPI::INT, all.data(), 1, MPI::INT);
  for (int r = 0; r < n; ++r) CHECK(all[static_cast<std::size_t>(r)] == r);
  world.Gatherv(&me, 1, MPI::INT, all.data(), ones.data(), displs.data(), MPI::INT, 0);
  int sum = 0, before = -1, value = me == n - 1 ? 77 : 0;
  world.Allreduce(&me, &sum, 1, MPI::INT, MPI::SUM);
  CHECK(sum == n * (n - 1) / 2);
  world.Exscan(&me, &before, 1, MPI::INT, MPI::SUM);
  CHECK(me == 0 || before == me * (me - 1) / 2);
  world.Bcast(&value, 1, MPI::INT, n - 1);
  CHECK(value == 77);
  world.Barrier();
}

// The four arrays of one exchange, which sends an integer to each process.
template <class Number>
struct Exchange {
  std::vector<Number> ones = std::vector<Number>(static_cast<std::size_t>(n), 1);
  std::vector<MPI::Aint> places;
  std::vector<MPI::Datatype> types{static_cast<std::size_t>(n), MPI::INT};
  std::vector<int> out, in;

  Exchange() : in(static_cast<std::size_t>(n), -1) {
    for (int r = 0; r < n; ++r) places.push_back(4 * r), out.push_back(10 * me + r);
  }
  bool arrived() {
    bool right = true;
    for (int r = 0; r < n; ++r) right = right && in[static_cast<std::size_t>(r)] == 10 * r + me;
    in.assign(in.size(), -1);
    return right;
  }
};

// req errata 1.4
template <class Number>
void test_alltoallx() {
  Exchange<Number> e;
  world.Alltoallx(e.out.data(), e.ones.data(), e.places.data(), e.types.data(), e.in.data(),
                  e.ones.data(), e.places.data(), e.types.data());
  CHECK(e.arrived());
  world
      .Ialltoallx(e.out.data(), e.ones.data(), e.places.data(), e.types.data(), e.in.data(),
                  e.ones.data(), e.places.data(), e.types.data())
      .Wait();
  CHECK(e.arrived());
  MPI::Prequest again = world.Alltoallx_init(e.out.data(), e.ones.data(), e.places.data(),
                                             e.types.data(), e.in.data(), e.ones.data(),
                                             e.places.data(), e.types.data(), MPI::INFO_NULL);
  for (int round = 0; round < 2; ++round) {
    again.Start();
    again.Wait();
    CHECK(e.arrived());
  }
  again.Free();
}

void test_groups_and_topologies() {
  MPI::Group all = world.Get_group();
  const int ranges[1][3] = {{n - 1, 0, -1}};
  MPI::Group reversed = all.Range_incl(1, ranges);
  CHECK(reversed.Get_rank() == n - 1 - me && MPI::Group::Compare(all, all) == MPI::IDENT);
  MPI::Intracomm turned = world.Create(reversed);
  CHECK(turned.Get_rank() == n - 1 - me);
  turned.Free(), reversed.Free(), all.Free();
  const bool wraps[1] = {true}, none[1] = {false};
  int dims[1] = {0}, coords[1] = {-1}, source = -1, dest = -1;
  bool is[1] = {false};
  MPI::Compute_dims(n, 1, dims);
  MPI::Cartcomm ring = world.Create_cart(1, dims, wraps, false);
  ring.Get_topo(1, dims, is, coords);
  CHECK(dims[0] == n && is[0] && coords[0] == me && ring.Get_topology() == MPI::CART);
  ring.Shift(0, 1, source, dest);
  CHECK(dest == (me + 1) % n && source == (me + n - 1) % n);
  MPI::Cartcomm point = ring.Sub(none);
  CHECK(point.Get_dim() == 0 && point.Get_size() == 1);
  point.Free(), ring.Free();
  MPI::Intracomm half = world.Split(me % 2, me);
  if (n > 1) {
    MPI::Intercomm bridge = half.Create_intercomm(0, world, 1 - me % 2, 9);
    CHECK(bridge.Is_inter() && bridge.Get_remote_size() + half.Get_size() == n);
    MPI::Intracomm merged = bridge.Merge(me % 2 == 1);
    CHECK(MPI::Comm::Compare(merged, world) == (n < 3 ? MPI::CONGRUENT : MPI::SIMILAR));
    merged.Free(), bridge.Free();
  }
  half.Free();
  MPI::Intercomm none_of_them = MPI::COMM_NULL;
  CHECK(none_of_them == MPI::COMM_NULL && MPI::COMM_NULL == none_of_them);
  MPI::Intracomm none_either = world;
  none_either = MPI::COMM_NULL;
  CHECK(none_either == MPI::COMM_NULL && none_either != world);
}

void test_windows() {
  int memory = -1, mine = 1000 + me;
  MPI::Win win = MPI::Win::Create(&memory, sizeof memory, 1, MPI::INFO_NULL, world);
  win.Fence(0);
  win.Put(&mine, 1, MPI::INT, (me + 1) % n, 0, 1, MPI::INT);
  win.Fence(0);
  CHECK(memory == 1000 + (me + n - 1) % n);
  char name[MPI::MAX_OBJECT_NAME];
  int length = 0;
  win.Set_name("a window");
  win.Get_name(name, length);
  CHECK(std::string(name) == "a window" && length == 8);
  win.Free();
}

// req errata 2.2
void test_files_and_seek() {
  static_assert(MPI::SEEK_SET == MPI_SEEK_SET && MPI::SEEK_END == MPI_SEEK_END, "MPI's values");
  std::FILE* plain = std::tmpfile();
  std::fputs("0123456789", plain);
  std::fseek(plain, 3, SEEK_SET);
  CHECK(std::fgetc(plain) == '3');
  std::fseek(plain, -1, SEEK_END);
  CHECK(std::fgetc(plain) == '9');
  std::fclose(plain);
  switch (0) {
    case SEEK_SET:
      break;
    default:
      CHECK(false);
  }
  MPI::File file(scratch_file(MPI_COMM_WORLD, "cxx_files"));
  file.Set_view(4 * me, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
  int value = -1;
  file.Write_at_all(0, &me, 1, MPI::INT);
  file.Seek(0, MPI::SEEK_SET);
  MPI::Status status;
  file.Read(&value, 1, MPI::INT, status);
  CHECK(value == me && status.Get_count(MPI::INT) == 1 && file.Get_position() == 1);
  file.Seek(-1, MPI::SEEK_CUR);
  MPI::Request request = file.Iread(&(value = -1), 1, MPI::INT);
  request.Wait();
  CHECK(value == me && (file.Get_amode() & MPI::MODE_RDWR) != 0);
  MPI::Offset disp = -1;
  MPI::Datatype etype, filetype;
  char datarep[MPI::MAX_DATAREP_STRING];
  file.Get_view(disp, etype, filetype, datarep);
  CHECK(disp == 4 * me && etype == MPI::INT && std::strcmp(datarep, "native") == 0);
  file.Close();
  CHECK(file == MPI::FILE_NULL);
}

void test_info_and_others() {
  MPI::Info info = MPI::Info::Create();
  info.Set("key", "value");
  char value[20] = "";
  int length = 0;
  CHECK(info.Get("key", 19, value) && std::string(value) == "value");
  CHECK(info.Get_valuelen("key", length) && length == 5 && !info.Get("other", 19, value));
  MPI::Info copy = info.Dup();
  info.Delete("key");
  CHECK(info.Get_nkeys() == 0 && copy.Get_nkeys() == 1);
  info.Free(), copy.Free();
  void* memory = MPI::Alloc_mem(100, MPI::INFO_NULL);
  std::memset(memory, 1, 100);
  MPI::Free_mem(memory);
  CHECK(MPI::Is_initialized() && !MPI::Is_finalized() && MPI::Wtime() > 0);
  MPI::Pcontrol(1, "anything", 2);
  int version = 0, subversion = 0;
  MPI::Get_version(version, subversion);
  CHECK(version == MPI_VERSION);
  const MPI_Datatype of_c = MPI::INT;  // handles pass from language to language
  MPI::Datatype again = of_c;
  again = MPI_FLOAT;
  CHECK(again == MPI::FLOAT && again != MPI::INT && again == MPI_FLOAT);
}

}  // namespace

int main() {
  CHECK(MPI::Init_thread(MPI::THREAD_SERIALIZED) >= MPI::THREAD_SERIALIZED);
  me = world.Get_rank();
  n = world.Get_size();
  test_messages();
  test_bottom();
  test_collectives();
  test_alltoallx<int>();
  test_alltoallx<MPI_Count>();
  test_groups_and_topologies();
  test_windows();
  test_files_and_seek();
  test_info_and_others();
  MPI::Finalize();
  return failures() == 0 ? 0 : 1;
}
