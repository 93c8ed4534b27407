// SPDX-License-Identifier: BSD-3-Clause
// The data of a broadcast as one row of bytes.
#include "byte_row.h"

namespace tessera::coll::basic {

ByteRow::ByteRow(Schedule& schedule, const Buffer& data) noexcept
    : schedule_(schedule),
      data_(data),
      direct_(data.type->contiguous() || data.bytes() == 0),
      row_(direct_ ? as_bytes(data.space, data.offset, data.bytes())
                   : schedule.scratch(data.bytes(), nullptr)) {}

Buffer ByteRow::in_row(Count end) const noexcept {
  const Count size = data_.type->size();
  return bytes(done_ * size, end * size);
}

StepId ByteRow::filled(Count end) noexcept {
  if (direct_) return kNoStep;
  const Count size = data_.type->size();
  const Count wanted = (end + size - 1) / size;
  if (wanted == done_) return last_;
  last_ = schedule_.copy(elements(wanted), in_row(wanted), {last_});
  done_ = wanted;
  return last_;
}

void ByteRow::arrives(StepId step) noexcept {
  if (!direct_) last_ = join(schedule_, {last_, step});
}

void ByteRow::emptied(Count end) noexcept {
  if (direct_) return;
  const Count complete = end / data_.type->size();
  if (complete == done_) return;
  schedule_.copy(in_row(complete), elements(complete), {last_});
  done_ = complete;
}

}  // namespace tessera::coll::basic
