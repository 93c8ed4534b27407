// SPDX-License-Identifier: BSD-3-Clause
// Each command of PMI-1 is a line, and its answer another one.
#include "pmi1.h"

#include <new>
#include <vector>

#include "order.h"

namespace tessera::boot::pmi {
namespace {

// Hydra ends the whole job for a longer order.
constexpr std::size_t kOrderBytes = 60'000;

Status wrong_answer(const Line& answer, const char* what) {
  return Status::failure(Errc::refused, std::string("the process manager (PMI) tells no ") + what +
                                            ": '" + answer.text().substr(0, 200) + "'");
}

bool succeeded(const Line& answer) noexcept {
  return answer.number("rc").value_or(0) == 0;
}

}  // namespace

Result<std::string> Pmi1::introduce(std::uint32_t) noexcept {
  auto hello = wire_.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  if (!hello.ok()) return hello.status();
  if (!succeeded(*hello))
    return Status::failure(Errc::unsupported, "'" + hello->text().substr(0, 200) + "'");
  auto name = wire_.ask("cmd=get_my_kvsname", "my_kvsname");
  if (!name.ok()) return name.status();
  const auto store = name->value("kvsname");
  if (!store || store->empty()) return wrong_answer(*name, "name of its store");
  return store_ = *store;
}

Result<Limits> Pmi1::limits() noexcept {
  auto answer = wire_.ask("cmd=get_maxes", "maxes");
  if (!answer.ok()) return answer.status();
  const auto key = answer->number("keylen_max");
  const auto value = answer->number("vallen_max");
  if (!key || !value || *key < 32 || *value < 64) return wrong_answer(*answer, "usable limits");
  return Limits{static_cast<std::size_t>(*key), static_cast<std::size_t>(*value)};
}

std::optional<std::int64_t> Pmi1::app_number() noexcept {
  auto answer = wire_.ask("cmd=get_appnum", "appnum");
  return answer.ok() ? answer->number("appnum") : std::nullopt;
}

std::optional<std::int64_t> Pmi1::universe() noexcept {
  auto answer = wire_.ask("cmd=get_universe_size", "universe_size");
  return answer.ok() ? answer->number("size") : std::nullopt;
}

Status Pmi1::put(std::string_view key, std::string_view value) noexcept {
  std::string line = "cmd=put kvsname=" + store_ + " key=";
  ((line += key) += " value=") += value;
  auto answer = wire_.ask(line, "put_result");
  if (!answer.ok()) return answer.status();
  return succeeded(*answer) ? Status() : wrong_answer(*answer, "success of a put");
}

Status Pmi1::fence() noexcept {
  return wire_.ask("cmd=barrier_in", "barrier_out").status();
}

Result<std::string> Pmi1::get(std::string_view key) noexcept {
  auto answer = wire_.ask("cmd=get kvsname=" + store_ + " key=" + std::string(key), "get_result");
  if (!answer.ok()) return answer.status();
  const auto text = answer->value("value");
  if (succeeded(*answer) && text) return std::string(*text);
  return Status::failure(
      Errc::not_found, "the store of the process manager (PMI) has no '" + std::string(key) + "'");
}

Status Pmi1::spawn(std::span<const Program> programs) noexcept try {
  std::vector<std::string> orders;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    orders.push_back(order_of(programs[i], i + 1, programs.size()));
    if (orders.back().size() > kOrderBytes)
      return Status::failure(Errc::refused, "arguments and variables of '" + programs[i].path +
                                                "' are longer than the " +
                                                std::to_string(kOrderBytes) +
                                                " bytes that a PMI-1 process manager takes");
  }
  for (const std::string& order : orders) {
    if (Status s = wire_.send(order); !s) return s;
  }
  auto answer = wire_.receive();
  if (!answer.ok()) return answer.status();
  if (answer->command() == "spawn_result" && succeeded(*answer)) return {};
  return wrong_answer(*answer, "success of a spawn");
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void Pmi1::abort(int code, std::string_view) noexcept {
  (void)wire_.send("cmd=abort exitcode=" + std::to_string(code));
}

Status Pmi1::finalize() noexcept {
  return wire_.ask("cmd=finalize", "finalize_ack").status();
}

}  // namespace tessera::boot::pmi
