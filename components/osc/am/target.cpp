// SPDX-License-Identifier: BSD-3-Clause
// Operations at the target: what a message does to this process's memory.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "module.h"

namespace tessera::osc::am {
namespace {

using Effect = Combination::Kind;

// Element after element, as in a C array: pairs may have gaps in memory that they lack on the way.
class Elements {
 public:
  explicit Elements(const Datatype& type) noexcept
      : type_(type),
        size_(static_cast<std::size_t>(type.size())),
        gaps_(type.size() != type.extent()) {}
  std::size_t size() const noexcept { return size_; }
  // How many of the elements in `run` can be changed at once.
  std::size_t at_once(std::size_t run) const noexcept { return gaps_ ? 1 : run / size_; }

  void change(std::byte* at, const std::byte* operands, std::size_t n,
              const Combination& how) const noexcept {
    alignas(16) std::byte one[64];
    if (gaps_) {
      PackCursor(type_, one, 1).unpack(operands, size_);
      operands = one;
    }
    if (how.kind == Effect::reduce) {
      static_cast<void>(how.op->apply(operands, at, static_cast<Count>(n), type_));
    } else if (how.kind == Effect::replace && gaps_) {
      std::byte packed[64];
      PackCursor(type_, one, 1).pack(packed, size_);
      PackCursor(type_, at, 1).unpack(packed, size_);
    } else if (how.kind == Effect::replace) {
      std::memcpy(at, operands, n * size_);
    }
  }
  void read(std::byte* to, const std::byte* at, std::size_t n) const noexcept {
    if (!gaps_) return static_cast<void>(std::memcpy(to, at, n * size_));
    PackCursor(type_, at, 1).pack(to, size_);
  }

