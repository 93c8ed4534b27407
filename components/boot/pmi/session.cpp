// SPDX-License-Identifier: BSD-3-Clause
// Who am I, put, fence, get, and the end, in whichever dialect.
#include "session.h"

#include <cstdlib>

#include "mapping.h"
#include "pmi1.h"
#include "pmi2.h"
#include "value.h"

namespace tessera::boot::pmi {

Result<std::unique_ptr<Session>> PmiSession::open(std::unique_ptr<Wire> wire, std::uint32_t rank,
                                                  std::uint32_t size, Versions versions) noexcept {
  std::unique_ptr<PmiSession> session(new PmiSession(std::move(wire)));
  session->place_.rank = rank;
  session->place_.size = size;
  auto store = session->introduce(versions);
  if (!store.ok()) return store.status();
  session->place_.job = std::move(*store);
  session->describe_engine();
  if (Status s = session->read_nodes(); !s) return s;
  return std::unique_ptr<Session>(std::move(session));
}

// PMI-1 first: Hydra's first get after a fence takes tens of milliseconds in PMI-2, none in PMI-1.
Result<std::string> PmiSession::introduce(Versions versions) noexcept {
  if (versions != Versions::only_2) {
    dialect_ = std::make_unique<Pmi1>(*wire_);
    auto store = dialect_->introduce(place_.rank);
    if (store.status().code() != Errc::unsupported) return store;
    if (versions == Versions::only_1)
      return Status::failure(Errc::refused, "the process manager does not speak PMI-1: " +
                                                std::string(store.status().text()));
  }
  dialect_ = std::make_unique<Pmi2>(*wire_);
  auto store = dialect_->introduce(place_.rank);
  if (store.status().code() != Errc::unsupported) return store;
  return Status::failure(Errc::refused, std::string("the process manager does not speak PMI-2") +
                                            (versions == Versions::any ? ", nor PMI-1: " : ": ") +
                                            std::string(store.status().text()));
}

void PmiSession::describe_engine() {
  slurm_ = getenv("SLURM_STEP_ID") != nullptr && getenv("HYDI_CONTROL_FD") == nullptr;
  const std::string spoken = dialect_->name();
  place_.engine =
      slurm_ ? "Slurm (" + spoken + ")" : "a " + spoken + " process manager such as Hydra";
}

Status PmiSession::read_nodes() noexcept {
  place_.nodes.assign(1, 0);
  if (place_.size == 1) return {};
  auto text = dialect_->mapping();
  if (!text.ok()) return text.status();
  auto nodes = parse_mapping(*text, place_.size);
  if (!nodes)
    return Status::failure(
        Errc::refused, "the process manager (PMI) tells no nodes: '" + text->substr(0, 200) + "'");
  place_.nodes = std::move(*nodes);
  return {};
}

std::uint32_t PmiSession::app_number() noexcept {
  const std::int64_t number = wire_ ? dialect_->app_number().value_or(0) : 0;
  return number > 0 ? static_cast<std::uint32_t>(number) : 0;
}

std::optional<std::uint32_t> PmiSession::universe() noexcept {
  const std::int64_t size = wire_ ? dialect_->universe().value_or(-1) : -1;
  if (size <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(size);
}

// Keys of all processes lie in one space.
std::string PmiSession::key_of(std::uint32_t rank, std::string_view key, std::size_t piece) const {
  return std::to_string(rank) + "." + std::string(key) + "." + std::to_string(piece);
}

// A whole line must fit, too: `cmd=put kvsname=... key=... value=...`.
Result<std::size_t> PmiSession::piece_bytes(std::string_view key) noexcept {
  if (!limits_) {
    auto told = dialect_->limits();
    if (!told.ok()) return told.status();
    limits_ = *told;
  }
  const std::size_t around = place_.job.size() + key.size() + 64;
  const std::size_t line = Wire::kLineBytes > around + 64 ? Wire::kLineBytes - around : 64;
  return std::min(limits_->value - 1, line);
}

Status PmiSession::put(std::string_view key, std::span<const std::byte> value) noexcept {
  auto most = piece_bytes(key);
  if (!most.ok()) return most.status();
  std::size_t piece = 0;
  for (const std::string& text : split(value, *most)) {
    const std::string name = key_of(place_.rank, key, piece++);
    if (name.size() >= limits_->key)
      return Status::failure(Errc::no_space, "the key '" + name +
                                                 "' is too long for the store of "
                                                 "the process manager (PMI)");
    if (Status s = dialect_->put(name, text); !s) return s;
  }
  return {};
}

Status PmiSession::fence() noexcept {
  return dialect_->fence();
}

Result<std::vector<std::byte>> PmiSession::get(std::uint32_t rank, std::string_view key) noexcept {
  auto most = piece_bytes(key);
  if (!most.ok()) return most.status();
  auto text = dialect_->get(key_of(rank, key, 0));
  if (!text.ok()) return text.status();
  std::string all = *text;
  const auto more = pieces_after(all, *most);
  for (std::size_t piece = 1; more && piece <= *more; ++piece) {
    auto next = dialect_->get(key_of(rank, key, piece));
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
Status PmiSession::spawn(std::span<const Program> programs) noexcept {
  return slurm_ ? Status(Errc::unsupported) : dialect_->spawn(programs);
}

void PmiSession::abort(int code, std::string_view why) noexcept {
  if (wire_) dialect_->abort(code, why);
}

Status PmiSession::finalize() noexcept {
  if (!wire_) return {};
  const Status said = dialect_->finalize();
  wire_.reset();
  return said;
}

}  // namespace tessera::boot::pmi
