// SPDX-License-Identifier: BSD-3-Clause
// The data of a broadcast as one row of bytes: ByteRow.
#pragma once
//
// Count and type of a broadcast may differ from process to process; only the bytes they name, in
// type-map order, are the same everywhere (MPI-5.0 §6.4). So whoever cuts a broadcast cuts bytes.
// Dense data is its own row. Other data is copied to or from a row in scratch memory, element by
// element as the row is needed (filled) or complete (emptied).
//
#include "blocks.h"

namespace tessera::coll::basic {

class ByteRow {
 public:
  ByteRow(Schedule& schedule, const Buffer& data) noexcept;

  Count size() const noexcept { return row_.count; }
  Buffer bytes(Count begin, Count end) const noexcept { return row_.part(begin, end - begin); }

  // Where the data is: the step after which the row has its bytes before `end`. `end` does not
  // decrease.
  StepId filled(Count end) noexcept;
  // Where the data is to come: `step` writes a part of the row.
  void arrives(StepId step) noexcept;
  // The elements that lie before `end`, all of which has arrived, go where they belong. `end` does
  // not decrease.
  void emptied(Count end) noexcept;

 private:
  Buffer elements(Count end) const noexcept { return data_.part(done_, end - done_); }
  Buffer in_row(Count end) const noexcept;

  Schedule& schedule_;
  Buffer data_;
  bool direct_;
  Buffer row_;
  Count done_ = 0;  // elements copied
  StepId last_ = kNoStep;
};

}  // namespace tessera::coll::basic
