// SPDX-License-Identifier: BSD-3-Clause
// The representations of the standard, and the table of all.
#include "core/io/representation.h"

#include <fmt/format.h>

#include "core/datatype/external32.h"

namespace tessera::io {
namespace {

class External32 final : public Representation {
 public:
  bool converts_reading() const noexcept override { return true; }
  bool converts_writing() const noexcept override { return true; }
  bool resizes() const noexcept override { return true; }
  Result<Count> extent_of(const TypeObject& predefined) const noexcept override {
    return external32_size(predefined);
  }
  Count size_of(const TypeObject& type) const noexcept override { return external32_size(type); }
  // Only types that are shorter in the file can have such values.
  Status fits(const TypeObject& type, const void* data, Count count) const noexcept override {
    if (external32_size(type) == type.size() || external32_fits(type, data, count)) return {};
    return Status::failure(kConversion,
                           "argument `buf` has a number that is too large for external32, where "
                           "MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes and MPI_WCHAR has 2");
  }
  Status to_file(const TypeObject& type, const void* data, Count count, Count first,
                 std::byte* stream) const noexcept override {
    const std::byte* from =
        shift(static_cast<std::byte*>(const_cast<void*>(data)), first * type.extent());
    external32_pack(type, from, count, stream);
    return {};
  }
  Status from_file(const TypeObject& type, void* data, Count count, Count first,
                   const std::byte* stream) const noexcept override {
    external32_unpack(type, shift(static_cast<std::byte*>(data), first * type.extent()), count,
                      stream);
    return {};
  }
};

}  // namespace

Representations::Representations() {
  known_.emplace("native", std::make_unique<Representation>());
  // All processes of a job have one architecture: what memory holds is readable by all of them.
  known_.emplace("internal", std::make_unique<Representation>());
  known_.emplace("external32", std::make_unique<External32>());
}

const Representation* Representations::find(std::string_view name) const noexcept {
  const auto found = known_.find(name);
  return found != known_.end() ? found->second.get() : nullptr;
}

Status Representations::add(std::string_view name,
                            std::unique_ptr<Representation> representation) noexcept {
  const bool added = known_.emplace(std::string(name), std::move(representation)).second;
  if (added) return {};
  return Status::failure(
      kDuplicateRepresentation,
      fmt::format("argument `datarep` is \"{}\", which is defined already; known are {}", name,
                  names()));
}

std::string Representations::names() const {
  std::string list;
  for (const auto& [name, representation] : known_) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace tessera::io
