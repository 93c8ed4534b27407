// SPDX-License-Identifier: BSD-3-Clause
// Setting views, and positions in them (MPI-5.0 §14.3, §14.4.2-14.4.4).
#include <fmt/format.h>

#include <functional>

#include "core/io/engine.h"
#include "core/io/file.h"
#include "core/io/together.h"

namespace tessera::io {
namespace {

Status wrong(std::string text) noexcept {
  return Status::failure(Errc::argument, text);
}

}  // namespace

Status File::check_view(const ViewArguments& arguments, TypeRef& etype,
                        TypeRef& filetype) noexcept {
  if (Status ready = idle("set its view"); !ready) return ready;
  if (arguments.current && !sequential())
    return wrong(
        "argument `disp` is MPI_DISPLACEMENT_CURRENT, which only files with "
        "MPI_MODE_SEQUENTIAL have");
  if (sequential() && !arguments.current)
    return wrong(
        fmt::format("argument `disp` is {}; a file with MPI_MODE_SEQUENTIAL takes "
                    "MPI_DISPLACEMENT_CURRENT only",
                    arguments.displacement));
  if (!arguments.current && arguments.displacement < 0)
    return wrong(
        fmt::format("argument `disp` is {}; it must not be negative", arguments.displacement));
  const Representation* representation = engine_->representations().find(arguments.representation);
  if (representation == nullptr) {
    return Status::failure(
        kRepresentation, fmt::format("argument `datarep` is \"{}\"; this process knows {}",
                                     arguments.representation, engine_->representations().names()));
  }
  auto etype_in_file = type_in_file(*arguments.etype, *representation);
  if (!etype_in_file.ok()) return etype_in_file.status();
  auto filetype_in_file = type_in_file(*arguments.filetype, *representation);
  if (!filetype_in_file.ok()) return filetype_in_file.status();
  etype = std::move(*etype_in_file);
  filetype = std::move(*filetype_in_file);
  return View::check(*etype, *filetype, writable());
}

// Also learns whether any process sees the file in pieces.
Status File::agree_on_view(const ViewArguments& arguments, const TypeRef& etype,
                           const TypeRef& filetype, Status mine) noexcept {
  const Offset extent = mine.ok() ? etype->extent() : 0;
  if (Status same = agree(extent, "etype (its extent in the file)", mine); !same) return same;
  if (comm_->size() == 1) return {};
  struct Said {
    std::size_t representation;
    bool contiguous;
  };
  auto all = gather_all(
      *comm_, Said{std::hash<std::string>{}(arguments.representation), filetype->contiguous()});
  if (!all.ok()) return all.status();
  bool contiguous = true;
  for (const Said& other : *all) {
    if (other.representation != all->front().representation)
      return Status::failure(kNotSame,
                             "argument `datarep` is not the same at all processes; it must be");
    contiguous = contiguous && other.contiguous;
  }
  contiguous_everywhere_ = contiguous;
  return {};
}

// The exchange at the start keeps the shared pointer from being reset under a process that still
// uses the old view, the one at the end keeps others from using it before it is.
Status File::set_view(const ViewArguments& arguments, Status mine) noexcept {
  TypeRef etype, filetype;
  if (mine.ok()) mine = check_view(arguments, etype, filetype);
  if (Status agreed = agree_on_view(arguments, etype, filetype, mine); !agreed) return agreed;
  Offset displacement = arguments.displacement;
  if (arguments.current)
    displacement = shared_.available() ? view_->offset_of(shared_.get() * view_->etype_size()) : 0;
  view_ = std::make_shared<View>(displacement, *etype, *filetype);
  etype_ = TypeRef(*arguments.etype);
  filetype_ = TypeRef(*arguments.filetype);
  representation_name_ = arguments.representation;
  representation_ = engine_->representations().find(arguments.representation);
  position_ = 0;
  if (arguments.current) (void)barrier(*comm_);
  if (comm_->rank() == 0 && shared_.available()) shared_.set(0);
  return barrier(*comm_);
}

// The first etype that begins at the end of the file or behind it.
Result<Offset> File::end_of_view() noexcept {
  auto size = driver_->size();
  if (!size.ok()) return size.status();
  const Offset unit = view_->etype_size();
  return (view_->position_at(*size) + unit - 1) / unit;
}

Result<Offset> File::target(Offset offset, Whence whence, Offset current) noexcept {
  Offset base = whence == Whence::set ? 0 : current;
  if (whence == Whence::end) {
    auto end = end_of_view();
    if (!end.ok()) return end.status();
    base = *end;
  }
  Offset result = 0;
  if (__builtin_add_overflow(base, offset, &result) || result < 0)
    return wrong(
        fmt::format("argument `offset` is {} from position {}: the result must not be "
                    "negative",
                    offset, base));
  return result;
}

Status File::seek(Offset offset, Whence whence) noexcept {
  auto place = target(offset, whence, position_);
  if (place.ok()) position_ = *place;
  return place.status();
}

Status File::seek_shared(Offset offset, Whence whence, Status mine) noexcept {
  if (mine.ok()) mine = shared_position().status();
  if (Status same = agree(offset, "offset", mine); !same) return same;
  if (Status same = agree(static_cast<Offset>(whence), "whence", {}); !same) return same;
  auto place =
      comm_->rank() == 0 ? target(offset, whence, shared_.get()) : Result<Offset>(Offset{0});
  if (place.ok() && comm_->rank() == 0) shared_.set(*place);
  return comm_->size() == 1 ? place.status() : worst_of(*comm_, place.status());
}

}  // namespace tessera::io
