// SPDX-License-Identifier: BSD-3-Clause
#include "impi/run/command_line.h"

#include <charconv>
#include <string_view>

#include "impi/wire/constants.h"

namespace tessera::impi {
namespace {

using Value = const std::string&;

template <class T>
Checked read_number(Value text, const char* what, T least, T most, T& number) {
  T read{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error == std::errc() && stop == text.data() + text.size() && read >= least && read <= most) {
    number = read;
    return Nothing{};
  }
  std::string allowed = std::to_string(least) + " to " + std::to_string(most);
  return Fault{std::string(what) + " '" + text + "' is not a number of " + allowed};
}

Checked take_role(RunLine& line, RunLine::Role role) {
  if (line.role != RunLine::Role::none) return Fault{"-server and -client exclude each other"};
  line.role = role;
  return Nothing{};
}

struct Option {
  std::string_view name;
  std::string_view value;  // empty: takes none
  Checked (*apply)(RunLine& line, Value value);
  std::string_view help;
};

constexpr std::uint32_t kMostSeconds = 30 * 24 * 3600;

const Option kOptions[] = {
    {"server", "COUNT",
     [](RunLine& line, Value value) -> Checked {
       if (auto good = take_role(line, RunLine::Role::server); !good.ok()) return good;
       return read_number(value, "the number of clients", 1U, kMostClients, line.clients);
     },
     "be the server of a job of COUNT clients"},
    {"client", "RANK HOST:PORT",
     [](RunLine& line, Value value) -> Checked {
       if (auto good = take_role(line, RunLine::Role::client); !good.ok()) return good;
       return read_number(value, "the rank of the client", 0U, kMostClients - 1, line.rank);
     },
     "be client RANK; the words that follow are a command line of mpiexec"},
    {"port", "PORT",
     [](RunLine& line, Value value) -> Checked {
       return read_number<std::uint16_t>(value, "the port", 1, 65535, line.port);
     },
     "listen at this port (default: any that is free)"},
    {"bind", "ADDRESS",
     [](RunLine& line, Value value) -> Checked {
       line.bind = value;
       return Nothing{};
     },
     "listen at this address only, and print it (default: all, printed is the first of this "
     "machine)"},
    {"auth", "LIST",
     [](RunLine& line, Value value) -> Checked {
       line.auth = value;
       return Nothing{};
     },
     "methods of authentication, most preferred first, as numbers and ranges: 16,1-0"},
    {"timeout", "SECONDS",
     [](RunLine& line, Value value) -> Checked {
       std::uint32_t seconds = 0;
       auto good = read_number(value, "the time-out", 1U, kMostSeconds, seconds);
       line.timeout_s = seconds;
       return good;
     },
     "end when the clients have not come and agreed in this time (default: wait)"},
    {"trace", "FILE",
     [](RunLine& line, Value value) -> Checked {
       line.trace = value;
       return Nothing{};
     },
     "write what is sent and received to FILE; impi-trace shows it"},
    {"quiet", "",
     [](RunLine& line, Value) -> Checked {
       line.quiet = true;
       return Nothing{};
     },
     "no warnings"},
    {"help", "",
     [](RunLine& line, Value) -> Checked {
       line.role = RunLine::Role::help;
       return Nothing{};
     },
     "this text"},
    {"version", "",
     [](RunLine& line, Value) -> Checked {
       line.role = RunLine::Role::version;
       return Nothing{};
     },
     "the version"},
};

const Option* find_option(std::string_view name) {
  for (const Option& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// Takes the option at words[at] and its value; `at` is then at the next word.
Checked take_option(RunLine& line, std::span<char* const> words, std::size_t& at) {
  const std::string word = words[at++];
  const std::size_t dashes = word.starts_with("--") ? 2 : word.starts_with("-") ? 1 : 0;
  const std::size_t equals = std::min(word.find('='), word.size());
  const Option* const option =
      dashes == 0 ? nullptr : find_option(std::string_view(word).substr(dashes, equals - dashes));
  if (option == nullptr) return Fault{"'" + word + "' is no option of impirun"};
  std::string value;
  if (!option->value.empty()) {
    if (equals == word.size() && at == words.size())
      return Fault{word + " needs " + std::string(option->value)};
    value = equals == word.size() ? words[at++] : word.substr(equals + 1);
  } else if (equals != word.size()) {
    return Fault{word.substr(0, equals) + " takes no value"};
  }
  return option->apply(line, value);
}

Checked take_words_of_client(RunLine& line, std::span<char* const> words, std::size_t at) {
  if (at == words.size()) return Fault{"-client needs HOST:PORT, as the server printed it"};
  line.server = words[at++];
  for (; at < words.size(); ++at) line.words.emplace_back(words[at]);
  if (line.words.empty()) return Fault{"-client needs a program after HOST:PORT"};
  return Nothing{};
}

}  // namespace

Outcome<RunLine> parse_run_line(std::span<char* const> words) {
  RunLine line;
  std::size_t at = 0;
  while (at < words.size()) {
    const bool was_client = line.role == RunLine::Role::client;
    if (was_client && words[at][0] != '-') break;
    if (auto taken = take_option(line, words, at); !taken.ok()) return taken.fault();
    if (line.role >= RunLine::Role::help) return line;
  }
  if (line.role == RunLine::Role::none)
    return Fault{"one of -server COUNT and -client RANK HOST:PORT is needed"};
  if (line.role == RunLine::Role::client) {
    if (auto taken = take_words_of_client(line, words, at); !taken.ok()) return taken.fault();
  }
  return line;
}

std::string run_help() {
  std::string text =
      "usage: impirun -server COUNT [option...]\n"
      "       impirun [option...] -client RANK HOST:PORT [mpiexec option...] PROGRAM "
      "[argument...]\n"
      "\nRuns one MPI job on several MPI systems, by the IMPI protocol.\n\n";
  for (const Option& option : kOptions) {
    std::string left = "  -" + std::string(option.name) + " " + std::string(option.value);
    left.resize(std::max<std::size_t>(left.size() + 1, 27), ' ');
    text += left + std::string(option.help) + "\n";
  }
  return text +
         "\nIMPI_AUTH_SECRET_FILE (a file with a secret), IMPI_AUTH_KEY (a number) and "
         "IMPI_AUTH_NONE\n"
         "in the environment enable the methods 16, 1 and 0 of authentication.\n";
}

}  // namespace tessera::impi
