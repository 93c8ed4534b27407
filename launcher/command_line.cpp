// SPDX-License-Identifier: BSD-3-Clause
// The parser of mpiexec's command line; it knows nothing of single options.
#include "launcher/command_line.h"

#include "framework/text.h"

namespace tessera::launcher {
namespace {

bool is_optional(const Option& option) noexcept {
  return option.values.substr(0, 1) == "[";
}

std::size_t value_count(const Option& option) {
  if (option.values.empty() || is_optional(option)) return 0;
  return text::split(option.values, ' ').size();
}

bool has_name(const Option& option, std::string_view name) {
  for (std::string_view known : text::split(option.names, ' ')) {
    if (known == name) return true;
  }
  return false;
}

const Option* find_option(std::string_view name) {
  for (const OptionGroup& group : option_groups()) {
    for (const Option& option : group.options) {
      if (has_name(option, name)) return &option;
    }
  }
  return nullptr;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups()) {
    for (const Option& option : group.options) {
      for (std::string_view name : text::split(option.names, ' ')) names.emplace_back(name);
    }
  }
  return names;
}

Status unknown_option(std::string_view dashes, std::string_view name) {
  const std::vector<std::string> names = all_names();
  const std::string_view near = text::nearest(name, names);
  std::string message = "unknown option '" + std::string(dashes) + std::string(name) + "'";
  if (!near.empty()) {
    message +=
        " (did you mean '" + std::string(near.size() == 1 ? "-" : "--") + std::string(near) + "'?)";
  }
  return Status::failure(Errc::argument, message + "; `mpiexec --help` lists all");
}

class Parser {
 public:
  explicit Parser(std::span<char* const> words) : words_(words) { line_.apps.emplace_back(); }

  Result<CommandLine> run() {
    while (next_ < words_.size()) {
      if (const Status status = step(words_[next_++]); !status.ok()) return status;
    }
    if (line_.help || line_.version) return std::move(line_);
    if (const Status status = check(); !status.ok()) return status;
    return std::move(line_);
  }

 private:
  App& app() { return line_.apps.back(); }

  Status step(std::string_view word) {
    if (word == ":") {
      line_.apps.emplace_back();
      return {};
    }
    if (word == "--") return take_program();
    if (word.size() > 1 && word[0] == '-') return take_option(word);
    --next_;
    return take_program();
  }

  // Everything up to the next ':' belongs to the program.
  Status take_program() {
    while (next_ < words_.size() && std::string_view(words_[next_]) != ":")
      app().words.emplace_back(words_[next_++]);
    return {};
  }

  Status take_option(std::string_view word) {
    const std::size_t dashes = word[1] == '-' ? 2 : 1;
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals).substr(dashes);
    const Option* const option = find_option(name);
    if (option == nullptr) return unknown_option(word.substr(0, dashes), name);
    std::vector<std::string> values;
    if (equals != std::string_view::npos) values.emplace_back(word.substr(equals + 1));
    if (const Status status = complete(*option, word.substr(0, equals), values); !status.ok())
      return status;
    return option->apply({line_, app(), word.substr(0, equals), values});
  }

  Status complete(const Option& option, std::string_view spelled,
                  std::vector<std::string>& values) {
    const std::size_t wanted = value_count(option);
    if (values.size() > wanted && !is_optional(option)) {
      return Status::failure(Errc::argument, "option " + std::string(spelled) + " takes no value");
    }
    while (values.size() < wanted) {
      if (next_ == words_.size()) {
        return Status::failure(Errc::argument, "option " + std::string(spelled) + " needs " +
                                                   std::string(option.values));
      }
      values.emplace_back(words_[next_++]);
    }
    return {};
  }

  Status check() const {
    for (const App& app : line_.apps) {
      if (app.words.empty()) return no_program();
      if (app.ranks == 0 && line_.apps.size() > 1) {
        return Status::failure(
            Errc::argument, "with several programs each needs its number of ranks: -n N before '" +
                                app.words.front() + "'");
      }
    }
    return {};
  }

  Status no_program() const {
    const std::string where = line_.apps.size() > 1 ? " beside ':'" : "";
    return Status::failure(
        Errc::argument,
        "no program to run" + where + "; write `mpiexec -n 4 ./program`, see `mpiexec --help`");
  }

  std::span<char* const> words_;
  std::size_t next_ = 0;
  CommandLine line_;
};

std::string option_line(const Option& option) {
  std::string line = "  ";
  for (std::string_view name : text::split(option.names, ' ')) {
    if (line.size() > 2) line += ", ";
    line += (name.size() == 1 ? "-" : "--") + std::string(name);
  }
  if (is_optional(option)) return line + "[=" + std::string(option.values.substr(1));
  return option.values.empty() ? line : line + " " + std::string(option.values);
}

std::string described(const Option& option) {
  constexpr std::size_t column = 34;
  std::string line = option_line(option);
  std::string help = text::wrap(option.help, 100, column);
  if (line.size() + 1 < column) return line + help.substr(line.size()) + "\n";
  return line + "\n" + help + "\n";
}

std::string names_only(const Option& option) {
  std::string names;
  for (std::string_view name : text::split(option.names, ' ')) names += " -" + std::string(name);
  return names;
}

}  // namespace

Result<CommandLine> parse(std::span<char* const> words) {
  return Parser(words).run();
}

std::string help_text() {
  std::string help =
      "Usage: mpiexec [option...] program [argument...] [: [option...] program [argument...]]...\n"
      "Starts the ranks of an MPI job on this machine and stays until all have ended.\n";
  std::string silent;
  for (const OptionGroup& group : option_groups()) {
    bool titled = false;
    for (const Option& option : group.options) {
      if (option.help.empty()) {
        silent += names_only(option);
        continue;
      }
      if (!titled) help += "\n" + std::string(group.title) + "\n";
      titled = true;
      help += described(option);
    }
  }
  help +=
      "\nOptions have one dash or two. These are accepted too and change nothing on one "
      "machine:\n" +
      text::wrap(silent, 100, 2) + "\n";
  help +=
      "\nExit status: that of the first rank that failed, 128 + N if signal N killed it; the code "
      "of MPI_Abort;\n"
      "2 wrong usage or parameters, 124 timeout, 126 not executable, 127 not found, 1 any other "
      "failure of mpiexec.\n";
  return help;
}

}  // namespace tessera::launcher
