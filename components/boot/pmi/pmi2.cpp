// SPDX-License-Identifier: BSD-3-Clause
// Each command of PMI-2 is a message, and its answer another one, named COMMAND-response.
#include "pmi2.h"

#include <cstdlib>
#include <new>

#include "order.h"

namespace tessera::boot::pmi {
namespace {

// PMI-2 has no command that tells them.
constexpr std::size_t kKeyLimit = 64;
constexpr std::size_t kValueLimit = 1024;

Result<std::string> found(const Answer& answer, std::string_view key) noexcept {
  const auto value = answer.value("value");
  // Versions differ in the name of the flag.
  const auto flag = answer.value("found");
  if (flag.value_or(answer.value("flag").value_or("TRUE")) == "TRUE" && value)
    return std::string(*value);
  return Status::failure(Errc::not_found, "the store of the process manager (PMI-2) has no '" +
                                              std::string(key) + "'");
}

}  // namespace

Result<Answer> Pmi2::ask(const Message& request, const char* command) noexcept {
  if (Status s = wire_.write(request.text()); !s) return s;
  auto answer = Answer::receive(wire_);
  if (!answer.ok()) return answer;
  if (answer->value("cmd") != std::string(command) + "-response")
    return Status::failure(Errc::refused, "the process manager (PMI-2) answered '" +
                                              answer->body().substr(0, 200) + "' to '" + command +
                                              "'");
  if (answer->succeeded()) return answer;
  return Status::failure(Errc::refused, std::string("the process manager (PMI-2) refuses '") +
                                            command + "': " + answer->complaint());
}

// The greeting is a line, as in PMI-1: it says which version follows.
Result<std::string> Pmi2::introduce(std::uint32_t rank) noexcept {
  auto hello = wire_.ask("cmd=init pmi_version=2 pmi_subversion=0", "response_to_init");
  if (!hello.ok()) return hello.status();
  if (hello->number("rc").value_or(0) != 0 || hello->number("pmi_version").value_or(2) != 2)
    return Status::failure(Errc::unsupported, "'" + hello->text().substr(0, 200) + "'");
  const char* const given = getenv("PMI_JOBID");
  Message init("fullinit");
  init.add("pmijobid", given != nullptr ? given : "").add("pmirank", std::to_string(rank));
  auto place = ask(init.add("threaded", "FALSE"), "fullinit");
  if (!place.ok()) return place.status();
  if (place->number("rank").value_or(rank) != rank)
    return Status::failure(Errc::refused, "the process manager (PMI-2) takes rank " +
                                              std::to_string(rank) + " for another one: '" +
                                              place->body().substr(0, 200) + "'");
  app_number_ = place->number("appnum").value_or(0);
  auto name = ask(Message("job-getid"), "job-getid");
  if (!name.ok()) return name.status();
  job_ = name->value("jobid").value_or("");
  if (job_.empty())
    return Status::failure(Errc::refused,
                           "the process manager (PMI-2) tells no name of the job: '" +
                               name->body().substr(0, 200) + "'");
  return job_;
}

Result<Limits> Pmi2::limits() noexcept {
  return Limits{kKeyLimit, kValueLimit};
}

std::optional<std::int64_t> Pmi2::universe() noexcept {
  auto answer = ask(Message("info-getjobattr").add("key", "universeSize"), "info-getjobattr");
  return answer.ok() ? answer->number("value") : std::nullopt;
}

Result<std::string> Pmi2::attribute(std::string_view key) noexcept {
  auto answer = ask(Message("info-getjobattr").add("key", key), "info-getjobattr");
  if (!answer.ok()) return answer.status();
  return found(*answer, key);
}

Status Pmi2::put(std::string_view key, std::string_view value) noexcept {
  return ask(Message("kvs-put").add("key", key).add("value", value), "kvs-put").status();
}

Status Pmi2::fence() noexcept {
  return ask(Message("kvs-fence"), "kvs-fence").status();
}

Result<std::string> Pmi2::get(std::string_view key) noexcept {
  Message request("kvs-get");
  auto answer = ask(request.add("jobid", job_).add("srcid", "-1").add("key", key), "kvs-get");
  if (!answer.ok()) return answer.status();
  return found(*answer, key);
}

Status Pmi2::spawn(std::span<const Program> programs) noexcept try {
  Message order("spawn");
  order.add("ncmds", std::to_string(programs.size())).add("preputcount", "0");
  for (const Program& program : programs) {
    const std::string words = env_words(program);
    if (words.find(';') != std::string::npos)
      return Status::failure(Errc::refused, "arguments and variables of '" + program.path +
                                                "' hold a ';', which process managers of PMI-2 "
                                                "do not carry");
    order.add("subcmd", kEnvProgram).add("maxprocs", std::to_string(program.processes));
    order.add("argc", "1").add("argv0", words);
    order.add("infokeycount", program.host.empty() ? "0" : "1");
    if (!program.host.empty()) order.add("infokey0", "host").add("infoval0", program.host);
  }
  return ask(order, "spawn").status();
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void Pmi2::abort(int, std::string_view why) noexcept {
  Message end("abort");
  (void)wire_.write(end.add("isworld", "TRUE").add("msg", why).text());
}

Status Pmi2::finalize() noexcept {
  return ask(Message("finalize"), "finalize").status();
}

}  // namespace tessera::boot::pmi
