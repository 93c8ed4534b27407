// SPDX-License-Identifier: BSD-3-Clause
// Strings whose length is an argument, and command lines.
#include <vector>

#include "fortran/source/convert.h"
#include "fortran/source/names.h"

using namespace tessera::fortran;

extern "C" void F(info_get)(const Fint* info, const char* key, const Fint* valuelen, char* value,
                            Fint* flag, Fint* ierror, std::size_t key_length,
                            std::size_t value_length) {
  std::vector<char> value_(static_cast<std::size_t>(std::max(*valuelen, 0)) + 1, '\0');
  int flag_ = 0;
  const int code = MPI_Info_get(handle<MPI_Info>(info), text(key, key_length, Cut::both).c_str(),
                                *valuelen, value_.data(), &flag_);
  if (code == MPI_SUCCESS) {
    if (flag_ != 0) store_text(value_.data(), value, value_length);
    *flag = logical(flag_);
  }
  finish(ierror, code);
}
F08(info_get)

namespace {

// Fortran counts no final null. A length of 0 asks for the length only.
class Sized {
 public:
  Sized(Fint length, std::size_t room)
      : asked_(length > 0),
        size_(asked_ ? static_cast<int>(
                           std::min<std::size_t>(static_cast<std::size_t>(length), room)) +
                           1
                     : 0),
        characters_(static_cast<std::size_t>(size_) + 1, '\0') {}
  int* size() noexcept { return &size_; }
  char* data() noexcept { return characters_.data(); }
  void store(Fint* length, char* to, std::size_t room) const {
    if (asked_) store_text(characters_.data(), to, room);
    *length = size_ > 0 ? size_ - 1 : 0;
  }

 private:
  bool asked_;
  int size_;
  std::vector<char> characters_;
};

}  // namespace

extern "C" void F(info_get_string)(const Fint* info, const char* key, Fint* buflen, char* value,
                                   Fint* flag, Fint* ierror, std::size_t key_length,
                                   std::size_t value_length) {
  Sized value_(*buflen, value_length);
  int flag_ = 0;
  const int code =
      MPI_Info_get_string(handle<MPI_Info>(info), text(key, key_length, Cut::both).c_str(),
                          value_.size(), value_.data(), &flag_);
  if (code == MPI_SUCCESS) {
    if (flag_ != 0) value_.store(buflen, value, value_length);
    *flag = logical(flag_);
  }
  finish(ierror, code);
}
F08(info_get_string)

extern "C" void F(session_get_nth_pset)(const Fint* session, const Fint* info, const Fint* n,
                                        Fint* pset_len, char* pset_name, Fint* ierror,
                                        std::size_t name_length) {
  Sized name(*pset_len, name_length);
  const int code = MPI_Session_get_nth_pset(handle<MPI_Session>(session), handle<MPI_Info>(info),
                                            *n, name.size(), name.data());
  if (code == MPI_SUCCESS) name.store(pset_len, pset_name, name_length);
  finish(ierror, code);
}
F08(session_get_nth_pset)

namespace {

// A list of strings that ends with one of blanks only, `step` elements apart.
class CommandLine {
 public:
  CommandLine(const char* elements, std::size_t length, std::size_t step) {
    for (const char* element = elements;; element += length * step) {
      std::string word = text(element, length);
      if (word.empty()) break;
      words_.push_back(std::move(word));
    }
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  char** data() noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

// The strings of a spawning call count at the root only.
bool is_root(const Fint* root, const Fint* comm) {
  int rank = -1;
  const auto object = handle<MPI_Comm>(comm);
  return object != MPI_COMM_NULL && PMPI_Comm_rank(object, &rank) == MPI_SUCCESS && rank == *root;
}

}  // namespace

extern "C" void F(comm_spawn)(const char* command, const char* argv, const Fint* maxprocs,
                              const Fint* info, const Fint* root, const Fint* comm, Fint* intercomm,
                              Fint* array_of_errcodes, Fint* ierror, std::size_t command_length,
                              std::size_t argv_length) {
  const bool here = is_root(root, comm);
  std::string command_;
  if (here) command_ = text(command, command_length);
  std::unique_ptr<CommandLine> words;
  if (here && argv != &mpi_fortran_strings_.argv_null)
    words = std::make_unique<CommandLine>(argv, argv_length, 1);
  Out<MPI_Comm> intercomm_(intercomm);
  const int code = MPI_Comm_spawn(command_.c_str(), words ? words->data() : MPI_ARGV_NULL,
                                  *maxprocs, handle<MPI_Info>(info), *root, handle<MPI_Comm>(comm),
                                  intercomm_, errcodes_at(array_of_errcodes));
  if (code == MPI_SUCCESS) intercomm_.store();
  finish(ierror, code);
}
F08(comm_spawn)

extern "C" void F(comm_spawn_multiple)(const Fint* count, const char* commands, const char* argv,
                                       const Fint* maxprocs, const Fint* infos, const Fint* root,
                                       const Fint* comm, Fint* intercomm, Fint* array_of_errcodes,
                                       Fint* ierror, std::size_t command_length,
                                       std::size_t argv_length) {
  const auto number_of = static_cast<std::size_t>(is_root(root, comm) ? std::max(*count, 0) : 0);
  std::vector<std::string> programs;
  std::vector<CommandLine> lines;
  for (std::size_t i = 0; i < number_of; ++i) {
    programs.push_back(text(commands + i * command_length, command_length));
    if (argv != &mpi_fortran_strings_.argvs_null)
      lines.emplace_back(argv + i * argv_length, argv_length, number_of);
  }
  std::vector<char*> program_pointers;
  std::vector<char**> line_pointers;
  for (std::string& program : programs) program_pointers.push_back(program.data());
  for (CommandLine& line : lines) line_pointers.push_back(line.data());
  Handles<MPI_Info> infos_(infos, static_cast<std::int64_t>(number_of));
  Out<MPI_Comm> intercomm_(intercomm);
  const int code = MPI_Comm_spawn_multiple(*count, program_pointers.data(),
                                           lines.empty() ? MPI_ARGVS_NULL : line_pointers.data(),
                                           maxprocs, infos_.data(), *root, handle<MPI_Comm>(comm),
                                           intercomm_, errcodes_at(array_of_errcodes));
  if (code == MPI_SUCCESS) intercomm_.store();
  finish(ierror, code);
}
F08(comm_spawn_multiple)
