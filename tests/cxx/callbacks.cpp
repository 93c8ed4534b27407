// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program that MPI calls: operations, attributes, error handlers, generalized
// requests, data representations; and exceptions, of the library and of those functions.
#include <mpicxx.h>

#include <complex>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "../io/scratch.h"
#include "check.h"

namespace {

// What a call throws: its class, or MPI_SUCCESS.
template <class Body>
int thrown_by(const Body& body) {
  try {
    body();
  } catch (const MPI::Exception& error) {
    CHECK(error.Get_error_code() != MPI_SUCCESS);
    CHECK(std::string(error.what()) == error.Get_error_string() && error.what()[0] != '\0');
    return error.Get_error_class();
  }
  return MPI_SUCCESS;
}

void test_exceptions() {
  MPI::Intracomm comm = MPI::COMM_SELF.Dup();
  int value = 0;
  comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  CHECK(comm.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
  CHECK(thrown_by([&] { comm.Send(&value, 1, MPI::INT, 7, 0); }) == MPI::ERR_RANK);
  CHECK(thrown_by([&] { comm.Send(&value, -1, MPI::INT, 0, 0); }) == MPI::ERR_COUNT);
  CHECK(thrown_by([&] { comm.Barrier(); }) == MPI_SUCCESS);
  MPI::Request kept = comm.Isend(&value, 1, MPI::INT, 0, 3);
  int longer[2] = {1, 2};
  MPI::Request send = comm.Isend(longer, 2, MPI::INT, 0, 4);
  MPI::Request receive = comm.Irecv(&value, 1, MPI::INT, 0, 4);
  CHECK(thrown_by([&] { receive.Wait(); }) == MPI::ERR_TRUNCATE);
  send.Wait();
  comm.Recv(&value, 1, MPI::INT, 0, 3);
  kept.Wait();
  comm.Set_errhandler(MPI::ERRORS_RETURN);
  CHECK(comm.Get_errhandler() == MPI::ERRORS_RETURN);
  CHECK(thrown_by([&] { comm.Send(&value, 1, MPI::INT, 7, 0); }) == MPI_SUCCESS);
  try {
    comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    comm.Call_errhandler(MPI::ERR_OTHER);
    CHECK(false);
  } catch (const std::exception& error) {  // the text names what was wrong
    CHECK(std::string(error.what()).find("MPI_ERR_OTHER") != std::string::npos);
  }
  comm.Free();
  CHECK(comm == MPI::COMM_NULL);
}

// Errors without an object go where a program of MPI-2 expects them.
void test_exceptions_of_no_object() {
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  CHECK(thrown_by([] { MPI::INT.Create_contiguous(-1); }) == MPI::ERR_COUNT);
  CHECK(thrown_by([] { MPI::Info().Get_nkeys(); }) == MPI::ERR_INFO);
  char name[NAME_LENGTH];
  CHECK(thrown_by([&] {
          MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
          MPI::File::Open(MPI::COMM_SELF, scratch(MPI_COMM_SELF, "no_such", name), MPI::MODE_RDONLY,
                          MPI::INFO_NULL);
        }) == MPI::ERR_NO_SUCH_FILE);
  MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
  MPI::Win win = MPI::Win::Create(nullptr, 0, 1, MPI::INFO_NULL, MPI::COMM_SELF);
  win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  CHECK(win.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
  CHECK(thrown_by([&] { win.Unlock(0); }) == MPI::ERR_RMA_SYNC);
  win.Free();
}

void longest(const void* in, void* inout, int len, const MPI::Datatype& type) {
  CHECK(type == MPI::INT);
  const int* a = static_cast<const int*>(in);
  int* b = static_cast<int*>(inout);
  for (int i = 0; i < len; ++i) b[i] = a[i] > b[i] ? a[i] : b[i];
}

void refusing(const void*, void*, int, const MPI::Datatype&) {
  throw std::runtime_error("no such sum");
}

void test_operations() {
  const int me = MPI::COMM_WORLD.Get_rank(), n = MPI::COMM_WORLD.Get_size();
  MPI::Op op, same, wrong;
  op.Init(longest, true);
  same.Init(longest, false);
  CHECK(op.Is_commutative() && !same.Is_commutative());
  int mine[2] = {me, -me}, all[2] = {-1, -1};
  MPI::COMM_WORLD.Allreduce(mine, all, 2, MPI::INT, op);
  CHECK(all[0] == n - 1 && all[1] == 0);
  all[0] = all[1] = -100;
  same.Reduce_local(mine, all, 2, MPI::INT);
  CHECK(all[0] == me && all[1] == -me);
  wrong.Init(refusing, true);
  std::string said;
  try {
    wrong.Reduce_local(mine, all, 2, MPI::INT);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  CHECK(said == "no such sum");
  op.Reduce_local(mine, all, 2, MPI::INT);  // nothing is left of it
  op.Free(), same.Free(), wrong.Free();
  CHECK(op == MPI::OP_NULL);
}

// req errata 1.1
void test_types_of_cxx() {
  const int n = MPI::COMM_WORLD.Get_size();
  bool mine = MPI::COMM_WORLD.Get_rank() == 0, any = false, every = true;
  MPI::COMM_WORLD.Allreduce(&mine, &any, 1, MPI::BOOL, MPI::LOR);
  MPI::COMM_WORLD.Allreduce(&mine, &every, 1, MPI::BOOL, MPI::LAND);
  CHECK(any && every == (n == 1));
  std::complex<double> two(0, 2), product;
  MPI::COMM_SELF.Allreduce(&two, &product, 1, MPI::DOUBLE_COMPLEX, MPI::PROD);
  CHECK(product == two);
  MPI::DOUBLE_COMPLEX.Get_size();
  CHECK(MPI::COMPLEX.Get_size() == sizeof(std::complex<float>));
  CHECK(MPI::LONG_DOUBLE_COMPLEX.Get_size() == sizeof(std::complex<long double>));
  CHECK(MPI::BOOL == MPI_CXX_BOOL && MPI::COMPLEX == MPI_CXX_FLOAT_COMPLEX);
  CHECK(MPI::F_COMPLEX == MPI_COMPLEX && MPI::TWOINT == MPI_2INT);
}

int copies = 0, deletions = 0;

int count_copy(const MPI::Comm& old, int, void* state, void* in, void* out, bool& flag) {
  CHECK(state == &copies && dynamic_cast<const MPI::Cartcomm*>(&old) != nullptr);
  ++copies;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  flag = true;
  return MPI::SUCCESS;
}

int count_delete(MPI::Comm&, int, void*, void*) {
  return ++deletions, MPI::SUCCESS;
}

int no_copy(const MPI::Datatype&, int, void*, const void*, void*, bool&) {
  throw std::string("not copied");
}

// req errata 1.6, 2.13, 2.14
void test_attributes() {
  const int size = 1;
  const bool wraps = true;
  char text[] = "attribute";
  char* found = nullptr;
  int key = MPI::Comm::Create_keyval(count_copy, count_delete, &copies);
  MPI::Cartcomm grid = MPI::COMM_SELF.Create_cart(1, &size, &wraps, false);
  CHECK(!grid.Get_attr(key, &found));
  grid.Set_attr(key, text);
  MPI::Comm& copy = grid.Clone();
  CHECK(typeid(copy) == typeid(MPI::Cartcomm));
  CHECK(copy.Get_attr(key, &found) && found == text + 1 && copies == 1);
  copy.Free();
  delete &copy;
  grid.Delete_attr(key);
  CHECK(deletions == 2 && !grid.Get_attr(key, &found));
  grid.Free();
  MPI::Comm::Free_keyval(key);
  CHECK(key == MPI::KEYVAL_INVALID);

  int type_key = MPI::Datatype::Create_keyval(no_copy, MPI::Datatype::NULL_DELETE_FN, nullptr);
  MPI::INT.Set_attr(type_key, text);  // a predefined type is not const
  std::string said;
  try {
    MPI::INT.Dup();
  } catch (const std::string& error) {
    said = error;
  }
  CHECK(said == "not copied");
  MPI::INT.Delete_attr(type_key);
  MPI::Datatype::Free_keyval(type_key);

  MPI::Win win = MPI::Win::Create(nullptr, 0, 1, MPI::INFO_NULL, MPI::COMM_SELF);
  int win_key = MPI::Win::Create_keyval(MPI::Win::DUP_FN, MPI::Win::NULL_DELETE_FN, nullptr);
  win.Set_attr(win_key, text);
  const MPI::Win same = win;
  CHECK(same.Get_attr(win_key, &found) && found == text);
  MPI::Aint* bytes = nullptr;
  CHECK(same.Get_attr(MPI::WIN_SIZE, &bytes) && *bytes == 0);
  win.Free();
  MPI::Win::Free_keyval(win_key);
}

int heard = 0;
void listener(MPI::Comm& comm, int* code, ...) {
  heard = MPI::Get_error_class(*code);
  CHECK(!comm.Is_inter());
}
void thrower(MPI::Comm&, int*, ...) {
  throw 42;
}
void file_listener(MPI::File&, int* code, ...) {
  heard = MPI::Get_error_class(*code);
}
void win_listener(MPI::Win&, int* code, ...) {
  heard = MPI::Get_error_class(*code);
}

void test_error_handlers() {
  MPI::Intracomm comm = MPI::COMM_SELF.Dup();
  MPI::Errhandler first = MPI::Comm::Create_errhandler(listener);
  MPI::Errhandler second = MPI::Comm::Create_errhandler(thrower);
  comm.Set_errhandler(first);
  comm.Send(nullptr, 0, MPI::INT, 7, 0);
  CHECK(heard == MPI::ERR_RANK);
  comm.Set_errhandler(second);
  int caught = 0;
  try {
    comm.Send(nullptr, 0, MPI::INT, 7, 0);
  } catch (int number) {
    caught = number;
  }
  CHECK(caught == 42);
  first.Free(), second.Free();
  CHECK(first == MPI::ERRHANDLER_NULL);
  comm.Free();
  MPI::Win win = MPI::Win::Create(nullptr, 0, 1, MPI::INFO_NULL, MPI::COMM_SELF);
  MPI::Errhandler of_windows = MPI::Win::Create_errhandler(win_listener);
  win.Set_errhandler(of_windows);
  win.Call_errhandler(MPI::ERR_SIZE);
  CHECK(heard == MPI::ERR_SIZE);
  win.Free(), of_windows.Free();
  MPI::File file(scratch_file(MPI_COMM_SELF, "cxx_handlers"));
  MPI::Errhandler of_files = MPI::File::Create_errhandler(file_listener);
  file.Set_errhandler(of_files);
  file.Seek(-5, MPI::SEEK_SET);
  CHECK(heard == MPI::ERR_ARG);
  file.Close(), of_files.Free();
}

struct Work {
  int asked = 0, freed = 0, cancelled = 0;
};
int query(void* state, MPI::Status& status) {
  ++static_cast<Work*>(state)->asked;
  status.Set_elements(MPI::INT, 17);
  status.Set_cancelled(false);
  status.Set_source(3);
  status.Set_tag(4);
  return MPI::SUCCESS;
}
int release(void* state) {
  return ++static_cast<Work*>(state)->freed, MPI::SUCCESS;
}
int cancel(void* state, bool complete) {
  CHECK(!complete);
  return ++static_cast<Work*>(state)->cancelled, MPI::SUCCESS;
}

void test_generalized() {
  Work work;
  MPI::Status status;
  MPI::Grequest request = MPI::Grequest::Start(query, release, cancel, &work);
  CHECK(!request.Test());
  request.Cancel();
  request.Complete();
  request.Wait(status);
  CHECK(work.asked == 1 && work.freed == 1 && work.cancelled == 1);
  CHECK(status.Get_count(MPI::INT) == 17 && status.Get_source() == 3 && status.Get_tag() == 4);
  CHECK(request == MPI::REQUEST_NULL);
}

void extent_of(const MPI::Datatype& type, MPI::Aint& extent, void*) {
  extent = type.Get_size();
}
void invert(void* to, const void* from, int bytes) {
  for (int i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(to)[i] =
        static_cast<unsigned char>(~static_cast<const unsigned char*>(from)[i]);
}
void reading(void* user, MPI::Datatype& type, int count, void* file, MPI::Offset position, void*) {
  const int size = type.Get_size();
  invert(static_cast<char*>(user) + position * size, file, count * size);
}
void writing(void* user, MPI::Datatype& type, int count, void* file, MPI::Offset position, void*) {
  const int size = type.Get_size();
  invert(file, static_cast<char*>(user) + position * size, count * size);
}

void test_representations() {
  MPI::Register_datarep("inverted", reading, writing, extent_of, nullptr);
  MPI::File file(scratch_file(MPI_COMM_SELF, "cxx_datarep"));
  const int out[2] = {1, -7};
  int in[2] = {0, 0}, raw = 0;
  file.Set_view(0, MPI::INT, MPI::INT, "inverted", MPI::INFO_NULL);
  file.Write_at(0, out, 2, MPI::INT);
  file.Read_at(0, in, 2, MPI::INT);
  CHECK(in[0] == 1 && in[1] == -7);
  file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
  file.Read_at(0, &raw, 1, MPI::INT);
  CHECK(raw == ~1);
  file.Close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  test_exceptions();
  test_exceptions_of_no_object();
  test_operations();
  test_types_of_cxx();
  test_attributes();
  test_error_handlers();
  test_generalized();
  test_representations();
  return finish();
}