 private:
  const Datatype& type_;
  std::size_t size_;
  bool gaps_;
};

}  // namespace

void AmModule::receive(const Header& head, std::span<const std::byte> payload) {
  Target& from = target(static_cast<int>(head.sender));
  switch (head.kind) {
    case Kind::batch:
      return receive_batch(head, payload);
    case Kind::put:
      return receive_data(head, payload);
    case Kind::get:
      return receive_get(head);
    case Kind::accumulate:
    case Kind::fetch:
      return receive_accumulate(head, payload);
    case Kind::swap:
      return receive_swap(head, payload);
    case Kind::result:
      return receive_result(head, payload);
    case Kind::failed:
      return receive_failure(head, payload);
    case Kind::flushed:
      from.flushed = std::max(from.flushed, head.id);
      if ((head.flags & Flag::locks) != 0) from.reply = Target::Reply::granted;
      return;
    case Kind::granted:
      from.reply = Target::Reply::granted;
      return;
    case Kind::denied:
      from.reply = Target::Reply::denied;
      from.dead_holder = static_cast<int>(head.id) - 1;
      return;
    case Kind::post:
      ++from.posts;
      return;
    case Kind::type:
    case Kind::forget_types:
      return;  // of the network
  }
}

void AmModule::receive_batch(const Header& head, std::span<const std::byte> payload) {
  if ((head.flags & Flag::locks) == 0 || admit(head, payload)) carry_out(head, payload);
}

void AmModule::carry_out(const Header& head, std::span<const std::byte> payload) {
  Batch::each(head, payload, [this](const Header& each, std::span<const std::byte> data) {
    receive_small(each, data);
  });
  if ((head.flags & Flag::completes) != 0) ++completed_;
  if ((head.flags & Flag::answer) != 0)
    confirm(head);
  else if ((head.flags & Flag::locks) != 0)
    answer(static_cast<int>(head.sender), header(Kind::granted));
  if ((head.flags & Flag::unlocks) != 0) release_lock(static_cast<int>(head.sender));
}

void AmModule::confirm(const Header& head) {
  Header done = header(Kind::flushed);
  done.id = head.id;
  done.flags = head.flags & Flag::locks;
  answer(static_cast<int>(head.sender), done);
}

// Where the data is; null, after the origin was told, if it is not attached or its type not known.
std::byte* AmModule::place(const Header& head, KnownType& type, std::uint64_t total) {
  type = network_.type_of(peer(static_cast<int>(head.sender)), head.type);
  if (head.type != 0 && (type == nullptr || type->size() == 0)) {
    refuse(head, "the datatype of the target did not arrive");
    return nullptr;
  }
  if (window_.flavor() != Flavor::dynamic) return base_ + head.displacement;
  std::int64_t low = 0;
  auto high = static_cast<std::int64_t>(total);
  if (type != nullptr) {
    const auto last = (static_cast<std::int64_t>(total / type->size()) - 1) * type->extent();
    low = type->low() + std::min<std::int64_t>(last, 0);
    high = type->high() + std::max<std::int64_t>(last, 0);
  }
  const auto begin = static_cast<std::uintptr_t>(head.displacement + low);
  const auto end = static_cast<std::uintptr_t>(head.displacement + high);
  const auto behind = regions_.upper_bound(begin);
  if (behind != regions_.begin() && end <= std::prev(behind)->second)
    return reinterpret_cast<std::byte*>(head.displacement);
  char text[200];
  std::snprintf(text, sizeof text,
                "the access of bytes 0x%zx to 0x%zx of rank %d does not lie in a region that this "
                "rank has attached to the window (it has %zu)",
                begin, end - 1, window_.rank(), regions_.size());
  refuse(head, text);
  return nullptr;
}

void AmModule::refuse(const Header& head, const std::string& why) {
  if (head.position != 0) return;  // told with the first piece
  Header failed = header(Kind::failed);
  const bool has_result = head.kind != Kind::put && head.kind != Kind::accumulate;
  failed.id = has_result ? head.id : 0;
  answer(static_cast<int>(head.sender), failed,
         std::as_bytes(std::span<const char>(why.data(), why.size())));
}

void AmModule::receive_data(const Header& head, std::span<const std::byte> payload) {
  KnownType type;
  std::byte* const base = place(head, type, head.total);
  if (base == nullptr) return;
  FlatCursor cursor(type.get(), base, head.total, head.position);
  if (payload.size() <= cursor.remaining()) cursor.write(payload);
}

// Long contiguous data on its way into the window, or into the buffer of a get; operands.
std::byte* AmModule::landing(const Header& head, std::size_t bytes) noexcept {
  if (head.kind == Kind::put) {
    const bool fits = head.position <= head.total && bytes <= head.total - head.position;
    if (head.type != 0 || window_.flavor() == Flavor::dynamic || !fits) return nullptr;
    return base_ + head.displacement + head.position;
  }
  if (has_operands(head.kind))
    return network_.landing_of(peer(static_cast<int>(head.sender)), bytes);
  const auto found = head.kind == Kind::result ? pending_.find(head.id) : pending_.end();
  if (found == pending_.end()) return nullptr;
  const Local& into = found->second.into;
  const auto size = static_cast<std::uint64_t>(into.count * into.type->size());
  const bool fits = head.position <= size && bytes <= size - head.position;
  return into.type->contiguous() && fits ? static_cast<std::byte*>(into.buffer) + head.position
                                         : nullptr;
}

void AmModule::receive_landed(const Header& head, std::size_t bytes) {
  if (head.kind == Kind::result) count_result(head, bytes);
}

void AmModule::receive_get(const Header& head) {
  KnownType type;
  std::byte* const base = place(head, type, head.total);
  if (base == nullptr) return;
  Header result = header(Kind::result);
  result.id = head.id;
  result.flags = head.flags;
  result.total = head.total;
  network_.post(peer(static_cast<int>(head.sender)), ResultStream{result, type, base});
}

// Operations of one kind come many at a time.
const Combination* AmModule::combination(const Header& head) {
  Combination& last = last_combination_;
  const bool same =
      last.element != nullptr && last.op_number == head.op && last.element_number == head.element;
  if (same) return &last;
  last.element = nullptr;
  Combination how{};
  if (!find_combination(head.op, head.element, how)) return nullptr;
  return &(last = how);
}

// Of data that lie side by side; the usual case in short.
void AmModule::receive_small(const Header& head, std::span<const std::byte> payload) {
  const bool puts = head.kind == Kind::put;
  const Combination* const how = puts ? nullptr : combination(head);
  const bool plain = puts || (how != nullptr && how->element->size() == how->element->extent());
  if (!plain || window_.flavor() == Flavor::dynamic)
    return puts ? receive_data(head, payload) : receive_accumulate(head, payload);
  std::byte* const at = base_ + head.displacement;
  if (puts || how->kind == Effect::replace)
    std::memcpy(at, payload.data(), payload.size());
  else if (how->kind == Effect::reduce)
    static_cast<void>(how->op->apply(payload.data(), at,
                                     static_cast<Count>(payload.size()) / how->element->size(),
                                     *how->element));
}

void AmModule::receive_accumulate(const Header& head, std::span<const std::byte> payload) {
  KnownType type;
  const Combination* const known = combination(head);
  if (known == nullptr) return refuse(head, "this operation is not known at the target");
  const Combination& how = *known;
  std::byte* const base = place(head, type, head.total);
  if (base == nullptr) return;
  const Elements elements(*how.element);
  FlatCursor cursor(type.get(), base, head.total, head.position);
  const std::uint64_t piece = how.kind == Effect::no_op ? head.units * kUnit : payload.size();
  const std::uint64_t bytes = std::min(piece, cursor.remaining());
  std::vector<std::byte> old(head.kind == Kind::fetch ? bytes : 0);
  for (std::uint64_t done = 0; done < bytes;) {
    const auto run = cursor.run();
    const std::size_t n =
        std::min<std::uint64_t>(elements.at_once(run.size()), (bytes - done) / elements.size());
    if (n == 0) return;  // no whole element: not what an origin sends
    if (!old.empty()) elements.read(old.data() + done, run.data(), n);
    if (how.kind != Effect::no_op) elements.change(run.data(), payload.data() + done, n, how);
    cursor.advance(n * elements.size());
    done += n * elements.size();
  }
  if (head.kind != Kind::fetch) return;
  Header result = header(Kind::result);
  result.id = head.id;
  result.position = head.position;
  answer(static_cast<int>(head.sender), result, old);
}

void AmModule::receive_swap(const Header& head, std::span<const std::byte> payload) {
  KnownType type;
  std::byte* const at = place(head, type, head.total);
  if (at == nullptr || payload.size() != 2 * head.total || head.total > 16) return;
  std::byte old[16];
  std::memcpy(old, at, head.total);
  if (std::memcmp(old, payload.data() + head.total, head.total) == 0)
    std::memcpy(at, payload.data(), head.total);
  Header result = header(Kind::result);
  result.id = head.id;
  answer(static_cast<int>(head.sender), result, {old, head.total});
}

}  // namespace tessera::osc::am
