// SPDX-License-Identifier: BSD-3-Clause
// What this process has open, and how much went between it and others.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <new>
#include <string>

#include "core/engine/instance.h"
#include "core/io/engine.h"
#include "core/io/file.h"
#include "core/progress/wait_reporter.h"
#include "core/rma/one_sided.h"
#include "core/tools/collector.h"

namespace tessera {
namespace {

constexpr std::size_t kMostPeers = 4;
constexpr std::size_t kRoomForRest = 32;  // for "and 1000 more"

// A name that the program gave, for a line of text.
std::string printable(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return name;
}

std::string describe(const Win& window) {
  return fmt::format("window {}of {} processes, {} bytes here; {}",
                     window.name().empty() ? "" : printable(window.name()) + " ", window.size(),
                     window.own().size, window.epochs().open_epochs());
}

std::string describe(const io::File& file) {
  const char* const access = !file.writable()   ? "read"
                             : !file.readable() ? "written"
                                                : "read and written";
  const int processes = file.comm().size();
  const std::string text = fmt::format("file {} of {} process{}, {}", printable(file.name()),
                                       processes, processes == 1 ? "" : "es", access);
  if (file.sequential()) return text;
  return fmt::format("{}, at {} in the view", text, file.position());
}

struct Exchange {
  std::uint32_t rank;
  std::uint64_t messages_sent, bytes_sent, messages_received, bytes_received;
  std::uint64_t bytes() const noexcept { return bytes_sent + bytes_received; }
  bool any() const noexcept { return messages_sent + messages_received > 0; }
};

// What the pml counts anyway, where it does; those with the most first.
std::vector<Exchange> exchanges(Instance& instance) {
  auto* const collector = dynamic_cast<Collector*>(instance.kernel().watcher());
  if (collector == nullptr) return {};
  const auto read = [collector](const char* name) { return collector->read_of("pml", name); };
  const auto messages_sent = read("peer_messages_sent"), bytes_sent = read("peer_bytes_sent"),
             messages_received = read("peer_messages_received"),
             bytes_received = read("peer_bytes_received");
  const std::size_t ranks =
      std::min({messages_sent.size(), bytes_sent.size(), messages_received.size(),
                bytes_received.size(), std::size_t{instance.job().size()}});
  std::vector<Exchange> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Exchange one{rank, messages_sent[rank], bytes_sent[rank], messages_received[rank],
                       bytes_received[rank]};
    if (one.any()) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Exchange& one, const Exchange& other) {
    return one.bytes() > other.bytes();
  });
  return all;
}

std::string describe(std::vector<Exchange> all) {
  const std::size_t more = all.size() - std::min(all.size(), kMostPeers);
  all.resize(all.size() - more);
  std::vector<std::string> parts;
  for (const Exchange& one : all)
    parts.push_back(fmt::format("{} bytes in {} to rank {} and {} in {} from it", one.bytes_sent,
                                one.messages_sent, one.rank, one.bytes_received,
                                one.messages_received));
  if (more > 0) parts.push_back(fmt::format("and {} more ranks", more));
  return fmt::format("messages so far: {}", fmt::join(parts, "; "));
}

// Lines of text, until there is no room for more; those are counted.
class Lines {
 public:
  explicit Lines(std::span<char> text) noexcept : text_(text) { text_[0] = 0; }

  void add(const std::string& line) noexcept {
    if (left_out_ > 0 || used_ + line.size() + 2 + kRoomForRest > text_.size())
      ++left_out_;
    else
      put(line);
  }
  void end() {
    if (left_out_ > 0) put(fmt::format("and {} more", left_out_));
  }

 private:
  void put(const std::string& line) noexcept {
    std::memcpy(&text_[used_], line.c_str(), line.size());
    used_ += line.size();
    text_[used_++] = '\n';
    text_[used_] = 0;
  }

  std::span<char> text_;
  std::size_t used_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

void write_inventory(Instance& instance, std::span<char> text) noexcept {
  try {
    Lines lines(text);
    if (auto all = exchanges(instance); !all.empty()) lines.add(describe(std::move(all)));
    if (instance.census().windows > 0)
      instance.one_sided().each([&](const Win& window) { lines.add(describe(window)); });
    if (instance.census().files > 0)
      for (const io::File* file : instance.files().open_files()) lines.add(describe(*file));
    lines.end();
  } catch (const std::bad_alloc&) {
    text[0] = 0;
  }
}

}  // namespace tessera
