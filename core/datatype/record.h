// SPDX-License-Identifier: BSD-3-Clause
// Repeated structs: the small blocks of one, cut into words of which the kernels move several at a
// time.
#pragma once
//
// A struct of an int, three doubles and a char is four words. Moved word by word for many elements,
// each pass is fast but goes through all of the memory; four words per pass need it once.
//
#include <vector>

#include "core/datatype/kernels.h"

namespace tessera {

class Record {
 public:
  static constexpr std::size_t kMostBlocks = 16;  // of a node; records of more do not pay

  // Of a node of shape `blocks`; entries larger than kSmall are left to the caller.
  explicit Record(const Node& node);
  bool complete() const noexcept { return complete_; }  // there are no such entries

  // `turns` records of the data, `stride` bytes apart, to or from those of the stream, `packed`
  // bytes apart.
  void pack(std::byte* stream, std::byte* data, Count turns, Aint stride,
            Aint packed) const noexcept {
    for (const Group& g : groups_)
      g.kernel(shift(stream, g.stream), shift(data, g.data),
               {turns, packed, stride, g.in_stream, g.in_data});
  }
  void unpack(std::byte* stream, std::byte* data, Count turns, Aint stride,
              Aint packed) const noexcept {
    for (const Group& g : groups_)
      g.kernel(shift(data, g.data), shift(stream, g.stream),
               {turns, stride, packed, g.in_data, g.in_stream});
  }

 private:
  struct Word {
    unsigned log;  // of its size
    Aint data, stream;
  };
  // Words that are moved together: where the first is, and where all are from there.
  struct Group {
    RecordKernel kernel;
    Aint data, stream;
    std::array<Aint, kWordsAtOnce> in_data, in_stream;
  };

  static void cut(Count bytes, Aint data, Aint stream, std::vector<Word>& words);
  static Group group_of(const Word* words, std::size_t n) noexcept;

  std::vector<Group> groups_;  // in the order of the type map
  bool complete_ = true;
};

}  // namespace tessera
