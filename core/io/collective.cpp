// SPDX-License-Identifier: BSD-3-Clause
// Collective access: each process says what it wants, then all know whether to help each other.
#include "core/io/collective.h"

#include "core/engine/instance.h"
#include "core/io/operation.h"
#include "core/io/together.h"
#include "core/io/two_phase.h"

namespace tessera::io {
namespace {

constexpr Offset kUnknownSize = -1;

Part part_of(const Transfer& transfer) noexcept {
  Part part;
  const View& view = *transfer.view;
  part.bytes = view.empty() ? 0 : transfer.bytes;
  if (part.bytes == 0) return part;
  part.fit = view.ascending(transfer.position, part.bytes);
  const Range hull = view.hull(transfer.position, part.bytes);
  part.first = hull.first;
  part.end = hull.end;
  part.pieces = view.pieces(part.bytes);
  part.copied =
      part.fit && transfer.driver->copies(transfer.writing, {hull, part.bytes, part.pieces});
  return part;
}

// So much of a part lies before the end of the file.
Offset present(const Transfer& transfer, Offset file_size) noexcept {
  const Offset end = transfer.view->position_at(file_size);
  return std::clamp<Offset>(end - transfer.position, 0, transfer.bytes);
}

}  // namespace

// Where the hint or atomic mode say so, and where no process sees the file in pieces, each goes by
// itself, without a word.
bool File::each_alone(bool writing) noexcept {
  if (comm_->size() == 1 || !positioned_) return true;
  const SharedHints& hints = hints_.shared;
  const Choice choice = writing ? hints.collective_write : hints.collective_read;
  Cooperation plan;
  if (atomic_) plan.why = "the mode is atomic";
  if (choice == Choice::never) plan.why = "a hint says so";
  if (choice == Choice::automatic && contiguous_everywhere_) plan.why = "all views are contiguous";
  if (*plan.why == '\0') return false;
  explain(plan, writing);
  return true;
}

void File::run_together(Operation& operation, Status mine) noexcept {
  if (each_alone(operation.transfer().writing)) return operation.run();
  run_meeting(&operation, operation.transfer().writing, mine);
}

void File::run_together(bool writing, Status mine) noexcept {
  if (!each_alone(writing)) run_meeting(nullptr, writing, mine);
}

void File::run_meeting(Operation* operation, bool writing, Status mine) noexcept {
  const Transfer* transfer = operation != nullptr ? &operation->transfer() : nullptr;
  Part part = transfer != nullptr ? part_of(*transfer) : Part{};
  part.error = mine.code();
  Status sized;
  if (!writing && comm_->rank() == 0) {
    const auto size = driver_->size();
    sized = size.status();
    part.file_size = size.ok() ? size.value() : kUnknownSize;
  }
  auto parts = gather_all(*comm_, part);
  if (!parts.ok()) {
    if (operation != nullptr) operation->set_outcome({0, parts.status()});
    return;
  }
  const Circumstances circumstances{
      writing, writing ? hints_.shared.collective_write : hints_.shared.collective_read,
      static_cast<int>(comm_->job().usable_cpus()), hints_.shared};
  const Cooperation plan = decide(*parts, circumstances);
  explain(plan, writing);
  if (!plan.together) {
    if (operation != nullptr) operation->run();
    return;
  }
  if (parts->front().file_size == kUnknownSize) {
    const Status failed = worst_of(*comm_, sized);
    if (operation != nullptr) operation->set_outcome({0, failed});
    return;
  }
  Offset bytes = part.bytes;
  if (transfer != nullptr && !writing && bytes > 0)
    bytes = present(*transfer, parts->front().file_size);
  const Status done = TwoPhase(*comm_, *parts, plan, transfer, bytes, writing, *driver_,
                               hints_.shared.collective_buffer)
                          .run();
  if (operation != nullptr) operation->set_outcome({done.ok() ? bytes : 0, done});
}

}  // namespace tessera::io
