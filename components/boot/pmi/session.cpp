// SPDX-License-Identifier: BSD-3-Clause
// The commands of PMI-1: who am I, put, fence, get, and the end.
#include "session.h"

#include <cstdlib>
#include <new>

#include "mapping.h"
#include "order.h"
#include "value.h"

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

Result<std::unique_ptr<Session>> PmiSession::open(std::unique_ptr<Wire> wire, std::uint32_t rank,
                                                  std::uint32_t size) noexcept {
  std::unique_ptr<PmiSession> session(new PmiSession(std::move(wire)));
  session->place_.rank = rank;
  session->place_.size = size;
  if (Status s = session->greet(); !s) return s;
  if (Status s = session->read_limits(); !s) return s;
  if (Status s = session->read_place(); !s) return s;
  if (Status s = session->read_nodes(); !s) return s;
  return std::unique_ptr<Session>(std::move(session));
}

Status PmiSession::greet() noexcept {
  auto answer = wire_->ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  if (!answer.ok()) return answer.status();
  if (succeeded(*answer)) return {};
  return Status::failure(Errc::refused, "the process manager does not speak PMI-1: '" +
                                            answer->text().substr(0, 200) + "'");
}

Status PmiSession::read_limits() noexcept {
  auto answer = wire_->ask("cmd=get_maxes", "maxes");
  if (!answer.ok()) return answer.status();
  const auto key = answer->number("keylen_max");
  const auto value = answer->number("vallen_max");
  if (!key || !value || *key < 32 || *value < 64) return wrong_answer(*answer, "usable limits");
  key_limit_ = static_cast<std::size_t>(*key);
  value_limit_ = static_cast<std::size_t>(*value);
  return {};
}

Status PmiSession::read_place() noexcept {
  auto name = wire_->ask("cmd=get_my_kvsname", "my_kvsname");
  if (!name.ok()) return name.status();
  const auto store = name->value("kvsname");
  if (!store || store->empty()) return wrong_answer(*name, "name of its store");
  store_ = *store;
  place_.job = store_;
  if (auto answer = wire_->ask("cmd=get_appnum", "appnum"); answer.ok()) {
    const auto number = answer->number("appnum").value_or(0);
    place_.app_number = number > 0 ? static_cast<std::uint32_t>(number) : 0;
  }
  if (auto answer = wire_->ask("cmd=get_universe_size", "universe_size"); answer.ok())
    place_.universe = answer->number("size").value_or(-1);
  slurm_ = getenv("SLURM_STEP_ID") != nullptr && getenv("HYDI_CONTROL_FD") == nullptr;
  place_.engine = slurm_ ? "Slurm (PMI-1)" : "a PMI-1 process manager such as Hydra";
  return {};
}

// A server that knows no nodes has one, or a job of one process.
Status PmiSession::read_nodes() noexcept {
  auto text = get_text("PMI_process_mapping");
  if (!text.ok() && place_.size > 1) return text.status();
  const auto nodes = text.ok() ? parse_mapping(*text, place_.size) : std::nullopt;
  if (!nodes && place_.size > 1)
    return Status::failure(Errc::refused, "the process manager (PMI) tells no nodes: '" +
                                              text.value().substr(0, 200) + "'");
  place_.nodes = nodes.value_or(std::vector<std::uint32_t>(1, 0));
  return {};
}

// Keys of all processes lie in one space.
std::string PmiSession::key_of(std::uint32_t rank, std::string_view key, std::size_t piece) const {
  return std::to_string(rank) + "." + std::string(key) + "." + std::to_string(piece);
}

// A whole line must fit, too: `cmd=put kvsname=... key=... value=...`.
std::size_t PmiSession::piece_bytes(std::string_view key) const noexcept {
  const std::size_t around = store_.size() + key.size() + 64;
  const std::size_t line = Wire::kLineBytes > around + 64 ? Wire::kLineBytes - around : 64;
  return std::min(value_limit_ - 1, line);
}

Status PmiSession::put(std::string_view key, std::span<const std::byte> value) noexcept {
  std::size_t piece = 0;
  for (const std::string& text : split(value, piece_bytes(key))) {
    const std::string name = key_of(place_.rank, key, piece++);
    if (name.size() >= key_limit_)
      return Status::failure(Errc::no_space, "the key '" + name +
                                                 "' is too long for the store of "
                                                 "the process manager (PMI)");
    auto answer =
        wire_->ask("cmd=put kvsname=" + store_ + " key=" + name + " value=" + text, "put_result");
    if (!answer.ok()) return answer.status();
    if (!succeeded(*answer)) return wrong_answer(*answer, "success of a put");
  }
  return {};
}

Status PmiSession::fence() noexcept {
  return wire_->ask("cmd=barrier_in", "barrier_out").status();
}

Result<std::string> PmiSession::get_text(const std::string& key) noexcept {
  auto answer = wire_->ask("cmd=get kvsname=" + store_ + " key=" + key, "get_result");
  if (!answer.ok()) return answer.status();
  const auto text = answer->value("value");
  if (!succeeded(*answer) || !text)
    return Status::failure(Errc::not_found,
                           "the store of the process manager (PMI) has no '" + key + "'");
  return std::string(*text);
}

Result<std::vector<std::byte>> PmiSession::get(std::uint32_t rank, std::string_view key) noexcept {
  auto text = get_text(key_of(rank, key, 0));
  if (!text.ok()) return text.status();
  std::string all = *text;
  const auto more = pieces_after(all, piece_bytes(key));
  for (std::size_t piece = 1; more && piece <= *more; ++piece) {
    auto next = get_text(key_of(rank, key, piece));
    if (!next.ok()) return next.status();
    all += *next;
  }
  auto value = more ? join(all) : std::nullopt;
  if (value) return std::move(*value);
  return Status::failure(Errc::refused,
                         "the store of the process manager (PMI) has damaged what "
                         "rank " +
                             std::to_string(rank) + " put there as '" + std::string(key) + "'");
}

// Slurm would start a step of its own for them, for which the job's processors are taken already.
Status PmiSession::spawn(std::span<const Program> programs) noexcept try {
  if (slurm_) return Errc::unsupported;
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
    if (Status s = wire_->send(order); !s) return s;
  }
  auto answer = wire_->receive();
  if (!answer.ok()) return answer.status();
  if (answer->command() == "spawn_result" && succeeded(*answer)) return {};
  return wrong_answer(*answer, "success of a spawn");
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void PmiSession::abort(int code, std::string_view) noexcept {
  if (wire_) (void)wire_->send("cmd=abort exitcode=" + std::to_string(code));
}

Status PmiSession::finalize() noexcept {
  if (!wire_) return {};
  const Status said = wire_->ask("cmd=finalize", "finalize_ack").status();
  wire_.reset();
  return said;
}

}  // namespace tessera::boot::pmi
