// SPDX-License-Identifier: BSD-3-Clause
// The hints of a file, a table.
#include "core/io/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace tessera::io {
namespace {

// A hint: how to take its value (false: it makes no sense) and to give it back.
struct Entry {
  const char* key;
  const char* allowed;
  bool (*take)(Hints& hints, const std::string& value);
  std::string (*give)(const Hints& hints);
};

std::optional<Offset> number(const std::string& text, Offset least, Offset most, int base = 10) {
  Offset value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (value < least || value > most) return {};
  return value;
}

template <class T>
bool take_number(T& place, const std::string& text, Offset least, Offset most, int base = 10) {
  const auto value = number(text, least, most, base);
  if (value) place = static_cast<T>(*value);
  return value.has_value();
}

bool take_choice(Choice& place, const std::string& text) {
  if (text == "enable" || text == "true") return place = Choice::always, true;
  if (text == "disable" || text == "false") return place = Choice::never, true;
  if (text == "automatic") return place = Choice::automatic, true;
  return false;
}

std::string choice_text(Choice choice) {
  return choice == Choice::always ? "enable" : choice == Choice::never ? "disable" : "automatic";
}

bool take_both(Hints& hints, const std::string& text) {
  if (!take_choice(hints.shared.collective_write, text)) return false;
  hints.shared.collective_read = hints.shared.collective_write;
  return true;
}

// The limits stand for values below or above them; get_info tells so.
constexpr Offset kLeastBuffer = 4096;
constexpr Offset kMostBuffer = 1 << 30;

bool take_buffer(Offset& place, const std::string& text) {
  const auto value = number(text, 1, std::numeric_limits<Offset>::max());
  if (value) place = std::clamp(*value, kLeastBuffer, kMostBuffer);
  return value.has_value();
}

constexpr const char* kSwitch = "enable, disable or automatic";
constexpr const char* kBuffer = "a number of bytes from 1 on";

const Entry kEntries[] = {
    {"cb_nodes", "a number of processes, or 0 for as many as the machine suggests",
     [](Hints& h, const std::string& v) {
       return take_number(h.shared.aggregators, v, 0, 1 << 30);
     },
     [](const Hints& h) { return std::to_string(h.shared.aggregators); }},
    {"cb_buffer_size", kBuffer,
     [](Hints& h, const std::string& v) { return take_buffer(h.shared.collective_buffer, v); },
     [](const Hints& h) { return std::to_string(h.shared.collective_buffer); }},
    {"collective_buffering", "true or false", take_both,
     [](const Hints& h) -> std::string {
       return h.shared.collective_write == Choice::never &&
                      h.shared.collective_read == Choice::never
                  ? "false"
                  : "true";
     }},
    {"romio_cb_write", kSwitch,
     [](Hints& h, const std::string& v) { return take_choice(h.shared.collective_write, v); },
     [](const Hints& h) { return choice_text(h.shared.collective_write); }},
    {"romio_cb_read", kSwitch,
     [](Hints& h, const std::string& v) { return take_choice(h.shared.collective_read, v); },
     [](const Hints& h) { return choice_text(h.shared.collective_read); }},
    {"romio_ds_read", kSwitch,
     [](Hints& h, const std::string& v) { return take_choice(h.sieve_read, v); },
     [](const Hints& h) { return choice_text(h.sieve_read); }},
    {"ind_rd_buffer_size", kBuffer,
     [](Hints& h, const std::string& v) { return take_buffer(h.read_buffer, v); },
     [](const Hints& h) { return std::to_string(h.read_buffer); }},
};

bool take_permission(Hints& hints, const std::string& text) {
  return take_number(hints.shared.permission, text, 1, 07777, 8);
}

constexpr const char* kOfCreation = "file_perm";

void refuse(std::vector<std::string>& notes, const char* key, const std::string& value,
            const char* allowed) {
  notes.push_back(fmt::format("info key {} has the value \"{}\", which is left out: it must be {}",
                              key, value, allowed));
}

}  // namespace

void Hints::take(const Info& info, std::vector<std::string>& notes) {
  for (const Entry& entry : kEntries) {
    const auto value = info.get(entry.key);
    if (value && !entry.take(*this, *value)) refuse(notes, entry.key, *value, entry.allowed);
  }
  const auto permission = info.get(kOfCreation);
  if (permission && !take_permission(*this, *permission))
    refuse(notes, kOfCreation, *permission, "an octal number from 1 to 7777");
}

void Hints::take(std::string_view list, std::vector<std::string>& notes) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const auto known = in_force();
    const bool is_known =
        key == kOfCreation || std::any_of(known.begin(), known.end(),
                                          [&](const auto& pair) { return pair.first == key; });
    if (equals == std::string_view::npos || !is_known) {
      notes.push_back(
          fmt::format("parameter io_hints has the entry \"{}\", which is left out: it "
                      "must be KEY=VALUE with a key that MPI_File_get_info returns",
                      part));
      continue;
    }
    Info info;
    info.set(key, part.substr(equals + 1));
    take(info, notes);
  }
}

std::vector<std::pair<std::string, std::string>> Hints::in_force() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Entry& entry : kEntries) pairs.emplace_back(entry.key, entry.give(*this));
  // The library never reads before it writes, nor gives independent access up.
  pairs.emplace_back("romio_ds_write", "disable");
  pairs.emplace_back("romio_no_indep_rw", "false");
  if (shared.permission != 0)
    pairs.emplace_back(kOfCreation, fmt::format("{:o}", shared.permission));
  return pairs;
}

}  // namespace tessera::io
