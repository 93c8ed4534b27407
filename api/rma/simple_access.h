// SPDX-License-Identifier: BSD-3-Clause
// The short way of accesses as most programs make them.
#pragma once
//
// Contract. examine() is true when an access has the same predefined type and count at both sides,
// data, a target, room and an epoch for it, and no osc_check looks at it: then nothing is wrong
// with it, and it can be carried out. It is false when something is wrong or out of the ordinary;
// Access (access.h) finds out which, and says so. The caller is in the engine.
//
#include "api/rma/access.h"

namespace tessera::api {

class SimpleAccess {
 public:
  bool examine(const void* buffer, const TargetArgument& target, MPI_Win win) noexcept {
    window_ = find_window(win);
    if (window_ == nullptr || window_->check() != nullptr || !is_predefined(target.datatype))
      return false;
    type_ = predefined_type(number_of(target.datatype));
    const osc::Window& window = *window_;
    if (type_ == nullptr || !type_->contiguous() || target.rank < 0 ||
        target.rank >= window.size() || target.count <= 0 || buffer == nullptr ||
        buffer == MPI_IN_PLACE || window.flavor() == osc::Flavor::dynamic)
      return false;
    rank_ = target.rank;
    count_ = target.count;
    const osc::Part& part = window.part(rank_);
    if (__builtin_mul_overflow(count_, type_->size(), &bytes_) ||
        __builtin_mul_overflow(target.displacement, part.unit, &displacement_))
      return false;
    return bytes_ > 0 && displacement_ >= 0 && bytes_ <= part.size &&
           displacement_ <= part.size - bytes_ && window_->epochs().admits(rank_);
  }

  int put(const char* function, const void* from) noexcept {
    window_->epochs().accessed();
    if (std::byte* const there = place()) {
      osc::copy_bytes(there, from, static_cast<std::size_t>(bytes_));
      return MPI_SUCCESS;
    }
    window_->enter(function);
    return outcome(function, window_->module().put(local(from), remote(), nullptr));
  }
  int get(const char* function, void* into) noexcept {
    window_->epochs().accessed();
    if (std::byte* const there = place()) {
      osc::copy_bytes(into, there, static_cast<std::size_t>(bytes_));
      return MPI_SUCCESS;
    }
    window_->enter(function);
    return outcome(function, window_->module().get(local(into), remote(), nullptr));
  }
  // What the operation makes of this type, if it was asked before; otherwise null.
  const osc::Combination* combination(MPI_Op op) const noexcept {
    return window_->last_combination().find(number_of(op), type_);
  }
  int accumulate(const char* function, const void* from, const osc::Combination& how) noexcept {
    window_->epochs().accessed();
    window_->enter(function);
    return outcome(function, window_->module().accumulate(local(from), remote(), how, nullptr));
  }
  int fetch(const char* function, const void* from, void* result,
            const osc::Combination& how) noexcept {
    window_->epochs().accessed();
    window_->enter(function);
    return outcome(function, window_->module().fetch(from, result, rank_, displacement_, how));
  }

 private:
  std::byte* place() const noexcept {
    const auto direct = window_->direct();
    return direct.empty() ? nullptr : direct[static_cast<std::size_t>(rank_)] + displacement_;
  }
  osc::Local local(const void* buffer) const noexcept {
    return {const_cast<void*>(buffer), count_, type_};
  }
  osc::Remote remote() const noexcept { return {rank_, displacement_, count_, type_}; }
  int outcome(const char* function, Status status) const noexcept {
    return result(function, *window_, status);
  }

  Win* window_ = nullptr;
  const TypeObject* type_ = nullptr;
  int rank_ = 0;
  Count count_ = 0;
  Count bytes_ = 0;
  Aint displacement_ = 0;
};

}  // namespace tessera::api
