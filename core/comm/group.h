// SPDX-License-Identifier: BSD-3-Clause
// An ordered set of processes. Source: MPI-5.0 §7.3.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/object/freed_objects.h"
#include "tessera/comm.h"

namespace tessera {

class BufferedSends;

enum class Similarity { identical, similar, unequal };

// Immutable. Made by the static functions and by set operations; each returns a new reference for
// the caller.
class Group final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::group); }
  // The processes in the given order, each at most once.
  static Group* make(std::vector<Peer*> members) { return new Group(std::move(members)); }
  // MPI_GROUP_EMPTY. One per Instance would do; content decides, not identity.
  static Group* empty() { return make({}); }

  int size() const noexcept { return static_cast<int>(members_.size()); }
  Peer* const* members() const noexcept { return members_.data(); }
  Peer& member(int rank) const noexcept { return *members_[static_cast<std::size_t>(rank)]; }
  // The rank of a process in this group, or -1.
  int rank_of(const Peer& peer) const noexcept;

  Similarity compare(const Group& other) const noexcept;
  Group* united_with(
      const Group& other) const;  // this one's members, then those of other that are new
  Group* intersected_with(const Group& other) const;  // in this one's order
  Group* without(const Group& other) const;
  Group* including(std::span<const int> ranks) const;  // in the order of ranks
  Group* excluding(std::span<const int> ranks) const;

  // The buffer of the session that the group comes from, for buffered sends on its communicators;
  // groups made out of this one have it too. Null for groups of the World Model, and when the
  // session is gone.
  const std::weak_ptr<BufferedSends>& session_buffer() const noexcept { return session_buffer_; }
  void set_session_buffer(std::weak_ptr<BufferedSends> buffer) noexcept {
    session_buffer_ = std::move(buffer);
  }

 private:
  explicit Group(std::vector<Peer*> members);
  ~Group() override;
  Group* derive(std::vector<Peer*> members) const;
  std::vector<Peer*> members_;
  // Peers by id for the search; empty while members_ is itself the identity 0, 1, 2, ...
  std::vector<std::pair<std::uint32_t, int>> by_id_;
  std::weak_ptr<BufferedSends> session_buffer_;
};

// A reference that releases itself. T is an Object.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  // Takes over the reference that `object` comes with.
  explicit Ref(T* object) noexcept : object_(object) {}
  static Ref share(T* object) noexcept {
    if (object != nullptr) object->retain();
    return Ref(object);
  }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* take() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace tessera
