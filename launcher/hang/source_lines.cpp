// SPDX-License-Identifier: BSD-3-Clause
// Asks addr2line(1), and the symbol table where that knows nothing.
#include "launcher/hang/source_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>

#include "framework/text.h"

namespace tessera::launcher {
namespace {

constexpr int kAnswerMs = 2'000;

std::string last_part(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// What the process writes until it ends, or nothing if it takes too long.
std::string output_of(pid_t process, int pipe) {
  std::string text;
  char buffer[4096];
  pollfd ready{pipe, POLLIN, 0};
  while (poll(&ready, 1, kAnswerMs) > 0) {
    const ssize_t bytes = read(pipe, buffer, sizeof buffer);
    if (bytes <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(bytes));
  }
  kill(process, SIGKILL);
  return {};
}

// Standard output of `words`; empty when the program cannot be run.
std::string run(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (failed == 0) {
    text = output_of(process, ends[0]);
    waitpid(process, nullptr, 0);
  }
  close(ends[0]);
  return text;
}

// Two lines: the function, and file:line.
struct Answer {
  std::string function;
  std::string line;
};

Answer ask_addr2line(const std::string& file, const std::string& offset) {
  Answer answer;
  const std::string text = run({"addr2line", "-C", "-f", "-e", file, "0x" + offset});
  const auto lines = text::split(text, '\n');
  if (lines.size() < 2) return answer;
  if (lines[0] != "??") answer.function = lines[0];
  std::string_view line = lines[1];
  line = line.substr(0, line.find(" (discriminator"));
  if (line.find(":?") == std::string_view::npos && !line.starts_with("??") && !line.ends_with(":0"))
    answer.line = last_part(line);
  return answer;
}

std::string one_place(const std::string& file, const std::string& offset, std::string symbol,
                      std::string& function) {
  Answer answer = ask_addr2line(file, offset);
  function = answer.function;
  if (function.empty()) {
    std::uint64_t address = 0;
    std::from_chars(offset.data(), offset.data() + offset.size(), address, 16);
    function = function_at(file, address);
  }
  if (function.empty()) function = std::move(symbol);
  if (!answer.line.empty())
    return function.empty() ? answer.line : fmt::format("{} ({})", answer.line, function);
  const std::string in = last_part(file);
  return function.empty() ? fmt::format("{}+0x{}", in, offset)
                          : fmt::format("{} (in {})", function, in);
}

}  // namespace

std::vector<std::string> source_lines(std::string_view places) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> found;
  for (std::string_view line : text::split(places, '\n')) {
    const auto parts = text::split(line, '\t');
    if (parts.size() < 3 || found.size() == kMost) break;
    std::string function;
    found.push_back(
        one_place(std::string(parts[0]), std::string(parts[1]), std::string(parts[2]), function));
    if (function == "main") break;
  }
  return found;
}

}  // namespace tessera::launcher
