// SPDX-License-Identifier: BSD-3-Clause
// The parser of mpiexec's command line; it knows nothing of single options.
#include "launcher/command_line.h"

#include <algorithm>
#include <utility>

#include "framework/text.h"
#include "launcher/command_file.h"
#include "launcher/options/parts.h"

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

// "n2", "np16": a count written together with its option; how many letters are the option's.
std::size_t letters_of_count(std::string_view name) {
  const std::size_t letters = name.find_first_of("0123456789");
  if (letters == std::string_view::npos || letters == 0) return 0;
  const std::string_view option = name.substr(0, letters);
  const bool counts = option == "n" || option == "np" || option == "c";
  const bool number = name.find_first_not_of("0123456789", letters) == std::string_view::npos;
  return counts && number ? letters : 0;
}

class Parser {
 public:
  explicit Parser(std::span<char* const> words) : words_(words.begin(), words.end()) {
    line_.apps.emplace_back();
  }

  Result<CommandLine> run() {
    while (next_ < words_.size()) {
      const std::string word = words_[next_++];
      if (const Status status = step(word); !status.ok()) return status;
    }
    if (line_.help || line_.version || line_.table) return std::move(line_);
    if (const Status status = check(); !status.ok()) return status;
    set_checking_params(line_);
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
    const bool begins = next_ < words_.size() && words_[next_] != ":";
    if (begins && app().words.empty()) app().words = std::move(app().wrapper);
    while (next_ < words_.size() && words_[next_] != ":") app().words.push_back(words_[next_++]);
    return {};
  }

  Status take_option(std::string_view word) {
    const std::size_t dashes = word[1] == '-' ? 2 : 1;
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals).substr(dashes);
    const Option* const option = find_option(name);
    const std::size_t letters = option == nullptr ? letters_of_count(name) : 0;
    if (letters > 0)
      return take_option(std::string(word.substr(0, letters + dashes)) + "=" +
                         std::string(name.substr(letters)));
    if (option == nullptr) return unknown_option(word.substr(0, dashes), name);
    std::vector<std::string> values;
    if (equals != std::string_view::npos) values.emplace_back(word.substr(equals + 1));
    const std::string_view spelled = word.substr(0, equals);
    if (const Status status = complete(*option, spelled, values); !status.ok()) return status;
    return apply(*option, {line_, app(), spelled, values});
  }

  Status apply(const Option& option, const OptionUse& use) {
    const std::string name = "option " + std::string(use.spelled);
    if (option.effect == Option::Effect::refused)
      return Status::failure(Errc::unsupported, name + " is refused: " + std::string(option.help));
    if (option.apply != nullptr) {
      if (const Status status = option.apply(use); !status.ok()) return status;
    }
    if (!line_.command_file.empty()) return take_file(use);
    if (option.effect == Option::Effect::ignored)
      warn_once(name + " is ignored: " + std::string(option.help));
    return {};
  }

  void warn_once(const std::string& text) {
    if (std::find(line_.warnings.begin(), line_.warnings.end(), text) == line_.warnings.end())
      line_.warnings.push_back(text);
  }

  // The words of the file take the place of the option. It may name no other file.
  Status take_file(const OptionUse& use) {
    const std::string file = std::exchange(line_.command_file, {});
    if (std::exchange(inside_file_, true))
      return Status::failure(Errc::argument, "option " + std::string(use.spelled) +
                                                 ": a job is described by one file");
    if (next_ < words_.size())
      return Status::failure(Errc::argument, "option " + std::string(use.spelled) +
                                                 ": the file is the rest of the command line; '" +
                                                 words_[next_] + "' cannot follow it");
    auto words = read_command_file(file);
    if (!words.ok())
      return Status::failure(Errc::argument,
                             "option " + std::string(use.spelled) + ": " + words.status().text());
    words_.insert(words_.end(), words.value().begin(), words.value().end());
    return {};
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
      values.push_back(words_[next_++]);
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

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  bool inside_file_ = false;
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

std::string option_table() {
  constexpr const char* kEffects[] = {"obeyed", "ignored", "refused"};
  std::string table;
  for (const OptionGroup& group : option_groups()) {
    for (const Option& option : group.options) {
      table += std::string(group.title) + "\t" + std::string(option.names) + "\t" +
               std::string(option.values) + "\t" +
               kEffects[static_cast<std::size_t>(option.effect)] + "\t" + std::string(option.help) +
               "\n";
    }
  }
  return table;
}

Result<CommandLine> parse(std::span<char* const> words) {
  return Parser(words).run();
}

std::string help_text() {
  std::string help =
      "Usage: mpiexec [option...] program [argument...] [: [option...] program [argument...]]...\n"
      "Starts the ranks of an MPI job, here or through an engine elsewhere, and waits for them.\n";
  std::string ignored, refused;
  for (const OptionGroup& group : option_groups()) {
    bool titled = false;
    for (const Option& option : group.options) {
      if (option.effect == Option::Effect::ignored) ignored += names_only(option);
      if (option.effect == Option::Effect::refused) refused += names_only(option);
      if (option.effect != Option::Effect::obeyed) continue;
      if (!titled) help += "\n" + std::string(group.title) + "\n";
      titled = true;
      help += described(option);
    }
  }
  help += "\nOptions have one dash or two.\n";
  help += "\nThese are accepted too and ignored; a line says why:\n" + text::wrap(ignored, 100, 2) +
          "\n";
  help += "\nThese are refused; the error says what to do instead:\n" +
          text::wrap(refused, 100, 2) + "\n";
  help +=
      "\nExit status: that of the first rank that failed, 128 + N if signal N killed it; the code "
      "of MPI_Abort;\n"
      "2 wrong usage or parameters, 124 timeout, 126 not executable, 127 not found, 1 any other "
      "failure of mpiexec.\n";
  return help;
}

}  // namespace tessera::launcher
