// SPDX-License-Identifier: BSD-3-Clause
// How data are represented in a file: native, internal, external32, or by the program's functions.
#pragma once
//
// Contract. A Representation says how large a basic datatype is in the file, and converts whole
// elements of any type between memory and a contiguous stream of the file's bytes. All that lies
// behind (views, collective access) sees only the file's bytes. Source: MPI-5.0 §14.5.
//
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/io/type_ref.h"
#include "tessera/io.h"

namespace tessera::io {

class Representation {
 public:
  virtual ~Representation() = default;
  // Whether the bytes in the file are others than in memory, in one direction.
  virtual bool converts_reading() const noexcept { return false; }
  virtual bool converts_writing() const noexcept { return false; }
  // Whether types have other sizes in the file.
  virtual bool resizes() const noexcept { return false; }
  // The extent in the file of a predefined type; the size as well where resizes().
  virtual Result<Count> extent_of(const TypeObject& predefined) const noexcept {
    return Count{predefined.extent()};
  }
  // Bytes that one element of any type takes in the file.
  virtual Count size_of(const TypeObject& type) const noexcept { return type.size(); }
  // kConversion: a value is too large for the file.
  virtual Status fits(const TypeObject&, const void* /*data*/, Count /*count*/) const noexcept {
    return {};
  }
  // `count` elements, beginning with the one numbered `first` of this access, to or from `stream`.
  virtual Status to_file(const TypeObject&, const void* /*data*/, Count /*count*/, Count /*first*/,
                         std::byte* /*stream*/) const noexcept {
    return Errc::internal;
  }
  virtual Status from_file(const TypeObject&, void* /*data*/, Count /*count*/, Count /*first*/,
                           const std::byte* /*stream*/) const noexcept {
    return Errc::internal;
  }
};

// The type as it is in the file, rebuilt by its recipe from basic types of their size there:
// displacements in extents scale, displacements in bytes stay. The type itself where nothing
// changes. One reference for the caller.
Result<TypeRef> type_in_file(const TypeObject& type, const Representation& representation) noexcept;

// The representations that a process knows, by name.
class Representations {
 public:
  Representations();
  const Representation* find(std::string_view name) const noexcept;  // null: unknown
  // kDuplicateRepresentation: the name is taken.
  Status add(std::string_view name, std::unique_ptr<Representation> representation) noexcept;
  std::string names() const;

 private:
  std::map<std::string, std::unique_ptr<Representation>, std::less<>> known_;
};

}  // namespace tessera::io
