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
  if (Status s = session->introduce(versions); !s) return s;
  session->read_place();
  if (Status s = session->read_nodes(); !s) return s;
  return std::unique_ptr<Session>(std::move(session));
}

// PMI-1 first: Hydra's first get after a fence takes tens of milliseconds in PMI-2, none in PMI-1.
Status PmiSession::introduce(Versions versions) noexcept {
  if (versions != Versions::only_2) {
    dialect_ = std::make_unique<Pmi1>(*wire_);
    const Status said = dialect_->introduce(place_.rank, job_);
    if (said.code() != Errc::unsupported) return said;
    if (versions == Versions::only_1)
      return Status::failure(
          Errc::refused, "the process manager does not speak PMI-1: " + std::string(said.text()));
  }
  dialect_ = std::make_unique<Pmi2>(*wire_);
  const Status said = dialect_->introduce(place_.rank, job_);
  if (said.code() != Errc::unsupported) return said;
  return Status::failure(Errc::refused, std::string("the process manager does not speak PMI-2") +
                                            (versions == Versions::any ? ", nor PMI-1: " : ": ") +
                                            std::string(said.text()));
}

void PmiSession::read_place() noexcept {
  place_.job = job_.store;
  place_.app_number = job_.app_number > 0 ? static_cast<std::uint32_t>(job_.app_number) : 0;
  place_.universe = job_.universe;
  slurm_ = getenv("SLURM_STEP_ID") != nullptr && getenv("HYDI_CONTROL_FD") == nullptr;
  const std::string spoken = dialect_->name();
  place_.engine =
      slurm_ ? "Slurm (" + spoken + ")" : "a " + spoken + " process manager such as Hydra";
}

// A server that knows no nodes has one, or a job of one process.
Status PmiSession::read_nodes() noexcept {
  auto text = dialect_->mapping();
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
  const std::size_t around = job_.store.size() + key.size() + 64;
  const std::size_t line = Wire::kLineBytes > around + 64 ? Wire::kLineBytes - around : 64;
  return std::min(job_.value_limit - 1, line);
}

Status PmiSession::put(std::string_view key, std::span<const std::byte> value) noexcept {
  std::size_t piece = 0;
  for (const std::string& text : split(value, piece_bytes(key))) {
    const std::string name = key_of(place_.rank, key, piece++);
    if (name.size() >= job_.key_limit)
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
  auto text = dialect_->get(key_of(rank, key, 0));
  if (!text.ok()) return text.status();
  std::string all = *text;
  const auto more = pieces_after(all, piece_bytes(key));
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
