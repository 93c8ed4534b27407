// SPDX-License-Identifier: BSD-3-Clause
// ForeignSend and ForeignReceive: the life of a message to or from another system.
#include <algorithm>
#include <new>

#include "core/datatype/basic.h"
#include "core/datatype/engine_type.h"
#include "core/impi/foreign_pml.h"

namespace tessera::impi {
// In external32 that is so for elements of one byte.
bool lies_packed(const TypeObject& type, PackedForm form) noexcept {
  if (!type.contiguous() || type.size() == 0) return false;
  if (form == PackedForm::native) return true;
  const Piece& piece = type.element_layout();
  return piece.node == nullptr && find_basic(piece.kind)->size == 1;
}

// ---- sending ----

ForeignSend::ForeignSend(ForeignPml& pml, const pml::SendArgs& args, std::uint32_t to,
                         bool persistent) noexcept
    : pml_(pml), args_(args), to_(to) {
  persistent_ = persistent;
  args_.type = &engine_type(*args_.type);
  args_.type->hold();
}

ForeignSend::~ForeignSend() {
  args_.type->drop();
}

Status ForeignSend::start() noexcept {
  begin();
  status_ = {};
  left_ = long_ = awaited_ = false;
  cancel_ = Cancel::none;
  const Status launched = pml_.launch(*this);
  if (launched.ok()) return {};
  finish();
  deactivate();
  return launched;
}

Status ForeignPml::launch(ForeignSend& request) noexcept try {
  const auto& type = as_object(*request.args_.type);
  const PackedForm form = form_of(request.args_.context, request.args_.tag);
  const auto bytes =
      static_cast<std::uint64_t>(tessera::packed_size(type, request.args_.count, form).value());
  const std::byte* data = static_cast<const std::byte*>(request.args_.buffer);
  request.packed_.reset();
  if (!lies_packed(type, form) && bytes > 0) {
    auto packed = std::make_shared<Bytes>(static_cast<std::size_t>(bytes));
    if (Status s = pack_data(type, request.args_.buffer, request.args_.count, form, packed->data());
        !s)
      return s;
    data = packed->data();
    request.packed_ = std::move(packed);
  }
  request.id_ = next_id_++;
  request.long_ = bytes > roster_.terms.most_data;
  request.awaited_ = request.long_ || request.args_.mode == pml::Mode::synchronous;
  sends_.emplace(request.id_, &request);
  Outgoing first;
  first.packet =
      header(request.to_, request.awaited_ ? PacketType::datasync : PacketType::data, request.id_);
  first.packet.message_length = bytes;
  first.packet.source_rank = request.args_.source;
  first.packet.tag = request.args_.tag;
  first.packet.cid = cid_of(request.args_.context);
  first.packet.count = request.args_.count;
  first.data = data;
  first.keeper = request.packed_;
  first.end = std::min<std::uint64_t>(bytes, roster_.terms.most_data);
  if (request.long_) {
    Outgoing body = first;
    body.packet.type = PacketType::data;
    body.begin = first.end;
    body.end = bytes;
    body.request = request.id_;
    agent_.send_body_after(request.to_, std::move(body));
  } else {
    first.request = request.id_;
  }
  agent_.submit(request.to_, std::move(first));
  return {};
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void ForeignSend::settle() noexcept {
  if (!active() || complete() || !left_ || awaited_ || cancel_ == Cancel::asked) return;
  end({}, false);
}

void ForeignSend::end(Status why, bool cancelled) noexcept {
  pml_.sends_.erase(id_);
  packed_.reset();
  status_.error = why;
  status_.cancelled = cancelled;
  const bool last = abandoned_;
  if (last)
    release();
  else
    finish();
}

// Takes back a message that has not left; else asks the other system, unless that has matched it.
void ForeignSend::cancel() noexcept {
  if (complete() || cancel_ == Cancel::asked) return;
  if (pml_.agent_.withdraw(to_, id_)) return end({}, true);
  if (!awaited_) return;
  cancel_ = Cancel::asked;
  pml_.agent_.submit(to_, {.packet = pml_.header(to_, PacketType::cancel, id_)});
}

void ForeignSend::free() noexcept {
  if (active() && !complete()) {
    abandoned_ = true;
    return;
  }
  release();
}

// ---- receiving ----

ForeignReceive::ForeignReceive(ForeignPml& pml, const pml::RecvArgs& args, bool persistent) noexcept
    : pml_(pml), args_(args) {
  persistent_ = persistent;
  args_.type = &engine_type(*args_.type);
  args_.type->hold();
}

ForeignReceive::~ForeignReceive() {
  args_.type->drop();
}

Status ForeignReceive::start() noexcept {
  begin();
  status_ = {};
  id_ = 0;
  phase_ = Phase::idle;
  const Status posted = pml_.post(*this);
  if (posted.ok()) return {};
  finish();
  deactivate();
  return posted;
}

bool ForeignReceive::admits(const Packet& packet) const noexcept {
  return cid_of(args_.context) == packet.cid &&
         (args_.source == kAnySource || args_.source == packet.source_rank) &&
         (args_.tag == kAnyTag || args_.tag == packet.tag);
}

bool ForeignReceive::withdraw_half() noexcept {
  if (half_ == nullptr) return true;
  half_->then(nullptr, nullptr);
  half_->cancel();
  if (!half_->complete()) {  // matched, and its data on the way
    half_->then(
        [](Request&, void* self) noexcept { static_cast<ForeignReceive*>(self)->half_done(); },
        this);
    return false;
  }
  half_->free();
  half_ = nullptr;
  return true;
}

void ForeignReceive::half_done() noexcept {
  if (phase_ == Phase::posted) pml_.unpost(*this);
  status_ = half_->status();
  const Status error = half_->error();
  half_->free();
  half_ = nullptr;
  end(error);
}

void ForeignReceive::cancel() noexcept {
  if (complete() || phase_ != Phase::posted || !withdraw_half()) return;
  pml_.unpost(*this);
  status_ = {};
  status_.cancelled = true;
  end({});
}

void ForeignReceive::end(Status why) noexcept {
  phase_ = Phase::idle;
  data_ = {};
  status_.error = why;
  if (abandoned_)
    release();
  else
    finish();
}

void ForeignReceive::free() noexcept {
  if (active() && !complete()) {
    abandoned_ = true;
    return;
  }
  release();
}

}  // namespace tessera::impi
