// SPDX-License-Identifier: BSD-3-Clause
// Cutting the blocks of a struct into words, and putting these together in groups of four, two or
// one.
#include "core/datatype/record.h"

namespace tessera {
namespace {

constexpr unsigned kLargestLog = 4;

}  // namespace

Record::Record(const Node& node) {
  std::vector<Word> words;
  Aint stream = 0;
  for (std::size_t i = 0; i < node.offsets.size(); ++i) {
    const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
    if (bytes <= static_cast<Count>(kSmall)) {
      cut(bytes, node.offsets[i], stream, words);
    } else {
      complete_ = false;
    }
    stream += bytes;
  }
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t left = words.size() - i;
    const std::size_t n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    groups_.push_back(group_of(&words[i], n));
    i += n;
  }
}

// As many of the largest words as fit, then one for each bit of the rest.
void Record::cut(Count bytes, Aint data, Aint stream, std::vector<Word>& words) {
  Count at = 0;
  for (unsigned log = kLargestLog; at < bytes;) {
    const Count word = Count{1} << log;
    if (at + word > bytes) {
      --log;
      continue;
    }
    words.push_back({log, data + at, stream + at});
    at += word;
  }
}

Record::Group Record::group_of(const Word* words, std::size_t n) noexcept {
  Group group{nullptr, words->data, words->stream, {}, {}};
  std::array<unsigned, kWordsAtOnce> logs{};
  for (std::size_t i = 0; i < n; ++i) {
    logs[i] = words[i].log;
    group.in_data[i] = words[i].data - words->data;
    group.in_stream[i] = words[i].stream - words->stream;
  }
  group.kernel = record_kernel({logs.data(), n});
  return group;
}

}  // namespace tessera
